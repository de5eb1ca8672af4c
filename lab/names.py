#!/usr/bin/env python3
"""Looks for names of carriers in the code that all carriers share: their names stand in their own crates and in the one
list of them.

    lab/names.py        # exits 1 and shows each line that names one
    lab/names.py -v     # and says which files it looked at

A name counts as a word of its own, as a part of an identifier in every spelling, and in strings; comments do not count.
What writes and reads records also types no word of a workbench's own (`words.rs`) that has a hyphen; one without may be
everybody's.
"""
import re
import sys
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


def main() -> int:
    homes = {path.name for kind in ("carriers", "workbench") for path in (ROOT / "crates" / kind).iterdir() if path.is_dir()}
    patterns = [(f"carrier {name}", pattern(name), "") for name in sorted(homes)]
    for home in sorted((ROOT / "crates/workbench").glob("*/src/**/words.rs")):
        for word in re.findall(r'^\s+\w+ = "(\w+(?:-\w+)+)",', home.read_text(), re.M):
            name = home.relative_to(ROOT / "crates/workbench").parts[0]
            patterns.append((f"word of carrier {name}", re.compile(f'"{word}"'), tuple(RECORDS)))
    files = []
    for place in SHARED:
        path = ROOT / place
        found = sorted(path.rglob("*.rs")) if path.is_dir() else [path]
        if not found:
            sys.exit(f"lab/names.py: there is no {place}")
        files += [it for it in found if not any(re.search(known, str(it)) for known, _ in EXCEPT)]
    bad = 0
    for file in files:
        if "-v" in sys.argv[1:]:
            print(file.relative_to(ROOT))
        for number, line in enumerate(file.read_text().splitlines(), 1):
            code = re.sub(r"(^|\s)//.*", "", line)
            for name, wanted, where in patterns:
                if str(file.relative_to(ROOT)).startswith(where) and wanted.search(code):
                    print(f"{file.relative_to(ROOT)}:{number}: names the {name}: {line.strip()}", file=sys.stderr)
                    bad += 1
                    break
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
