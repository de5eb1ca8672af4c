"""Whether `fieldtest tcp-ao verify --format json` says of the gateway's capture what it must: judged.py REPORT."""

import json
import sys

import cases

HARMLESS = {"verified", "plain", "not_tcp", "fragments"}

with open(sys.argv[1]) as report:
    report = json.load(report)
bad = {name: count for name, count in report["counts"].items() if count and name not in HARMLESS}
silent = [(report["connections"][it["connection"]]["answerer"], it["what"]) for it in report["unanswered"]]
wrong, _ = cases.refused_cases()
expected = [(f"{wrong.kernel}:{wrong.port}", "SYN")]
if bad or report["problem_count"] or not report["counts"]["verified"] or silent != expected:
    sys.exit(f"bad {bad}, faults {report['problem_count']}, unanswered {silent}, expected {expected}")
