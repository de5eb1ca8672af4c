#!/usr/bin/env bash
# Git's own test suite as an oracle: after each test, `git fsck` and `fieldtest git verify` judge every repository that the test
# left, and what both accept is converted and judged again (lab/git/state.sh).
#
# usage: lab/git/suite.sh [--fieldtest PROGRAM] [--work DIRECTORY] [--format sha1|sha256] [SCRIPT...]
#
# SCRIPTs are names such as t5300; by default those about packs, indexes, references and odd objects. Needs the source that
# lab/git/build.sh unpacks, and builds all of it there (four CPU minutes). Fails if Git rejects a result, or if a verdict differs
# for a reason that is not listed below. The states stay in DIRECTORY/states.tsv.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../options.sh
source "$here/../options.sh"
fieldtest=target/release/fieldtest work=$here/../../target/lab/git format=sha1
options 'fieldtest work format ...' "$@"
scripts=("${rest[@]}")
[[ ${#scripts[@]} -gt 0 ]] || scripts=(t0410 t1006 t1016 t1060 t1410 t1450 t1451 t2400 t3301 t3308 t3900 t4212 t5300 t5302 t5303
    t5304 t5308 t5309 t5310 t5313 t5317 t5318 t5319 t5324 t5325 t5326 t5327 t5332 t5334 t5537 t5605 t5616 t6050 t6500 t7030 t7510
    t7703 t9300)
# Why verdicts may differ. Stricter: what is missing is missing, also where only unreachable objects name it, and copies of
# objects in several packs are all read. Laxer: the index, the syntax of old objects, commit graphs, multi-pack indexes and bitmaps
# are Git's own concern (docs/git.md names Git's command for each).
stricter='missing|absent|is not there|cannot be read|damaged|second copy|loop'
laxer='commit-graph|multi-pack|midx|bitmap|rev-index|reverse|chunk|oid|index|[Bb]ad|missingSpace|missingEmail|error in (commit|tag|tree)|warning in|reflog|HEAD|ref'

source=$work/source
[[ -d $source/t ]] || { echo "SKIPPED Git's suite: no $source; lab/git/build.sh unpacks it" >&2; exit 0; }
make -s -C "$source" -j"$(nproc)" CFLAGS=-O1 NO_CURL=1 NO_EXPAT=1 NO_GETTEXT=1 NO_TCLTK=1 NO_PYTHON=1 NO_PERL=1 NO_OPENSSL=1 all \
    > "$work/suite-make.log" 2>&1 || { tail -n 20 "$work/suite-make.log" >&2; exit 1; }
# The hook: the suite calls this function at the end of each test.
if ! grep -q FIELDTEST_STATE "$source/t/test-lib.sh"; then
    sed -i 's/^test_finish_ () {$/&\n\t"$FIELDTEST_STATE" "$TRASH_DIRECTORY" "$this_test.$test_count" 3>\&- 4>\&-/' "$source/t/test-lib.sh"
    grep -q FIELDTEST_STATE "$source/t/test-lib.sh" || { echo "the suite of this Git has no test_finish_" >&2; exit 1; }
fi
FIELDTEST=$(realpath "$fieldtest") STATES=$(realpath "$work")/states.tsv
export FIELDTEST STATES FIELDTEST_STATE=$here/state.sh SUITE_GIT=$source/bin-wrappers/git GIT_TEST_DEFAULT_HASH=$format
rm -f "$STATES" "$(dirname "$STATES")/seen"
touch "$STATES"
for script in "${scripts[@]}"; do
    files=("$source"/t/"$script"-*.sh)
    [[ -f ${files[0]} ]] || { echo "SKIPPED $script: this Git has no such test" >&2; continue; }
    (cd "$source/t" && timeout 1800 "${files[0]}" > "$work/suite-$script.log" 2>&1) || true # its own failures are Git's
done
cut -f 3 "$STATES" | sort | uniq -c
wrong=$(awk -F '\t' -v stricter="$stricter" -v laxer="$laxer" '
    $3 == "broken" || ($3 == "stricter" && $4 !~ stricter) || ($3 == "laxer" && $4 !~ laxer)' "$STATES")
[[ -s $STATES ]] || { echo 'no test left a repository' >&2; exit 1; }
if [[ -n $wrong ]]; then
    echo "$wrong" >&2
    exit 1
fi
echo "$(wc -l < "$STATES") states: no verdict without a listed reason differs, no result is rejected"
