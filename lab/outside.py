#!/usr/bin/env python3
"""Package the libraries that others depend on, and run the example of each README in a program outside the workspace.

    lab/outside.py

The programs have nothing of this repository but the packages and Cargo.lock's versions of other libraries. A package that
lacks a file, or an example that needs what only the workspace has, fails here and nowhere else.
"""
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Each with what its example uses beside it.
LIBRARIES = {"fieldtest-mldsa": "", "fieldtest-dnssec": 'fieldtest-kinds = "*"\nsha2 = "*"', "fieldtest-measure": ""}


def cargo(*arguments: str, at: Path = ROOT) -> str:
    ended = subprocess.run(["cargo", *arguments], cwd=at, stdout=subprocess.PIPE, text=True)
    if ended.returncode != 0:
        sys.exit(f"cargo {arguments[0]} failed in {at}")
    return ended.stdout


def needed(packages: dict[str, dict]) -> list[str]:
    """The libraries, and those of the workspace that they are built of."""
    found, waiting = [], list(LIBRARIES)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.append(name)
            waiting += [it["name"] for it in packages[name]["dependencies"] if it["name"] in packages and it["kind"] != "dev"]
    return found


def example(readme: str) -> str:
    """The first example in Rust as a program."""
    code = re.search(r"^```(?:rust|no_run)?\n(.*?)^```$", readme, re.M | re.S)[1]
    lines = [re.sub(r"^# ?", "", line) for line in code.splitlines()]
    body = "\n".join(line for line in lines if not line.startswith("Ok::<"))
    return f"fn main() -> Result<(), Box<dyn std::error::Error>> {{\n{body}\nOk(())\n}}\n"


metadata = json.loads(cargo("metadata", "--format-version", "1", "--no-deps", "--locked"))
packages = {it["name"]: it for it in metadata["packages"]}
names = needed(packages)
cargo("package", "--quiet", "--no-verify", "--locked", "--allow-dirty", *(f"-p{name}" for name in names))
with tempfile.TemporaryDirectory() as scratch:
    at = Path(scratch)
    patches = ["[patch.crates-io]"]
    for name in names:
        archive = Path(metadata["target_directory"]) / f"package/{name}-{packages[name]['version']}.crate"
        with tarfile.open(archive) as packed:
            packed.extractall(at / "packages", filter="data")
        patches.append(f'{name} = {{ path = "packages/{archive.stem}" }}')
    members = "\n".join(f'    "of-{name}",' for name in LIBRARIES)
    (at / "Cargo.toml").write_text(f"[workspace]\nresolver = '3'\nmembers = [\n{members}\n]\n" + "\n".join(patches) + "\n")
    shutil.copy(ROOT / "Cargo.lock", at)
    for name, others in LIBRARIES.items():
        (at / f"of-{name}/src").mkdir(parents=True)
        (at / f"of-{name}/Cargo.toml").write_text(
            f'[package]\nname = "of-{name}"\nversion = "0.0.0"\nedition = "2024"\n[dependencies]\n{name} = "*"\n{others}\n')
        readme = (at / f"packages/{name}-{packages[name]['version']}/README.md").read_text()
        (at / f"of-{name}/src/main.rs").write_text(example(readme))
    for name in LIBRARIES:
        print(f"== the example of {name}", flush=True)
        print(cargo("run", "--quiet", "--release", "--package", f"of-{name}", at=at), end="")
print(f"the examples of {len(LIBRARIES)} libraries run from {len(names)} packages alone")
