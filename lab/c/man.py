#!/usr/bin/env python3
"""Writes libfieldtest's manual pages from the comments of its sources and the declarations of its header.

usage: man.py SOURCES HEADER DIRECTORY

libfieldtest(3) is the crate's own comment. Each source file that has functions is one page, named after the first of them; all
others of the page lead to it by their names.
"""

import re
import sys
from pathlib import Path

ORDER = ["error", "engine", "extensions", "catalog", "signature", "hash", "mac", "cipher"]


def roff(text):
    """Text as roff takes it: functions and constants in bold."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "")
    text = re.sub(r"\b(ft_\w+)\(\)", r"\\fB\1\\fP(3)", text)
    text = re.sub(r"\b(FT_\w+)\b", r"\\fB\1\\fP", text)
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def paragraphs(lines):
    """Comment lines joined to paragraphs."""
    return [roff(" ".join(one.split())) for one in "\n".join(lines).split("\n\n") if one.strip()]


def comment_above(lines, at):
    """The /// lines above a declaration, over its attributes."""
    at -= 1
    while lines[at].startswith("#["):
        at -= 1
    start = at
    while lines[start].startswith("///"):
        start -= 1
    return [line[3:].strip() for line in lines[start + 1 : at + 1]]


def declarations(header):
    """The declaration of each function by its name."""
    found = re.findall(r"^(?:const )?\w[\w ]*\*?\s*\**(ft_\w+)\(([^;]*)\);", header, re.M)
    whole = {name: re.search(rf"^[^\n]*\b{name}\([^;]*\);", header, re.M)[0] for name, _ in found}
    return {name: " ".join(text.split()) for name, text in whole.items()}


class Page:
    def __init__(self, name, title, version):
        self.name = name
        self.lines = [f'.TH {name} 3 "" "libfieldtest {version}" "libfieldtest"', ".SH NAME", title]

    def section(self, name, parts, separator=".PP"):
        self.lines.append(f".SH {name}")
        self.lines += f"\n{separator}\n".join(parts).split("\n")

    def write(self, directory):
        (directory / f"{self.name}.3").write_text("\n".join(self.lines) + "\n")


def synopsis(prototypes):
    body = ["#include <fieldtest.h>"] + [f".HP\n.B {roff(text)}" for text in prototypes]
    return ["\n".join([".nh", ".ad l", f".B {body[0]}", *body[1:], ".PP", ".ad", ".hy"])]


def main(sources, header, directory):
    directory.mkdir(parents=True, exist_ok=True)
    for old in directory.glob("*.3"):
        old.unlink()
    declared = declarations(header.read_text())
    version = re.search(r'^version = "(.*)"', (sources / "../../../Cargo.toml").read_text(), re.M)[1]
    documented, overview, codes = set(), [], []
    for group in ORDER:
        text = (sources / f"{group}.rs").read_text()
        lines = text.split("\n")
        about = [line[3:].strip() for line in lines if line.startswith("//!")]
        functions = re.findall(r'^pub (?:unsafe )?extern "C" fn (ft_\w+)', text, re.M)
        constants = re.findall(r"^pub const (FT_\w+): c_int = (-?\d+);", text, re.M)
        titled = paragraphs(about)
        title = titled[0].rstrip(".")
        page = Page(functions[0], roff(", ".join(functions)) + " \\- " + title[0].lower() + title[1:], version)
        page.section("SYNOPSIS", synopsis(declared[name] for name in functions))
        page.section("DESCRIPTION", titled[1:])
        parts = []
        for name in functions:
            at = next(i for i, line in enumerate(lines) if re.match(rf'pub .*fn {name}\b', line))
            parts.append(f".SS {roff(name)}()\n" + "\n.PP\n".join(paragraphs(comment_above(lines, at))))
        page.lines += "\n".join(parts).split("\n")
        if constants:
            terms = []
            for name, number in constants:
                at = next(i for i, line in enumerate(lines) if line.startswith(f"pub const {name}:"))
                terms.append(f".TP\n.B {name}\n" + "\n".join(paragraphs(comment_above(lines, at))))
            page.section("CONSTANTS", terms, "")
            page.lines = [line for line in page.lines if line]
            codes += terms if group == "error" else []
        page.section("SEE ALSO", [".BR libfieldtest (3)"])
        page.write(directory)
        for name in functions[1:]:
            (directory / f"{name}.3").write_text(f".so man3/{functions[0]}.3\n")
        documented |= set(functions)
        overview.append(f".TP\n.BR {functions[0]} (3)\n{title}: {roff(', '.join(functions))}")
    missing = set(declared) ^ documented
    if missing:
        sys.exit(f"declared or documented, but not both: {', '.join(sorted(missing))}")

    about = [line[3:].strip() for line in (sources / "lib.rs").read_text().split("\n") if line.startswith("//!")]
    first, *rest = paragraphs(about)
    page = Page("libfieldtest", "libfieldtest \\- " + first.split(": ", 1)[1].rstrip("."), version)
    page.section("SYNOPSIS", [".B #include <fieldtest.h>\n.PP\n.B cc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs fieldtest)"])
    page.section("DESCRIPTION", rest)
    page.section("FUNCTIONS", overview, "")
    page.section("ERRORS", codes, "")
    page.lines = [line for line in page.lines if line]
    page.write(directory)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*map(Path, sys.argv[1:]))
