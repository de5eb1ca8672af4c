#!/usr/bin/env python3
"""What a change costs: every carrier's jobs by two builds of the program, in turn, whole processes.

usage: lab/regression.py OLD NEW [--zone ZONE] [--repository REPOSITORY] [--rounds N] [--at-most RATIO] [--jobs JOB ...]

OLD and NEW are two builds of `fieldtest`. Each job runs --rounds times (5) by each of them, alternating which goes
first; printed are the medians of user + system seconds and the median of the ratios NEW / OLD within a round. The exit
code is 1 if a job failed or one of these ratios is above --at-most (1.05).

Without --zone the zone is a generated one with the shape of the root; without --repository it is the one this script
lies in. TMPDIR should be in memory (2 GB). JOBs are words that a job's name must hold, all jobs if there are none. Needs Python alone.
"""

import argparse
import os
import pathlib
import random
import resource
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile

SEGMENTS = 200_000          # of the capture
FILES = 4_000               # of the tree
IMAGE = 512 << 20           # bytes of the disk image


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def capture(path):
    """A connection of many short segments in both directions, as a pcap of raw IPv4 without TCP-AO."""
    ends = [(b"\x0a\0\0\x01", 40000), (b"\x0a\0\0\x02", 179)]
    sequence = [1000, 500_000]

    def segment(number, sender, flags, payload):
        (source, source_port), (target, target_port) = ends[sender], ends[1 - sender]
        acknowledged = 0 if flags == 2 else sequence[1 - sender]
        tcp = struct.pack("!HHIIBBHHH", source_port, target_port, sequence[sender], acknowledged, 0x50, flags, 65535, 0, 0)
        total = 20 + len(tcp) + len(payload)
        ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, total, number & 0xFFFF, 0x4000, 64, 6, 0, source, target)
        sequence[sender] += len(payload) + (1 if flags & 2 else 0)
        return struct.pack("<IIII", number // 1000, number % 1000, total, total) + ip + tcp + payload

    chance = random.Random(1)
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))
        out.write(segment(0, 0, 0x02, b"") + segment(1, 1, 0x12, b"") + segment(2, 0, 0x10, b""))
        for number in range(3, SEGMENTS):
            out.write(segment(number, number & 1, 0x18, bytes(chance.randrange(20, 1400))))


def tree(path):
    """Many small files and a few large ones; every tenth is a copy of another."""
    chance = random.Random(2)
    for number in range(FILES):
        folder = path / str(number % 40)
        folder.mkdir(parents=True, exist_ok=True)
        if number % 10 or not number:
            content = chance.randbytes(chance.choice([200, 3000, 30_000, 150_000]))
        (folder / f"file-{number}").write_bytes(content)


