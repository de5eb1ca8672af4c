"""What `fieldtest ima sign` wrote on the host, and the ways in which it can be spoiled."""

import hashlib
import os

import linux

HEADER = 9  # type, version, hash, key id in 4 bytes, length in 2
HASHES = {"sha256": 4, "sha384": 5, "sha512": 6}  # enum hash_algo


class Manifest:
    """The values of security.ima for the lab's files, by name: all files lie in one folder."""

    def __init__(self, path):
        self.algorithm, version, self.hash = os.path.basename(path).split(".")
        self.version = int(version[1:])
        self.values = {}
        with open(path) as file:
            for line in file:
                if line.startswith("# file: "):
                    name = os.path.basename(line[8:].rstrip("\n"))
                elif line.startswith(f"{linux.IMA}=0x"):
                    self.values[name] = bytes.fromhex(line.strip().split("=0x")[1])

    def __str__(self):
        return f"{self.algorithm} v{self.version} {self.hash}"


def digest_alone(content, algorithm):
    """A value of type 4, which holds a digest that nobody signed."""
    return bytes([4, HASHES[algorithm]]) + hashlib.new(algorithm, content).digest()


def spoiled(content, value, of_another_file, algorithm):
    """(name, content, value) of everything that must be refused, made of a file with a good signature."""

    def with_bytes(place, *new):
        return value[:place] + bytes(new) + value[place + len(new):]

    yield "changed content", bytes([content[0] ^ 1]) + content[1:], value
    yield "content cut off", content[:-1], value
    middle = HEADER + (len(value) - HEADER) // 2
    yield "changed signature", content, with_bytes(middle, value[middle] ^ 1)
    yield "signature of another file", content, of_another_file
    yield "unknown key", content, with_bytes(3, *(byte ^ 0xff for byte in value[3:7]))
    yield "signature cut off", content, value[:-1]
    yield "signature too long", content, value + b"\0"
    length = len(value) - HEADER - 1
    yield "short length, short signature", content, with_bytes(7, length >> 8, length & 0xff)[:-1]
    yield "other hash", content, with_bytes(2, HASHES["sha512" if algorithm == "sha256" else "sha256"])
    # For ML-DSA this is version 2, which it does not have.
    yield "other version", content, with_bytes(1, 5 - value[1])
    yield "said to be of fs-verity", content, with_bytes(0, 6)
    yield "said to be of EVM", content, with_bytes(0, 5)
    yield "header alone", content, value[:HEADER]
    yield "unsigned", content, None
    yield "digest alone", content, digest_alone(content, algorithm)
    yield "garbage", content, b"\3" + hashlib.shake_128(value).digest(len(value) - 1)
