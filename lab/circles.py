#!/usr/bin/env python3
"""Looks for modules of a crate that know each other in a circle; Cargo looks after the crates themselves.

    lab/circles.py       # every crate's modules, and the modules inside of modules; exits 1 if a circle is not in ACCEPTED
    lab/circles.py -v    # also prints the lines that make each circle

A module that takes in all of a module above it (`use super::*`, `use crate::*`), or gives one a name (`use crate as it`,
`use super::{self as it}`), hides whom it knows, and is named too, and so is what takes in a file from elsewhere (`#[path]`,
`include!` of anything but what the build script wrote). What a macro writes is not seen.

What a module knows is read off its paths (`crate::…`, `super::…`, in `use` or not), and a name that lib.rs gives out
again counts as the module's that it is from. Tests and comments do not count, and lib.rs itself may know everything.
"""
import functools
import re
import sys
from pathlib import Path

# Circles that stay, each with the reason. A circle may shrink; a module that is not named here may not join it.
ACCEPTED: dict[str, list[tuple[set[str], str]]] = {
    "catalog": [
        (
            {"aead", "cipher", "hash", "host", "mac", "signature"},
            "a family asks the host's libraries for its algorithms, and what these give is of the family's kind",
        )
    ],
    "catalog::mac": [
        ({"derivation", "keyed"}, "an adapter derives its keys by a derivation, which is over any keyed function")
    ],
    "report": [
        (
            {"advice", "study_section", "plot", "report", "tables"},
            "a report holds the sections of its studies, and a section is asked what it says of a report",
        )
    ],
}

# An item that others may name.
DEFINITION = r"\bpub\b(?:\s*\([^)]*\))?[\w\s\"]*?\b(?:fn|struct|enum|union|trait|type|const|static|mod)\s+(\w+)"

# What an attribute stands before, if not before a part of something.
ITEM = re.compile(
    r"\s*(?:#\[[^\]]*\]\s*)*(?:pub\b(?:\s*\([^)]*\))?\s*)?"
    r"(?:async|const|enum|extern|fn|impl|let|mod|macro_rules|static|struct|trait|type|union|unsafe|use|\{)(?:\b(?!\s*:(?!:))|$)|\s*\{"
)
# Attributes and macros that take in another file. Strings are blank where this is looked for.
TAKEN_IN = re.compile(r"#\s*\[\s*(?:cfg_attr\s*\([^\]]*?,\s*)?(path)\s*=|\binclude\s*!\s*[(\[{]")
OF_BUILD = re.compile(r'\s*concat!\s*\(\s*env!\s*\(\s*"OUT_DIR"')
BRACES = {"{": 1, "}": -1}
BRACKETS = {**BRACES, "(": 1, ")": -1, "[": 1, "]": -1}

ROOT = Path(__file__).resolve().parent.parent


def blank(text: str) -> str:
    """As long, on as many lines, and empty."""
    return re.sub(r"[^\n]", " ", text)


@functools.lru_cache(None)
def code(text: str) -> str:
    """The text without comments, strings and what is compiled for tests only; lines stay where they were."""

    text = re.sub(
        r"//[^\n]*|/\*.*?\*/|\bb?r(#+)\".*?\"\1|\bb?r\"[^\"]*\"|\"(?:\\.|[^\"\\])*\"|'(?:\\.[^']*|[^'\\])'",
        lambda found: blank(found[0]), text, flags=re.S,
    )
    # `r#levels` is `levels`.
    text = re.sub(r"\br#(?=\w)", "  ", text)
    for attribute in list(re.finditer(r"#\[cfg\((?:all\()?test\b[^\]]*\]", text)):
        end, depth = attribute.end(), 0
        # An item ends with its body or a semicolon; a field, a variant or an arm with a comma or with what it is in.
        is_item = ITEM.match(text, end)
        while end < len(text):
            depth += (BRACES if is_item else BRACKETS).get(text[end], 0)
            if depth < 0:
                break
            end += 1
            if depth == 0 and text[end - 1] in (";}" if is_item else ","):
                break
        text = text[: attribute.start()] + blank(text[attribute.start() : end]) + text[end:]
    return text


def leaves(tree: str) -> list[list[str]]:
    """The paths of a `use` tree: `a::{b, c::{d as e}}` is a::b and a::c::d, each with the name that it gets last."""
    tree = tree.strip()
    brace = tree.find("{")
    if brace < 0:
        path, _, name = (part.strip() for part in tree.partition(" as "))
        steps = [step.strip() for step in path.split("::") if step.strip()]
        return [steps + [name or (steps[-2] if steps[-1] == "self" and len(steps) > 1 else steps[-1])]] if steps else []
    before = [step.strip() for step in tree[:brace].split("::") if step.strip()]
    found, depth, start = [], 0, brace + 1
    for place in range(brace, len(tree)):
        depth += {"{": 1, "}": -1}.get(tree[place], 0)
        if (tree[place] == "," and depth == 1) or depth == 0:
            found += [before + leaf for leaf in leaves(tree[start:place])]
            start = place + 1
        if depth == 0:
            break
    return found


