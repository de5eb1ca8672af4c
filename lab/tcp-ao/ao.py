"""The socket options of Linux for TCP-AO: names, numbers and structures of include/uapi/linux/tcp.h (Linux 6.7)."""

import ctypes
import os
import socket
import struct

TCP_AO_ADD_KEY = 38
TCP_AO_INFO = 40
TCP_AO_GET_KEYS = 41
TCP_AO_KEYF_EXCLUDE_OPT = 2

# The bit fields of struct tcp_ao_info_opt that are used here.
SET_RNEXT = 1 << 1
AO_REQUIRED = 1 << 2

_libc = ctypes.CDLL(None, use_errno=True)


class Algorithm:
    """A MAC that the kernel offers: what fieldtest calls it, what Linux calls it, and the bytes of its tag."""

    def __init__(self, name, linux, tag):
        self.name, self.linux, self.tag = name, linux, tag


SHA1 = Algorithm("hmac-sha1-96", "hmac(sha1)", 12)
CMAC = Algorithm("aes-128-cmac-96", "cmac(aes128)", 12)
SHA256 = Algorithm("hmac-sha256-linux", "hmac(sha256)", 16)
ALGORITHMS = (SHA1, CMAC, SHA256)


class Key:
    """A master key tuple as one end sees it; `reversed()` is the other end's view."""

    def __init__(self, algorithm, secret, send, receive, exclude_options=False):
        self.algorithm, self.secret, self.send, self.receive = algorithm, secret, send, receive
        self.exclude_options = exclude_options

    def reversed(self):
        return Key(self.algorithm, self.secret, self.receive, self.send, self.exclude_options)

    def arguments(self):
        """The key for `fieldtest tcp-ao verify`, once for each direction."""
        tail = f"{self.algorithm.name}:{self.secret.hex()}{':exclude-options' if self.exclude_options else ''}"
        return [f"--key={self.send}:{tail}", f"--key={self.receive}:{tail}"]


def sockaddr_storage(address):
    """An address without port, as struct sockaddr_in or sockaddr_in6 in 128 bytes."""
    if ":" in address:
        packed = struct.pack("=HHI", socket.AF_INET6, 0, 0) + socket.inet_pton(socket.AF_INET6, address)
    else:
        packed = struct.pack("=HH", socket.AF_INET, 0) + socket.inet_pton(socket.AF_INET, address)
    return packed.ljust(128, b"\0")


def add_key(sock, peer, key):
    """setsockopt(TCP_AO_ADD_KEY) with struct tcp_ao_add."""
    flags = TCP_AO_KEYF_EXCLUDE_OPT if key.exclude_options else 0
    prefix = 128 if ":" in peer else 32
    structure = sockaddr_storage(peer) + key.algorithm.linux.encode().ljust(64, b"\0")
    structure += struct.pack("=iIHBBBBBB", 0, 0, 0, prefix, key.send, key.receive, key.algorithm.tag, flags,
                             len(key.secret))
    sock.setsockopt(socket.IPPROTO_TCP, TCP_AO_ADD_KEY, structure + key.secret.ljust(80, b"\0"))


def _set_info(sock, bits, rnext=0):
    structure = struct.pack("=IHBB5Q", bits, 0, 0, rnext, 0, 0, 0, 0, 0)
    sock.setsockopt(socket.IPPROTO_TCP, TCP_AO_INFO, structure)


def require(sock):
    """Connections without TCP-AO are not accepted."""
    _set_info(sock, AO_REQUIRED)


def set_rnext(sock, receive):
    """Asks the peer to send with the key that this end receives as `receive`."""
    _set_info(sock, SET_RNEXT, receive)


def _getsockopt(sock, option, buffer, size):
    """getsockopt() of a structure of `size` bytes that the kernel reads as well, which Python's own cannot do."""
    length = ctypes.c_uint(size)
    if _libc.getsockopt(sock.fileno(), socket.IPPROTO_TCP, option, buffer, ctypes.byref(length)):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return buffer.raw


def info(sock):
    """getsockopt(TCP_AO_INFO): ids of the keys in use and the counters of one connection."""
    structure = _getsockopt(sock, TCP_AO_INFO, ctypes.create_string_buffer(48), 48)
    _, _, current, rnext, *counters = struct.unpack("=IHBB5Q", structure)
    names = ("good", "bad", "key_not_found", "required", "icmp")
    return {"current": current, "rnext": rnext, **dict(zip(names, counters))}


def good_by_key(sock):
    """getsockopt(TCP_AO_GET_KEYS): segments received and verified, by the key's receive id."""
    size, most, get_all = 304, 8, 1 << 2
    question = (b"\0" * 272 + struct.pack("=IH", most, get_all)).ljust(size, b"\0")
    # The stated length is that of one structure; there is room for `most`.
    answer = _getsockopt(sock, TCP_AO_GET_KEYS, ctypes.create_string_buffer(question, size * most), size)
    number, = struct.unpack_from("=I", answer, 272)
    entries = (answer[start:start + size] for start in range(0, number * size, size))
    return {entry[279]: struct.unpack_from("=Q", entry, 288)[0] for entry in entries}


def netstat():
    """The counters TCPAO* of /proc/net/netstat, over all connections of this network namespace."""
    with open("/proc/net/netstat") as file:
        rows = [line.split() for line in file]
    return {name: int(value) for names, values in zip(rows[::2], rows[1::2])
            for name, value in zip(names, values) if name.startswith("TCPAO")}
