#!/usr/bin/env python3
"""Run the commands of the tutorials from nothing, in their order, so that no tutorial can become false.

    lab/tutorials.py FIELDTEST [TUTORIAL ...]    # a built program, and names of files in docs/tutorials; default: all

Each tutorial gets an empty directory. Its `sh` blocks run as one script in which every command has to succeed; of any
other block whose first line is `# FILE`, that file is made. A block behind `<!-- not run: REASON -->` is left out and
printed with the reason; lines that install something are left out. The last command of a block behind
`<!-- exit code N -->` has to end with that, or with one of several N. INPUTS are what a reader brings along. Needs root where a
tutorial says sudo, and the programs that it names; a missing one fails.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 300  # seconds of a tutorial
INSTALLS = re.compile(r"^(sudo apt|cargo install).*$", re.M)
BLOCK = re.compile(r"(?:<!-- (?:not run: (?P<reason>.*?)|exit code (?P<code>[\d ]+)) -->\s*)?^```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.M | re.S)
# What a reader has, by the tutorial's name.
INPUTS = {
    "git-hosting": f"git init -q work; cp -r '{ROOT}/docs' work; git -C work add .; git -C work -c user.name=a -c user.email=b commit -qm docs; git clone -q --bare work project.git",
}


def script(path: Path, folder: Path) -> tuple[str, list[str]]:
    """What the tutorial has a reader type, and what of it is left out. Makes its files."""
    typed, left_out = [INPUTS.get(path.stem, "")], []
    for block in BLOCK.finditer(path.read_text()):
        if block["reason"]:
            left_out.append(f"{block['text'].splitlines()[0]} ({block['reason']})")
        elif block["kind"] == "sh":
            text = INSTALLS.sub("", block["text"])
            typed.append(f"set +e\n{text.strip()}\n[[ ' {block['code']} ' == *\" $? \"* ]] || exit 99\nset -e" if block["code"] else text)
        elif file := re.match(r"# (\S+\.\w+)\n", block["text"]):
            (folder / file[1]).write_text(block["text"])
    if len(typed) < 2:
        sys.exit(f"lab/tutorials.py: {path} has no commands")
    return "\n".join(typed), left_out


def run(path: Path, program: Path) -> bool:
    with tempfile.TemporaryDirectory(prefix="fieldtest-tutorial-") as folder:
        commands, left_out = script(path, Path(folder))
        if os.geteuid() == 0:
            commands = re.sub(r"\bsudo ", "", commands)
        tools = Path(folder) / "tools"
        tools.mkdir()
        (tools / "fieldtest").symlink_to(program)
        environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}:/usr/sbin:/sbin"}
        log = Path(folder) / "tutorial.log"
        with log.open("w") as out:
            shell = subprocess.Popen(
                ["bash", "-exo", "pipefail", "-c", commands], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                stdout=out, stderr=out, start_new_session=True,
            )
            try:
                code = shell.wait(LIMIT)
            except subprocess.TimeoutExpired:
                code = f"no end within {LIMIT} s"
            # Servers that it started in the background end with it.
            try:
                os.killpg(shell.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for line in left_out:
            print(f"{path.stem}: not run: {line}")
        if code:
            print("".join(log.read_text(errors="replace").splitlines(keepends=True)[-30:]), file=sys.stderr)
        print(f"{path.stem}: {'failed: ' + str(code) if code else 'every command succeeded'}")
        return not code


def main() -> int:
    if len(sys.argv) < 2 or not os.access(sys.argv[1], os.X_OK):
        sys.exit(__doc__)
    program, names = Path(sys.argv[1]).resolve(), sys.argv[2:]
    paths = [ROOT / "docs/tutorials" / f"{name}.md" for name in names] or sorted((ROOT / "docs/tutorials").glob("*.md"))
    return 0 if all([run(path, program) for path in paths]) else 1


if __name__ == "__main__":
    sys.exit(main())
