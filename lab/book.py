#!/usr/bin/env python3
"""Build the documents as a book: HTML pages with search, readable offline.

usage: lab/book.py [DIRECTORY]     [default: target/book]

Chapters are the links of docs/README.md in their order, then all other Markdown files of docs. Links to files that are no
chapters are copied, links to directories lose their link. mdBook comes from lab/tool.sh. The exit code is 1 if a link of a page
leads nowhere; their number is printed.
"""

import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

root = pathlib.Path(__file__).resolve().parents[1]
out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else root / "target/book").resolve()
LINK = re.compile(r"\]\(([^)\s#]*)(#[^)\s]*)?\)")


def target(page, link):
    """What a link of a page leads to, as a path from the root; None if that is an address or outside."""
    if not link or re.match(r"[a-z]+:", link):
        return None
    path = os.path.normpath(os.path.join(os.path.dirname(page), urllib.parse.unquote(link)))
    return None if path.startswith("..") else path


def chapters():
    """Titles of parts and chapters, in order."""
    found, seen = [], {"docs/README.md"}
    for line in (root / "docs/README.md").read_text().splitlines():
        if line.startswith("## "):
            found.append((line[3:], None))
        for title, link in re.findall(r"\[([^\]]*)\]\(([^)\s#]*)\)", line):
            page = target("docs/README.md", link)
            if page and page.endswith(".md") and page not in seen:
                seen.add(page)
                found.append((title, page))
    others = ["README.md", "CHANGELOG.md", *sorted(str(it.relative_to(root)) for it in (root / "docs").rglob("*.md"))]
    found.append(("More", None))
    for page in others:
        if page not in seen:
            title = re.search(r"^# (.*)$", (root / page).read_text(), re.M)
            found.append((title[1] if title else page, page))
    return found


def place(page):
    """Where a chapter lies in the book. mdBook calls the page of a README index.html, and links to it README.html."""
    own = {"README.md": "fieldtest.md", "docs/README.md": "index.md"}
    return own.get(page, page.removeprefix("docs/").replace("/README.md", ".md"))


def written(page, pages, source):
    """A chapter's text with the links that it has in the book."""
    def link(found):
        path = target(page, found[1])
        if path is None:
            return found[0]
        goal = place(path)
        if path not in pages:
            if not (root / path).is_file():
                return "]()" if not (root / path).is_dir() else "](#)"
            (source / goal).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / path, source / goal)
        return f"]({os.path.relpath(goal, os.path.dirname(place(page)) or '.')}{found[2] or ''})"
    return LINK.sub(link, (root / page).read_text())


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        self.links += [attributes[name] for name in ("href", "src") if attributes.get(name)]


def dead(book):
    pages = {path: Links(path.read_text()) for path in book.rglob("*.html")}
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            goal = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            anchor = urllib.parse.unquote(parts.fragment)
            if not goal.exists() or (anchor and goal in pages and anchor not in pages[goal].ids):
                yield f"{path.relative_to(book)}: {link}"


def main():
    shutil.rmtree(out, ignore_errors=True)
    source = out / "src"
    source.mkdir(parents=True)
    found = [("", "docs/README.md"), *chapters()]
    pages = {page for _, page in found if page}
    summary = ["[Documents](index.md)"]
    for title, page in found[1:]:
        summary.append(f"- [{title}]({place(page)})" if page else f"\n# {title}\n")
    for page in pages:
        (source / place(page)).parent.mkdir(parents=True, exist_ok=True)
        (source / place(page)).write_text(written(page, pages, source))
    (source / "SUMMARY.md").write_text("\n".join(summary) + "\n")
    (out / "book.toml").write_text('[book]\ntitle = "fieldtest"\nlanguage = "en"\n[output.html]\nsite-url = "./"\n')
    mdbook = subprocess.run([root / "lab/tool.sh", "mdbook"], check=True, capture_output=True, text=True).stdout.strip()
    subprocess.run([mdbook, "build", out], check=True, stdout=subprocess.DEVNULL)
    faults = sorted(set(dead(out / "book")))
    for fault in faults:
        print(f"dead link: {fault}", file=sys.stderr)
    print(f"{len(pages)} chapters in {out / 'book'}, {len(faults)} dead links")
    sys.exit(1 if faults else 0)


main()
