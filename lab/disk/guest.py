"""The lab's side inside user-mode Linux, as its first process: guest.py SCENE DIRECTORY end.

DIRECTORY lies on the host. `containers.SCENE` in it has a line NAME SPEC BITS SECTOR for each block device, in their
order; `results.SCENE` takes one line for each. The program powers the machine off when it is done.

The scenes: `ours` are containers that fieldtest made and filled, for the kernel to read and to write; `theirs` are
blank devices, for cryptsetup and the kernel to make containers on. Of `asked` the lines are those of
crates/carriers/disk/tests/dm-crypt.txt, and there is one blank device."""

import contextlib
import ctypes
import functools
import hashlib
import os
import random
import subprocess
import sys
import traceback

LAB = "/run/lab"  # where DIRECTORY is seen in the guest
KEY = f"{LAB}/key"
MOUNTED = "/run/content"

_libc = ctypes.CDLL(None, use_errno=True)


class Refused(Exception):
    """A program ended with an error; its last words."""


class Lacking(Exception):
    """What the kernel or cryptsetup cannot do, whoever made the container."""


def run(*command, folder="/"):
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    output = done.stdout.decode(errors="replace").strip()
    if done.returncode:
        raise Refused(f"{command[0]} {command[1]}: exit code {done.returncode}: {' '.join(output.splitlines()[-2:])}")


def mount(source, target, kind):
    """mount(2). The program of that name is set-user-ID on the host, and may lose its rights here by that."""
    os.makedirs(target, exist_ok=True)
    options = source if kind == "hostfs" else ""
    if _libc.mount(source.encode(), target.encode(), kind.encode(), 0, options.encode()):
        raise OSError(ctypes.get_errno(), f"mount {target}: {os.strerror(ctypes.get_errno())}")


def unmount(target):
    if _libc.umount2(target.encode(), 0):
        raise OSError(ctypes.get_errno(), f"umount {target}: {os.strerror(ctypes.get_errno())}")


def boot(directory):
    """Mounts what a first process finds missing; the kernel has mounted /dev."""
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    os.environ["DM_DISABLE_UDEV"] = "1"  # no udev is here that device-mapper could wait for
    mount("proc", "/proc", "proc")
    mount("sysfs", "/sys", "sysfs")
    mount("tmpfs", "/run", "tmpfs")
    mount(directory, LAB, "hostfs")


@contextlib.contextmanager
def opened(device, name):
    """The content of a container, as dm-crypt decrypts it."""
    run("cryptsetup", "open", "--type", "luks2", "--key-file", KEY, device, name)
    try:
        yield f"/dev/mapper/{name}"
    finally:
        run("cryptsetup", "close", name)


