#!/usr/bin/env python3
"""Check the wording and the form of documents, help and messages against the house style (CONTRIBUTING.md).

    lab/style.py                  # print each hit; exit 1 if there is one
    lab/style.py --counts         # print the number of hits of each rule and file
    lab/style.py --commits RANGE  # also check the subjects of these commits

Checked are Markdown, the help in docs/cli.md and in *.trycmd, string literals of Rust and JavaScript, and page templates.
lab/style.words lists what to write instead of what. In Markdown, lines have at most 120 columns outside tables and code, table
cells at most 200 characters, and the files of LIMITS so many words. Generated documents, tests and examples are not checked.
In all Markdown, relative links must lead to a file of the repository, and anchors to a heading of it. Text between
`<!-- style: off -->` and `<!-- style: on -->` may quote anything.
"""
import argparse
import collections
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS, CELL = 120, 200
# Words of a document, code included. A newcomer reads these first.
LIMITS = {"README.md": 1000, "METHODOLOGY.md": 2000, "ARCHITECTURE.md": 1500}
SKIP = re.compile(r"^(docs/sample|kernel|fuzz)/|/(tests?|testing|benches|examples)/(?!cmd/)|tests?\.rs$")

STRING = re.compile(
    r"""//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\])'|\br(\#*)"(?P<raw>.*?)"\1|"(?P<text>(?:\\.|[^"\\])*)\"""", re.S
)


def blank(match: re.Match) -> str:
    """As long, on as many lines, and nothing that a rule finds."""
    return re.sub(r"\S", "\0", match[0])


def markdown(text: str):
    text = re.sub(r"<!-- style: off -->.*?<!-- style: on -->|<!--.*?-->", blank, text, flags=re.S)
    text = re.sub(r"^ *```.*?^ *```", blank, text, flags=re.S | re.M)
    yield 0, re.sub(r"`[^`]+`|\]\([^)\s]*\)|https?://\S+", blank, text)


def snapshot(text: str):
    yield 0, re.sub(r"^(\$ .*|```.*)$", blank, text, flags=re.M)


def strings(text: str):
    for match in STRING.finditer(text.split("#[cfg(test)]\nmod tests {")[0]):
        for group in ("raw", "text"):
            # Prose has a blank; a name or a bare format has none.
            if " " in (match[group] or ""):
                # A placeholder matches as some word would.
                yield match.start(group), re.sub(r"\{[^{}]*\}", lambda it: "{" + "\0" * (len(it[0]) - 2) + "}", match[group].replace("\\\n", " \n"))


def template(text: str):
    yield 0, re.sub(r"<style>.*?</style>|\{[%#{].*?[%#}]\}|<[^>]*>", blank, text, flags=re.S)


# Words of records and of file formats, which programs read: they change with the format's version.
ACCEPTED = {
    "crates/measure/src/earlier.rs",
    "crates/measure/src/words.rs",
    "crates/report/src/compare/tables.rs",
    "crates/study/src/calibration.rs",
    "crates/study/src/windows.rs",
    "crates/fieldtest/tests/cmd/catalog.trycmd",
}
KINDS = {".md": ("text", markdown), ".trycmd": ("help", snapshot), ".rs": ("rust", strings), ".js": ("rust", strings), ".html": ("text", template)}


def rules() -> list[tuple[str, re.Pattern, str]]:
    found, section = [], "text"
    for line in Path(__file__).with_suffix(".words").read_text().splitlines():
        if re.fullmatch(r"\[\w+\]", line):
            section = line[1:-1]
        elif line and line[0] != "#":
            pattern, better = line.split("  =>  ")
            found.append((section, re.compile(pattern.replace(" ", r"\s+"), re.I | re.M), better))
    return found


def anchors(path: Path) -> set[str]:
    """The names of a document's headings, as hosts of repositories make them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.S | re.M)
    names: collections.Counter[str] = collections.Counter()
    found = set(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    for heading in re.findall(r"^#+ +(.*?) *#*$", text, re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found.add(name + (f"-{names[name]}" if names[name] else ""))
        names[name] += 1
    return found


def form(path: Path, text: str):
    """Faults of a document's form: its line and what is wrong."""
    name = str(path.relative_to(ROOT))
    if (words := len(text.split())) > LIMITS.get(name, words):
        yield 1, f"{words} words", f"at most {LIMITS[name]}"
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        fence = line.lstrip().startswith("```")
        fenced ^= fence
        if fenced or fence:
            continue
        if line.startswith("|"):
            for cell in re.split(r"(?<!\\)\|", line):
                if len(cell.strip()) > CELL:
                    yield number, f"a cell of {len(cell.strip())} characters", f"at most {CELL}"
        elif len(line) > COLUMNS and not re.fullmatch(r"\s*\S*", line):
            yield number, f"a line of {len(line)} columns", f"at most {COLUMNS}"


def links(path: Path, text: str, listed: set[str]):
    """Links that lead to no file of the repository, or to no heading of it."""
    prose = re.sub(r"^ *```.*?^ *```|`[^`]+`", blank, text, flags=re.S | re.M)
    for link in re.finditer(r"\]\(([^)\s]+)\)|^\[[^\]]+\]: +(\S+)|\b(?:href|src)=\"([^\"]+)\"", prose, re.M):
        target, _, anchor = (whole := link[1] or link[2] or link[3]).partition("#")
        if ":" in target:
            continue
        other = (path.parent / target).resolve() if target else path
        there = other.is_relative_to(ROOT) and (str(other.relative_to(ROOT)) in listed or other.is_dir())
        if not there or (anchor and other.suffix == ".md" and anchor not in anchors(other)):
            yield text.count("\n", 0, link.start()) + 1, whole, "the link leads nowhere"


def main() -> int:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--counts", action="store_true")
    cli.add_argument("--commits", metavar="RANGE")
    arguments = cli.parse_args()
    words = rules()
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    listed = set(listed.splitlines())
    hits = []  # file, line, what, better
    for name in sorted(listed):
        path = ROOT / name
        if path.suffix == ".md" and path.is_file():
            hits += [(name, *it) for it in links(path, path.read_text(), listed)]
        if path.suffix not in KINDS or SKIP.search(name) or name in ACCEPTED or not path.is_file():
            continue
        kind, pieces = KINDS[path.suffix]
        text = path.read_text()
        kinds = {"text", kind, "help" if name == "docs/cli.md" else ""}
        found = sorted({(at + it.start(), it[0], better) for at, piece in pieces(text) for section, rule, better in words if section in kinds for it in rule.finditer(piece)})
        hits += [(name, text.count("\n", 0, at) + 1, " ".join(what.split()), better) for at, what, better in found]
        if path.suffix == ".md" and name not in ("docs/cli.md", "CHANGELOG.md"):
            hits += [(name, *it) for it in form(path, text)]
    if arguments.commits:
        log = subprocess.run(["git", "log", "--no-merges", "--format=%h %s", arguments.commits], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
        for line in log.splitlines():
            commit, subject = line.split(" ", 1)
            hits += [(commit, 0, subject, better) for section, rule, better in words if section in ("text", "commit") and rule.search(subject)]
    if arguments.counts:
        for by in (3, 0):
            for what, count in collections.Counter(hit[by] for hit in hits).most_common():
                print(f"{count:6}  {what}")
    else:
        for name, line, what, better in hits:
            print(f"{name}:{line}: {what!r}: {better}")
    print(f"{len(hits)} hits", file=sys.stderr)
    return 1 if hits else 0


if __name__ == "__main__":
    sys.exit(main())
