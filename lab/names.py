#!/usr/bin/env python3
"""Looks for names of carriers in the code that all carriers share, and for the catalog among what carriers depend on.

    lab/names.py        # exits 1 and shows each line that names one
    lab/names.py -v     # and says which files it looked at

Names of carriers stand in their own crates and in the one list of them. Carriers and catalog do not know each other, in
tests neither: neither reaches the other by dependencies, a crate's own dev-dependencies included. What carriers share
reaches no carrier, whatever a manifest calls it: Cargo is asked.

A name counts as a word of its own, as a part of an identifier in every spelling, and in strings; comments do not count.
A name that is put together of parts is not seen.
What writes and reads records also types no word of a workbench's own (`words.rs`) that has a hyphen; one without may be
everybody's.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# What all carriers stand on. crates/fieldtest/src/carriers.rs is the one list.
CRATES = sorted(
    str(path.parent.relative_to(ROOT))
    for place in ("crates/*", "crates/primitives/*")
    for path in ROOT.glob(f"{place}/Cargo.toml")
    if path.parent.name != "fieldtest"
)
SHARED = [
    *CRATES,
    "crates/fieldtest/src/lib.rs",
    "crates/fieldtest/src/main.rs",
    "crates/fieldtest/src/args.rs",
    "crates/fieldtest/src/args",
    "crates/fieldtest/src/commands",
]
# What becomes part of a crate: not its tests, examples and benchmarks.
PARTS = re.compile(r"(src|templates)/.*\.(rs|html|js|css|txt|toml|json|md)$|build\.rs$")

# What an algorithm's facts say of a carrier is data under that carrier's key; what a kind itself needs is the kind's.
EXCEPT = [
    (r"catalog/src/\w+/facts\.rs$", "facts"),
    (r"catalog/src/(signature|hash)/mod\.rs$", "types of facts, given out"),
    (r"catalog/src/attach/", "facts of algorithms that are attached"),
    (r"catalog/src/hash/availability/", "programs of the host that have hash functions"),
    (r"(catalog|primitives)/.*(vectors|kats)\.rs$", "where known answers are from"),
    (r"catalog/src/mac/(derivation|rfc5925)\.rs$", "the key derivation by which MACs are specified (RFC 5926)"),
]

# What writes and reads records.
RECORDS = ["crates/report/src", "crates/study/src", "crates/testing/src"]

# A comment, or what may hold two slashes that begin none.
COMMENT = re.compile(r"""(\br(#*)".*?"\2|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)')|//[^\n]*|/\*.*?\*/""", re.S)

# English words, or letters that many words have: only where they stand as a name does.
COMMON = {"disk", "git", "ima"}


def pattern(name: str) -> re.Pattern:
    parts = name.split("-")
    snake, camel = "_".join(parts), "".join(part.capitalize() for part in parts)
    if name not in COMMON:
        return re.compile("[-_ ]?".join(parts), re.I)
    # `"git"`, `"git-…`, `git_…`, `…_git`, `GIT_…`, `TheGitPart`, `IMA`, `Git`; `.disk` and `disk:` of a field.
    upper = snake.upper()
    return re.compile(
        rf"(?<![a-z]){snake}_|_{snake}(?![a-z])|(?<![A-Z]){upper}[_0-9]|_{upper}(?![A-Z])|[A-Za-z0-9]{camel}(?![a-z])|(?<![A-Z]){camel}[A-Z0-9]\w*|[\"',-]{name}\b|\b{name}[\"',-]|\b{snake}::|\.{snake}\b|\b{snake}:|"
        + (rf"\b{camel}\b" if name == "git" else rf"\b{name.upper()}\b")
    )


def acquainted(homes: set[str], users: set[str]) -> list[str]:
    """Carriers that reach the catalog, and what reaches a carrier and must not: one line each."""
    asked = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked"]
    packages = json.loads(subprocess.run(asked, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)["packages"]
    uses = {it["name"]: [(used["name"], used["kind"]) for used in it["dependencies"]] for it in packages}
    shared = [it["name"] for it in packages if str(Path(it["manifest_path"]).parent.relative_to(ROOT)) in CRATES]
    catalog, carriers = "fieldtest-catalog", {f"fieldtest-{home}" for home in homes}
    users = {f"fieldtest-workbench-{user}" for user in users}
    if missing := (carriers | users | {catalog}) - uses.keys():
        sys.exit(f"lab/names.py: no crate is called {', '.join(sorted(missing))}")
    lines = []
    rules = [(catalog, carriers, "dev"), *((it, {catalog}, "dev") for it in sorted(carriers)), *((it, carriers | users, "") for it in shared)]
    for crate, strangers, own in rules:
        way, todo = {crate: crate}, [crate]
        while todo:
            for name, kind in uses[todo[0]]:
                if name in uses and name not in way and (kind != "dev" or own and todo[0] == crate):
                    way[name] = f"{way[todo[0]]} → {name}"
                    todo.append(name)
            todo.pop(0)
        lines += [f"these do not know each other: {way[name]}" for name in sorted(strangers & way.keys())]
    return sorted(set(lines))


def main() -> int:
    carriers, workbenches = ({path.parent.name for path in ROOT.glob(f"crates/{kind}/*/Cargo.toml")} for kind in ("carriers", "workbench"))
    patterns = [(f"carrier {name}", pattern(name), "") for name in sorted(carriers | workbenches)]
    # Looked for first, in whole files: a line that has none of these has none of the names.
    hints = {name.split("-")[0] for name in carriers | workbenches}
    for home in sorted((ROOT / "crates/workbench").glob("*/src/**/words.rs")):
        for word in re.findall(r'^\s+\w+ = "(\w+(?:-\w+)+)",', home.read_text(), re.M):
            name = home.relative_to(ROOT / "crates/workbench").parts[0]
            patterns.append((f"word of carrier {name}", re.compile(f'"{word}"'), tuple(RECORDS)))
            hints.add(f'"{word.lower()}"')
    hint = re.compile("|".join(sorted(hints)))
    files = []
    for place in SHARED:
        path = ROOT / place
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        found = [it for it in found if PARTS.search(str(it))]
        if not found:
            sys.exit(f"lab/names.py: there is no {place}")
        files += [it for it in found if not any(re.search(known, str(it)) for known, _ in EXCEPT)]
    found = acquainted(carriers, workbenches)
    for file in files:
        path = str(file.relative_to(ROOT))
        if "-v" in sys.argv[1:]:
            print(path)
        text = file.read_text()
        if file.suffix in (".rs", ".js"):
            text = COMMENT.sub(lambda it: it[1] or "\n" * it[0].count("\n"), text)
        lines = text.split("\n")
        lowered = text.lower()
        for number in sorted({lowered.count("\n", 0, hit.start()) for hit in hint.finditer(lowered)}):
            code = lines[number]
            named = (name for name, wanted, where in patterns if path.startswith(where) and wanted.search(code))
            if name := next(named, None):
                found.append(f"{path}:{number + 1}: names the {name}: {lines[number].strip()}")
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