class Module:
    """A module, in a file of its own or not: its path, and every path in it with its line."""

    def __init__(self, path: Path, module: list[str], text: str):
        self.path, self.module = path, module
        self.paths: list[tuple[list[str], int]] = []
        self.given_out: list[list[str]] = []
        for use in re.finditer(r"(\bpub\s*(?:\([^)]*\)\s*)?)?\buse\s+([^;]+);", text):
            for leaf in leaves(use[2]):
                line = text.count("\n", 0, use.start(2)) + 1
                self.paths.append((leaf[:-1], line))
                self.given_out.append(leaf)
        self.defined = re.findall(DEFINITION, text)
        self.renames_the_crate = re.search(r"\bextern\s+crate\s+self\b", text) is not None
        without = re.sub(r"\buse\s+[^;]+;", lambda use: blank(use[0]), text)
        for path_ in re.finditer(r"\b(?:crate|super|self)(?:\s*::\s*\w+)+", without):
            steps = re.split(r"\s*::\s*", path_[0])
            self.paths.append((steps, text.count("\n", 0, path_.start()) + 1))

    def absolute(self, steps: list[str]) -> list[str] | None:
        """A path from the crate's root, or nothing if it leads out of the crate."""
        if steps[0] == "crate":
            return steps[1:]
        base, rest = list(self.module), list(steps)
        if rest[0] == "self":
            rest = rest[1:]
        elif rest[0] != "super":
            return base + rest
        while rest and rest[0] == "super":
            if not base:
                return None
            base, rest = base[:-1], rest[1:]
        return base + rest


def modules_of(path: Path, module: list[str], text: str) -> list[Module]:
    """The module of this text, and those that are written out in it."""
    found = []
    while inner := re.search(r"\bmod\s+(\$?\w+)\s*(\{)", text):
        start, depth = inner.end(), 1
        end = next((at for at in range(start, len(text)) if not (depth := depth + {"{": 1, "}": -1}.get(text[at], 0))), len(text))
        found += modules_of(path, [*module, inner[1]], blank(text[:start]) + text[start:end])
        text = text[: start - 1] + blank(text[start - 1 : end + 1]) + text[end + 1 :]
    return [Module(path, module, text), *found]


def of_file(path: Path, home: Path) -> list[Module]:
    module = list(path.relative_to(home).with_suffix("").parts)
    if module[-1] in ("mod", "lib", "main"):
        module.pop()
    return modules_of(path, module, code(path.read_text()))


def of_tests(path: Path, home: Path) -> list[Path]:
    """The modules that this file declares for tests alone."""
    within = path.parent if path.stem in ("mod", "lib", "main") else path.with_suffix("")
    declared = re.findall(r"#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*mod\s+(\w+);", path.read_text())
    return [within.relative_to(home) / name for name in declared]


def neighbours(files: list[Module], modules: set[tuple[str, ...]], parent: tuple[str, ...]):
    """Which of a module's children know which others: {child: {child: [place]}}."""
    depth = len(parent)
    children = {module[depth] for module in modules if len(module) == depth + 1 and module[:depth] == parent}
    by_path = {tuple(file.module): file for file in files}

    def given(module: tuple[str, ...], seen: tuple = ()) -> set[str]:
        """What `pub use module::*` gives out: what it defines, and what it gives out itself."""
        file = by_path.get(module)
        if file is None or module in seen:
            return set()
        names = {*file.defined, *(name for *_, name in file.given_out)}
        for *steps, name in file.given_out:
            if name == "*" and (where := file.absolute(steps[:-1])) is not None:
                names |= given(tuple(where), (*seen, module))
        return names - {"*"}

    given_out: dict[str, str] = {}
    for file in files:
        if tuple(file.module) == parent:
            for *steps, name in file.given_out:
                where = file.absolute(steps)
                if where and tuple(where[:depth]) == parent and len(where) > depth and where[depth] in children:
                    names = [name] if name != "*" else given(tuple(where[:-1]))
                    for name in names:
                        given_out.setdefault(name, where[depth])
    known = {child: {} for child in children}
    for file in files:
        if tuple(file.module[:depth]) != parent or len(file.module) == depth or file.module[depth] not in children:
            continue
        knows = known[file.module[depth]]
        for steps, line in file.paths:
            where = file.absolute(steps)
            if where is None or tuple(where[:depth]) != parent or len(where) <= depth:
                continue
            other = where[depth] if where[depth] in children else given_out.get(where[depth])
            if other and other != file.module[depth]:
                knows.setdefault(other, []).append(f"{file.path.relative_to(ROOT)}:{line} ({'::'.join(steps)})")
    return known


