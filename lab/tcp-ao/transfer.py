"""Data that goes both ways at once over a connected socket and is checked at both ends."""

import hashlib
import os
import select
import time


def wait_for(path, seconds=30):
    """Waits until the other side has made a file; what is done without it shows that it did not."""
    deadline = time.monotonic() + seconds
    while not os.path.exists(path) and time.monotonic() < deadline:
        time.sleep(0.05)


def pattern(label, size):
    """`size` bytes that no other label gives."""
    return hashlib.shake_128(label.encode()).digest(size)


def exchange(sock, send, expect, halfway=None, timeout=20):
    """Sends `send` while it receives as much as `expect`; says whether that is what came.

    `halfway` is called once, when half of it has come. The socket stays open, so that its state can be read."""
    sock.setblocking(False)
    sent, received = 0, bytearray()
    while sent < len(send) or len(received) < len(expect):
        readable, writable, _ = select.select([sock], [sock] if sent < len(send) else [], [], timeout)
        if writable:
            sent += sock.send(send[sent:sent + 16384])
        if readable:
            received += sock.recv(65536)
        if not writable and (not readable or not received):
            break
        if halfway and len(received) >= len(expect) // 2:
            halfway()
            halfway = None
    return bytes(received) == expect
