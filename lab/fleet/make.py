#!/usr/bin/env python3
"""A forge's repositories, made up: bare ones that refer to each other as submodules, six levels of them.

usage: make.py FOLDER NUMBER          makes them, and FOLDER.json, which says what refers to what
       make.py FOLDER --change NUMBER adds a commit to so many of the innermost, and to as many others one that names it

The same number gives the same repositories. Needs git; nothing is asked of any other.
"""
import json
import os
import random
import subprocess
import sys

# Shares of the levels, the innermost first: what is at level 5 has submodules in submodules, five deep.
SHARES = [0.5, 0.2, 0.12, 0.08, 0.06, 0.04]
PEOPLE = b"A Sample <a@example.org> %d +0000\n"
WHEN = 1_700_000_000
URLS = ["../{org}/{name}.git", "../{org}/{name}", "https://forge.example/{org}/{name}.git", "git@forge.example:{org}/{name}",
        "file://{root}/{org}/{name}.git"]


def commit(draw, root, own, number, needs, last):
    """One commit of fast-import's: a file that grows, and perhaps what a submodule is at."""
    # fast-import(1): what is not named stays as it was.
    lines = [b"commit refs/heads/main\nmark :%d\n" % number]
    lines.append(b"author " + PEOPLE % (WHEN + number) + b"committer " + PEOPLE % (WHEN + number))
    message = b"Change %d of %s\n" % (number, own["path"].encode())
    lines.append(b"data %d\n%s" % (len(message), message))
    if last:
        lines.append(b"from %s\n" % last)
    name = draw.choice([b"README", b"src/main.c", b"src/util/list.c"])
    text = b"".join(b"%s %d %d\n" % (own["path"].encode(), number, line) for line in range(draw.randrange(5, 60)))
    lines.append(b"M 100644 inline %s\ndata %d\n%s\n" % (name, len(text), text))
    for at, (need, sha) in needs.items():
        lines.append(b"M 160000 %s libs/%s\n" % (sha.encode(), at.encode()))
    if needs:
        modules = "".join(
            '[submodule "%s"]\n\tpath = libs/%s\n\turl = %s\n' % (at, at, need["url"].format(root=root))
            for at, (need, _) in own["all"].items())
        lines.append(b"M 100644 inline .gitmodules\ndata %d\n%s\n" % (len(modules), modules.encode()))
    return b"".join(lines)


def load(folder, own, stream):
    """Has Git read it, and returns the names of the commits in their order."""
    path = os.path.join(folder, own["path"])
    marks = os.path.join(path, "marks")
    subprocess.run(["git", "-C", path, "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet", "--export-marks=" + marks],
                   input=stream, check=True)
    with open(marks) as lines:
        found = dict(line.split() for line in lines)
    os.remove(marks)
    return [found[mark] for mark in sorted(found, key=lambda mark: int(mark[1:]))]


def empty(path):
    """What `git init --bare` leaves, as far as Git asks for it."""
    for below in ["objects/pack", "objects/info", "refs/heads", "refs/tags"]:
        os.makedirs(os.path.join(path, below))
    with open(os.path.join(path, "HEAD"), "w") as file:
        file.write("ref: refs/heads/main\n")
    with open(os.path.join(path, "config"), "w") as file:
        file.write("[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n")


def make(folder, number):
    draw = random.Random(number)
    counts = [max(1, round(number * share)) for share in SHARES]
    counts[0] += number - sum(counts)
    levels, forge = [], []
    for level, count in enumerate(counts):
        levels.append([])
        for at in range(count):
            name, org = "r%d-%d" % (level, at), "org%d" % draw.randrange(1 + number // 50)
            own = {"path": "%s/%s.git" % (org, name), "level": level, "needs": {}, "commits": []}
            empty(os.path.join(folder, own["path"]))
            if level:
                # One of the level below, so that it is as deep as it says, and some of any.
                chosen = [draw.choice(levels[level - 1])]
                chosen += [draw.choice(levels[draw.randrange(level)]) for _ in range(draw.randrange(3))]
                for sub, need in enumerate({need["path"]: need for need in chosen}.values()):
                    other, name_of = need["path"][:-4].split("/")
                    url = draw.choice(URLS)
                    if url.startswith(".."):
                        url = "../" + url
                    own["needs"]["s%d" % sub] = {"path": need["path"], "url": url.format(org=other, name=name_of, root="{root}")}
            by_path = {other["path"]: other for other in forge}
            stream, last = [], None
            own["all"] = {}
            for change in range(1, draw.randrange(3, 9)):
                needs = {}
                for sub, need in own["needs"].items():
                    if change == 1 or draw.random() < 0.4:
                        needs[sub] = (need, draw.choice(by_path[need["path"]]["commits"]))
                        own["all"][sub] = needs[sub]
                stream.append(commit(draw, folder, own, change, needs, last))
                last = b":%d" % change
            message = b"a release\n"
            stream.append(b"tag v1\nfrom %s\ntagger %sdata %d\n%s\n" % (last, PEOPLE % WHEN, len(message), message))
            del own["all"]
            own["commits"] = load(folder, own, b"".join(stream) + b"done\n")
            levels[level].append(own)
            forge.append(own)
    with open(folder + ".json", "w") as file:
        json.dump(forge, file)


def change(folder, number):
    """Adds commits, and prints the repositories that have new ones."""
    with open(folder + ".json") as file:
        forge = json.load(file)
    by_path = {own["path"]: own for own in forge}
    draw = random.Random(number)
    outer = [own for own in forge if any(by_path[need["path"]]["level"] == 0 for need in own["needs"].values())]
    changed = set()
    for own in draw.sample(outer, min(number, len(outer))):
        sub, need = next((sub, need) for sub, need in own["needs"].items() if by_path[need["path"]]["level"] == 0)
        inner = by_path[need["path"]]
        for it, needs in [(inner, {}), (own, None)]:
            if needs is None:
                needs = {sub: (need, inner["commits"][-1])}
            it["all"] = {at: (other, None) for at, other in it["needs"].items()}
            stream = commit(draw, folder, it, len(it["commits"]) + 1, needs, it["commits"][-1].encode())
            del it["all"]
            it["commits"] += load(folder, it, stream + b"done\n")
            changed.add(it["path"])
    with open(folder + ".json", "w") as file:
        json.dump(forge, file)
    print("\n".join(sorted(changed)))


if __name__ == "__main__":
    where = os.path.abspath(sys.argv[1])
    if sys.argv[2] == "--change":
        change(where, int(sys.argv[3]))
    else:
        make(where, int(sys.argv[2]))
