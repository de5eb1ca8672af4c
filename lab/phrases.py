#!/usr/bin/env python3
"""Looks for tests that assert English: a phrase of four words or more, which every edit of a message would break.

    lab/phrases.py            # exits 1 and shows the phrases of each file that has more than ACCEPTED allows
    lab/phrases.py --all      # shows those of ACCEPTED too
    lab/phrases.py --count    # how many there are in each crate

A test asks for facts instead: the variant of an error and its fields, an exit code and the error's code, the file, line or
number that a message has to name. Snapshots (`.trycmd`) are not looked at.

A phrase is four words in a row, one of them of FUNCTION, that the program says, in a string that is compared: in the condition of an assertion, in
`contains` and the like, in a call of a test's own function that has these, in a pattern, or in the table of a loop that has any of these; and a string
that a `let` or a `const` of the same file gives a name that is compared. What an assertion says when it fails, and what is given to the code under test,
is no phrase. Not seen: strings that a function or an `if` returns, fields of structs, names within a format string, constants of other files, and phrases
of three words.
"""
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Phrases that stay: how many of each file at most, and why.
TITLES = "titles of tables and pictures, in their order: the layout of a report"
ACCEPTED: dict[str, tuple[int, str]] = {
    "carriers/git/src/refs/parse.rs": (1, "a file of Git's own"),
    "carriers/git/tests/all/references.rs": (2, "a line of Git's own"),
    "carriers/git/tests/all/reflogs.rs": (2, "values of the JSON, which programs read"),
    "carriers/git/tests/all/unsound.rs": (2, "names of cases, shown where one fails"),
    "catalog/tests/all/mac.rs": (1, "names of families, which are data"),
    "fieldtest/tests/all/examples.rs": (4, "why an example is not run, compared with nothing"),
    "fieldtest/tests/all/records.rs": (1, TITLES),
    "fieldtest/tests/all/report/forms.rs": (1, TITLES),
    "fieldtest/tests/all/report/page.rs": (5, TITLES),
    "workbench/disk/tests/all/report.rs": (4, TITLES),
    "workbench/dnssec/tests/all/resolver.rs": (4, TITLES),
    "workbench/dnssec/tests/all/transition.rs": (1, TITLES),
    "workbench/git/tests/report.rs": (5, TITLES),
    "workbench/ima/tests/report.rs": (5, TITLES),
    "workbench/tcp-ao/tests/all/report.rs": (6, TITLES),
}

# Methods that compare.
COMPARE = "contains starts_with ends_with".split()
METHODS = set(
    "contains starts_with ends_with strip_prefix strip_suffix split rsplit splitn rsplitn split_once rsplit_once split_terminator "
    "rsplit_terminator split_inclusive matches rmatches match_indices find rfind eq ne "
    "trim_matches trim_start_matches trim_end_matches replace replacen".split()
)
# Macros, and how many of their arguments are compared; what follows is what they say on failure.
ASSERTIONS = {"assert": 1, "debug_assert": 1, "assert_eq": 2, "assert_ne": 2, "prop_assert": 1, "prop_assert_eq": 2, "prop_assert_ne": 2, "matches": 2}
# What no name, no command and no zone has, and nearly every English phrase.
FUNCTION = set(
    "a an the of to in on at by for from with without into and or but nor not no none nothing is are was were be has have had "
    "that which what who this these those it its they there than as if so only both each every other another one cannot can "
    "does do did must may would".split()
)

