"""Scene: signatures over fs-verity digests (type 6), and portable EVM signatures over a file's metadata (type 5)."""

import os
import subprocess

import linux
from lab import MOUNTED, SIGNED, VERITY, files, load_keys, manifests, rule
from signatures import HEADER

VERITY_HASHES = {"sha256": 1, "sha512": 2}  # FS_VERITY_HASH_ALG_*
EVM_X509 = 0x8000_0002  # signatures are verified, and that is all there will be


def scene(results, fieldtest, *offered):
    """`offered`: which of `verity` and `evm` the program signs."""
    load_keys(results, "_ima")
    load_keys(results, "_evm")
    linux.mount("/dev/ubda", "/run/disk", "ext4")
    if "verity" in offered:
        verity(results)
    if "evm" in offered:
        evm(results, fieldtest)


def verity(results):
    linux.append_policy([rule("ext4", VERITY, "digest_type=verity appraise_type=sigv3")])
    name, content = next(files())
    for manifest in manifests("verity"):
        value = manifest.values[name]
        middle = (HEADER + len(value)) // 2
        changed = value[:middle] + bytes([value[middle] ^ 1]) + value[middle + 1:]
        cases = (("signed", True, value, True),
                 ("signed, but without fs-verity", False, value, False),
                 ("said to be of content", True, b"\3" + value[1:], False),
                 ("in version 2", True, value[:1] + b"\2" + value[2:], False),
                 ("changed signature", True, changed, False))
        for number, (what, enabled, attribute, good) in enumerate(cases):
            path = f"/run/disk/{manifest} {number}"
            linux.make_file(path, content, 0, [(linux.IMA, attribute)])
            if enabled:
                linux.enable_verity(path, VERITY_HASHES[manifest.hash])
            os.chown(path, VERITY, VERITY)
            opened = linux.opens(path)
            results.check(opened == good, f"fs-verity {manifest.algorithm} {manifest.hash}, {what}",
                          "accepted" if opened else "refused")


def evm(results, fieldtest):
    """`fieldtest` signs here, in the guest: a portable signature is of the xattrs that are on the file."""
    tree = dict(files())
    changes = {
        "unchanged": lambda path: None,
        "other mode": lambda path: os.chmod(path, 0o600),
        "other group": lambda path: os.chown(path, SIGNED, 0),
        "a label more": lambda path: os.setxattr(path, "security.SMACK64", b"lab"),
        "other content and its signature": replace_content,
        "no security.evm": lambda path: os.removexattr(path, linux.EVM),
        "changed security.evm": change_signature,
        "security.evm of another file": exchange_signature,
    }
    for algorithm in ("ecdsa-p384", "ml-dsa-65"):
        folder = f"/run/disk/evm-{algorithm}"
        os.mkdir(folder)
        for name, content in zip(changes, tree.values()):
            linux.make_file(f"{folder}/{name}", content, SIGNED)
        # Another file to take content and signature from.
        linux.make_file(f"{folder}/source", b"another", SIGNED)
        key = f"{MOUNTED}/keys/{algorithm}"
        subprocess.run([fieldtest, "ima", "sign", folder, "--key", f"{key}.pem", "--certificate", f"{key}.der",
                        "--hash", "sha256", "--signature-version", "3", "--store", "xattr", "--evm"], check=True)
        for name, change in changes.items():
            change(f"{folder}/{name}")
    # Now, and not before: an unsigned file could not be read to sign it.
    linux.append_policy([rule("ext4", SIGNED, "appraise_type=imasig")])
    with open("/sys/kernel/security/evm", "w") as file:
        file.write(f"{EVM_X509:#x}")
    for algorithm in ("ecdsa-p384", "ml-dsa-65"):
        for name in changes:
            opened = linux.opens(f"/run/disk/evm-{algorithm}/{name}")
            results.check(opened == (name == "unchanged"), f"EVM {algorithm}, {name}",
                          "accepted" if opened else "refused")


def replace_content(path):
    """Another file's content, with the good security.ima that belongs to it."""
    source = f"{os.path.dirname(path)}/source"
    with open(path, "wb") as file:
        file.write(b"another")
    os.setxattr(path, linux.IMA, os.getxattr(source, linux.IMA))


def change_signature(path):
    value = os.getxattr(path, linux.EVM)
    os.setxattr(path, linux.EVM, value[:-1] + bytes([value[-1] ^ 1]))


def exchange_signature(path):
    os.setxattr(path, linux.EVM, os.getxattr(f"{os.path.dirname(path)}/source", linux.EVM))
