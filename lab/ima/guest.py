"""The lab's side inside user-mode Linux, as its first process: guest.py SCENE DIRECTORY [ARGUMENT...] end.

DIRECTORY lies on the host: keys, files and manifests come from there, and `results.SCENE` with one line per check and
the tables go there. The program powers the machine off when it is done."""

import os
import sys
import traceback

import content
import linux
import metadata
import refute
import space
from lab import MOUNTED, Results

SCENES = {"content": content.scene, "space": space.scene, "metadata": metadata.scene, "refute": refute.scene}


def boot(directory):
    """Mounts what a first process finds missing; the kernel has mounted /dev."""
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    linux.mount("proc", "/proc", "proc")
    linux.mount("sysfs", "/sys", "sysfs")
    linux.mount("securityfs", "/sys/kernel/security", "securityfs")
    linux.mount("tmpfs", "/run", "tmpfs")
    linux.mount("none", MOUNTED, "hostfs", directory)


if __name__ == "__main__":
    try:
        boot(sys.argv[2])
        SCENES[sys.argv[1]](Results(sys.argv[1]), *sys.argv[3:sys.argv.index("end")])
        open(f"{MOUNTED}/finished.{sys.argv[1]}", "w").close()
    except BaseException:  # what leaves here would be a kernel panic: the first process ended
        traceback.print_exc()
    linux.power_off()
