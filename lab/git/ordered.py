"""Writes a pack of all objects of a SHA-256 repository in which whatever an object names comes before it.

Git's `unpack-objects` writes objects one after the other, and finds an object's name in the other format only if it
has those of everything that the object names. Packs as they usually are have commits first.

usage: ordered.py REPOSITORY > PACK
"""

import hashlib
import subprocess
import sys
import zlib

NUMBERS = {b"commit": 1, b"tree": 2, b"blob": 3, b"tag": 4}
LINKS = {b"commit": (b"tree ", b"parent "), b"tag": (b"object ",)}


def objects(repository):
    command = ["git", "-C", repository, "cat-file", "--batch", "--batch-all-objects", "--unordered"]
    out = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    found, at = {}, 0
    while at < len(out):
        end = out.index(b"\n", at)
        name, kind, size = out[at:end].split()
        content = out[end + 1 : end + 1 + int(size)]
        found[name] = (kind, content)
        at = end + 1 + int(size) + 1
    return found


def names(kind, content):
    """What an object names, submodules' commits left out."""
    if kind == b"tree":
        at = 0
        while at < len(content):
            end = content.index(b"\0", at)
            if not content.startswith(b"160000 ", at):
                yield content[end + 1 : end + 33].hex().encode()
            at = end + 33
    for line in content.split(b"\n\n", 1)[0].split(b"\n") if kind in LINKS else ():
        for word in LINKS[kind]:
            if line.startswith(word):
                yield line[len(word) :]


def in_order(found):
    done = set()
    for first in found:
        waiting = [first]
        while waiting:
            name = waiting[-1]
            before = [other for other in names(*found[name]) if other not in done] if name not in done else []
            if before:
                waiting += before
                continue
            waiting.pop()
            if name not in done:
                done.add(name)
                yield name


def entry(kind, content):
    size, header = len(content), bytearray()
    byte, size = NUMBERS[kind] << 4 | size & 15, size >> 4
    while size:
        header.append(byte | 128)
        byte, size = size & 127, size >> 7
    header.append(byte)
    return bytes(header) + zlib.compress(content, 1)


def main():
    found = objects(sys.argv[1])
    digest = hashlib.sha256()

    def write(data):
        digest.update(data)
        sys.stdout.buffer.write(data)

    write(b"PACK" + (2).to_bytes(4, "big") + len(found).to_bytes(4, "big"))
    for name in in_order(found):
        write(entry(*found[name]))
    sys.stdout.buffer.write(digest.digest())


main()