def taken_in(path: Path) -> list[str]:
    """Where a file takes in another that does not lie where its name says."""
    text = path.read_text()
    found = []
    for it in TAKEN_IN.finditer(code(text)):
        near = re.match(r'\s*"[^"/]*"', text[it.end() :]) if it[1] else OF_BUILD.match(text, it.end())
        if not near:
            line = text.count("\n", 0, it.start()) + 1
            found.append(f"{path.relative_to(ROOT)}:{line}: takes in a file from elsewhere, which nobody here looks into")
    return found


def orphans(home: Path, sources: list[Path]) -> list[str]:
    """Files that no module above them declares: nobody compiles them, and nobody notices."""
    found = []
    for path in sources:
        folder = path.parent.parent if path.stem == "mod" else path.parent
        name = path.parent.name if path.stem == "mod" else path.stem
        if folder in (home.parent, home / "bin") or name in ("lib", "main"):
            continue
        above = (folder / "mod.rs", folder / "lib.rs", folder / "main.rs", folder.with_suffix(".rs"))
        # Also a macro may declare it, by its name; an attribute may name the file.
        texts = [it.read_text() for it in above if it.exists()]
        if not any(f'"{name}.rs"' in text or re.search(rf"\b{name}\b", code(text)) for text in texts):
            found.append(f"{path.relative_to(ROOT)}: no module declares it")
    return found


def hiding(files: list[Module]) -> list[str]:
    """Where a module takes in all that a module above it has, or gives that a name."""
    found = []
    home = {tuple(file.module): file.path for file in files}
    for file in files:
        if file.renames_the_crate:
            found.append(f"{file.path.relative_to(ROOT)}: `extern crate self` hides whom it knows")
        for *steps, _ in file.given_out:
            where = file.absolute([it for it in steps if it not in ("*", "self")] or ["self"])
            above = where is not None and len(where) < len(file.module) and file.module[: len(where)] == where
            # All of the same file is seen, so a module that is written out there may take it in.
            if above and not (steps[-1] == "*" and home.get(tuple(where)) == file.path):
                found.append(f"{file.path.relative_to(ROOT)}: `use {'::'.join(steps)}` hides whom it knows")
    return found


def circles(known) -> list[list[str]]:
    """The strongly connected components of more than one module (Tarjan)."""
    order, low, stack, found = {}, {}, [], []

    def visit(module: str):
        order[module] = low[module] = len(order)
        stack.append(module)
        for other in known[module]:
            if other not in order:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], order[other])
        if low[module] == order[module]:
            circle = stack[stack.index(module) :]
            del stack[stack.index(module) :]
            if len(circle) > 1:
                found.append(sorted(circle))

    for module in sorted(known):
        if module not in order:
            visit(module)
    return found


def main() -> int:
    verbose = "-v" in sys.argv
    bad = accepted = 0
    manifests = sorted(ROOT.glob("crates/**/Cargo.toml"))
    for manifest in manifests:
        home = manifest.parent / "src"
        all_sources = sorted(home.rglob("*.rs"))
        tests = {name for path in all_sources for name in of_tests(path, home)}
        is_test = lambda path: any(it in tests for it in (path.with_suffix(""), *path.parents))
        sources = [path for path in all_sources if not is_test(path.relative_to(home))]
        files = [module for path in sources for module in of_file(path, home)]
        modules = {tuple(file.module) for file in files if file.module}
        for place in hiding(files) + orphans(home, sources) + [it for path in sources for it in taken_in(path)]:
            print(place)
            bad += 1
        parents = sorted({()} | {module[:-1] for module in modules})
        for parent in parents:
            known = neighbours(files, modules, parent)
            for circle in circles(known):
                name = "::".join((str(manifest.parent.relative_to(ROOT / "crates")), *parent))
                reason = next((why for names, why in ACCEPTED.get(name, []) if set(circle) <= names), None)
                print(f"{name}: {' ↔ '.join(circle)}" + (f" (stays: {reason})" if reason else ""))
                bad += reason is None
                accepted += reason is not None
                for module in circle if verbose else []:
                    for other in circle:
                        for place in known[module].get(other, [])[:6]:
                            print(f"    {module} → {other}: {place}")
    print(f"{len(manifests)} crates: {bad} circles or lines that hide one, {accepted} circles that stay")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
