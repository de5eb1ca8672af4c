#!/usr/bin/env python3
"""Random trees on real file systems: what `fieldtest ima plan` says of signing them, and what the file systems report then.
A scene, and a program: unshare --mount lab/ima/refute.py FIELDTEST SEED SECONDS [KIND], as root, on a loop device.

Seeds are tried from SEED on, each with a file system, a tree and the signatures that follow each other on it. What a plan
calls exact has to be exact, and an interval has to contain the truth. Where not, the smallest tree that was found to show
it is printed, and the exit code is 1. User-mode Linux has f2fs and no ACLs.
"""

import collections
import contextlib
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import time

import linux

# The last one is slow.
KEYS = ["ecdsa-p256", "ecdsa-p384", "rsa-2048", "ml-dsa-44", "ml-dsa-65", "ml-dsa-87", "slh-dsa-sha2-128f"]
KINDS = ["ext2", "ext3", *["ext4", "xfs"] * 3, *["btrfs", "f2fs"] * 2]
ACL = "system.posix_acl_access"
SHRINKING = 40  # seconds


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


class Unavailable(Exception):
    """This file system cannot be made or mounted here."""


class Disk:
    """A device on which one file system after the other is made."""

    def __init__(self, device, place):
        self.device, self.place, self.case = device, place, None

    def make(self, case):
        self.close()
        tool = f"mkfs.{case['kind']}"
        try:
            run(tool, "-Fq" if "ext" in tool else "-fq", *case["mkfs"], self.device)
        except FileNotFoundError as error:
            raise Unavailable(f"{tool} is not installed") from error
        if case["parents"]:  # as newer versions make them
            run("xfs_db", "-x", "-c", "sb 0", "-c", "write -d features_incompat 0xcb", self.device)
        self.mount(case, case["made"])

    def mount(self, case, options):
        try:
            linux.mount(self.device, self.place, case["kind"], options)
        except OSError as error:
            version = " without crc" * ("crc=0" in f"{case['mkfs']}")
            raise Unavailable(f"this kernel mounts no {case['kind']}{version}: {os.strerror(error.errno)}") from error
        self.case = case

    def close(self):
        if self.case:
            linux.unmount(self.place)
        self.case = None

    def used(self):
        """Bytes and inodes, by a new mount: all is on the disk then, and what was freed is free."""
        case = self.case
        self.close()
        self.mount(case, case["mount"])
        state = os.statvfs(self.place)
        return (state.f_blocks - state.f_bfree) * state.f_frsize, state.f_files - state.f_ffree


def file_system(pick):
    """A kind with options of mkfs, and of the mounts under which files are made and signed."""
    def some(*values, odds=0.3):
        return [pick.choice(values)] if values and pick.random() < odds else []

    kind, mount, parents = pick.choice(KINDS), [], False
    if kind.startswith("ext"):
        block = pick.choice([1024, 2048, 4096, 4096])
        inode = pick.choice([size for size in (128, 256, 256, 512, 1024, 2048, 4096) if size <= block])
        mkfs = ["-b", f"{block}", "-I", f"{inode}"]
        if kind == "ext4":
            mkfs += ["-O", ",".join(["large_dir", *some("ea_inode"), *some("inline_data" if inode > 128 else "^dir_index"),
                                     *some("^64bit", "^metadata_csum", "^64bit,^extent", "bigalloc", "encrypt",
                                           "meta_bg,^resize_inode", odds=0.5)])]
            mount += some("nodelalloc", "data=journal", *["debug_want_extra_isize=64"] * (inode > 128))
        mount += some("no_mbcache", odds=0.1)
    elif kind == "xfs":
        version, block = pick.choice([4, 5, 5, 5, 5]), pick.choice([1024, 2048, 4096, 4096, 4096, 16384])
        inode = pick.choice([size for size in (256, 512, 512, 1024, 2048) if version * 52 < size <= block / 2])
        mkfs = ["-b", f"size={block}", "-i", f"size={inode}", "-m", "crc=0,finobt=0,rmapbt=0,reflink=0" if version == 4
                else f"reflink={pick.randint(0, 1)},rmapbt={pick.randint(0, 1)}"]
        parents = version == 5 and pick.random() < 0.2
    elif kind == "btrfs":
        metadata, data = pick.choice(["single", "dup"]), pick.choice(["single", "single", "dup"])
        mkfs = [*some("-O^no-holes", "--csum=blake2"), "-m", metadata]
        mkfs += pick.choice([["-n4096", "-M", "-d", metadata], *[[size, "-d", data] for size in ("-n4096", "-n16384", "-n65536")]])
        mount += some("compress=zstd", "nodatasum", "max_inline=0")
    else:
        mkfs = some("-Oextra_attr,inode_checksum", "-Oencrypt", "-Oextra_attr,flexible_inline_xattr", odds=0.7)
        flexible = [f"inline_xattr_size={words}" for words in (300, 850)] if "flexible" in f"{mkfs}" else []
        mount += some("noinline_xattr", "noinline_data", *flexible, odds=0.6)
    mount = ",".join(mount)
    return {"kind": kind, "mkfs": mkfs, "made": pick.choice([mount, mount, ""]), "mount": mount, "parents": parents}