TOKEN = re.compile(
    r"""
      (?P<comment>//[^\n]*|/\*.*?\*/)
    | (?P<raw>b?r(?P<hash>\#*)".*?"(?P=hash))
    | (?P<string>b?c?"(?:[^"\\]|\\.)*")
    | (?P<char>b?'(?:\\.[^']*|[^'\\])')
    | (?P<word>[A-Za-z_]\w*)
    | (?P<mark>=>|==|!=|::|[(){}\[\],;!.=|&\#])
    """,
    re.X | re.S,
)
# What stands before a string that is given a name.
BINDING = re.compile(r"\b(?:let|const|static) (\w+)(?:: [^=;]+)? =\s*(?:format!\(\s*)?$")
RUN = re.compile(r"[A-Za-z]+(?:['’-][a-z]+)*(?:[,;:]? [A-Za-z]+(?:['’-][a-z]+)*){3,}")
SAID = re.compile(r"""'"'|//(?!/)[^\n]*|(///[^\n]*|"(?:[^"\\]|\\.)*")""", re.S)
CONTINUED = re.compile(r"\\\n\s*")
PAIRS = {")": "(", "]": "[", "}": "{"}


def phrase(text: str, program: str) -> bool:
    """Whether it has four words in a row, one of FUNCTION, that the program says."""
    for run in RUN.findall(re.sub(r"\\n", " | ", text)):
        words = run.split()
        for four in (words[at : at + 4] for at in range(len(words) - 3)):
            plain = [it.strip(",;:") for it in four]
            if sum(it.islower() for it in plain) >= 3 and FUNCTION & {it.lower() for it in plain} and " ".join(four) in program:
                return True
    return False


# A function or a closure that is given a text.
GIVEN = re.compile(r"\n( *)(?:pub\(crate\) |pub )?(?:fn (\w+)[^{;]*?str\b[^{;]*\{|let (\w+) = (?:move )?\|[^|]*?str\b[^|]*\| *\{?)")


def helpers(text: str, start: int, known: set[str]) -> set[str]:
    """The functions that compare something with a text that they are given, or hand it to one that is known to."""
    found = set()
    names = "|".join([*known, *(rf"\.{name}" for name in COMPARE)])
    for it in GIVEN.finditer(text, start):
        end = text.find(f"\n{it[1]}}}", it.end()) if it[0].endswith("{") else text.find(";\n", it.end())
        if re.search(rf"(?:{names})\(", text[it.end() : end]):
            found.add(it[2] or it[3])
    return found


class Open:
    """A bracket that is not closed yet, with what stands before it."""

    def __init__(self, mark: str, kind: str, name: str):
        self.mark, self.kind, self.name, self.argument = mark, kind, name, 0
        self.found: list[tuple[int, str]] = []  # strings of a table, until its loop's body is seen


def compared(stack: list[Open], own: set[str]) -> bool:
    for it in reversed(stack):
        if it.kind == "macro" and it.name in ASSERTIONS:
            return it.argument < ASSERTIONS[it.name]
        if it.kind in ("macro", "call") and it.name in ("expect", "expect_err", "panic", "println", "eprintln"):
            return False
        if it.kind == "call" and it.name in METHODS or it.name in own:
            return True
        if it.mark == "{":
            return False
    return False


