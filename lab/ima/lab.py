"""Where things are, and what every scene does first."""

import glob
import os

import linux
from signatures import Manifest

MOUNTED = "/run/lab"  # where the host's directory is seen in the guest
TREE = f"{MOUNTED}/tree"

# Owners, each under a policy of its own; the rules name the file system too, so that no file of the host is touched.
SIGNED, SIGNED_V3, HASHED, VERITY = 1001, 1002, 1003, 1004

MAGIC = {"tmpfs": 0x01021994, "ext4": 0xEF53, "xfs": 0x58465342, "btrfs": 0x9123683E, "f2fs": 0xF2F52010}


class Results:
    def __init__(self, scene):
        self.file = open(f"{MOUNTED}/results.{scene}", "w")

    def check(self, passed, name, detail):
        self.file.write(f"{'passed' if passed else 'FAILED'} {name}: {detail}\n")
        self.file.flush()


def files():
    """Name and content of the lab's files, which the host signed."""
    for name in sorted(os.listdir(TREE)):
        with open(f"{TREE}/{name}", "rb") as file:
            yield name, file.read()


def manifests(kind, pattern="*"):
    """What was signed: `content`, `verity`, or `strange` for content signed by a key that the kernel never sees.

    The files are named ALGORITHM.vVERSION.HASH."""
    return [Manifest(path) for path in sorted(glob.glob(f"{MOUNTED}/{kind}/{pattern}"))]


def certificates():
    """Name and bytes of the certificates that `fieldtest ima keygen` made."""
    for path in sorted(glob.glob(f"{MOUNTED}/keys/*.der")):
        with open(path, "rb") as file:
            yield os.path.basename(path), file.read()


def load_keys(results, name):
    """Puts the certificates into one of the kernel's keyrings, which is made."""
    keyring = linux.make_keyring(name)
    taken, refused = [], []
    for certificate, content in certificates():
        try:
            linux.add_certificate(keyring, content)
            taken.append(certificate)
        except OSError as error:
            refused.append(f"{certificate}: {error}")
    results.check(taken and not refused, f"certificates into {name}", "; ".join(refused) or ", ".join(taken))
    return keyring


def rule(kind, owner, rest):
    """A rule of IMA's policy for the reading of one owner's files on one kind of file system."""
    return f"appraise func=FILE_CHECK mask=MAY_READ fsmagic={MAGIC[kind]:#x} fowner={owner} {rest}"
