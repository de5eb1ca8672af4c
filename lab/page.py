#!/usr/bin/env python3
"""Opens the page of a report in Chromium and does with it what readers do: page.py PROGRAM RECORDS DIRECTORY.

Speaks WebDriver to Debian's chromedriver with the standard library alone. Writes `passed …` and `FAILED …`, a line each;
leaves screenshots and a print in DIRECTORY."""

import base64
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
PAGES = 25  # of print
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
            with urllib.request.urlopen(request, timeout=60) as answer:
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
  card: document.querySelector(`[data-card="${arguments[0]}"] b`).textContent,
  survivors: rows('-who-qualifies').map(row => [row.dataset.k, ...cells(row).slice(1)]),
  excluded: rows('-who-does-not').map(row => [row.dataset.k, ...cells(row).slice(1)]),
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

    def fresh(self, fragment=""):
        self.browser.go("about:blank")
        self.browser.go(self.address + ("#" + fragment if fragment else ""))

    def verdict(self, carrier):
        return self.browser.js(READ, carrier)

    def advice(self, carrier, options=()):
        command = [self.program, "advise", self.records, "--carrier", carrier, "--format", "json", *options]
        done = subprocess.run(command, capture_output=True, text=True)
        return json.loads(done.stdout)[0] if done.returncode == 0 else done.stderr

    def carrier(self):
        return json.loads(self.browser.js("return document.getElementById('advice').textContent"))


def same(shown, told):
    """How what the page shows differs from what the command says; empty where it does not."""
    ranks = [it["rank"] for it in told["survivors"]]
    survivors = [
        [it["algorithm"], f"{it['rank']}{' =' if ranks.count(it['rank']) > 1 else ''}", *[has["text"] for has in it["has"]]]
        for it in told["survivors"]
    ]
    excluded = [[it["algorithm"], sorted(it["why"])] for it in told["excluded"]]
    shown_excluded = [[name, why] for name, why in shown["excluded"]]
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
    sets = differences = 0
    for study in data["studies"]:
        for _ in range(SETS):
            typed, options, state = [], [], []
            for index, known in enumerate(study["properties"]):
                if not known["known"] or randomness.random() > 0.4:
                    continue
                held = [data["values"][it["has"][index]] for it in study["algorithms"] if it["has"][index] is not None]
                numbers = [it["n"] for it in held if "n" in it]
                if randomness.random() < 0.25:
                    value = "any"
                elif known.get("words") is not None:
                    words = [*known["words"], *(["anyone"] if known["id"] == "implemented-by" else [])]
                    words = [word for word in words if "," not in word]
                    value = ",".join(randomness.sample(words, randomness.randint(1, min(3, len(words)))))
                elif numbers:
                    value = repr(randomness.choice(numbers) * randomness.choice([1, 1, 0.5, 1.07, 2]))
                    value = str(min(float(value), 1.0)) if known.get("unit") == "share" else value
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
            difference = same(shown, told) or (
                sorted(shown["sentence"].split()) != sorted(told["sentence"].split())
                and re.sub(r"\W+", "", shown["sentence"]) != re.sub(r"\W+", "", told["sentence"])
                and not told["sentence"].startswith("No ")
                and f"sentence {shown['sentence']} and not {told['sentence']}"
            )
            if difference:
                differences += 1
                print(f"  {study['study']} {' '.join(options)}: {str(difference)[:1500]}", file=sys.stderr)
    check(f"{sets} sets of constraints are judged as `fieldtest advise` does", sets > 0 and differences == 0, differences)


def main():
    program, records, directory = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    page = Page(program, records, directory)
    try:
        page.fresh()
        if len(sys.argv) > 4:
            for name in sys.argv[4:]:
                globals()[name](page)
        else:
            constraints(page, random.Random(1))
    finally:
        page.browser.close()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
