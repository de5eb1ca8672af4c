"""Scene: what signatures cost on each file system, which of them it refuses, whether `fieldtest ima plan` said so, and
whether they are judged good there."""

import errno
import json
import os
import subprocess

import linux
from lab import MAGIC, MOUNTED, SIGNED, files, load_keys, manifests, rule

# Bytes of security.ima; those of ECDSA vary by a few.
LENGTHS = {"ecdsa-p256": 80, "ecdsa-p384": 112, "rsa-2048": 265, "ml-dsa-44": 2429, "ml-dsa-65": 3318,
           "ml-dsa-87": 4636}
SIZE = 6000

# Where the plan promises to be exact. What btrfs spends depends on the order of names, and tmpfs counts inodes alone.
EXACT = ("ext4", "xfs", "f2fs")


def number_of_files(kind):
    """btrfs spends whole leaves, 32 KiB with both copies, and only many files show what one of them costs."""
    return 1024 if kind == "btrfs" else 256


def scene(results, fieldtest, *file_systems):
    """`fieldtest`: the program, or `none` if it has no plan. `file_systems`: NAME=KIND, in the order of the block
    devices; tmpfs has none."""
    load_keys(results, "_ima")
    linux.append_policy([rule(kind, SIGNED, "appraise_type=imasig") for kind in MAGIC])
    devices = (f"/dev/ubd{letter}" for letter in "abcdefghijklmnop")
    with open(f"{MOUNTED}/space.csv", "w") as table:
        table.write("file system,length,bytes,inodes,errno,planned bytes\n")
        for name, kind in [text.split("=") for text in file_systems] + [("tmpfs", "tmpfs")]:
            place = Place(name, kind, "tmpfs" if kind == "tmpfs" else next(devices))
            measured = measure(results, place)
            planned = plan(place, fieldtest) if fieldtest != "none" else {}
            for algorithm, cost in measured.items():
                expected = planned.get(algorithm)
                table.write(f"{name},{LENGTHS[algorithm]},{cost.columns()},{expected.planned() if expected else ''}\n")
            if planned and kind in EXACT:
                wrong = [f"{algorithm} costs {cost} and not {planned[algorithm]}"
                         for algorithm, cost in measured.items() if cost != planned[algorithm]]
                results.check(not wrong, f"{name} as planned", "; ".join(wrong) or "all lengths, to the byte")
            judge(results, place)
            place.unmount()


class Place:
    """A file system that is mounted."""

    def __init__(self, name, kind, device):
        self.name, self.kind, self.device = name, kind, device
        self.root = f"/run/{name}"
        self.mount()

    def mount(self):
        linux.mount(self.device, self.root, self.kind)

    def unmount(self):
        linux.unmount(self.root)

    def forget_caches(self):
        """Reads from the disk from now on; what is in memory alone has no disk."""
        if self.kind != "tmpfs":
            self.unmount()
            self.mount()

    def used(self):
        """Bytes and inodes. Synchronised twice: what one transaction frees is free only after the next."""
        os.sync()
        os.sync()
        state = os.statvfs(self.root)
        return (state.f_blocks - state.f_bfree) * state.f_frsize, state.f_files - state.f_ffree


class Cost:
    """Bytes and inodes for each file, or the name of the error with which it is refused."""

    def __init__(self, size=None, inodes=None, error=None):
        self.size, self.inodes, self.error = size, inodes, error

    def __eq__(self, other):
        # A plan tells that files are refused, but not with which error.
        return (self.size, self.inodes, not self.error) == (other.size, other.inodes, not other.error)

    def __str__(self):
        return self.error or f"{self.size:.0f}" + (f" and {self.inodes:g} inodes" if self.inodes else "")

    def planned(self):
        return "refused" if self.error else f"{self.size:g}"

    def columns(self):
        return f",,{self.error}" if self.error else f"{self.size:g},{self.inodes:g},"


def measure(results, place):
    """The cost of each length, and a check that what was taken is there after the caches are gone."""
    costs, lost = {}, []
    number = number_of_files(place.kind)
    for algorithm, length in LENGTHS.items():
        folder = f"{place.root}/{length}"
        os.mkdir(folder)
        # Names of different lengths: equal ones would fill the leaves of btrfs in step.
        paths = [f"{folder}/{'name-of-a-file'[:index % 15]}{index:05}" for index in range(number)]
        for path in paths:
            linux.make_file(path, os.urandom(SIZE), 0)
        before = place.used()
        # ext4 stores equal values once, and signatures never are.
        values = [b"\3\3\4" + os.urandom(length - 3) for _ in paths]
        try:
            for path, value in zip(paths, values):
                os.setxattr(path, linux.IMA, value)
        except OSError as error:
            if path != paths[0]:
                lost.append(f"{length} bytes refused at {path} and not before")
            costs[algorithm] = Cost(error=errno.errorcode[error.errno])
            continue
        after = place.used()
        costs[algorithm] = Cost(*((late - early) / number for late, early in zip(after, before)))
        place.forget_caches()
        lost += [f"{length} bytes at {path}" for path, value in zip(paths, values)
                 if os.getxattr(path, linux.IMA) != value]
    seen = ", ".join(f"{LENGTHS[algorithm]}: {cost}" for algorithm, cost in costs.items())
    results.check(not lost, f"{place.name} keeps what it takes", f"lost {lost[:3]}" if lost else seen)
    return costs


def plan(place, fieldtest):
    """What the program says of as many files on the same file system, not signed yet."""
    folder = f"{place.root}/plan"
    os.mkdir(folder)
    number = number_of_files(place.kind)
    for index in range(number):
        linux.make_file(f"{folder}/{index}", os.urandom(SIZE), 0)
    algorithms = (f"--algorithm={algorithm}" for algorithm in LENGTHS)
    output = subprocess.run([fieldtest, "ima", "plan", folder, "--format", "json", *algorithms], check=True,
                            stdout=subprocess.PIPE).stdout
    return {row["algorithm"]: Cost(error="refused") if row["rejected"] else
            Cost((row.get("total, estimated") or row.get("total") or 0) / number, row["inodes"] / number)
            for row in json.loads(output)["rows"]}


def judge(results, place):
    """Real signatures, read from this file system."""
    name, content = next(files())
    paths, refused = {}, []
    for manifest in manifests("content", "*.v3.sha256"):
        path = f"{place.root}/{manifest.algorithm}"
        try:
            linux.make_file(path, content, SIGNED, [(linux.IMA, manifest.values[name])])
            paths[manifest.algorithm] = path
        except OSError as error:
            refused.append(f"{manifest.algorithm} does not fit ({errno.errorcode[error.errno]})")
    place.forget_caches()
    bad = [algorithm for algorithm, path in paths.items() if not linux.opens(path)]
    detail = f"refused {', '.join(bad)}" if bad else ", ".join([*paths, *refused])
    results.check(paths and not bad, f"{place.name} carries signatures to the kernel", detail)
