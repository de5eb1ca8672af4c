#!/usr/bin/env bash
# The page of a report in a browser: constraints are judged as `fieldtest advise` judges them, what is asked, sorted and filtered
# stands in the address and comes back from it, rows and figures have addresses, all of it works by keyboard, fits a phone and
# print, makes no request and no error, and answers six questions of its readers.
#
# usage: lab/page.sh [--fieldtest PROGRAM] [--keep DIRECTORY]
#
# Takes about a minute with the records of a study in fieldtest-report/ (or those that FIELDTEST_RECORDS names), and another one to
# make some where there are none. Screenshots and the print stay in DIRECTORY if one is given. What is missing is skipped by name;
# with FIELDTEST_PEERS=required that is a failure.
. "$(dirname "$0")/common.sh"
needs chromium:chromium chromedriver:chromium-driver python3:python3 pdfinfo:poppler-utils
records=${FIELDTEST_RECORDS:-fieldtest-report/records.jsonl}
if [[ ! -e $records ]]; then
    "$fieldtest" study --budget 0.001 -o "$lab/study" > "$lab/study.log" 2>&1 || { fail "a study" "$lab/study.log"; finish; }
    records=$lab/study/records.jsonl
fi
# A machine of which nothing can be said: nobody is first by a time there.
sed 's/"verdict":"[a-z]*"/"verdict":"unfit"/' "$records" > "$lab/unfit.jsonl"
python3 "$here/page.py" "$fieldtest" "$records" "$lab" > "$lab/results" 2> "$lab/page.log" && touch "$lab/finished"
[[ -e $lab/finished ]] || tail -n 15 "$lab/page.log" >&2
cat "$lab/results"
passed=$((passed + $(grep -c '^passed' "$lab/results" || true)))
failed=$((failed + $(grep -c '^FAILED' "$lab/results" || true)))
[[ -e $lab/finished || $failed -gt 0 ]] || fail "the browser came to no end" "$lab/page.log"
finish
