#!/usr/bin/env python3
"""Writes into SECURITY.md where `unsafe` is used and which crates wipe secrets.

    lab/unsafe.py            # rewrites the table between its two marker comments
    lab/unsafe.py --check    # changes nothing; exits 1 if SECURITY.md says something else than the code

Also checked, since SECURITY.md states it: every crate takes the workspace's lints, which deny what DENIED names, and what
lifts `unsafe_code` has a purpose in PURPOSES. Tests, examples and benchmarks do not count: they are part of no crate that is
used. Blocks are counted, `unsafe fn` and `unsafe impl` are not. That no file is taken in from elsewhere, lab/circles.py checks.
"""
import re
import sys
import textwrap
import tomllib
from pathlib import Path

from circles import code

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- begin: lab/unsafe.py -->", "<!-- end: lab/unsafe.py -->"
LIFTED = re.compile(r"\b(?:allow|expect|warn)\([^)]*\bunsafe_code\b")
DENIED = [("rust", "unsafe_code"), ("rust", "unsafe_op_in_unsafe_fn"), ("clippy", "undocumented_unsafe_blocks")]

# The first folder that a file lies in decides.
PURPOSES = {
    "crates/primitives/cpu/": "CPUID; clearing registers; the timed loop of additions",
    "crates/primitives/": "instructions of the processor, chosen at run time",
    "crates/catalog/src/host/": "calls of the host's libraries and of its kernel's cryptography",
    "crates/catalog/src/cipher/aws_lc/": "AES-XTS of AWS-LC, which has no safe form",
    "crates/c/src/": "the C interface: pointers that callers hand over",
    "crates/engine/src/": "shared objects of engines; children that end with the program",
    "crates/measure/src/": "performance counters, clocks, the timed loop of additions",
    "crates/carriers/dns-internet/src/sys.rs": "network namespaces, packet counters, children that end with the program",
    "crates/carriers/git/src/": "mapping files; inflating by libdeflate",
    "crates/carriers/disk/src/storage/loop_device.rs": "asking loop devices for their files",
    "crates/workbench/tcp-ao/src/commands/gateway/tun.rs": "opening network devices",
    "crates/verdict/src/page.rs": "names by which a page calls WebAssembly",
    "crates/frame/src/output/closed.rs": "asking which streams are closed before the runtime begins",
}


def sources(crate: Path) -> list[Path]:
    """What becomes part of the crate, without its tests, benchmarks and examples."""
    apart = {"tests", "benches", "examples"}
    return [it for it in sorted(crate.rglob("*.rs")) if it.relative_to(crate).parts[0] not in apart]


def table() -> tuple[str, list[str]]:
    """The table, and what is wrong with the code."""
    modules, blocks = dict.fromkeys(PURPOSES, 0), dict.fromkeys(PURPOSES, 0)
    wipe, faults = [], []
    lints = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["lints"]
    faults += [f"the workspace does not deny {tool}'s lint {it}" for tool, it in DENIED if lints[tool].get(it) != "deny"]
    for manifest in sorted(ROOT.glob("crates/**/Cargo.toml")):
        crate = manifest.parent
        name = str(crate.relative_to(ROOT / "crates"))
        if tomllib.loads(manifest.read_text()).get("lints") != {"workspace": True}:
            faults.append(f"crates/{name} does not take the workspace's lints")
        wipes = False
        for path in sources(crate):
            text, place = path.read_text(), str(path.relative_to(ROOT))
            wipes |= re.search(r"^\s*(?!\s*//).*\b(zeroize\b|Zeroizing\b)", text, re.M) is not None
            lifts = len(LIFTED.findall(re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S))) > 0
            if not lifts and "unsafe" not in text:
                continue
            count = len(re.findall(r"\bunsafe\s*\{", code(text)))
            purpose = next((folder for folder in PURPOSES if place.startswith(folder)), None)
            if purpose:
                modules[purpose] += lifts
                blocks[purpose] += count
            elif lifts or count:
                faults.append(f"{place} lifts `unsafe_code` for no purpose that lab/unsafe.py knows")
        if wipes:
            wipe.append(f"`{name}`")
    faults += [f"{it} has no `unsafe` any more; take it out of lab/unsafe.py" for it, n in modules.items() if n == 0]
    lines = ["| where | for | modules that lift the lint | blocks |", "|---|---|---|---|"]
    lines += [f"| `{it.rstrip('/')}` | {why} | {modules[it]} | {blocks[it]} |" for it, why in PURPOSES.items()]
    lines += [f"| all | | {sum(modules.values())} | {sum(blocks.values())} |", ""]
    lines += textwrap.wrap("Crates that wipe secrets, by the crate `zeroize`: " + ", ".join(wipe) + ".", 118, break_on_hyphens=False)
    return "\n".join(lines), faults


def main() -> int:
    wanted, faults = table()
    path = ROOT / "SECURITY.md"
    text = path.read_text()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    if not rest or not after:
        faults.append(f"SECURITY.md lacks {BEGIN} or {END}")
    new = f"{before}{BEGIN}\n{wanted}\n{END}{after}"
    if not faults and new != text:
        if "--check" in sys.argv[1:]:
            faults.append("SECURITY.md does not say where `unsafe` is; run lab/unsafe.py")
        else:
            path.write_text(new)
    for fault in faults:
        print(f"lab/unsafe.py: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