@contextlib.contextmanager
def mounted(content):
    mount(content, MOUNTED, "ext4")
    try:
        yield
    finally:
        unmount(MOUNTED)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_files(folder, manifest):
    """Files of many lengths, listed as sha256sum does it, and in part rewritten and cut off."""
    os.mkdir(f"{MOUNTED}/{folder}")
    lines = []
    for number in range(40):
        name = f"{folder}/{number}"
        length = random.choice([0, 1, 511, 512, 513, 4095, 4096, 4097, 70_000, 300_000])
        with open(f"{MOUNTED}/{name}", "wb") as file:
            file.write(os.urandom(length))
            if number % 4 == 0:
                os.fsync(file.fileno())
                file.seek(length // 3)
                file.write(b"written later")
                file.truncate()
        lines.append(f"{digest(f'{MOUNTED}/{name}')}  {name}\n")
    with open(manifest, "w") as file:
        file.writelines(lines)
    return len(lines)


def ours(device, name, spec, *_):
    """The kernel decrypts the same bytes as were encrypted, finds the files, and writes others for the host to find."""
    run("cryptsetup", "open", "--test-passphrase", "--key-file", KEY, device)
    if spec.startswith("lea-") and not has("lea"):
        raise Lacking("the kernel has no LEA; cryptsetup accepts the header and the key")
    with opened(device, name) as content:
        with open(f"{LAB}/{name}.plain.sha256") as file:
            expected = file.read().split()[0]
        if digest(content) != expected:
            raise Refused("the kernel decrypts something else than was encrypted")
        size = file_size(content)
        with mounted(content):
            run("sha256sum", "--check", "--quiet", f"{LAB}/tree.sha256", folder=MOUNTED)
            number = write_files("written", f"{LAB}/{name}.written.sha256")
    return f"all {size >> 20} MiB and every file as they were; {number} files written"


def theirs(device, name, spec, bits, sector):
    """cryptsetup and the kernel make a container, a file system and files."""
    derivation = {"aes-256-4096": ["argon2id", "--pbkdf-memory", "32768", "--pbkdf-parallel", "1",
                                   "--pbkdf-force-iterations", "4"]}
    derivation = derivation.get(name, ["pbkdf2", "--pbkdf-force-iterations", "1000"])
    try:
        run("cryptsetup", "luksFormat", "--batch-mode", "--type", "luks2", "--cipher", spec, "--key-size", bits,
            "--sector-size", sector, "--key-file", KEY, "--pbkdf", *derivation, device)
    except Refused as error:
        if "-hctr2-" in spec and "exit code 1:" in str(error):  # seen of cryptsetup 2.6.1
            raise Lacking("this cryptsetup opens containers with HCTR2 and makes none") from None
        raise
    with opened(device, name) as content:
        run("mkfs.ext4", "-q", "-b", "1024" if sector == "512" else "4096", content)
        with mounted(content):
            number = write_files("written", f"{LAB}/{name}.written.sha256")
        with open(f"{LAB}/{name}.plain.sha256", "w") as file:
            file.write(f"{digest(content)}  -\n")
        size = file_size(content)
    return f"{size >> 20} MiB with {number} files"


@contextlib.contextmanager
def mapped(name, length, *table):
    run("dmsetup", "create", name, "--noudevsync", "--table", " ".join(["0", str(length), *table]))
    try:
        yield
    finally:
        run("dmsetup", "remove", "--noudevsync", name)


@contextlib.contextmanager
def storage(sector, tag):
    """The blank device, or one over it that keeps so many bytes beside each sector; its length and its name."""
    if tag is None:
        yield 8192, "/dev/ubda"
        return
    if "integrity " not in subprocess.run(["dmsetup", "targets"], capture_output=True, text=True).stdout:
        raise Lacking("the kernel has no dm-integrity")
    options = ["journal_sectors:64"] + ([] if sector == "512" else [f"block_size:{sector}"])
    table = ["integrity", "/dev/ubda", "0", tag, "J", str(len(options)), *options]
    with open("/dev/ubda", "wb") as device:
        device.write(bytes(4096))
    with mapped("base", 8, *table):  # formats it
        pass
    with open("/dev/ubda", "rb") as device:
        length = int.from_bytes(device.read(24)[16:], "little") // 8 * 8
    with mapped("base", length, *table):
        yield length, "/dev/mapper/base"


def asked(linux, spec, bits, sector, _, tags=None):
    """What dm-crypt says of a specification is what stands in the list."""
    key = os.urandom(int(bits) // 8).hex() or "-"
    options = ([] if sector == "512" else [f"sector_size:{sector}"]) + ([f"integrity:{tags}"] if tags else [])
    with storage(sector, tags and tags.split(":")[0]) as (length, device):
        try:
            with mapped("asked", length, "crypt", spec, key, "0", device, "0", str(len(options)), *options):
                pass
        except Refused as error:
            if linux == "taken":
                raise
            return f"refused ({error})"
    if linux == "refused":
        raise Refused("it is taken, and the list says that it is refused")
    return "taken"


def file_size(device):
    with open(device, "rb") as file:
        return file.seek(0, os.SEEK_END)


def has(cipher):
    with open("/proc/crypto") as file:
        return f": {cipher}\n" in file.read()


def report(name, work):
    """A line of results for each of some (what it is, what says how it went)."""
    with open(f"{LAB}/results.{name}", "w") as results:
        for what, how in work:
            try:
                line = f"passed the kernel, {what}: {how()}"
            except Lacking as error:
                line = f"SKIPPED the kernel, {what}: {error}"
            except (Refused, OSError) as error:
                line = f"FAILED the kernel, {what}: {error}"
            results.write(line + "\n")
            results.flush()
    open(f"{LAB}/finished.{name}", "w").close()


def scene(name):
    with open(f"{LAB}/containers.{name}") as file:
        lines = [line.split() for line in file]
    if name == "asked":
        return report(name, ((" ".join(line), functools.partial(asked, *line)) for line in lines))
    work = {"ours": ours, "theirs": theirs}[name]
    containers = zip("abcdefghijklmnop", lines)
    report(name, ((f"{spec}, {sizes[0]} bits, sectors of {sizes[1]} bytes",
                   functools.partial(work, f"/dev/ubd{letter}", container, spec, *sizes))
                  for letter, (container, spec, *sizes) in containers))


if __name__ == "__main__":
    try:
        boot(sys.argv[2])
        scene(sys.argv[1])
    except BaseException:  # what leaves here would be a kernel panic: the first process ended
        traceback.print_exc()
    os.sync()
    _libc.reboot(0x4321FEDC)  # LINUX_REBOOT_CMD_POWER_OFF
