#!/usr/bin/env python3
"""Opens the page of a report in Chromium and does with it what readers do: page.py PROGRAM RECORDS DIRECTORY.

Speaks WebDriver to Debian's chromedriver with the standard library alone. Writes `passed …` and `FAILED …`, a line each;
leaves screenshots and a print in DIRECTORY."""

import base64
import gzip
import json
import pathlib
import random
import re
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

SETS = 40  # random sets of constraints for each carrier
PAGES = 8  # of print
SCREENS = 12  # of a phone
MEMO = 60_000  # bytes
MOST = 1_000_000  # bytes of a page
ENTER, ESCAPE, TAB, RIGHT, DOWN = "\ue007", "\ue00c", "\ue004", "\ue014", "\ue015"

failures = 0


def check(what, is_so, detail=""):
    global failures
    if is_so:
        print(f"passed {what}")
    else:
        failures += 1
        print(f"FAILED {what}: {str(detail)[:600]}")


class Browser:
    """A session of Chromium."""

    def __init__(self):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            if found := re.search(r"successfully on port (\d+)", line):
                break
        else:
            sys.exit("chromedriver did not start")
        self.base = f"http://127.0.0.1:{found[1]}/session"
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1366,900"]
        wanted = {"goog:chromeOptions": {"args": flags}, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        session = self.ask("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        self.base += "/" + session["sessionId"]

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"][:600]) from None

    def go(self, address):
        self.ask("POST", "/url", {"url": address})

    def js(self, script, *args):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(args)})

    def keys(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def devtools(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def screen(self, width, height, scheme="light"):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 700)
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def shot(self, path):
        path.write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))

    def log(self, kind):
        return self.ask("POST", "/se/log", {"type": kind})

    def close(self):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()


# What the page says of one carrier.
READ = """
const cells = row => [...row.cells].map(cell => cell.textContent.trim());
const rows = id => [...document.querySelectorAll('#' + CSS.escape('t-' + arguments[0] + id) + ' tbody tr')];
return {
  sentence: document.getElementById(arguments[0] + '-verdict').textContent,
  said: [...document.querySelectorAll('#' + CSS.escape(arguments[0] + '-said') + ' li')].map(it => it.textContent),
  card: document.querySelector(`[data-card="${arguments[0]}"] b`).textContent,
  survivors: rows('-accepted').map(row => [row.dataset.k, ...cells(row).slice(1)]),
  excluded: rows('-rejected').map(row => [row.dataset.k, ...cells(row).slice(1)]),
};
"""


class Page:
    def __init__(self, program, records, directory):
        self.program, self.records, self.directory = program, records, directory
        self.file = directory / "report.html"
        subprocess.run([program, "report", records, "-o", self.file], check=True, stdout=subprocess.DEVNULL)
        self.address = self.file.as_uri()
        self.browser = Browser()

    def at(self, fragment):
        """Opens the page at a state; without loading it again, as a link or the back button does."""
        if self.browser.js("return location.pathname") == urllib.parse.urlparse(self.address).path:
            self.browser.js("location.hash = arguments[0]", fragment)
            self.browser.js("dispatchEvent(new PopStateEvent('popstate'))")
        else:
            self.browser.go(f"{self.address}#{fragment}")
            self.ready()

    def fresh(self, fragment=""):
        self.browser.go("about:blank")
        self.browser.go(self.address + ("#" + fragment if fragment else ""))
        self.ready()

    def ready(self):
        """Waits until the script is through: it unpacks what it needs after the page is loaded."""
        end = time.monotonic() + 20
        while not self.browser.js("return document.getElementById('said') !== null"):
            if time.monotonic() > end:
                sys.exit("the script did not come to its end within 20 s")
            time.sleep(0.01)

    def verdict(self, carrier):
        return self.browser.js(READ, carrier)

    def advice(self, carrier, options=()):
        command = [self.program, "advise", self.records, "--carrier", carrier, "--format", "json", *options]
        done = subprocess.run(command, capture_output=True, text=True)
        return json.loads(done.stdout)[0] if done.returncode == 0 else done.stderr

    def carrier(self):
        packed = self.browser.js("return document.getElementById('packed').textContent")
        # WebAssembly stands behind the JSON; that begins with a byte 0.
        return json.loads(gzip.decompress(base64.b64decode(packed)).split(b"\0")[0])["matrix"]


