#!/usr/bin/env python3
"""The SHA-256 names of a fleet's objects, computed anew from its SHA-1 repositories, against the maps of a job.

usage: names.py FOLDER JOB

Of FOLDER, as make.py leaves it, every object is read by `git cat-file` and named by hashlib: trees with the names of what
they hold, submodules' commits with those that their own repositories got, commits and tags with what they name. Nothing
here knows how fieldtest does it.
"""
import hashlib
import json
import os
import re
import subprocess
import sys

folder, job = sys.argv[1:]
with open(folder + ".json") as file:
    forge = json.load(file)


def objects(path):
    told = subprocess.run(["git", "-C", path, "cat-file", "--batch", "--batch-all-objects"], stdout=subprocess.PIPE, check=True).stdout
    at, found = 0, {}
    while at < len(told):
        end = told.index(b"\n", at)
        name, kind, size = told[at:end].split()
        found[name.decode()] = (kind.decode(), told[end + 1:end + 1 + int(size)])
        at = end + 2 + int(size)
    return found


def mapped(found, elsewhere):
    names = {}

    def named(old):
        if old not in names:
            kind, content = found[old]
            if kind == "tree":
                content = tree(content)
            elif kind in ("commit", "tag"):
                head, rest = content.split(b"\n\n", 1)
                head = re.sub(rb"^(tree|parent|object) ([0-9a-f]{40})$", lambda it: it[1] + b" " + named(it[2].decode()).encode(),
                              head, flags=re.M)
                content = head + b"\n\n" + rest
            names[old] = hashlib.sha256(b"%s %d\0" % (kind.encode(), len(content)) + content).hexdigest()
        return names[old]

    def tree(content):
        made, at = b"", 0
        while at < len(content):
            end = content.index(b"\0", at)
            old = content[end + 1:end + 21].hex()
            new = elsewhere[old] if content[at:].startswith(b"160000 ") else named(old)
            made += content[at:end + 1] + bytes.fromhex(new)
            at = end + 21
        return made

    # Parents before children, so that nothing recurses along a history.
    for own in sorted(found, key=lambda old: found[old][0] in ("commit", "tag")):
        stack = [own]
        while stack:
            kind, content = found[stack[-1]]
            parents = re.findall(rb"^parent ([0-9a-f]{40})$", content.split(b"\n\n", 1)[0], flags=re.M) if kind == "commit" else []
            open_ones = [parent.decode() for parent in parents if parent.decode() not in names]
            if open_ones:
                stack += open_ones
            else:
                named(stack.pop())
    return names




def key(name):
    return hashlib.sha256(len(name.encode()).to_bytes(8, "big") + name.encode()).hexdigest()[:16]


commits, compared, links = {}, 0, 0
for own in sorted(forge, key=lambda own: own["level"]):
    found = objects(os.path.join(folder, own["path"]))
    elsewhere = {}
    for need in own["needs"].values():
        elsewhere.update(commits[need["path"]])
    names = mapped(found, elsewhere)
    commits[own["path"]] = {old: new for old, new in names.items() if found[old][0] == "commit"}
    with open(os.path.join(job, "maps", key(own["path"]) + ".tsv")) as lines:
        told = dict(line.split("\t")[:2] for line in lines if not line.startswith("#"))
    assert told == names, own["path"]
    compared += len(names)
    links += sum(content.count(b"160000 ") for kind, content in found.values() if kind == "tree")
print("%d names in %d repositories, %d links to submodules" % (compared, len(forge), links))
