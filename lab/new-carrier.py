#!/usr/bin/env python3
"""Add a carrier that builds and runs, as a start: two crates made from crates/frame/examples/carrier.rs, and their places.

    lab/new-carrier.py NAME     # for example jose; then: cargo run --release -p fieldtest -- NAME study --budget 5
    lab/new-carrier.py --check  # make one in a copy of the tree, build and run it there

NAME is a word of lower-case letters, with hyphens between words. The script adds crates/carriers/NAME (the protocol),
crates/workbench/NAME (the study, what a report says of it, the command), and the lines that name them in the three lists
that CONTRIBUTING describes. It refuses a name that exists and writes nothing then. What is left to do, CONTRIBUTING lists.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = """[package]
name = "fieldtest-{crate}"
description = "{about}"
version.workspace = true
edition.workspace = true
rust-version.workspace = true
license.workspace = true
authors.workspace = true
publish = false

[lints]
workspace = true

[dependencies]
"""


def after(text: str, pattern: str, line: str) -> str:
    """The text with a line behind the last one that the pattern finds."""
    *_, last = re.finditer(pattern, text, re.M)
    return f"{text[: last.end()]}\n{line}{text[last.end() :]}"


def crates(name: str) -> dict[str, str]:
    """The files of both crates. The example is compiled by every test run, so what is made from it compiles, too."""
    example = (ROOT / "crates/frame/examples/carrier.rs").read_text()
    imports, rest = example.split("\n/// The carrier's name", 1)
    imports = imports[imports.index("use anyhow") :]
    words, protocol, rest = re.split(r"\n// The protocol\.\n|\n// What a study measures\.\n", rest)
    main = re.search(r"\nfn main\(\).*?\n}\n", rest, re.S)[0]
    crate = name.replace("-", "_")
    protocol = re.sub(r"^fn ", "pub fn ", protocol, flags=re.M)
    functions = ", ".join(sorted(re.findall(r"^pub fn (\w+)", protocol, re.M)))
    workbench = f"/// The carrier's name{words}\n{rest.replace(main, '')}".replace('"token"', f'"{name}"', 1).replace("`[token]`", f"`[{name}]`")
    workbench = workbench.replace("static CARRIER", "/// The carrier, as the program has it.\npub static CARRIER")
    imports = imports.replace("\nuse serde", f"\nuse fieldtest_{crate}::{{{functions}}};\nuse serde")
    used = sorted(set(re.findall(r"^use (fieldtest_\w+)", imports, re.M)) | {"fieldtest_measure"})
    needs = "".join(f"{it.replace('_', '-')}.workspace = true\n" for it in [*used, "anyhow", "clap", "serde"])
    return {
        f"crates/carriers/{name}/Cargo.toml": PACKAGE.format(crate=name, about=f"The protocol of the carrier {name}").replace("\n[dependencies]\n", ""),
        f"crates/carriers/{name}/src/lib.rs": f"//! The protocol of the carrier `{name}`.\n{protocol.rstrip()}\n",
        f"crates/workbench/{name}/Cargo.toml": PACKAGE.format(crate=f"workbench-{name}", about=f"What fieldtest measures of {name}, what a report says of it, and the commands") + needs,
        f"crates/workbench/{name}/src/lib.rs": f"//! The workbench of the carrier `{name}`.\n\n{imports}\n{workbench.rstrip()}\n",
    }


def lists(name: str) -> dict[str, str]:
    """The files that name every carrier, with this one."""
    texts = {it: (ROOT / it).read_text() for it in ("Cargo.toml", "crates/fieldtest/Cargo.toml", "crates/fieldtest/src/carriers.rs")}
    workspace, program, carriers = texts
    texts[workspace] = after(texts[workspace], r"^fieldtest-workbench-.*$", f'fieldtest-workbench-{name} = {{ path = "crates/workbench/{name}", version = "0.1.0" }}')
    texts[workspace] = after(texts[workspace], r"^fieldtest-.*crates/carriers/.*$", f'fieldtest-{name} = {{ path = "crates/carriers/{name}", version = "0.1.0" }}')
    texts[program] = after(texts[program], r"^fieldtest-workbench-.*$", f"fieldtest-workbench-{name} = {{ workspace = true, optional = true }}")
    texts[program] = after(texts[program], r"^[\w-]+ = \[\"dep:fieldtest-workbench-.*$", f'{name} = ["dep:fieldtest-workbench-{name}"]')
    texts[program] = texts[program].replace("default = [", f'default = ["{name}", ', 1)
    texts[carriers] = after(texts[carriers], r"^    &fieldtest_workbench_.*$", f'    #[cfg(feature = "{name}")]\n    &fieldtest_workbench_{name.replace("-", "_")}::CARRIER,')
    return texts


def add(root: Path, name: str) -> None:
    if not re.fullmatch(r"[a-z]+(-[a-z]+)*", name):
        sys.exit(f"invalid name '{name}': expected lower-case words with hyphens between them, such as jose")
    if taken := next((it for it in sorted(root.glob(f"crates/*/{name}")) if it.is_dir()), None):
        sys.exit(f"cannot add '{name}': {taken.relative_to(root)} exists; choose another name")
    made = crates(name) | lists(name)
    for path, text in made.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    for kind in ("carriers", "workbench"):
        for licence in ("LICENSE-APACHE", "LICENSE-MIT"):
            os.symlink(f"../../../{licence}", root / f"crates/{kind}/{name}/{licence}")
    subprocess.run(["cargo", "fmt", "-p", f"fieldtest-{name}", "-p", f"fieldtest-workbench-{name}"], cwd=root, check=True)
    print("\n".join(sorted(made)))


def check() -> None:
    """Whether what is made builds, follows the rules of the tree, and measures."""
    copy = ROOT / "target/lab/new-carrier"
    shutil.rmtree(copy, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    for file in listed.splitlines():
        (copy / file).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / file).is_symlink() or (ROOT / file).is_file():
            shutil.copy2(ROOT / file, copy / file, follow_symlinks=False)
    add(copy, "try-out")
    config = ["--config", ROOT / os.environ["FIELDTEST_CARGO_CONFIG"]] if "FIELDTEST_CARGO_CONFIG" in os.environ else []
    run = ["cargo", *config, "run", "--release", "--target-dir", ROOT / "target", "-p", "fieldtest", "--no-default-features", "--features", "try-out", "--"]
    out = copy / "out"
    subprocess.run([*run, "try-out", "study", "-a", "ed25519", "--budget", "3", "-o", out], cwd=copy, check=True)
    if "token-size" not in (out / "records.jsonl").read_text():
        sys.exit("lab/new-carrier.py: the study of the new carrier left no record of it")
    subprocess.run(["cargo", "fmt", "--all", "--check"], cwd=copy, check=True)
    subprocess.run(["lab/circles.py"], cwd=copy, check=True)
    shutil.rmtree(copy)


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        check()
    elif len(sys.argv) == 2 and not sys.argv[1].startswith("-"):
        add(ROOT, sys.argv[1])
    else:
        sys.exit(__doc__)
