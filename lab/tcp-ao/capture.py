"""Captures an Ethernet-like interface into a pcap file. As a program: capture.py INTERFACE FILE, until SIGTERM."""

import signal
import socket
import struct
import sys
import threading
import time

ETH_P_ALL = 3
SO_RCVBUFFORCE = 33


class Capture:
    """Records in a thread from construction on, until `stop()`."""

    def __init__(self, interface, path):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.socket.bind((interface, 0))
        for option in (socket.SO_RCVBUF, SO_RCVBUFFORCE):
            try:
                self.socket.setsockopt(socket.SOL_SOCKET, option, 64 << 20)
            except PermissionError:
                pass
        self.socket.settimeout(0.05)
        # The loopback interface shows every packet twice, going out and coming in.
        self.skip = socket.PACKET_OUTGOING if interface == "lo" else None
        self.file = open(path, "wb")
        self.file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1))
        self.stopping = False
        self.thread = threading.Thread(target=self._record)
        self.thread.start()

    def _record(self):
        while True:
            try:
                frame, (_, _, kind, *_) = self.socket.recvfrom(65536)
            except TimeoutError:
                if self.stopping:
                    return
                continue
            if kind != self.skip:
                seconds, nanoseconds = divmod(time.time_ns(), 1_000_000_000)
                self.file.write(struct.pack("<IIII", seconds, nanoseconds // 1000, len(frame), len(frame)) + frame)

    def stop(self):
        """Ends when the wire has been silent for a moment."""
        self.stopping = True
        self.thread.join()
        self.file.close()
        self.socket.close()


if __name__ == "__main__":
    # Blocked before there is a second thread: otherwise the signal ends the program, and what was not yet written is lost.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    capture = Capture(sys.argv[1], sys.argv[2])
    print("capturing", flush=True)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    capture.stop()
