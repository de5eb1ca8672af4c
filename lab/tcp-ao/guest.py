"""The lab's side inside user-mode Linux, as its first process: guest.py SCENE DIRECTORY.

DIRECTORY lies on the host and takes the captures, their keys, and `results.kernel` with one line per check. The program
powers the machine off when it is done."""

import ctypes
import errno
import itertools
import os
import socket
import subprocess
import sys
import traceback

import ao
import cases
import transfer
from capture import Capture

MOUNTED = "/run/lab"  # where DIRECTORY is seen in the guest


_libc = ctypes.CDLL(None, use_errno=True)


def shell(command):
    subprocess.run(command, shell=True, check=True)


def mount(source, target, kind, options=""):
    """mount(2). The program of that name is set-user-ID on the host, and may lose its rights here by that."""
    arguments = (text.encode() for text in (source, target, kind))
    if _libc.mount(*arguments, 0, options.encode()):
        raise OSError(ctypes.get_errno(), f"mount {target}: {os.strerror(ctypes.get_errno())}")


def boot(directory):
    """Mounts what a first process finds missing and lets the loopback interface cut segments as Ethernet does."""
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    mount("proc", "/proc", "proc")
    mount("tmpfs", "/run", "tmpfs")
    os.mkdir(MOUNTED)
    mount("none", MOUNTED, "hostfs", directory)
    shell("ip link set lo mtu 1500 up")


class Results:
    def __init__(self):
        self.file = open(f"{MOUNTED}/results.kernel", "w")

    def check(self, passed, name, detail):
        self.file.write(f"{'passed' if passed else 'FAILED'} {name}: {detail}\n")
        self.file.flush()


def listen(address, port, keys, peer):
    """A listening socket that takes only connections with TCP-AO."""
    listener = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, port))
    for key in keys:
        ao.add_key(listener, peer, key)
    ao.require(listener)
    listener.listen(4)
    listener.settimeout(20)
    return listener


def counters(sock):
    state = ao.info(sock)
    return f"current {state['current']}, rnext {state['rnext']}, good {state['good']}, bad {state['bad']}", state


def loopback_pair(name, address, server_keys, client_keys, results, rollover=False, refused=False):
    """One connection of the kernel with itself, captured; the last key of each list is the one to roll over to."""
    capture = Capture("lo", f"{MOUNTED}/{name}.pcap")
    with listen(address, 1179, server_keys, address) as listener, socket.socket(listener.family) as client:
        for key in client_keys:
            ao.add_key(client, address, key)
        client.settimeout(1.5 if refused else 20)
        try:
            client.connect((address, 1179))
        except TimeoutError:
            detail = f"no connection, TCPAOBad {ao.netstat()['TCPAOBad']}"
            results.check(refused and ao.netstat()["TCPAOBad"] > 0, name, detail)
            capture.stop()
            return
        server, _ = listener.accept()
        with server:
            up, down = transfer.pattern("up", 20_000), transfer.pattern("down", 40_000)
            whole = both_ways(client, server, up, down)
            if rollover:
                ao.set_rnext(client, client_keys[-1].receive)
                whole = both_ways(client, server, up, down) and both_ways(client, server, up, down) and whole
            text, state = counters(server)
            used = state["current"] == server_keys[-1].send and state["good"] > 0 and state["bad"] == 0
            results.check(whole and used and not refused, name, text)
    capture.stop()


def both_ways(one, other, up, down):
    """One process drives both ends, so each waits for the other: small parts that fit the socket buffers."""
    one.setblocking(True), other.setblocking(True)
    got = [b"", b""]
    for sender, receiver, data, place in ((one, other, up, 0), (other, one, down, 1)):
        for start in range(0, len(data), 10_000):
            part = data[start:start + 10_000]
            sender.sendall(part)
            while part_left := start + len(part) - len(got[place]):
                got[place] += receiver.recv(part_left)
    return got == [up, down]


