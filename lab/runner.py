"""Runs a test binary, kills it if no test ended for too long, and prints the tests that were running.

    lab/runner.py target/release/deps/all-… [ARGUMENT]…     # exits as the binary does, or with 124

FIELDTEST_TEST_LIMIT is the limit in seconds between two outputs of the binary [default: 900; 0 is none]. A test that hangs
is found once the others have ended.
"""
import os
import re
import selectors
import signal
import subprocess
import sys
import threading
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


def kill(root: int) -> None:
    """Kills a process and its descendants. Their process group is cargo's, so that Ctrl-C reaches all of them."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            pass  # it ended meanwhile
    doomed = [root]
    for pid in doomed:
        doomed += [child for child, parent in parents.items() if parent == pid]
    for pid in doomed:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def main() -> int:
    given = os.environ.get("FIELDTEST_TEST_LIMIT", "900")
    if not given.isdecimal():
        sys.exit(f"invalid FIELDTEST_TEST_LIMIT '{given}': expected seconds, such as 900")
    limit = int(given) or None
    # libtest has colours for a terminal.
    source, sink = os.openpty() if sys.stdout.isatty() else os.pipe()
    child = subprocess.Popen(sys.argv[1:], stdout=sink)
    os.close(sink)
    # The child ends by Ctrl-C, which reaches it without help, and by SIGTERM, which does not.
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    # Wait for the end of the process, not of its output: a process that it left behind may have inherited that.
    ended, end = os.pipe()
    threading.Thread(target=lambda: (child.wait(), os.close(end)), daemon=True).start()
    running, ready = Running(), selectors.DefaultSelector()
    for it in (source, ended):
        ready.register(it, selectors.EVENT_READ)
    while True:
        events = {key.fd for key, _ in ready.select(limit)}
        if not events:
            names = running.all() or ["unknown tests"]
            print(f"\n{sys.argv[1]}: killed, as no test ended for {limit:.0f} seconds; still running:", *names,
                  sep="\n    ", file=sys.stderr, flush=True)
            kill(child.pid)
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
            code = child.wait()
            if code < 0:
                if code != -signal.SIGKILL:
                    signal.signal(-code, signal.SIG_DFL)
                os.kill(os.getpid(), -code)
            return code


if __name__ == "__main__":
    sys.exit(main())
