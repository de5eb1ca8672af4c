"""System calls of Linux that Python has no function for, and the xattrs that it has."""

import ctypes
import fcntl
import os
import struct

IMA = "security.ima"
EVM = "security.evm"

_libc = ctypes.CDLL(None, use_errno=True)

_SYS_ADD_KEY = 248  # x86-64, the one architecture that user-mode Linux has here
_USER_KEYRING = -4  # KEY_SPEC_USER_KEYRING
_ENABLE_VERITY = 0x40806685  # FS_IOC_ENABLE_VERITY of include/uapi/linux/fsverity.h


def _checked(result, what):
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


def mount(source, target, kind, options=""):
    os.makedirs(target, exist_ok=True)
    arguments = (text.encode() for text in (source, target, kind))
    _checked(_libc.mount(*arguments, 0, options.encode()), f"mount {target}")


def unmount(target):
    _checked(_libc.umount2(target.encode(), 0), f"umount {target}")


def power_off():
    os.sync()
    _libc.reboot(0x4321FEDC)  # LINUX_REBOOT_CMD_POWER_OFF


def _add_key(kind, description, payload, keyring):
    name = description.encode() if description else None
    return _checked(_libc.syscall(_SYS_ADD_KEY, kind.encode(), name, payload, ctypes.c_size_t(len(payload or b"")),
                                  keyring), f"add_key {kind}")


def make_keyring(name):
    """`_ima` and `_evm` are where a kernel without CONFIG_INTEGRITY_TRUSTED_KEYRING looks for its keys."""
    return _add_key("keyring", name, None, _USER_KEYRING)


def add_certificate(keyring, certificate):
    """Puts a certificate in DER into a keyring; the kernel verifies its signature if it is self-signed."""
    return _add_key("asymmetric", None, certificate, keyring)


def enable_verity(path, hash_number):
    """Makes a file read-only, with a Merkle tree of blocks of 4096 bytes."""
    argument = struct.pack("=IIIIQIIQ", 1, hash_number, 4096, 0, 0, 0, 0, 0).ljust(128, b"\0")
    with open(path, "rb") as file:
        fcntl.ioctl(file, _ENABLE_VERITY, argument)


def append_policy(rules):
    """Adds rules to IMA's policy: one for each write(2), which is how the kernel wants them."""
    with open("/sys/kernel/security/ima/policy", "wb", buffering=0) as file:
        for rule in rules:
            file.write(rule.encode() + b"\n")


def opens(path):
    """Whether the kernel lets a file be read. Any other refusal than IMA's is an error of the lab."""
    try:
        os.close(os.open(path, os.O_RDONLY))
        return True
    except PermissionError:
        return False


def make_file(path, content, owner, xattrs=()):
    """A file with its xattrs. The owner comes last: he brings it under the policy."""
    with open(path, "xb") as file:
        file.write(content)
    for name, value in xattrs:
        os.setxattr(path, name, value)
    os.chown(path, owner, owner)