def same(shown, told):
    """How what the page shows differs from what the command says; empty where it does not."""
    survivors = [
        [it["algorithm"], it["place"], *[has["text"] for has in it["has"]]]
        for it in told["survivors"]
    ]
    excluded = [[it["algorithm"], sorted(it["why"])] for it in told["excluded"]]
    shown_excluded = [[name, why] for name, why in shown["excluded"]]
    said = [*told["facts"], *told["relaxed"], *(f"Caveat: {it}" for it in told["caveats"])]
    if told["next"]:
        said.append(f"Next: {told['next']}")
    if shown["said"] != said:
        return f"said {shown['said']} and not {said}"
    if shown["survivors"] != survivors:
        return f"survivors {shown['survivors']} and not {survivors}"
    if [name for name, _ in shown_excluded] != [name for name, _ in excluded]:
        return f"excluded {shown_excluded} and not {excluded}"
    for (name, why), (_, wanted) in zip(shown_excluded, excluded):
        # Reasons may have a semicolon themselves, and stand in the order of the properties of this carrier alone.
        if sorted(why.split("; ")) != sorted("; ".join(wanted).split("; ")):
            return f"{name}: {why} and not {wanted}"
    return ""


def constraints(page, randomness):
    """Whatever is asked, the page decides as the program does."""
    data = page.carrier()
    sets = nobody = differences = 0
    for study in data["studies"]:
        for _ in range(SETS):
            typed, options, state = [], [], []
            for index, known in enumerate(study["properties"]):
                if not known["known"] or randomness.random() > 0.4:
                    continue
                held = [it["has"][index] for it in study["algorithms"] if it["has"][index] is not None]
                numbers = [it["number"] for it in held if it["number"] is not None]
                if randomness.random() < 0.25:
                    value = "any"
                elif known["unit"] is None:
                    words = [*known["words"], *(["anyone"] if known["id"] == "implemented-by" else [])]
                    words = [word for word in words if "," not in word]
                    value = ",".join(randomness.sample(words, randomness.randint(1, min(3, len(words)))))
                elif numbers:
                    value = repr(randomness.choice(numbers) * randomness.choice([1, 1, 0.5, 1.07, 2]))
                    value = str(min(float(value), 1.0)) if known["unit"] == "share" else value
                else:
                    continue
                usual = dict(map(tuple, study["usual"])).get(known["id"], "any")
                if value != usual:
                    typed.append((known["id"], value))
            for id, value in typed:
                options.append(f"--{id}={value}")
                state.append((f"{study['study']}.{id}", value))
            ranks = [it["id"] for it in study["properties"] if it.get("ranks")]
            if ranks and randomness.random() < 0.3:
                by = randomness.choice(ranks)
                options.append(f"--by={by}")
                state.append((f"{study['study']}.by", by))
            strength = next(at for at, it in enumerate(study["properties"]) if it["id"] == "strength")
            strong = [it["name"] for it in study["algorithms"] if it["has"][strength] is not None]
            if strong and randomness.random() < 0.3:
                name = randomness.choice(strong)
                options.append(f"--replaces={name}")
                state.append((f"{study['study']}.replaces", name))
            told = page.advice(study["study"], options)
            if isinstance(told, str):
                print(f"not asked, {study['study']} {' '.join(options)}: {told.strip()}", file=sys.stderr)
                continue
            page.at(urllib.parse.urlencode(state))
            shown = page.verdict(study["study"])
            sets += 1
            # The order of constraints in a sentence is that of the command's options, where several carriers share them.
            words = [sorted(re.findall(r"""[^\s,.;'\":()]+""", it["sentence"])) for it in (shown, told)]
            difference = same(shown, told) or (
                words[0] != words[1] and f"sentence {shown['sentence']} and not {told['sentence']}"
            )
            nobody += not told["survivors"]
            if difference:
                differences += 1
                print(f"  {study['study']} {' '.join(options)}: {str(difference)[:1500]}", file=sys.stderr)
    check(f"{sets} sets of constraints are judged as `fieldtest advise` does", sets > 0 and differences == 0, differences)
    check(f"of {nobody} of them nobody is left, and the relaxed constraints are the same", nobody > 0)


