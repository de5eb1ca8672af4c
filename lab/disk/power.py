"""Power failures by a log: power.py FIELDTEST CONTAINERS KEY [--states N] [--seed N] [--jobs WORD] [--ignore-barriers].

strace logs what one command writes to a container and where it waits for the disk. From that log each state is made that a
power failure may leave: all writes before the last barrier, and of those after it none, all, all but one, one alone, and one
torn in the middle. In each state a key must open the container here and by cryptsetup, and its data must be the old or the
new. The states of a job are all of them, or N drawn by the seed.

Prints a line for each job: its writes, barriers and states, and ends with 1 if a state is bad; the first is kept in
CONTAINERS. Needs strace and cryptsetup. A disk that reorders writes across barriers is not simulated."""

import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

SECTOR = 512
CALL = re.compile(r'(?P<time>\d+\.\d+) (?P<name>\w+)\((?P<rest>.*)\) += (?P<result>-?\d+)')


def run(*command):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    return done.returncode, done.stderr.decode(errors="replace")


def must(*command):
    code, said = run(*command)
    if code:
        sys.exit(f"{' '.join(map(str, command))}: {code}: {said}")


def log(image, command):
    """The writes and barriers of a command, in the order in which they were begun: (at, bytes), or None for a barrier."""
    calls = "write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,ftruncate,fallocate,sync_file_range,mmap"
    logs = image.with_suffix(".log")
    for left in logs.parent.glob(logs.name + ".*"):
        left.unlink()
    must("strace", "-ff", "-ttt", "-xx", "-s", 1 << 26, "-P", image, "-e", f"trace={calls}", "-o", logs, *command)
    events = []
    for part in logs.parent.glob(logs.name + ".*"):
        for line in part.read_text().splitlines():
            call = CALL.match(line)
            if call is None:
                continue
            name, rest, result = call["name"], call["rest"], int(call["result"])
            if result < 0:
                sys.exit(f"a call failed: {line[:200]}")
            if name in ("fsync", "fdatasync"):
                events.append((float(call["time"]), None))
            elif name == "pwrite64":
                text = re.search(r'"((?:\\x[0-9a-f]{2})*)", \d+, (\d+)$', rest)
                data = bytes.fromhex(text[1].replace("\\x", ""))[:result]
                events.append((float(call["time"]), (int(text[2]), data)))
            elif name == "fallocate" and re.search(", FALLOC_FL_KEEP_SIZE, ", rest):
                pass  # room alone, no content
            elif name != "mmap" or "PROT_WRITE" in rest:
                sys.exit(f"the log does not follow: {line[:200]}")
        part.unlink()
    return [event for _, event in sorted(events, key=lambda event: event[0])]


def states(events):
    """Which writes are on the disk, each with the bytes of it that are: for each epoch between two barriers."""
    durable, epoch = [], []
    for event in events + [None]:
        if event is not None:
            epoch.append(event)
            continue
        yield durable
        for at, write in enumerate(epoch):
            yield durable + epoch[:at] + epoch[at + 1:]
            yield durable + [write]
            offset, data = write
            # A disk writes a sector whole or not at all.
            middle = len(data) // SECTOR // 2 * SECTOR
            if middle:
                for torn in [(offset, data[:middle]), (offset + middle, data[middle:])]:
                    yield durable + [torn]
                    yield durable + epoch[:at] + [torn] + epoch[at + 1:]
        durable = durable + epoch
        epoch = []
    yield durable


class Job:
    def __init__(self, name, command, keys, always=None, data=None, forms=(), resume=None, seen=True):
        self.name, self.command, self.keys = name, command, keys
        # The key that must open every state, if there is one.
        self.always = always
        # What each sector of the data may be: as before, or as in these bytes.
        self.data, self.resume, self.forms, self.seen = data, resume, forms, seen


def bad(state, job, here, before):
    """Why a state is bad, or None."""
    fieldtest, folder = here
    out = folder / "out"
    if job.resume:
        code, said = run(*job.resume(state))
        # Nothing to resume is a fault only if the data is not right, which the next step tells.
        resumed = f"; resuming said {code}: {said.strip()}"
    else:
        resumed = ""
    opened = []
    for key in job.keys:
        out.unlink(missing_ok=True)
        code, said = run(fieldtest, "disk", "copy", state, out, "--key-file", key)
        if code:
            continue
        found = out.read_bytes()
        allowed = [before] + ([job.data] if job.data else [])
        sectors = range(0, len(before), 4096)
        if len(found) != len(before) or not all(
            any(found[at:at + 4096] == one[at:at + 4096] for one in allowed) for at in sectors
        ):
            return f"other data than before or after{resumed}"
        opened.append(key)
    if not opened or (job.always and job.always not in opened):
        return f"opened by {[key.name for key in opened]}{resumed}; the last error: {said.strip()}"
    for key in opened if job.seen else []:
        code, said = run("cryptsetup", "open", "--test-passphrase", state, "--key-file", key)
        if code:
            return f"cryptsetup does not open what fieldtest opens: {code}: {said.strip()}{resumed}"
    return None


