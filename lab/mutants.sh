#!/usr/bin/env bash
# Change the code in small ways and demand that a test fails for each: what survives is a rule that no test holds.
#
# usage: lab/mutants.sh [--in-diff FILE | --file FILE] [PACKAGE ...]      [default: fieldtest-measure fieldtest-study]
#
# --in-diff changes only what `git diff` in FILE touches, --file only one source file. .cargo/mutants.toml lists what is not
# tried, and why. The exit code is 1 if a mutant survives or runs into the timeout and lab/mutants.accepted does not name it
# with a reason, if that file names one that is caught, if the unchanged code fails its tests, and if whole packages have no
# mutant. lab/tool.sh installs cargo-mutants.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$(dirname "$(lab/tool.sh cargo-mutants)"):$PATH
accepted=lab/mutants.accepted

only=() scope=
case ${1-} in
    --in-diff) only=(--in-diff "$(realpath "${2:?a file with a diff}")") ;;
    --file) only=(--file "${2:?a source file}") scope="^$2:" ;;
esac
[[ ${#only[@]} == 0 ]] || { [[ -f $2 ]] || { echo "cannot read $2: no such file" >&2; exit 2; }; shift 2; }
[[ $# -gt 0 ]] || set -- fieldtest-measure fieldtest-study
packages=()
for package; do packages+=(--package "$package"); done
[[ -n $scope ]] || scope="^crates/($(IFS='|'; echo "${*#fieldtest-}"))/"
if bad=$(grep -vE '^(#.*|crates/[^ ]+\.rs: .+  # .+)?$' "$accepted"); then
    printf 'cannot use %s: a line is no mutant with a reason ("FILE: MUTANT  # REASON"): %s\n' "$accepted" "$bad" >&2
    exit 1
fi

# A copy that is always in the same place, so that what the packages depend on is built once. It is changed in place.
tree=$PWD/target/lab/mutants
mkdir -p "$tree"
exec {lock}> "$tree/target.lock"
flock -n "$lock" || { echo "another lab/mutants.sh works in $tree" >&2; exit 1; }
# Only what differs gets a new time: a mutant that an earlier run left, because it was killed, is then built again without it.
git ls-files --cached --others --exclude-standard | sort > "$tree/target.list"
while IFS= read -r file; do
    [[ -e $file ]] || continue
    cmp -s "$file" "$tree/$file" || { mkdir -p "$tree/$(dirname "$file")" && cp "$file" "$tree/$file"; }
done < "$tree/target.list"
(cd "$tree" && find . -type f ! -path './target*' -printf '%P\n' | sort | comm -13 target.list - | xargs -r -d '\n' rm)

# Each mutant is a build of its own: what is not optimised is built in seconds, and tests of typed-in numbers need no speed.
# Nobody reads the smallest input that shows a mutant.
out=$tree/target
rm -rf "$out/mutants.out"
status=0
(
    cd "$tree"
    CARGO_TARGET_DIR=$tree/target CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true \
        CARGO_INCREMENTAL=1 RUST_BACKTRACE=0 PROPTEST_MAX_SHRINK_ITERS=0 PROPTEST_DISABLE_FAILURE_PERSISTENCE=1 \
        cargo mutants "${packages[@]}" ${only[@]+"${only[@]}"} --in-place --no-times --colors never --output "$out"
) || status=$?
# 2: some were missed, 3: some ran into the timeout. All else is no result.
[[ $status == [023] ]] || { echo "cannot mutate: cargo-mutants ended with $status; its output is above" >&2; exit 1; }

# Places move with every change, so mutants are known without them.
of() { # caught|missed|timeout|unviable
    [[ ! -e $out/mutants.out/$1.txt ]] || sed -E 's/^([^:]+):[0-9]+:[0-9]+: /\1: /' "$out/mutants.out/$1.txt"
}
for what in caught missed timeout unviable; do of $what | sed -E "s/^([^:]+):.*/\1 $what/"; done | sort | uniq -c |
    awk '{ print $2 ": " $1 " " $3 }'
if [[ -z $(of caught; of missed; of timeout) ]]; then
    [[ ${#only[@]} == 2 ]] || { echo "cannot mutate: ${*} has no mutant that builds" >&2; exit 1; }
    echo "nothing to mutate: ${only[1]} has no code of $* that can be changed"
fi
survived=$( (of missed; of timeout) | sort -u)
known=$(sed -nE 's/^(crates.*[^ ])  # .*/\1/p' "$accepted" | grep -E "$scope" | sort -u || true)
new=$(comm -23 <(echo "$survived") <(echo "$known") | grep . || true)
stale=
[[ ${only[0]-} == --in-diff ]] || stale=$(comm -13 <(echo "$survived") <(echo "$known") | grep . || true)
[[ -z $new ]] || printf 'survived or ran into the timeout, and not in %s:\n%s\n' "$accepted" "$new" >&2
[[ -z $stale ]] || printf 'in %s, and caught:\n%s\n' "$accepted" "$stale" >&2
[[ -z $new$stale ]]