def address(page):
    """What is asked, sorted and filtered stands in the address, and comes back from it."""
    browser = page.browser
    page.fresh()
    usual = page.verdict("dnssec")
    browser.js("const it = document.querySelector('[name=\"dnssec.max-answer\"]'); it.focus(); it.select()")
    browser.keys(*"9000", TAB)
    own = page.verdict("dnssec")
    check("a bound that is typed is judged at once", own["survivors"] != usual["survivors"], own["survivors"])
    check("it stands in the address", "dnssec.max-answer=9000" in browser.js("return location.hash"), browser.js("return location.hash"))
    check("a card says that constraints are somebody's own", browser.js("return document.querySelector('[data-card=dnssec]').matches('.own')"))
    browser.js("document.querySelector('[name=\"dnssec.status\"][value=standard]').click()")
    browser.js("document.querySelector('[name=\"tcp-ao.by\"],[name=\"tcp-ao.replaces\"]').focus()")
    hash = browser.js("return location.hash")
    check("words that are chosen stand there too", "dnssec.status=any" in hash, hash)
    now = page.verdict("dnssec")
    page.fresh(hash[1:])
    check("the address brings them back", page.verdict("dnssec") == now, page.verdict("dnssec"))
    browser.js("document.querySelector('#dnssec-asked .reset').click()")
    check("one button brings back the usual", page.verdict("dnssec") == usual, page.verdict("dnssec"))
    browser.ask("POST", "/back", {})
    time.sleep(0.3)
    check("the back button takes a step back", page.verdict("dnssec") == now, page.verdict("dnssec"))
    page.fresh("dnssec.max-answer=much&dnssec.nothing=1&disk.by=status&q=&=&%")
    left = [it for it in page.verdict("dnssec")["said"] if "much" in it or "nothing" in it]
    rest = {**page.verdict("dnssec"), "said": [it for it in page.verdict("dnssec")["said"] if it not in left]}
    check("an address that says nothing asks for nothing, and that is said", rest == usual and len(left) == 2, page.verdict("dnssec"))


def tables(page):
    """Sorting, filtering, and the addresses of rows and figures."""
    browser = page.browser
    page.fresh()
    names = "return [...document.querySelectorAll('#t-dnssec-size-of-the-answers tbody tr')].map(row => row.dataset.k)"
    before = browser.js(names)
    browser.js("document.getElementById('dnssec-details').open = true")
    browser.js("document.querySelectorAll('#t-dnssec-size-of-the-answers .sort')[1].click()")
    after, hash = browser.js(names), browser.js("return location.hash")
    check("a column is sorted by, and that stands in the address", after != before and "size-of-the-answers=1a" in hash, hash)
    page.fresh(hash[1:])
    check("the address sorts again", browser.js(names) == after)
    shown = "return [...new Set([...document.querySelectorAll('tr[data-k]')].filter(it => !it.classList.contains('off')).map(it => it.dataset.k))]"
    page.fresh("q=lea")
    check("a filter looks at names, families and statuses alone", all("lea" in name for name in browser.js(shown)), browser.js(shown))
    check("tables with nothing left are gone", browser.js("return getComputedStyle(document.getElementById('t-git-rejected')).display !== 'none' && !document.getElementById('t-git-rejected').offsetParent"))
    page.fresh("q=nonsense")
    check("nothing found is said", "Nothing found" in browser.js("return document.getElementById('count').value"))
    page.fresh("disk-key-results.lea-128-xts")
    seen = "const box = document.getElementById(arguments[0])?.getBoundingClientRect(); return !!box && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight + 1"
    row = "disk-key-results.lea-128-xts"
    check("a row has an address, though it is folded away", any(browser.js(seen, row) or time.sleep(0.5) for _ in range(20)))
    ids = browser.js("return [[...document.querySelectorAll('figure, main tbody tr')].every(it => it.id), new Set([...document.querySelectorAll('[id]')].map(it => it.id)).size === document.querySelectorAll('[id]').length]")
    check("every row and figure has an address of its own", ids == [True, True], ids)


