#!/usr/bin/env python3
"""A toy engine of all kinds. Its signature is HMAC-SHA-256: whoever can verify can sign, so it is of no use but to be looked at. So are
its hash function (SHA-256 by another name), its MAC (HMAC-SHA-256, cut) and its cipher (four rounds of Feistel over SHAKE128)."""
import hashlib
import hmac
import struct
import sys

HELLO, NOTHING, GENERATE, PUBLIC, SIGN, VERIFY, DIGEST, DERIVE, TAG, ENCRYPT, DECRYPT = range(11)
DONE, INVALID, FAILED = range(3)


def fields(octets):
    while octets:
        (length,) = struct.unpack_from(">I", octets)
        yield octets[4 : 4 + length]
        octets = octets[4 + length :]


def answer(outcome, *of):
    body = bytes([outcome]) + b"".join(struct.pack(">I", len(it)) + it for it in of)
    sys.stdout.buffer.write(struct.pack(">I", len(body)) + body)
    sys.stdout.buffer.flush()


def sign(key, message):
    return hmac.digest(key, message, "sha256")


def sector(key, tweak, octets, rounds):
    halves = [octets[: len(octets) // 2], octets[len(octets) // 2 :]]
    for at in rounds:
        this, other = halves[at % 2], halves[1 - at % 2]
        mask = hashlib.shake_128(key + tweak + bytes([at]) + other).digest(len(this))
        halves[at % 2] = bytes(map(int.__xor__, this, mask))
    return b"".join(halves)


def sectors(rounds, key, tweaks, octets):
    size = len(octets) * 16 // len(tweaks)
    each = zip(range(0, len(tweaks), 16), range(0, len(octets), size))
    return b"".join(sector(key, tweaks[t : t + 16], octets[o : o + size], rounds) for t, o in each)


while length := sys.stdin.buffer.read(4):
    request = sys.stdin.buffer.read(struct.unpack(">I", length)[0])
    operation, given = request[0], list(fields(request[1:]))
    if operation == HELLO:
        answer(DONE, *given) if given[0] == b"\x01" else answer(FAILED, b"only version 1 is supported")
    elif operation == NOTHING:
        answer(DONE)
    elif operation == GENERATE:
        secret = hashlib.sha256(given[0]).digest()
        answer(DONE, secret, secret)  # what no signature may do
    elif operation == PUBLIC:
        answer(DONE, given[0])
    elif operation == SIGN:
        answer(DONE, sign(*given))
    elif operation == VERIFY:
        key, message, signature = given
        answer(DONE if hmac.compare_digest(sign(key, message), signature) else INVALID)
    elif operation == DIGEST:
        answer(DONE, *(hashlib.sha256(message).digest() for message in given))
    elif operation == DERIVE:
        answer(DONE, sign(*given))
    elif operation == TAG:
        answer(DONE, *(sign(key, message)[:16] for key, message in zip(given[::2], given[1::2])))
    elif operation in (ENCRYPT, DECRYPT):
        answer(DONE, sectors(range(4) if operation == ENCRYPT else range(3, -1, -1), *given))
    else:
        answer(FAILED, b"no such operation")
