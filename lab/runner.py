"""Runs a test binary, kills it with all that it started if it takes too long, and prints the tests that were running.

    lab/runner.py target/release/deps/all-… [ARGUMENT]…     # exits as the binary does, or with 124

FIELDTEST_TEST_LIMIT is the limit in seconds between two outputs of the binary [default: 900; 0 is none], and four times that is
the limit for all of it, since a test that hangs may print. A test that hangs in silence is found once the others have ended.

What a binary that is killed, or ends by a signal, has started is killed as well, daemons included on Linux. What one that ends
by itself leaves behind stays: tests look after their own.
"""
import ctypes
import os
import re
import selectors
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

SLOW = re.compile(r"^[.Fi]*test (.+) has been running for over \d+ seconds$")
ENDED = re.compile(r"^test (.+?)(?: - should panic)? \.\.\. \S")
BEGUN = re.compile(r"^test (.+?)(?: - should panic)? \.\.\. $")


class Running:
    """Tests that have begun and not ended, from what libtest prints: a test's name after a minute, or at its beginning with
    one thread. With `--quiet` it prints no ends, so slow tests that ended are in the list, too."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self.rest = ""

    def read(self, text: str) -> None:
        *lines, self.rest = (self.rest + re.sub(r"\x1b\[[\d;]*m|\x1b\(B", "", text)).split("\n")
        for line in lines:
            if found := SLOW.match(line.strip("\r")):
                self.names[found[1]] = None
            elif found := ENDED.match(line):
                self.names.pop(found[1], None)

    def all(self) -> list[str]:
        begun = BEGUN.match(self.rest)
        return [*self.names, *([begun[1]] if begun else [])]


def adopt() -> None:
    """Makes processes ours whose parents end, so that `kill` finds daemons; elsewhere than on Linux it does not."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def descendants() -> list[int]:
    """All processes below this one that have not ended. Their process group is cargo's, so that Ctrl-C reaches them."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            parents[int(stat.parent.name)] = None if state == "Z" else int(parent)
        except OSError:
            pass  # it ended meanwhile
    found = [os.getpid()]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found[1:]


def kill(doomed: list[int]) -> None:
    """Kills these processes and all descendants, and what those start meanwhile."""
    for _ in range(500):
        for pid in doomed:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if not (doomed := descendants()):
            break
        time.sleep(0.01)


def main() -> int:
    given = os.environ.get("FIELDTEST_TEST_LIMIT", "900")
    if not given.isdecimal():
        sys.exit(f"invalid FIELDTEST_TEST_LIMIT '{given}': expected seconds, such as 900")
    limit = min(int(given) or 10**6, 10**6)
    # libtest has colours for a terminal.
    source, sink = os.openpty() if sys.stdout.isatty() else os.pipe()
    adopt()
    binary = subprocess.Popen(sys.argv[1:], stdout=sink)
    child = binary.pid
    os.close(sink)
    # The child ends by Ctrl-C, which reaches it without help, and by SIGTERM, which does not.
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    # Wait for the end of the process, not of its output: a process that it left behind may have inherited that. Other
    # processes that end are ours by `adopt`, and tests may look that they are gone. `binary` itself waits for none.
    ended, end = os.pipe()
    codes = []

    def reap() -> None:
        while not codes:
            pid, status = os.wait()
            if pid == child:
                codes.append(os.waitstatus_to_exitcode(status))
        os.close(end)

    threading.Thread(target=reap, daemon=True).start()
    running, ready = Running(), selectors.DefaultSelector()
    for it in (source, ended):
        ready.register(it, selectors.EVENT_READ)
    deadline = time.monotonic() + 4 * limit
    while True:
        left = min(limit, deadline - time.monotonic())
        events = {key.fd for key, _ in ready.select(max(left, 0))}
        if not events or left <= 0:
            why = f"no test ended for {limit} seconds" if left == limit else f"it ran for {4 * limit} seconds"
            names = running.all() or ["unknown tests"]
            print(f"\n{sys.argv[1]}: killed, as {why}; still running:", *names, sep="\n    ", file=sys.stderr, flush=True)
            kill([child])
            return 124
        if source in events:
            try:
                data = os.read(source, 1 << 16)
            except OSError:  # a terminal whose other end is closed
                data = b""
            if data:
                running.read(data.decode(errors="replace"))
                sys.stdout.buffer.write(data)
                sys.stdout.flush()
                continue
            ready.unregister(source)
        if ended in events:
            if codes[0] < 0:
                kill([])
                if codes[0] != -signal.SIGKILL:
                    signal.signal(-codes[0], signal.SIG_DFL)
                os.kill(os.getpid(), -codes[0])
            return codes[0]


if __name__ == "__main__":
    sys.exit(main())
