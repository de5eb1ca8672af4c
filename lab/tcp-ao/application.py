"""The lab's application behind the gateway, on a kernel without TCP-AO: application.py DIRECTORY KEYS PID.

DIRECTORY is shared with the kernel's side (guest.py), KEYS is the gateway's key file and PID its process."""

import os
import signal
import socket
import sys
import time

import cases
import transfer


def write_keys(path, preferred=None):
    """The gateway's key file. Of a connection's keys the first is the one to ask for: the old one, but for the
    connection number `preferred`."""
    with open(path + ".new", "w") as file:
        for case in cases.all_cases():
            lines = list(case.gateway_lines())
            file.writelines(f"{line}\n" for line in (reversed(lines) if case.number == preferred else lines))
    os.rename(path + ".new", path)


def roll_over(case, keys, gateway):
    write_keys(keys, case.number)
    os.kill(gateway, signal.SIGHUP)


def connect(case):
    connection = socket.socket(socket.AF_INET6 if ":" in case.kernel else socket.AF_INET)
    connection.settimeout(20)
    connection.connect((case.kernel, case.port))
    return connection


def listen(case):
    listener = socket.socket(socket.AF_INET6 if ":" in case.kernel else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((case.application, case.port))
    listener.listen(1)
    listener.settimeout(20)
    return listener


def report(passed, name, detail):
    print(f"{'passed' if passed else 'FAILED'} application {name}: {detail}", flush=True)


def main(directory, keys, gateway):
    listeners = {case.number: listen(case) for case in cases.gateway_cases() if case.passive}
    transfer.wait_for(f"{directory}/ready")
    for case in cases.gateway_cases():
        try:
            started = time.monotonic()
            with listeners[case.number].accept()[0] if case.passive else connect(case) as connection:
                halfway = (lambda: roll_over(case, keys, gateway)) if case.rollover == "gateway" else None
                up, down = (transfer.pattern(f"{case.name} {way}", cases.SIZE) for way in ("up", "down"))
                whole = transfer.exchange(connection, up, down, halfway)
                mss = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG)
            report(whole, case.name, f"1 MB each way in {time.monotonic() - started:.2f} s, MSS {mss}")
        except OSError as error:
            report(False, case.name, error)
    transfer.wait_for(f"{directory}/carried")
    # Linux sends a SYN at 0, 1 and 3 seconds; both connections are tried at the same time.
    attempts = []
    for case in cases.refused_cases():
        connection = socket.socket(socket.AF_INET6 if ":" in case.kernel else socket.AF_INET)
        connection.setblocking(False)
        connection.connect_ex((case.kernel, case.port))
        attempts.append((case, connection))
    time.sleep(3.2)
    for case, connection in attempts:
        try:
            connection.getpeername()
            report(False, case.name, "connected")
        except OSError:
            report(True, case.name, "no connection")
        connection.close()
    open(f"{directory}/tried", "w").close()


if __name__ == "__main__":
    if sys.argv[1] == "keys":
        write_keys(sys.argv[2])
    else:
        main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