def xattrs(pick):
    """Names with lengths (of an ACL, its users), and what decides on their values: some files' are equal."""
    names = ["security.selinux", "security.apparmor", "security.SMACK64", linux.IMA, ACL, "trusted.t", "user.x",
             f"user.{pick.randint(0, 9)}", f"user.{'n' * pick.randint(1, 250)}", f"trusted.{'m' * pick.randint(1, 40)}"]
    most = [27, 27, 80, 300, 1200, 1200, 4200, 9000]
    return [[name, pick.choice([1, 8, 40, 150]) if name == ACL else pick.choice([27, pick.randint(0, pick.choice(most))]),
             pick.choice([0, 1, pick.getrandbits(40)])] for name in pick.sample(names, pick.choice([0, 0, 1, 1, 2, 3, 5]))]


def case_of(seed):
    """What a seed stands for."""
    pick = random.Random(seed)
    case = file_system(pick)
    folders = pick.choice([["many"], [*"01234567"], ["/".join(["deep"] * 40), "d"]])
    stem, kinds = pick.choice(["f", "a-longer-name-", "n" * 200]), [xattrs(pick) for _ in range(pick.choice([1, 3, 12]))]
    number = pick.choice([3, 20, 60, 150, 1000 if case["kind"] == "btrfs" else 60])
    shapes = [(pick.choice([0, 64, 1000, 4096, 6000, 90000]), pick.choice(["whole", "sparse", "pieces", "cut", "grown"]))
              for _ in range(pick.choice([1, 5, number]))]
    past = ["user.past", pick.choice([100, 500, 3000, 12000]), pick.choice([None, 5])]
    files = [{"path": f"{pick.choice(folders)}/{stem}{index}", "size": pick.randint(most // 2, most), "how": how,
              "content": pick.choice([0, *[pick.getrandbits(40)] * 2]), "xattrs": pick.choice(kinds),
              "past": [past] * (pick.random() < 0.1), "links": pick.choice([0, 0, 0, 1, 3])}
             for index in range(number) for most, how in [pick.choice(shapes)]]
    rounds = [{"key": pick.choice(KEYS if number <= 20 else KEYS[:-1]), "own": pick.randint(0, 1), "evm": pick.random() < 0.2,
               "fresh": pick.random() < 0.3, "snapshot": case["kind"] == "btrfs" and pick.random() < 0.2}
              for _ in range(pick.choice([1, 2, 2, 3]))]
    return case | {"files": files, "rounds": rounds, "halves": pick.random() < 0.3,
                   # What ext4 shares with files outside of the tree nobody promises to know.
                   "part": "" if "ext" in case["kind"] else pick.choice(["", "", "", folders[0]])}


def access_list(users):
    entries = [(1, 6, -1), *((2, 4, 1000 + user) for user in range(users)), (4, 4, -1), (16, 6, -1), (32, 4, -1)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)


def write(file, how, data):
    if how in ("sparse", "cut"):
        file.truncate(len(data) * 3) if how == "sparse" else file.write(data * 2)
        file.truncate(len(data) * (3 if how == "sparse" else 1))
    for start in reversed(range(8192, len(data), 8192)) if how in ("pieces", "grown") else []:
        os.pwrite(file.fileno(), data[start:start + 4096], start)
        os.fsync(file.fileno())
    os.pwrite(file.fileno(), data[:4096] if how == "pieces" else data, 0)


def build(case, disk, root):
    """Makes the tree. Xattrs and names that the file system or the kernel refuses are not there."""
    if case["kind"] == "btrfs":
        run("btrfs", "-q", "subvolume", "create", root)
    os.makedirs(f"{root}/{case['part']}", exist_ok=True)
    for index, spec in enumerate(case["files"]):
        path = f"{root}/{spec['path']}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "xb", buffering=0) as file:
            write(file, spec["how"], random.Random(spec["content"]).randbytes(spec["size"]))
        for name, length, seed in spec["xattrs"]:
            value = access_list(length) if name == ACL else random.Random(seed).randbytes(length)
            with contextlib.suppress(OSError):
                os.setxattr(path, name, b"\3\3\4" + value if name == linux.IMA else value)
        for name, length, later in spec["past"]:
            with contextlib.suppress(OSError):
                os.setxattr(path, name, b"p" * length)
                os.removexattr(path, name) if later is None else os.setxattr(path, name, b"p" * later)
        for link in range(spec["links"]):
            with contextlib.suppress(OSError):
                os.link(path, f"{path}.link{link}")
                os.symlink(path, f"{path}.symbolic{link}")
        if case["halves"] and index == len(case["files"]) // 2:
            disk.used()


class Refuter:
    def __init__(self, fieldtest, folder, device):
        self.fieldtest, self.folder, self.disk = fieldtest, folder, Disk(device, f"{folder}/mounted")
        self.count, self.skipped = collections.Counter(), set()
        for own in "01":
            for key in KEYS:
                run(fieldtest, "ima", "keygen", "--algorithm", key, "-o", f"{folder}/{own}")

    def rows(self, *arguments):
        """What the program prints. It exits with 1 where a file refuses its signature."""
        done = subprocess.run([self.fieldtest, "ima", *arguments, "--format", "json"], capture_output=True, text=True)
        rows = json.loads(done.stdout).get("rows")
        return rows if rows is not None else sys.exit(f"{arguments}: {done.stdout} {done.stderr}")

    def refuted(self, case):
        """What a plan said wrongly; nothing if all was right."""
        disk, root = self.disk, f"{self.disk.place}/tree"
        disk.make(case)
        build(case, disk, root)
        for number, signing in enumerate(case["rounds"]):
            if not signing["fresh"]:
                disk.used()
            if signing["snapshot"]:
                run("btrfs", "-q", "subvolume", "snapshot", root, f"{disk.place}/{number}")
            # Where a pair is refused, f2fs keeps a node of the one that was taken back.
            evm = ["--evm", signing["key"]] if signing["evm"] and "noinline_xattr" not in case["mount"] else []
            part, key = f"{root}/{case['part']}", f"{self.folder}/{signing['own']}/{signing['key']}.pem"
            row, = self.rows("plan", part, "--algorithm", signing["key"], *evm)
            before = disk.used()
            signed = {row["what"]: row["files"] for row in reversed(self.rows("sign", part, "--key", key, "--force", *evm[:1]))}
            taken, inodes = (late - early for late, early in zip(disk.used(), before))
            low, high = row.get("total, estimated interval") or [row.get("total") or 0] * 2
            exact, planned, refused = low == high, row.get("inodes") or 0, signed.get("not signed for EVM", signed["not signed"])
            self.count[f"{case['kind']}, {'exact' if exact else 'interval'}"] += 1
            # Of ECDSA's signatures the longest may be refused, and most are shorter; small nodes of btrfs refuse by chance.
            as_refused = (refused == row["rejected"] or refused < row["rejected"] and "ecdsa" in signing["key"]
                          or refused > row["rejected"] and "-n4096" in case["mkfs"])
            if not low <= taken <= high or not as_refused or exact and planned != inodes:
                return (f"round {number}, {signing['key']}: planned {low:.0f} to {high:.0f}, {planned:g} inodes, "
                        f"{row['rejected']} refused; seen {taken}, {inodes}, {refused}")
        return None

    def smaller(self, case):
        """The smallest case found that is refuted too."""
        end = time.monotonic() + SHRINKING
        for what in ("files", "rounds"):
            step = len(case[what])
            while step := step // 2:
                for at in reversed(range(0, len(case[what]), step)):
                    fewer = case | {what: case[what][:at] + case[what][at + step:]}
                    case = fewer if fewer[what] and time.monotonic() < end and self.refuted(fewer) else case
        for at, spec in enumerate(case["files"][:4]):
            plainer = [("links", 0), ("past", []), ("how", "whole"), ("size", 6000), ("xattrs", []), ("path", f"file{at}")]
            for name, value in plainer + [("xattrs", [one for one in spec["xattrs"] if one != own]) for own in spec["xattrs"]]:
                other = case | {"files": [*case["files"][:at], case["files"][at] | {name: value}, *case["files"][at + 1:]]}
                case = other if time.monotonic() < end and self.refuted(other) else case
        return case

    def search(self, seed, seconds, kind=""):
        """Tries seeds until one is refuted, or the time is over: whether none was, and what is to say."""
        end, first = time.monotonic() + seconds, seed
        with contextlib.closing(self.disk):
            while time.monotonic() < end:
                case, seed = case_of(seed), seed + 1
                try:
                    reason = self.refuted(case) if kind in case["kind"] else None
                    if reason:
                        small = self.smaller(case)
                        return False, f"seed {seed - 1}: {reason}; {self.refuted(small)} with {json.dumps(small)}"
                except Unavailable as error:
                    self.skipped.add(f"SKIPPED random trees: {error}\n")
        return True, f"seeds {first} to {seed - 1}: {dict(sorted(self.count.items()))}"


def scene(results, fieldtest, seed, seconds):
    """In user-mode Linux, on its first block device."""
    refuter = Refuter(fieldtest, "/run", "/dev/ubda")
    passed, said = refuter.search(int(seed), float(seconds))
    results.file.write("".join(sorted(refuter.skipped)))
    results.check(passed, "random trees as planned", said)


def main(fieldtest, seed, seconds, kind=""):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/image", "wb") as image:
            image.truncate(1 << 30)
        device = run("losetup", "--find", "--show", image.name).strip()
        try:
            refuter = Refuter(fieldtest, folder, device)
            passed, said = refuter.search(int(seed), float(seconds), kind)
        finally:
            run("losetup", "--detach", device)
    print("".join(sorted(refuter.skipped)) + f"{'passed' if passed else 'FAILED'} random trees as planned: {said}")
    sys.exit(not passed)


if __name__ == "__main__":
    main(*sys.argv[1:])
