#!/usr/bin/env python3
"""Check what crates.io and docs.rs show of each published crate, and that it depends only on published crates.

    lab/published.py          # print each fault; exit 1 if there is one
    lab/published.py --list   # print the published crates, each after those that it depends on

A crate is published unless its manifest has `publish = false`. A dev-dependency without a version is left out of packages,
so it may be any crate. The registry rejects a package with too many keywords, but drops unknown categories silently.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Those of crates.io/category_slugs that our crates use.
CATEGORIES = {
    "algorithms", "command-line-interface", "cryptography", "development-tools", "development-tools::profiling", "encoding",
    "filesystem", "hardware-support", "mathematics", "network-programming", "no-std", "parser-implementations", "value-formatting",
}


def faults(crate: dict, published: set[str], ours: set[str]):
    for field in ("description", "license", "readme"):
        if not crate[field]:
            yield f"no {field}"
    if crate["documentation"] != f"https://docs.rs/{crate['name']}":
        yield f"documentation is not https://docs.rs/{crate['name']}"
    if not 1 <= len(crate["keywords"]) <= 5 or not all(re.fullmatch(r"[a-z][a-z0-9+_-]{0,19}", it) for it in crate["keywords"]):
        yield f"keywords {crate['keywords']}: one to five words of at most 20 characters"
    if not crate["categories"] or not CATEGORIES.issuperset(crate["categories"]):
        yield f"categories {crate['categories']}: some of {sorted(CATEGORIES)}"
    readme = Path(crate["manifest_path"]).parent / (crate["readme"] or "README.md")
    if readme.is_file() and (link := re.search(r"\]\((?!https?:|#)[^)]*\)", readme.read_text())):
        yield f"README links to {link[0][1:]}, which exists only in the repository"
    for used in crate["dependencies"]:
        if used["name"] in ours - published and (used["kind"] != "dev" or used["req"] != "*"):
            yield f"depends on {used['name']}, which is not published"


def main() -> int:
    asked = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked"]
    crates = {it["name"]: it for it in json.loads(subprocess.run(asked, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)["packages"]}
    published = {name for name, it in crates.items() if it["publish"] != []}
    found = [f"{name}: {it}" for name in sorted(published) for it in faults(crates[name], published, set(crates))]
    if "--list" in sys.argv[1:]:
        left = sorted(published)
        while left:
            ready = [name for name in left if not {it["name"] for it in crates[name]["dependencies"] if it["req"] != "*"} & set(left) - {name}]
            print("\n".join(ready))
            left = [name for name in left if name not in ready] if ready else []
    print("".join(f"{line}\n" for line in found), end="", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
