#!/usr/bin/env bash
# Change the code in small ways and demand that a test fails for each: what survives is a rule that no test holds.
#
# usage: lab/mutants.sh [--in-diff FILE] [PACKAGE ...]      [default: fieldtest-measure]
#
# With --in-diff, change only what `git diff` in FILE touches. What is tried, and what is not and why, stands in
# .cargo/mutants.toml. The exit code is 1 if a mutant survives that lab/mutants.accepted does not name with a reason, or
# if that file names one that does not survive. lab/tool.sh installs cargo-mutants.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$(dirname "$(lab/tool.sh cargo-mutants)"):$PATH
accepted=lab/mutants.accepted

diff=()
if [[ ${1-} == --in-diff ]]; then
    diff=(--in-diff "${2:?a file with a diff}")
    shift 2
fi
packages=()
for package in "${@:-fieldtest-measure}"; do packages+=(--package "$package"); done
if bad=$(grep -vE '^(#.*|crates/[^ ]+\.rs: .+  # .+)?$' "$accepted"); then
    printf 'cannot use %s: a line is no mutant with a reason ("FILE: MUTANT  # REASON"): %s\n' "$accepted" "$bad" >&2
    exit 1
fi

# Each mutant is a build of its own: what is not optimised is built in seconds, and tests of typed-in numbers need no speed.
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
status=0
CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true CARGO_INCREMENTAL=1 RUST_BACKTRACE=0 \
    cargo mutants "${packages[@]}" ${diff[@]+"${diff[@]}"} --jobs 1 --no-times --colors never --output "$out" || status=$?
# 2: some were missed, 3: some ran into the timeout, which counts as caught. All else is no result.
[[ $status == [023] ]] || { echo "cannot mutate: cargo-mutants ended with $status; its output is above" >&2; exit 1; }

touch "$out"/{missed,known}
# Places move with every change, so mutants are known without them.
if [[ -e $out/mutants.out/missed.txt ]]; then
    sed -E 's/^([^:]+):[0-9]+:[0-9]+: /\1: /' "$out/mutants.out/missed.txt" | sort -u > "$out/missed"
fi
sed -nE 's/^(crates.*[^ ])  # .*/\1/p' "$accepted" | sort -u > "$out/known"
survivors=$(comm -23 "$out/missed" "$out/known")
stale=
if [[ ${#diff[@]} == 0 && $* == "" ]]; then stale=$(comm -13 "$out/missed" "$out/known"); fi
[[ -z $survivors ]] || printf 'survived, and not in %s:\n%s\n' "$accepted" "$survivors" >&2
[[ -z $stale ]] || printf 'in %s, and did not survive:\n%s\n' "$accepted" "$stale" >&2
[[ -z $survivors$stale ]]