def keyboard(page):
    """What a pointer finds is found by keys."""
    browser = page.browser
    page.fresh()
    said = "const it = document.getElementById('said'); return it.hidden ? '' : it.textContent"
    browser.keys(TAB)
    check("the first stop skips to the figures", "Skip" in browser.js("return document.activeElement.textContent"))
    browser.js("document.querySelector('#t-ima-accepted .why').focus()")
    browser.keys(ENTER)
    check("a column's button explains it", "rank: " in browser.js(said), browser.js(said))
    browser.keys(ESCAPE)
    check("Escape closes that, and one is where one was", browser.js(said) == "" and browser.js("return document.activeElement.className") == "why")
    browser.js("document.querySelector('#t-ima-accepted').closest('.scroll').focus()")
    browser.keys(ENTER, RIGHT, RIGHT)
    check("arrows go from figure to figure, each with where it is from", "ext4" in browser.js(said), browser.js(said))
    browser.keys(ESCAPE)
    check("Escape leaves the table", browser.js("return document.activeElement.matches('.scroll')") and browser.js(said) == "")


def screens(page):
    """Light, dark, a phone and print."""
    browser = page.browser
    grounds = []
    for name, width, height, scheme in [("light", 1366, 900, "light"), ("dark", 1366, 900, "dark"), ("phone", 390, 844, "light")]:
        browser.screen(width, height, scheme)
        page.fresh()
        grounds.append(browser.js("return getComputedStyle(document.body).backgroundColor"))
        browser.shot(page.directory / f"{name}.png")
        if name == "phone":
            high = browser.js("return document.documentElement.scrollHeight / innerHeight")
            check(f"phone: {high:.1f} screens", high <= SCREENS)
            bottom = browser.js("return Math.max(...[...document.querySelectorAll('[data-card]')].map(it => it.getBoundingClientRect().bottom)) / innerHeight")
            check("phone: the first screen has every decision", bottom <= 1, bottom)
        browser.js("document.querySelectorAll('details').forEach(it => { it.open = true })")
        wide = browser.js("return document.documentElement.scrollWidth")
        check(f"{name}: nothing is wider than the screen", wide <= width, wide)
    check("dark is dark", grounds[0] == grounds[2] != grounds[1], grounds)
    stays = browser.js("""const scroll = document.querySelector('#t-ima-key-results').closest('.scroll'); scroll.scrollLeft = 400;
        return scroll.scrollLeft > 100 && scroll.querySelector('tbody th').getBoundingClientRect().left >= 0""")
    check("phone: names of rows stay in view", stays)
    fits = browser.js("return [...document.querySelectorAll('figure svg')].every(it => it.getBoundingClientRect().width <= 390)")
    check("phone: pictures fit", fits)
    browser.screen(1366, 900)
    page.fresh()
    browser.shot(page.directory / "light.png")
    pages = printed(page, "page.pdf")
    check(f"print: {pages} pages", pages <= PAGES)
    size = page.file.stat().st_size
    check(f"the page has {size} bytes", size <= MOST)