def jobs(fieldtest, image, key, folder):
    """The jobs, each with the options of the container that it starts from."""
    other = folder / "other"
    other.write_bytes(os.urandom(32))
    fast = ["--kdf", "pbkdf2", "--iter-time", "1"]
    new = folder / "new"
    new.write_bytes(os.urandom(256 << 10))
    slot = [fieldtest, "disk", "slot"]
    both = [key, other]
    for form in [["--type", "luks2"], ["--type", "luks1"]]:
        name = form[1]
        yield Job(f"{name} slot add", slot + ["add", image, "-d", key, "--new-key-file", other, *fast], both, key, forms=form)
        yield Job(f"{name} slot change", slot + ["change", image, "-d", key, "--new-key-file", other, *fast], both, forms=form)
    two = ["--type", "luks2"]
    yield Job("luks2 slot kill", slot + ["kill", image, "1", "-d", key], both, key, forms=[*two, "with two"])
    for integrity in [["--cipher", "aes-gcm-random", "--integrity", "aead"], ["--integrity", "hmac-sha256"]]:
        write = [fieldtest, "disk", "copy", new, image, "--key-file", key, "--overwrite"]
        yield Job(f"write {integrity[-1]}", write, [key], key, new.read_bytes(), [*two, *integrity], seen=False)
    for how in ["journal", "checksum"]:
        command = [fieldtest, "disk", "reencrypt", image, "-c", "aes-xts-plain64", "-d", key, "--resilience", how, "--hotzone-size", "128K", *fast]
        yield Job(
            f"reencrypt {how}", command, [key], key, forms=two,
            resume=lambda state: [fieldtest, "disk", "reencrypt", state, "-d", key, "--resume"],
        )


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("fieldtest", type=pathlib.Path)
    options.add_argument("containers", type=pathlib.Path)
    options.add_argument("key", type=pathlib.Path)
    options.add_argument("--states", type=int)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", default="", help="only jobs whose name has this word")
    options.add_argument("--ignore-barriers", action="store_true", help="as if nothing waited for the disk: must fail")
    given = options.parse_args()
    given.fieldtest = given.fieldtest.resolve()
    folder, drawn, faults = given.containers, random.Random(given.seed), 0
    image, state, old = folder / "image", folder / "state", folder / "old"
    old.write_bytes(os.urandom(256 << 10))
    for job in jobs(given.fieldtest, image, given.key.resolve(), folder):
        if given.jobs not in job.name:
            continue
        image.unlink(missing_ok=True)
        make = [form for form in job.forms if form != "with two"]
        fast = ["--kdf", "pbkdf2", "--iter-time", "1"]
        must(given.fieldtest, "disk", "format", image, "--from", old, "--key-file", given.key, *fast, *make)
        if "with two" in job.forms:
            must(given.fieldtest, "disk", "slot", "add", image, "-d", given.key, "--new-key-file", folder / "other", *fast)
        start = image.read_bytes()
        before = old.read_bytes()
        events = [event for event in log(image, job.command) if event is not None or not given.ignore_barriers]
        made = list(states(events))
        chosen = made if given.states is None or len(made) <= given.states else drawn.sample(made, given.states)
        found = None
        for writes in chosen:
            content = bytearray(start)
            for offset, data in writes:
                content[offset:offset + len(data)] = data
            state.write_bytes(content)
            found = bad(state, job, (given.fieldtest, folder), before)
            if found:
                kept = folder / f"bad-{job.name.replace(' ', '-')}"
                state.write_bytes(content)
                shutil.copyfile(state, kept)
                on_disk = ", ".join(f"{len(data)} at {offset:#x}" for offset, data in writes)
                print(f"FAILED {job.name}: {found}\n    the state is {kept}; on the disk: {on_disk}")
                whole = ", ".join("barrier" if event is None else f"{len(event[1])} at {event[0]:#x}" for event in events)
                print(f"    of the log: {whole}")
                faults += 1
                break
        writes = sum(event is not None for event in events)
        if not found:
            print(f"{job.name}: {writes} writes, {len(events) - writes} barriers, {len(chosen)} of {len(made)} states hold")
    sys.exit(1 if faults else 0)


main()
