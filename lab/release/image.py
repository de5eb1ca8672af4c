#!/usr/bin/env python3
"""Write an image layout of OCI (image-spec 1.1) without a daemon: the same bytes for the same input.

usage: lab/release/image.py LAYOUT ARCHITECTURE VERSION BASE.tar PROGRAM

The first layer is BASE.tar, a root directory with the C library; the second has PROGRAM as /usr/bin/fieldtest and the empty
directory /work. ARCHITECTURE is OCI's: amd64, arm64. SOURCE_DATE_EPOCH is the time of all. `podman load`, `skopeo copy
oci:LAYOUT …` and `umoci unpack --image LAYOUT:VERSION …` read it.
"""

import datetime
import gzip
import hashlib
import io
import json
import os
import pathlib
import sys
import tarfile

if len(sys.argv) != 6:
    sys.exit(__doc__)
layout, architecture, version = pathlib.Path(sys.argv[1]), *sys.argv[2:4]
base, program = (pathlib.Path(path).read_bytes() for path in sys.argv[4:6])
seconds = int(os.environ["SOURCE_DATE_EPOCH"])
created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
OCI = "application/vnd.oci.image"


def digest(content):
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def blob(kind, content):
    """Stores content and describes it."""
    if not isinstance(content, bytes):
        content = json.dumps(content, sort_keys=True).encode()
    name = digest(content)
    (layout / "blobs/sha256" / name.removeprefix("sha256:")).write_bytes(content)
    return {"mediaType": f"{OCI}.{kind}", "digest": name, "size": len(content)}


def of_program():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, kind, mode, content in [
            ("usr/bin/fieldtest", tarfile.REGTYPE, 0o755, program),
            ("work", tarfile.DIRTYPE, 0o1777, b""),
        ]:
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode, entry.mtime, entry.size = kind, mode, seconds, len(content)
            archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


(layout / "blobs/sha256").mkdir(parents=True)
archives = [base, of_program()]
labels = {
    "org.opencontainers.image.title": "fieldtest",
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
}
config = {
    "created": created,
    "architecture": architecture,
    "os": "linux",
    "config": {"Entrypoint": ["/usr/bin/fieldtest"], "Env": ["PATH=/usr/bin:/bin"], "WorkingDir": "/work", "Labels": labels},
    "rootfs": {"type": "layers", "diff_ids": [digest(it) for it in archives]},
    "history": [{"created": created, "created_by": what} for what in ("base", "fieldtest")],
}
manifest = {
    "schemaVersion": 2,
    "mediaType": f"{OCI}.manifest.v1+json",
    "config": blob("config.v1+json", config),
    "layers": [blob("layer.v1.tar+gzip", gzip.compress(it, mtime=0)) for it in archives],
    "annotations": labels,
}
entry = blob("manifest.v1+json", manifest) | {
    "platform": {"architecture": architecture, "os": "linux"},
    "annotations": {"org.opencontainers.image.ref.name": version},
}
index = {"schemaVersion": 2, "mediaType": f"{OCI}.index.v1+json", "manifests": [entry]}
(layout / "index.json").write_text(json.dumps(index))
(layout / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