def loopback():
    """Kernel and kernel: all algorithms, options covered and excluded, both IP versions, a rollover, a wrong key."""
    results = Results()
    for (family, address), algorithm, exclude in itertools.product(
            ((4, "127.0.0.1"), (6, "::1")), ao.ALGORITHMS, (False, True)):
        name = f"v{family}-{algorithm.name}-{'excluded' if exclude else 'covered'}"
        key = ao.Key(algorithm, cases.secret(1), 84, 61, exclude)
        write_keys(name, [key])
        loopback_pair(name, address, [key], [key.reversed()], results)
    for family, address, old, new in ((4, "127.0.0.1", ao.SHA1, ao.CMAC), (6, "::1", ao.CMAC, ao.SHA256)):
        keys = [ao.Key(old, cases.secret(2), 84, 61), ao.Key(new, cases.secret(3), 85, 62)]
        write_keys(f"v{family}-rollover", keys)
        loopback_pair(f"v{family}-rollover", address, keys, [key.reversed() for key in keys], results, rollover=True)
    key = ao.Key(ao.SHA1, cases.secret(4), 84, 61)
    wrong = ao.Key(ao.SHA1, cases.secret(5), 84, 61)
    write_keys("v4-wrong-key", [key])
    loopback_pair("v4-wrong-key", "127.0.0.1", [key], [wrong.reversed()], results, refused=True)


    algorithms(results)


def algorithms(results):
    """Which algorithms and MAC lengths the kernel takes: since Linux 7.2 three, and tags that leave a SYN its options."""
    def refusal(name, tag):
        with socket.socket() as sock:
            try:
                ao.add_key(sock, "127.0.0.1", ao.Key(ao.Algorithm(name, name, tag), cases.secret(6), 1, 1))
            except OSError as error:
                return errno.errorcode[error.errno]
        return None
    others = ("hmac(md5)", "hmac(sha224)", "hmac(sha384)", "hmac(sha512)", "hmac(sha3-256)", "cmac(aes256)", "crc32c")
    release = tuple(int(part) for part in os.uname().release.split(".")[:2])
    rows = [(algorithm.linux, algorithm.tag, None) for algorithm in ao.ALGORITHMS]
    rows += [(ao.SHA256.linux, tag, None if tag <= 16 else "EMSGSIZE") for tag in (1, 16, 17, 20)]
    rows += [(name, 12, "ENOENT") for name in others if release >= (7, 2)]
    for name, tag, expected in rows:
        found = refusal(name, tag)
        results.check(found == expected, f"{name} with a MAC of {tag} bytes", found or "taken")


def write_keys(name, keys):
    """The arguments for `fieldtest tcp-ao verify`, beside the capture."""
    with open(f"{MOUNTED}/{name}.keys", "w") as file:
        file.writelines(f"{argument}\n" for key in keys for argument in key.arguments())


