#!/usr/bin/env bash
# The gate as CI services run it: the steps of ci/gate/action.yml and ci/gate/gitlab-ci.yml, on two runs of an unchanged program
# next to other load (pass), with one byte more in a message, and with a result gone (fail).
#
# usage: lab/gate.sh [--fieldtest PROGRAM] [--keep DIRECTORY] [--runs N]
#
# N runs of the unchanged program [default: 2] are compared with a first one; each takes some seconds.
takes="runs"
runs=2
. "$(dirname "$0")/common.sh"
needs python3:python3
python3 -c 'import yaml' 2> /dev/null || { skip "PyYAML" "not installed: apt-get install python3-yaml"; finish; }

# The commands of a file, each in a script of its own that the service would run.
python3 - "$here/../ci/gate" "$lab" <<'PYTHON'
import sys, pathlib, yaml
source, lab = map(pathlib.Path, sys.argv[1:])
action = yaml.safe_load((source / "action.yml").read_text())
(lab / "github.sh").write_text("set -e\n" + "\n".join(step["run"] for step in action["runs"]["steps"]))
*_, job = yaml.safe_load_all((source / "gitlab-ci.yml").read_text())
(lab / "gitlab.sh").write_text("set -e\n" + "\n".join(job["fieldtest-gate"]["script"]))
PYTHON

study() { # records
    "$fieldtest" tcp-ao study --budget 2 -o "$lab/study" > "$lab/study.log" 2>&1 &&
        "$fieldtest" dnssec study -a ecdsa-p256 -a ml-dsa-44 --budget 4 -o "$lab/dnssec" >> "$lab/study.log" 2>&1 &&
        cat "$lab/study/records.jsonl" "$lab/dnssec/records.jsonl" > "$1" && rm -r "$lab/study" "$lab/dnssec"
}
gate() { # service new code what
    local code=0 state
    : > "$lab/summary"
    : > "$lab/output"
    (cd "$lab" && BASE=base.jsonl NEW=$2 POLICY='' FIELDTEST=$fieldtest GITHUB_STEP_SUMMARY=summary GITHUB_OUTPUT=output \
        bash -e "$1.sh" > "gate.log" 2>&1) || code=$?
    state=$(sed -n 's/^state=//p' "$lab/output")
    [[ $code -eq $3 && ( $1 = gitlab || $state = "$5" ) ]] && pass "$1: $4" || fail "$1: $4 (code $code, state '$state')" "$lab/gate.log"
}

while :; do :; done &
load=$!
trap 'kill $load; rm -rf "$lab"' EXIT
study "$lab/base.jsonl" || { fail "a study" "$lab/study.log"; finish; }
for run in $(seq "$runs"); do
    study "$lab/new.jsonl" || { fail "a study" "$lab/study.log"; finish; }
    gate github new.jsonl 0 "unchanged program, run $run" pass
    gate gitlab new.jsonl 0 "unchanged program, run $run" pass
done
kill $load
trap '[[ -n $keep ]] || rm -rf "$lab"' EXIT
python3 - "$lab" <<'PYTHON'
import json, pathlib, sys
lab = pathlib.Path(sys.argv[1])
lines = [json.loads(line) for line in (lab / "new.jsonl").read_text().splitlines()]
at = next(at for at, it in enumerate(lines) if it["line"] == "record" and it["operation"] == "message-size")
write = lambda name, lines: (lab / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
write("less.jsonl", lines[:at] + lines[at + 1:])
lines[at]["value"] += 1
write("byte.jsonl", lines)
PYTHON
gate github byte.jsonl 4 "one byte more in a message" fail
python3 - "$lab" <<'PYTHON' && pass "JUnit, SARIF and the summary name it once" || fail "JUnit, SARIF and the summary"
import json, pathlib, sys
import xml.etree.ElementTree as tree
lab = pathlib.Path(sys.argv[1])
assert len(tree.parse(lab / "gate.xml").findall(".//failure")) == 1
errors = [it for it in json.loads((lab / "gate.sarif").read_text())["runs"][0]["results"] if it["level"] == "error"]
assert len(errors) == 1, errors
assert "1 worse" in (lab / "summary").read_text()
PYTHON
gate gitlab byte.jsonl 4 "one byte more in a message" fail
gate github less.jsonl 4 "a result gone" fail
gate gitlab less.jsonl 4 "a result gone" fail
finish
