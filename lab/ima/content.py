"""Scene: the kernel judges files by their signatures, the good and the spoiled, and what that costs it."""

import os
import time

import linux
from lab import HASHED, MOUNTED, SIGNED, SIGNED_V3, certificates, files, load_keys, manifests, rule
from signatures import HASHES, digest_alone, spoiled

JUDGED = "/run/judged"
COST = "generic C in a user-mode kernel"


def scene(results):
    damaged_certificates(results, load_keys(results, "_ima"))
    linux.append_policy([rule("tmpfs", SIGNED, "appraise_type=imasig"), rule("tmpfs", SIGNED_V3, "appraise_type=sigv3"),
                         rule("tmpfs", HASHED, "")])
    linux.mount("tmpfs", JUDGED, "tmpfs", "size=256m,nr_inodes=0")
    tree = list(files())
    with open(f"{MOUNTED}/appraisal.csv", "w") as table:
        table.write("algorithm,version,hash,files,microseconds,measured in\n")
        for manifest in manifests("content"):
            accepted(results, tree, manifest, table)
            refused(results, tree, manifest)
    strangers(results, tree)
    version_3_demanded(results, tree)


def damaged_certificates(results, keyring):
    """The kernel verifies what a certificate says of itself, so the good ones were signed well."""
    taken = []
    for name, content in certificates():
        try:
            linux.add_certificate(keyring, content[:-1] + bytes([content[-1] ^ 1]))
            taken.append(name)
        except OSError:
            pass
    results.check(not taken, "damaged certificates refused", f"accepted {taken}" if taken else "all")


def accepted(results, tree, manifest, table):
    """All files are signed as asked and open.

    A signature's cost is what a first open takes longer than one that reads and hashes alone. The two take turns, and
    the least of each counts: what else the host does only adds."""
    opened, times = 0, {HASHED: [], SIGNED: []}
    for name, content in tree:
        hashed, signed = f"{JUDGED}/{manifest} {name} hashed", f"{JUDGED}/{manifest} {name}"
        linux.make_file(hashed, content, HASHED, [(linux.IMA, digest_alone(content, manifest.hash))])
        linux.make_file(signed, content, SIGNED, [(linux.IMA, manifest.values[name])])
        for path, owner in ((hashed, HASHED), (signed, SIGNED)):
            start = time.perf_counter_ns()
            opened += linux.opens(path)
            times[owner].append((time.perf_counter_ns() - start) / 1000)
    header = bytes([3, manifest.version, HASHES[manifest.hash]])
    as_asked = all(value.startswith(header) for value in manifest.values.values())
    cost = min(times[SIGNED]) - min(times[HASHED])
    table.write(f"{manifest.algorithm},{manifest.version},{manifest.hash},{len(tree)},{cost:.0f},{COST}\n")
    results.check(as_asked and opened == 2 * len(tree), f"{manifest} accepted",
                  f"{len(tree)} files; the signature costs {cost:.0f} us ({COST})")


def refused(results, tree, manifest):
    (name, content), (other, _) = tree[:2]
    cases = list(spoiled(content, manifest.values[name], manifest.values[other], manifest.hash))
    wrong = []
    for number, (what, changed, value) in enumerate(cases):
        path = f"{JUDGED}/{manifest} {number}"
        try:
            linux.make_file(path, changed, SIGNED, [(linux.IMA, value)] if value else [])
        except OSError:
            continue  # refused as soon as it is written
        if linux.opens(path):
            wrong.append(what)
    detail = f"accepted {', '.join(wrong)}" if wrong else ", ".join(what for what, _, _ in cases)
    results.check(not wrong, f"{manifest} refused", detail)


def strangers(results, tree):
    """Good signatures of a key that the kernel does not have, also under the name of one that it has."""
    for manifest in manifests("strange"):
        name, content = tree[0]
        value = manifest.values[name]
        known = next(known for known in manifests("content", "*.sha256") if len(known.values[name]) == len(value))
        renamed = value[:3] + known.values[name][3:7] + value[7:]
        for what, attribute in (("by its own name", value), ("by another's name", renamed)):
            path = f"{JUDGED}/stranger {what}"
            linux.make_file(path, content, SIGNED, [(linux.IMA, attribute)])
            results.check(not linux.opens(path), f"a stranger's key {what} refused", f"{len(value)} bytes")


def version_3_demanded(results, tree):
    """A policy with appraise_type=sigv3 takes no other version."""
    name, content = tree[0]
    for manifest in manifests("content", "*.sha256"):
        path = f"{JUDGED}/{manifest} under sigv3"
        linux.make_file(path, content, SIGNED_V3, [(linux.IMA, manifest.values[name])])
        opened = linux.opens(path)
        results.check(opened == (manifest.version == 3), f"{manifest} under appraise_type=sigv3",
                      "accepted" if opened else "refused")