def gateway():
    """Kernel and application behind the gateway: the kernel requires TCP-AO, the application knows nothing of it."""
    results = Results()
    shell("ip link set vec0 up && ip address add 10.9.0.2/24 dev vec0 && ip route add 10.8.0.0/24 via 10.9.0.1")
    shell("ip -6 address add fd00:9::2/64 dev vec0 nodad && ip -6 route add fd00:8::/64 via fd00:9::1")
    for case in cases.all_cases():
        length = "128" if ":" in case.kernel else "32"
        shell(f"ip address add {case.kernel}/{length} dev vec0 {'nodad' if length == '128' else ''}")
    # What the gateway signs with a wrong key must verify under that one.
    write_keys("gateway", [key for case in cases.all_cases() for key in case.gateway_keys])
    listeners = {case.number: listen(case.kernel, case.port, case.keys, case.application)
                 for case in cases.all_cases() if not case.passive}
    open(f"{MOUNTED}/ready", "w").close()
    for case in cases.gateway_cases():
        try:
            connection = open_connection(case) if case.passive else listeners[case.number].accept()[0]
            with connection:
                halfway = None
                if case.rollover == "kernel":
                    halfway = lambda: ao.set_rnext(connection, case.keys[-1].receive)
                up, down = (transfer.pattern(f"{case.name} {way}", cases.SIZE) for way in ("up", "down"))
                whole = transfer.exchange(connection, down, up, halfway)
                text, state = counters(connection)
                if case.rollover == "gateway":  # the kernel was asked to send with the new key
                    whole = whole and state["current"] == case.keys[-1].send
                if case.rollover == "kernel":  # the gateway was
                    received = ao.good_by_key(connection)
                    whole = whole and all(received[key.receive] > 0 for key in case.keys)
                    text += f", by key {received}"
                results.check(whole and state["good"] > 0 and state["bad"] == 0, f"gateway {case.name}", text)
        except OSError as error:
            results.check(False, f"gateway {case.name}", f"{error}, {ao.netstat()}")
    bad = ao.netstat()["TCPAOBad"]
    results.check(bad == 0, "gateway, all connections", f"TCPAOGood {ao.netstat()['TCPAOGood']}, TCPAOBad {bad}")
    open(f"{MOUNTED}/carried", "w").close()
    transfer.wait_for(f"{MOUNTED}/tried")
    for case in cases.refused_cases():
        listeners[case.number].settimeout(0.1)
        try:
            listeners[case.number].accept()
            results.check(False, f"gateway {case.name}", "the kernel accepted a connection")
        except TimeoutError:
            results.check(True, f"gateway {case.name}", "no connection")
    bad = ao.netstat()["TCPAOBad"]
    results.check(bad > 0, "gateway with a wrong key", f"the kernel refused its segments, TCPAOBad {bad}")


def selftests():
    """The kernel's own programs, each by itself; the last line of their output has the totals."""
    results = Results()
    mount("sysfs", "/sys", "sysfs")
    if os.path.isdir("/sys/kernel/tracing"):  # the programs do without
        mount("tracefs", "/sys/kernel/tracing", "tracefs")
    programs = sorted(name for name in os.listdir(f"{MOUNTED}/bin") if name.endswith(("_ipv4", "_ipv6")))
    for name in programs:
        try:
            run = subprocess.run([f"./{name}"], cwd=f"{MOUNTED}/bin", timeout=120, capture_output=True, text=True)
            output, code = run.stdout + run.stderr, run.returncode
        except subprocess.TimeoutExpired:
            output, code = "no end within 120 seconds", 1
        with open(f"{MOUNTED}/{name}.out", "w") as file:
            file.write(output)
        totals = output.strip().splitlines()[-1:] or [""]
        counts = dict(word.split(":") for word in totals[0].split() if word.count(":") == 1 and word[-1].isdigit())
        good = code == 0 and int(counts.get("pass", 0)) > 0 and not any(int(counts.get(name, 0)) for name in ("fail", "error"))
        results.check(good, f"selftest {name}", totals[0].lstrip("# "))


def open_connection(case):
    """Connects to the application."""
    connection = socket.socket(socket.AF_INET6 if ":" in case.kernel else socket.AF_INET)
    connection.bind((case.kernel, 0))
    for key in case.keys:
        ao.add_key(connection, case.application, key)
    ao.require(connection)
    connection.settimeout(20)
    connection.connect((case.application, case.port))
    return connection


if __name__ == "__main__":
    try:
        boot(sys.argv[2])
        {"loopback": loopback, "gateway": gateway, "selftests": selftests}[sys.argv[1]]()
        open(f"{MOUNTED}/finished", "w").close()
    except BaseException:  # what leaves here would be a kernel panic: the first process ended
        traceback.print_exc()
    os.sync()
    _libc.reboot(0x4321FEDC)  # LINUX_REBOOT_CMD_POWER_OFF
