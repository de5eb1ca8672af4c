#!/usr/bin/env python3
"""Looks for names of carriers in the code that all carriers share, and for the catalog among what carriers depend on.

    lab/names.py        # exits 1 and shows each line that names one
    lab/names.py -v     # and says which files it looked at

Names of carriers stand in their own crates and in the one list of them. Carriers and catalog do not know each other, in
tests neither: neither reaches the other by dependencies, a crate's own dev-dependencies included.

A name counts as a word of its own, as a part of an identifier in every spelling, and in strings; comments do not count.
What writes and reads records also types no word of a workbench's own (`words.rs`) that has a hyphen; one without may be
everybody's.
"""
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# What all carriers stand on. crates/fieldtest/src/carriers.rs is the one list.
SHARED = [
    *(f"crates/{it}/src" for it in "c capture catalog cyclonedx engine frame job kcmvp kinds measure report study testing text".split()),
    "crates/fieldtest/src/args.rs",
    "crates/fieldtest/src/args",
    "crates/fieldtest/src/commands",
]

# What an algorithm's facts say of a carrier is data under that carrier's key; what a kind itself needs is the kind's.
EXCEPT = [
    (r"catalog/src/\w+/facts\.rs$", "facts"),
    (r"catalog/src/(signature|hash)/mod\.rs$", "types of facts, given out"),
    (r"catalog/src/attach/", "facts of algorithms that are attached"),
    (r"catalog/src/hash/availability/", "programs of the host that have hash functions"),
    (r"(vectors|proofs)\.rs$", "where known answers are from"),
    (r"catalog/src/mac/(derivation|rfc5925)\.rs$", "the key derivation by which MACs are specified (RFC 5926)"),
]

# What writes and reads records.
RECORDS = ["crates/report/src", "crates/study/src", "crates/testing/src"]

# English words, or letters that many words have: only where they stand as a name does.
COMMON = {"disk", "git", "ima"}


def pattern(name: str) -> re.Pattern:
    parts = name.split("-")
    snake, camel = "_".join(parts), "".join(part.capitalize() for part in parts)
    if name not in COMMON:
        return re.compile("[-_ ]?".join(parts), re.I)
    # `"git"`, `"git-…`, `git_…`, `…_git`, `GitPart`, `IMA`, `Git`; `.disk` and `disk:` of a field.
    return re.compile(
        rf"\b{snake}_|_{snake}\b|\b{camel}[A-Z]\w*|[\"',-]{name}\b|\b{name}[\"',-]|\b{snake}::|\.{snake}\b|\b{snake}:|"
        + (rf"\b{camel}\b" if name == "git" else rf"\b{name.upper()}\b")
    )


def dependencies(manifest: dict, kinds: tuple[str, ...]) -> set[str]:
    """The packages that a manifest names, for any system."""
    tables = [manifest, *manifest.get("target", {}).values()]
    named = [item for table in tables for kind in kinds for item in table.get(kind, {}).items()]
    return {value.get("package", name) if isinstance(value, dict) else name for name, value in named}


def acquainted(homes: set[str]) -> list[str]:
    """Carriers that reach the catalog, and the catalog where it reaches a carrier: one line each."""
    paths = [*ROOT.glob("crates/*/Cargo.toml"), *ROOT.glob("crates/*/*/Cargo.toml")]
    manifests = {(read := tomllib.loads(path.read_text()))["package"]["name"]: read for path in paths}
    catalog, carriers = "fieldtest-catalog", {f"fieldtest-{home}" for home in homes}
    if missing := (carriers | {catalog}) - manifests.keys():
        sys.exit(f"lab/names.py: no crate is called {', '.join(sorted(missing))}")
    lines = []
    for crate, strangers in [(catalog, carriers), *((carrier, {catalog}) for carrier in sorted(carriers))]:
        kinds, way, todo = ("dependencies", "build-dependencies", "dev-dependencies"), {crate: crate}, [crate]
        while todo:
            for name in sorted(dependencies(manifests[todo[0]], kinds) & manifests.keys() - way.keys()):
                way[name] = f"{way[todo[0]]} → {name}"
                todo.append(name)
            kinds = kinds[:2]
            todo.pop(0)
        lines += [f"carriers and catalog do not know each other: {way[name]}" for name in sorted(strangers & way.keys())]
    return lines


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
        found = sorted(path.rglob("*.rs")) if path.is_dir() else [path]
        if not found:
            sys.exit(f"lab/names.py: there is no {place}")
        files += [it for it in found if not any(re.search(known, str(it)) for known, _ in EXCEPT)]
    found = acquainted(carriers)
    for file in files:
        path = str(file.relative_to(ROOT))
        if "-v" in sys.argv[1:]:
            print(path)
        text = file.read_text()
        lines = text.split("\n")
        lowered = text.lower()
        for number in sorted({lowered.count("\n", 0, hit.start()) for hit in hint.finditer(lowered)}):
            code = re.sub(r"(^|\s)//.*", "", lines[number])
            named = (name for name, wanted, where in patterns if path.startswith(where) and wanted.search(code))
            if name := next(named, None):
                found.append(f"{path}:{number + 1}: names the {name}: {lines[number].strip()}")
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