def phrases(text: str, start: int, own: set[str], program: str) -> list[tuple[int, str]]:
    """The offsets and texts of phrases that are compared after `start`."""
    found: list[tuple[int, str]] = []
    stack: list[Open] = []
    table: list[tuple[int, str]] = []  # what stands in tables of loops, or in `let`, until it is known what is done with it
    bound: dict[str, tuple[int, str]] = {}  # names of strings, until one is compared
    words: list[str] = []  # the last tokens
    for match in TOKEN.finditer(text, start):
        kind, token = match.lastgroup, match[0]
        if kind == "comment":
            continue
        if kind == "hash":
            kind = "raw"
        if kind in ("string", "raw") or (token[:1] in 'br"' and token.endswith(('"', '"#'))):
            if not token.startswith("b") and phrase(CONTINUED.sub("", token), program):
                after = text[match.end() : match.end() + 8].lstrip()
                before = words[-1] if words else ""
                arm = after.startswith("=>") or (before in ("==", "!=") or after.startswith(("==", "!=")))
                if compared(stack, own) or arm:
                    found.append((match.start(), token))
                elif binding := BINDING.search(text, max(0, match.start() - 100), match.start()):
                    bound[binding[1]] = match.start(), token
                elif any(it.mark in "[(" and it.kind == "list" and it.name != "#" for it in stack) and not any(
                    it.kind in ("call", "macro") and it.name != "vec" for it in stack[last_block(stack) :]
                ):
                    table.append((match.start(), token))
            words.append('"')
            continue
        if kind == "mark" and token in "([{":
            before = words[-1] if words else ""
            if before == "!" and len(words) > 1:
                stack.append(Open(token, "macro", words[-2]))
            elif token == "(" and re.fullmatch(r"\w+", before) and before not in ("in", "match", "if", "return", "for", "let", "while"):
                stack.append(Open(token, "call", before))
            else:
                stack.append(Open(token, "list", before))
        elif kind == "mark" and token in PAIRS:
            while stack and stack[-1].mark != PAIRS[token]:
                stack.pop()
            if stack:
                stack.pop()
            if token == "}" and len([it for it in stack if it.mark == "{"]) <= 1:
                # The end of a function: its tables are compared if it compares at all.
                found += table
                table = []
        elif token == "," and stack:
            stack[-1].argument += 1
        elif token in bound and words[-1] not in ("let", "const", "static") and compared(stack, own):
            found.append(bound.pop(token))
        words.append(token)
        del words[:-4]
    return found + table


def last_block(stack: list[Open]) -> int:
    return max((at + 1 for at, it in enumerate(stack) if it.mark == "{"), default=0)


def tests(path: Path, text: str) -> int | None:
    """Where the test code of a file begins."""
    name = str(path)
    if "/tests/" in name or name.endswith("tests.rs"):
        return 0
    at = text.find("#[cfg(test)]\nmod ")
    return at if at >= 0 and text.find("{", at, at + 60) >= 0 else None


def said(path: Path, text: str, tests: int | None) -> str:
    """What the program can say: strings of its sources, and the comments of which clap makes help."""
    if "/tests/" in str(path) or "/examples/" in str(path):
        return ""
    return "\n".join(SAID.findall(text[:tests])) if path.suffix == ".rs" else text


def crate(path: Path) -> str:
    name = str(path.relative_to(ROOT / "crates"))
    return re.split(r"/(?:src|tests|examples|benches)/|/build.rs", name)[0]


def main() -> int:
    counts: Counter[str] = Counter()
    bad = 0
    texts = [(path, path.read_text()) for path in sorted((ROOT / "crates").rglob("*")) if path.suffix in (".rs", ".html", ".js", ".toml")]
    program = CONTINUED.sub("", "\n".join(said(path, text, tests(path, text)) for path, text in texts))
    files = [(path, text, start) for path, text in texts if (start := tests(path, text)) is not None and path.suffix == ".rs"]
    own: dict[str, set[str]] = {}
    before = -1
    while before != (before := sum(map(len, own.values()))):
        for path, text, start in files:
            known = own.setdefault(crate(path), set())
            known |= helpers(text, start, known)
    for path, text, start in files:
        name = str(path.relative_to(ROOT / "crates"))
        found = sorted(phrases(text, start, own[crate(path)], program))
        counts[crate(path)] += len(found)
        most, _ = ACCEPTED.get(name, (0, ""))
        if len(found) != most:
            bad += 1
        if "--count" not in sys.argv[1:] and (len(found) > most or "--all" in sys.argv[1:]):
            for at, what in found:
                print(f"crates/{name}:{text.count(chr(10), 0, at) + 1}: {' '.join(what.split())}", file=sys.stderr)
        if len(found) < most:
            print(f"lab/phrases.py: crates/{name} has {len(found)}, and ACCEPTED allows {most}: lower that", file=sys.stderr)
    if "--count" in sys.argv[1:]:
        print("\n".join(f"{count:5} {crate}" for crate, count in counts.most_common() if count))
    for name in ACCEPTED:
        if not (ROOT / "crates" / name).exists():
            print(f"lab/phrases.py: ACCEPTED names crates/{name}, which is not there", file=sys.stderr)
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
