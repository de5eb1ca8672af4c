"""Makes packages with odd content, each time the same: archives in three formats and unpacked trees.

usage: make.py POOL NUMBER | make.py POOL --change NUMBER | make.py POOL --strange

The second changes so many, the third makes what is damaged, compressed, or none at all.
"""

import gzip, hashlib, io, os, random, sys, tarfile

FORMATS = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}


def contents(seed, large):
    """Names and contents of the files of a package."""
    draw = random.Random(seed)
    files = {
        b"usr/bin/program": draw.randbytes(draw.randrange(1, 20_000)),
        b"usr/share/doc/a name with spaces": b"text\n" * draw.randrange(1, 99),
        b"usr/share/latin-\xe9\xff": draw.randbytes(700),
        b"usr/share/line\nback\\slash": b"odd",
        b"usr/share/empty": b"",
        b"usr/share/" + b"long/" * 30 + b"name": draw.randbytes(513),
    }
    if large:
        files[b"usr/lib/large"] = draw.randbytes(1 << 16) * 80
    return files


def decoded(name):
    return os.fsdecode(name)


def archive(path, seed, form):
    def member(name, **more):
        info = tarfile.TarInfo(decoded(name))
        info.mtime = 1_700_000_000
        for key, value in more.items():
            setattr(info, key, value)
        return info

    os.makedirs(os.path.dirname(path) or b".", exist_ok=True)
    with tarfile.open(decoded(path), "w", format=FORMATS[form], encoding="utf-8", errors="surrogateescape") as out:
        out.addfile(member(b"usr", type=tarfile.DIRTYPE, mode=0o755))
        for name, data in contents(seed, seed % 10 == 3).items():
            if form == "ustar" and len(name) > 100:
                continue
            info = member(name, size=len(data), mode=0o755 if b"bin" in name else 0o644)
            if form == "pax" and b"spaces" in name:
                # What was signed by somebody before, and another xattr.
                info.pax_headers = {"SCHILY.xattr.user.ima": "\x01older", "SCHILY.xattr.user.comment": "stays"}
            out.addfile(info, io.BytesIO(data))
        out.addfile(member(b"usr/bin/hard", type=tarfile.LNKTYPE, linkname="usr/bin/program"))
        out.addfile(member(b"usr/bin/soft", type=tarfile.SYMTYPE, linkname="program"))
        out.addfile(member(b"usr/fifo", type=tarfile.FIFOTYPE))
        out.addfile(member(b"usr/.wh.gone", size=0))


def tree(path, seed):
    for name, data in contents(seed, seed % 10 == 3).items():
        at = os.path.join(path, name)
        os.makedirs(os.path.dirname(at), exist_ok=True)
        with open(at, "wb") as file:
            file.write(data)
    for make in (
        lambda: os.link(path + b"/usr/bin/program", path + b"/usr/bin/hard"),
        lambda: os.symlink(b"program", path + b"/usr/bin/soft"),
        lambda: os.symlink(b"/nowhere", path + b"/usr/outside"),
        lambda: os.mkfifo(path + b"/usr/fifo"),
        lambda: os.setxattr(path + b"/usr/bin/program", b"user.comment", b"stays"),
    ):
        make()


def package(pool, number):
    """The package of this number: three of four are archives."""
    kind = ["ustar", "gnu", "pax", "tree"][number % 4]
    if kind == "tree":
        return kind, pool + b"/unpacked/package-%d" % number
    name = {0: b"package-%d.tar", 1: b"blob-%d", 2: b"odd \xe9\n%d.tar"}[number % 3] % number
    return kind, pool + b"/archives/%s/%s" % (hashlib.sha256(b"%d" % number).hexdigest()[:1].encode(), name)


def make(pool, number, seed):
    kind, path = package(pool, number)
    if kind == "tree":
        tree(path, seed)
    else:
        archive(path, seed, kind)


pool = os.fsencode(sys.argv[1])
if sys.argv[2] == "--change":
    for number in range(int(sys.argv[3])):
        kind, path = package(pool, number)
        if kind == "tree":
            with open(path + b"/usr/bin/program", "r+b") as file:
                file.write(b"another")
        else:
            archive(path, number + 1_000, kind)
elif sys.argv[2] == "--strange":
    for name in (b"good", b"cut", b"overwritten", b"deep/good"):
        archive(pool + b"/" + name + b".tar", 1, "pax")
    with open(pool + b"/cut.tar", "r+b") as file:
        file.truncate(os.path.getsize(pool + b"/cut.tar") // 2 + 100)
    with open(pool + b"/overwritten.tar", "r+b") as file:
        file.seek(0)
        whole = file.read()
        at = whole.index(b"usr/share/empty")
        file.seek(at)
        file.write(b"\x1b[31m")
    with open(pool + b"/good.tar", "rb") as file, gzip.open(pool + b"/packed.tar.gz", "wb") as out:
        out.write(file.read())
    for name, data in {b"text.tar": b"no archive at all\n" * 60, b"none.tar": b"", b"README": b"text\n", b"zeros": bytes(4096)}.items():
        with open(pool + b"/" + name, "wb") as file:
            file.write(data)
    with open(pool + b"/end.tar", "wb") as file:
        file.write(bytes(1024))
    os.symlink(b"good.tar", pool + b"/link.tar")
    os.mkfifo(pool + b"/fifo.tar")
    tree(pool + b"/unpacked/tree", 2)
    archive(pool + b"/unpacked/tree.manifest", 4, "gnu")
    os.makedirs(pool + b"/unpacked/bare")
else:
    for number in range(int(sys.argv[2])):
        make(pool, number, number)