class Jobs:
    """The jobs, each a list of arguments; what they need is made by the old program."""

    def __init__(self, old, zone, repository):
        self.old = old
        self.zone = zone
        self.repository = repository
        self.list = []

    def make(self, *arguments):
        done = subprocess.run([self.old, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode:
            sys.exit(f"cannot prepare with {' '.join(map(str, arguments))}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def add(self, name, *arguments, fresh=None):
        """`fresh` is removed before each run."""
        self.list.append((name, [str(argument) for argument in arguments], fresh))

    def dnssec(self, here):
        if self.zone is None:
            self.zone = here / "zone"
            self.make("dnssec", "generate", "-o", self.zone)
        for algorithm in ["rsa-2048", "ecdsa-p256", "ed25519", "ml-dsa-44", "falcon-512"]:
            keys = here / algorithm
            keys.mkdir()
            self.make("dnssec", "keygen", "-a", algorithm, "--ksk", "-K", keys, ".")
            self.make("dnssec", "keygen", "-a", algorithm, "-K", keys, ".")
            signing = [word for key in sorted(keys.glob("*.key")) for word in ("-k", key)]
            for form in ["text", "raw"]:
                signed = here / f"{algorithm}.{form}"
                sign = ["dnssec", "sign", self.zone, *signing, "--output-format", form, "-o"]
                self.make(*sign, signed)
                self.add(f"dnssec sign {algorithm} {form}", *sign, here / "signed")
                self.add(f"dnssec verify {algorithm} {form}", "dnssec", "verify", signed)
        self.add("dnssec sign ecdsa-p256 nsec3", "dnssec", "sign", self.zone, "--nsec3", "-a", "ecdsa-p256", "-o", here / "nsec3")
        self.add("dnssec sizes", "dnssec", "sizes", self.zone)

    def ima(self, here):
        files = here / "tree"
        tree(files)
        self.add("ima plan", "ima", "plan", files)
        for algorithm in ["ecdsa-p256", "rsa-2048", "ml-dsa-65"]:
            self.make("ima", "keygen", "-a", algorithm, "-o", here)
            manifest = here / f"{algorithm}.manifest"
            sign = ["ima", "sign", files, "--key", here / f"{algorithm}.pem", "--store", "manifest", "-o"]
            self.make(*sign, manifest)
            self.add(f"ima sign {algorithm}", *sign, here / "manifest")
            self.add(f"ima verify {algorithm}", "ima", "verify", files, "--key", here / f"{algorithm}.der",
                     "--store", "manifest", "--manifest", manifest)

    def tcp_ao(self, here):
        plain = here / "plain.pcap"
        capture(plain)
        for algorithm in ["hmac-sha1-96", "aes-128-cmac-96"]:
            key = f"1:{algorithm}:{'5a' * 20}"
            signed = here / f"{algorithm}.pcap"
            self.make("tcp-ao", "sign", plain, "-k", key, "-o", signed)
            again = here / "signed.pcap"  # an old one would be compared with the new
            self.add(f"tcp-ao sign {algorithm}", "tcp-ao", "sign", plain, "-k", key, "-o", again, fresh=again)
            self.add(f"tcp-ao verify {algorithm}", "tcp-ao", "verify", signed, "-k", key)

    def git(self, here):
        keep = ["--keep-unknown-headers", "--pad-submodules"]
        self.add("git verify", "git", "verify", self.repository)
        self.add("git map", "git", "map", self.repository, *keep, "-o", here / "map")
        converted = here / "converted.git"
        self.add("git convert", "git", "convert", self.repository, converted, *keep, fresh=converted)

    def disk(self, here):
        plain, key = here / "plain", here / "key"
        key.write_bytes(random.Random(3).randbytes(32))
        with open(plain, "wb") as out:
            for part in range(IMAGE >> 20):
                out.write(random.Random(part).randbytes(1 << 20))
        for cipher in ["aes-xts-plain64", "lea-xts-plain64"]:
            container = here / f"{cipher}.luks"
            self.make("disk", "format", container, "--cipher", cipher, "--kdf", "pbkdf2", "--iter-time", 10,
                      "--size", IMAGE, "--key-file", key)
            fill = ["disk", "copy", plain, container, "--overwrite", "--key-file", key]
            self.make(*fill)    # now the container has all its blocks, and every run finds the same
            self.add(f"disk copy into {cipher}", *fill)
            self.add(f"disk copy out of {cipher}", "disk", "copy", container, here / "out", "--overwrite", "--key-file", key)

    def general(self, here):
        self.add("list", "list")
        self.add("prove", "prove", "ed25519", "sha-256", "aes-128-cmac-96", "aes-256-xts")
        records = pathlib.Path(__file__).parent.parent / "crates/fieldtest/tests/records.jsonl"
        if records.exists():
            self.add("report", "report", records, "-o", here / "page.html")


def run(program, arguments, fresh):
    if fresh is not None and fresh.is_dir():
        shutil.rmtree(fresh)
    elif fresh is not None:
        fresh.unlink(missing_ok=True)
    before = processor_seconds()
    done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="backslashreplace").strip()[-300:])
    return processor_seconds() - before


def main():
    options = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    options.add_argument("old")
    options.add_argument("new")
    options.add_argument("--zone", type=pathlib.Path)
    options.add_argument("--repository", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--at-most", type=float, default=1.05)
    options.add_argument("--jobs", nargs="*", default=[])
    given = options.parse_args()
    programs = [os.path.realpath(given.old), os.path.realpath(given.new)]

    failed = False
    with tempfile.TemporaryDirectory(prefix="fieldtest-regression-") as folder:
        print(f"{'job':34} {'old':>8} {'new':>8}  new/old   (seconds of processor time, medians of {given.rounds})")
        zone = given.zone and given.zone.resolve()
        jobs = Jobs(programs[0], zone, given.repository.resolve())
        for part in [jobs.general, jobs.dnssec, jobs.ima, jobs.tcp_ao, jobs.git, jobs.disk]:
            if given.jobs and part != jobs.general and not any(word.split()[0] in part.__name__.replace("_", "-") for word in given.jobs):
                continue
            here = pathlib.Path(folder) / part.__name__
            here.mkdir()
            jobs.list = []
            part(here)
            for name, arguments, fresh in jobs.list:
                if given.jobs and not any(word in name for word in given.jobs):
                    continue
                taken = [[], []]
                try:
                    for repetition in range(given.rounds):
                        for who in (0, 1) if repetition % 2 else (1, 0):
                            taken[who].append(run(programs[who], arguments, fresh))
                except RuntimeError as error:
                    print(f"{name:34} FAILED: {error}")
                    failed = True
                    continue
                ratio = statistics.median(new / old for old, new in zip(*taken))
                mark = "" if ratio <= given.at_most else "  ABOVE"
                failed |= bool(mark)
                print(f"{name:34} {statistics.median(taken[0]):8.3f} {statistics.median(taken[1]):8.3f}  {ratio:7.3f}{mark}",
                      flush=True)
            shutil.rmtree(here)
    sys.exit(1 if failed else 0)


main()
