#!/usr/bin/env python3
"""A toy engine: HMAC-SHA-256 that calls itself a signature. Whoever can verify can sign, so it is of no use but to be looked at."""
import hashlib
import hmac
import struct
import sys

HELLO, NOTHING, GENERATE, PUBLIC, SIGN, VERIFY = range(6)
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


while length := sys.stdin.buffer.read(4):
    request = sys.stdin.buffer.read(struct.unpack(">I", length)[0])
    operation, given = request[0], list(fields(request[1:]))
    if operation == HELLO:
        answer(DONE, *given) if given[0] == b"\x01" else answer(FAILED, b"only version 1 is spoken here")
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
    else:
        answer(FAILED, b"no such operation")
