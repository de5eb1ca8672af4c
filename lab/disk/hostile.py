#!/usr/bin/env python3
"""The headers of crates/carriers/disk/tests/hostile.txt before the real cryptsetup and before the program.

usage: hostile.py LIST CONTAINER KEY PROGRAM

CONTAINER has a header of 16 KiB and one key slot with PBKDF2, which the file KEY opens. Each header is written into
copies of it. Prints one line for all that are judged as the list says, and `FAILED …` for each that is not. `--record`
before the other arguments prints the verdicts of cryptsetup and of the program instead.
"""
import concurrent.futures
import copy
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SIZE = 16384


def parts(pointer):
    return pointer.split("/")[1:]


def parent(document, pointer):
    for name in parts(pointer)[:-1]:
        document = document[name]
    return document


def value(document, pointer):
    return parent(document, pointer)[parts(pointer)[-1]]


def headers(good, changes):
    """Both copies of a header with the changes."""
    document = json.loads(good[4096:SIZE].split(b"\0")[0])
    text, before, after, poked, algorithm, fill, damage = None, b"", b"", [], "sha256", False, False
    swaps, raw = [], []
    resolved = lambda argument: json.loads(f'"{argument}"').encode()
    for change in changes.split(" ; "):
        operation, _, argument = change.partition(" ")
        if operation == "set":
            pointer, new = argument.split(" ", 1)
            parent(document, pointer)[parts(pointer)[-1]] = json.loads(new)
        elif operation == "remove":
            del parent(document, argument)[parts(argument)[-1]]
        elif operation == "copy":
            source, target = argument.split(" ")
            parent(document, target)[parts(target)[-1]] = copy.deepcopy(value(document, source))
        elif operation == "before":
            before = resolved(argument)
        elif operation == "after":
            after = resolved(argument)
        elif operation == "text":
            text = argument.encode()
        elif operation == "swap":
            swaps.append(argument.split(" => "))
        elif operation == "raw":
            old, new = argument.split(" => ")
            raw.append((old.encode(), bytes.fromhex(new)))
        elif operation == "bytes":
            offset, data = argument.split(" ")
            poked.append((int(offset), bytes.fromhex(data)))
        elif operation == "checksum":
            algorithm = argument
            poked.append((72, algorithm.encode().ljust(32, b"\0")))
        elif operation == "fill":
            fill = True
        elif operation == "damage":
            damage = True
        else:
            raise ValueError(change)
    if text is None:
        # As numbers were written: Python would make 1e3 of 1000.0.
        text = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
        for old, new in swaps:
            assert old.encode() in text, old
            text = text.replace(old.encode(), new.encode())
    text = before + text + after
    for old, new in raw:
        assert old in text, old
        text = text.replace(old, new)
    area = text.ljust(SIZE - 4096, b" " if fill else b"\0")
    copies = []
    for place in (0, 1):
        one = bytearray(good[place * SIZE : place * SIZE + 4096])
        for offset, data in poked:
            # The second copy has its own magic and its own offset.
            if place == 0 or offset not in (0, 256):
                one[offset : offset + len(data)] = data
            elif offset == 0 and data[0] == 0:
                one[0] = 0
            elif offset == 256:
                one[offset : offset + len(data)] = data
        one[448:512] = bytes(64)
        digest = hashlib.new(algorithm, bytes(one) + area).digest()
        one[448 : 448 + len(digest)] = digest
        if damage:
            one[448] ^= 1
        copies.append(bytes(one) + area)
    return b"".join(copies)


def verdict(command):
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "hang"
    if done.returncode < 0 or b"panicked" in done.stderr or b"bug in the program" in done.stderr:
        return "crash"
    return "+" if done.returncode == 0 else "-"


def judge(folder, container, key, program, good, line):
    name, expected, changes, *ours = [part.strip(" ") if number != 2 else part[1:] for number, part in enumerate(line.split(" |"))]
    image = tempfile.mktemp(dir=folder)
    shutil.copyfile(container, image)  # sparse where the file system can
    written = headers(good, changes)

    def fresh():
        with open(image, "r+b") as file:
            file.write(written)

    commands = [
        ["cryptsetup", "luksDump", "--type", "luks2", "--disable-locks", image],
        ["cryptsetup", "open", "--test-passphrase", "--disable-locks", "--key-file", key, image],
        [program, "disk", "dump", image],
        [program, "disk", "open", image, "--key-file", key],
    ]
    verdicts = []
    for command in commands:
        # cryptsetup mends what it may write to.
        fresh()
        verdicts.append(verdict(command))
    os.unlink(image)
    theirs = " ".join(verdicts[:2])
    wanted = ours[-1][:3] if ours else expected
    return name, expected, theirs, wanted, " ".join(verdicts[2:]), changes


def main():
    record = sys.argv[1] == "--record"
    listing, container, key, program = sys.argv[-4:]
    with open(container, "rb") as file:
        good = file.read(2 * SIZE)
    with open(listing, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]
    failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for result in pool.map(lambda line: judge(folder, container, key, program, good, line), lines):
            name, expected, theirs, wanted, ours, changes = result
            if record:
                print(f"{name} | {theirs} | {changes}" + ("" if ours == theirs else f" | {ours} ???"))
                continue
            if theirs != expected:
                print(f"FAILED cryptsetup judges '{name}' {theirs}, and the list says {expected}")
                failed += 1
            if ours != wanted:
                print(f"FAILED we judge '{name}' {ours}, and the list says {wanted}")
                failed += 1
    if not record:
        print(f"passed {len(lines)} headers judged by cryptsetup and by us as the list says" if failed == 0 else "")
    sys.exit(failed > 0)


main()