def printed(page, name):
    """How many pages of paper what is shown takes."""
    pdf = page.directory / name
    made = page.browser.devtools("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
    pdf.write_bytes(base64.b64decode(made["data"]))
    return int(re.search(r"Pages:\s+(\d+)", subprocess.run(["pdfinfo", pdf], capture_output=True, text=True).stdout)[1])


def memos(page):
    """A memo of each carrier: small, on one page, with a picture, whoever it names is in it, and no symbol without its word."""
    for study in page.carrier()["studies"]:
        name, file = study["study"], page.directory / f"memo-{study['study']}.html"
        subprocess.run([page.program, "memo", page.records, "--carrier", name, "-o", file], check=True, stdout=subprocess.DEVNULL)
        named = [next(it["title"] for it in study["algorithms"] if it["name"] == algorithm) for algorithm in page.advice(name)["named"]]
        page.browser.go(file.as_uri())
        text, picture = page.browser.js("return [document.body.innerText, [...document.querySelectorAll('svg .limit')].map(it => it.textContent)]")
        fits = file.stat().st_size <= MEMO and printed(page, f"memo-{name}.pdf") == 1
        whole = bool(picture) and all(title in picture or title in text for title in named)
        check(f"a memo on {name}", fits and whole and not re.search("[†‡◫≈∅▦]", text), text)
    page.fresh()


def labels(page):
    """No word of a picture stands over another or beyond the picture's edge."""
    page.fresh()
    page.browser.js("document.querySelectorAll('details').forEach(it => { it.open = true })")
    shown, over = page.browser.js("""
        const over = [];
        const pictures = [...document.querySelectorAll('figure svg')].filter(it => it.getClientRects().length);
        for (const picture of pictures) {
            const edge = picture.getBoundingClientRect();
            const texts = [...picture.querySelectorAll('text')].map(it => [it.textContent, it.getBoundingClientRect()]);
            texts.forEach(([text, box], at) => {
                if (box.left < edge.left - 1 || box.right > edge.right + 1) over.push(`${text} beyond the edge`);
                for (const [other, its] of texts.slice(at + 1)) {
                    const width = Math.min(box.right, its.right) - Math.max(box.left, its.left);
                    const height = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
                    // Boxes are as high as a line with its space; a quarter of that is free.
                    if (width > 1 && height > Math.min(box.height, its.height) / 4) over.push(`${text} / ${other}`);
                }
            });
        }
        return [pictures.length, over];""")
    check(f"{shown} pictures: no label overlaps another", shown > 0 and not over, over)


def readers(page):
    """Six questions, answered from what the page shows."""
    def reads(who, state, carrier, holds):
        page.fresh(state)
        shown = page.verdict(carrier)
        survivors = [row[0] for row in shown["survivors"]]
        check(who, holds(shown, survivors, dict(shown["excluded"])), shown)

    reads("nobody: no post-quantum standard fits a datagram, and the constraints to relax are listed", "", "dnssec",
          lambda it, all, out: "comes nearest" in it["card"] and not all and any(line.startswith("Without") for line in it["said"]) and "ML-DSA-44" in it["sentence"])
    reads("a DNS vendor that goes over TCP takes ML-DSA-44", "dnssec.max-answer=any", "dnssec", lambda it, all, out: all == ["ml-dsa-44"])
    reads("a distribution takes ML-DSA-44 or 65, and ext4 refuses 87", "", "ima",
          lambda it, all, out: set(all) == {"ml-dsa-44", "ml-dsa-65"} and "ext4" in out["ml-dsa-87"])
    reads("a network operator takes AES-128-CMAC-96, and no MAC that nobody implements", "", "tcp-ao",
          lambda it, all, out: all == ["aes-128-cmac-96"] and "none of" in out["siphash-2-4-128"])
    reads("a forge takes SHA-256, and not SHA-1 for its collisions", "", "git",
          lambda it, all, out: all == ["sha-256"] and "collisions" in out["sha-1"])
    reads("a storage vendor sees that LEA is not in Linux", "", "disk", lambda it, all, out: "not Linux" in out["lea-128-xts"] and "aes-128-xts" in all)
    reads("and that it would do otherwise", "disk.implemented-by=any", "disk", lambda it, all, out: "lea-128-xts" in all)


def without_script(page):
    """Who lets no page run scripts reads the verdicts and every table all the same."""
    browser = page.browser
    browser.devtools("Emulation.setScriptExecutionDisabled", value=True)
    browser.go("about:blank")
    browser.go(page.file.as_uri())
    said = browser.js("return [...document.querySelectorAll('[data-card] dd')].map(it => it.querySelector('span').textContent)")
    check("without JavaScript: a verdict for each carrier", len(said) == 5 and all(said), said)
    dead = browser.js("""return [...document.querySelectorAll('select, input, button')]
        .filter(it => it.getClientRects().length && !it.closest('noscript')).map(it => it.outerHTML.slice(0, 80))""")
    check("without JavaScript: no control that does nothing", not dead, dead)
    shut = browser.js("""return [...document.querySelectorAll('tbody tr')].filter(it => !it.getClientRects().length && !it.closest('details')).length""")
    check("without JavaScript: nothing is hidden but what folds", shut == 0, shut)
    browser.devtools("Emulation.setScriptExecutionDisabled", value=False)


def unfit(page):
    """On a machine that was not fit for timing nobody is first by a time."""
    page.records = page.directory / "unfit.jsonl"
    subprocess.run([page.program, "report", page.records, "-o", page.file], check=True, stdout=subprocess.DEVNULL)
    for state in ["", "disk.by=max-encrypt"]:
        page.fresh(state)
        shown = page.verdict("disk")
        check(f"unfit machine{': ' + state if state else ''}: nobody is first", all(row[1] == f"1–{len(shown['survivors'])}" for row in shown["survivors"])
              and any("Not ranked" in it for it in shown["said"]) and "qualify" in shown["card"], shown)


def few(page):
    """Records of one hash function that Git has not: the page says so as the command does."""
    page.records = page.directory / "few.jsonl"
    lines = [(line, json.loads(line)) for line in (page.directory / "unfit.jsonl").read_text().splitlines()]
    page.records.write_text("".join(line + "\n" for line, it in lines
                                    if it["line"] == "run" or it["algorithm"] == "blake3" and it.get("study", "git") == "git"))
    subprocess.run([page.program, "report", page.records, "-o", page.file], check=True, stdout=subprocess.DEVNULL)
    for state, options in [("", []), ("git.implemented-by=Git", ["--implemented-by=Git"]), ("git.implemented-by=any", ["--implemented-by=any"])]:
        page.fresh(state)
        shown, told = page.verdict("git"), page.advice("git", options)
        difference = told if isinstance(told, str) else same(shown, told) or (
            told["survivors"] or shown["sentence"] != told["sentence"]) and f"{shown['sentence']} and not {told['sentence']}"
        check(f"BLAKE3 alone{': ' + state if state else ''}: nobody is left, and both say so", not difference, difference)


def quiet(page):
    """No error, and nothing asked of anybody, in all that was done."""
    errors = [it["message"] for it in page.browser.log("browser")]
    check("no error and no warning in the console", not errors, errors)
    asked = []
    for entry in page.browser.log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            asked.append(message["params"]["request"]["url"])
    others = [url for url in asked if not url.startswith(("file://", "about:", "data:"))]
    check("no request but for the page itself", asked and not others, others)


def without_wasm(page):
    """Where no WebAssembly may be compiled, the page is whole, and has no controls of constraints."""
    browser, text = page.browser, page.file.read_text()
    page.file.write_text(text.replace("wasm-unsafe-eval", "report-sample"))
    page.fresh("disk.implemented-by=any&q=lea")
    said = browser.js("return [...document.querySelectorAll('[data-card] dd span')].map(it => it.textContent)")
    check("without WebAssembly: verdicts are shown", text != page.file.read_text() and said and all(said), said)
    forms = browser.js("return [...document.querySelectorAll('.ask')].filter(it => !it.hidden).length")
    check("without WebAssembly: no constraint can be asked", forms == 0, forms)
    found = browser.js("return document.getElementById('count').value")
    check("without WebAssembly: filters work", bool(found), found)


def main():
    program, records, directory = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    page = Page(program, records, directory)
    try:
        page.browser.screen(1366, 900)
        page.fresh()
        constraints(page, random.Random(1))
        for scene in [address, tables, keyboard, screens, memos, labels, readers, without_script, unfit, few, quiet, without_wasm]:
            scene(page)
    finally:
        page.browser.close()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
