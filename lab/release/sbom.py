#!/usr/bin/env python3
"""What is linked into the program, as CycloneDX 1.6 on standard output: every package of Cargo.lock that `cargo tree` reaches
from fieldtest on Linux, with version, license, checksum and what it depends on. The same commit gives the same bytes."""

import hashlib
import json
import os
import pathlib
import subprocess
import tomllib

root = pathlib.Path(__file__).resolve().parents[2]


def cargo(*words):
    return subprocess.run(["cargo", *words, "--locked", "--offline"], cwd=root, check=True, capture_output=True, text=True).stdout


tree = cargo("tree", "-p", "fieldtest", "--edges", "normal,no-proc-macro", "--target", "x86_64-unknown-linux-gnu", "--prefix", "none", "--format", "{p}")
linked = {tuple(line.split()[:2]) for line in tree.splitlines() if line.strip()}
linked = {(name, version.lstrip("v")) for name, version in linked}
packages = json.loads(cargo("metadata", "--format-version", "1"))["packages"]
license_of = {(it["name"], it["version"]): it["license"] for it in packages}
lock = tomllib.loads((root / "Cargo.lock").read_text())["package"]
ref = lambda name, version: f"pkg:cargo/{name}@{version}"
components, dependencies = [], []
versions = {}
for it in lock:
    versions.setdefault(it["name"], []).append(it["version"])
for it in lock:
    key = it["name"], it["version"]
    if key not in linked:
        continue
    component = {"type": "library", "bom-ref": ref(*key), "name": key[0], "version": key[1], "purl": ref(*key)}
    if license_of.get(key):
        component["licenses"] = [{"expression": license_of[key].replace("/", " OR ")}]
    if "checksum" in it:
        component["hashes"] = [{"alg": "SHA-256", "content": it["checksum"]}]
    components.append(component)
    needs = [word.split() for word in it.get("dependencies", [])]
    needs = [(word[0], word[1] if len(word) > 1 else versions[word[0]][0]) for word in needs]
    dependencies.append({"ref": ref(*key), "dependsOn": sorted(ref(*need) for need in needs if need in linked)})
program = next(it for it in components if it["name"] == "fieldtest")
components.remove(program)
seconds = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
made = subprocess.run(["date", "-u", "-d", f"@{seconds}", "+%Y-%m-%dT%H:%M:%SZ"], capture_output=True, text=True, check=True).stdout.strip()
body = {"components": components, "dependencies": dependencies}
serial = hashlib.sha256(json.dumps(body).encode()).hexdigest()
serial = f"{serial[:8]}-{serial[8:12]}-5{serial[13:16]}-a{serial[17:20]}-{serial[20:32]}"
bom = {
    "bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": f"urn:uuid:{serial}", "version": 1,
    "metadata": {"timestamp": made, "component": {**program, "type": "application"}}, **body,
}
print(json.dumps(bom, indent=1))
