#!/usr/bin/env bash
# The sample report in docs/sample is what the program makes of its records, and nothing else.
#
# usage: lab/sample.sh [--fieldtest PROGRAM]                     says whether it is
#        lab/sample.sh --make [--records FILE] [--fieldtest PROGRAM]   makes it so, of other records if some are named
#
# With --make, Chromium also takes README's picture, docs/report.png, of the page of these records.
set -euo pipefail
cd "$(dirname "$0")/.."
fieldtest=target/release/fieldtest make= records=
while [[ $# -gt 0 ]]; do
    case $1 in
        --fieldtest) fieldtest=$2; shift 2 ;;
        --records) records=$2; shift 2 ;;
        --make) make=1; shift ;;
        *) echo "usage: $0 [--make] [--records FILE] [--fieldtest PROGRAM]" >&2; exit 2 ;;
    esac
done
[[ -x $fieldtest ]] || { echo "no program at $fieldtest; build it with: cargo build --release" >&2; exit 2; }
kept=docs/sample/records.jsonl.gz
mkdir -p docs/sample
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ -n $records ]]; then
    gzip --best --no-name < "$records" > "$work/records.gz"
    mv "$work/records.gz" "$kept"
fi
gunzip < "$kept" > "$work/records.jsonl"
{
    echo '<!-- by lab/sample.sh from records.jsonl.gz, of `fieldtest study`: fieldtest advise records.jsonl --format md -->'
    "$fieldtest" advise "$work/records.jsonl" --format md
} > "$work/advice.md"
{
    echo '<!-- by lab/sample.sh from records.jsonl.gz, of `fieldtest study`: fieldtest report records.jsonl --format md -->'
    "$fieldtest" report "$work/records.jsonl" --format md
} > "$work/report.md"
if [[ -z $make ]]; then
    for name in advice report; do
        diff -u "docs/sample/$name.md" "$work/$name.md" || { echo "make it anew: $0 --make" >&2; exit 1; }
    done
    echo 'docs/sample is what its records give'
    exit 0
fi
mv "$work"/{advice,report}.md docs/sample/
"$fieldtest" report "$work/records.jsonl" -o "$work/page.html" > /dev/null
command -v chromium > /dev/null || { echo 'no picture: apt-get install chromium' >&2; exit 1; }
# As it stands on a laptop: the verdicts, and where the first carrier begins.
chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --window-size=1366,1000 --force-device-scale-factor=1.25 \
    --screenshot="$PWD/docs/report.png" "file://$work/page.html" > /dev/null 2>&1
ls -l docs/report.png docs/sample
