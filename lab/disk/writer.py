"""Files written one by one: writer.py DIRECTORY LIST.

Each file and its name are made durable before its digest is added to LIST, as sha256sum writes it. Ends when something
cannot be written."""

import hashlib
import os
import random
import sys


def durable(path, flags, content=b""):
    descriptor = os.open(path, flags, 0o644)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view):]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


directory, manifest = sys.argv[1:]
with open(manifest, "w", buffering=1) as done:
    number = 0
    while True:
        content = os.urandom(random.choice([1, 500, 4096, 10_000, 200_000]))
        try:
            durable(f"{directory}/{number}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, content)
            durable(directory, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            sys.exit(f"{number} files were durable when this came: {error}")
        done.write(f"{hashlib.sha256(content).hexdigest()}  {number}\n")
        number += 1
