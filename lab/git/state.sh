#!/usr/bin/env bash
# One state of Git's own test suite, called after each of its tests by lab/git/suite.sh: `git fsck --full` and
# `fieldtest git verify` of every repository below DIRECTORY that changed since it was last seen, and where both are content,
# the repository converted to the other object format, with `git fsck` of the result.
#
# usage: lab/git/state.sh DIRECTORY TEST   (FIELDTEST, STATES and SUITE_GIT in the environment)
#
# Appends a line to STATES: test, repository, and what was seen: `agreed` (both refuse), `converted`, `refused` (the conversion,
# with its reason), `stricter`, `laxer` or `broken` (a result that Git refuses), each with the first words of the reason.
set -uo pipefail
directory=$1 test=$2
git=$SUITE_GIT
# The suite's own settings would change what Git says of a state.
for name in ${!GIT_*}; do [[ $name == GIT_EXEC_PATH ]] || unset "$name"; done
export GIT_CONFIG_NOSYSTEM=1 HOME=/nonexistent
seen=$(dirname "$STATES")/seen
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

tell() { # verdict [file of words]
    local words=
    [[ -z ${2:-} ]] || words=$(grep -v '^$' "$2" | head -n 1 | tr '\t' ' ' | cut -c 1-160)
    printf '%s\t%s\t%s\t%s\n' "$test" "${repository#"$directory"}" "$1" "$words" >> "$STATES"
}

find "$directory" -maxdepth 4 -type d -name objects -prune -print 2> /dev/null | while read -r objects; do
    repository=${objects%/objects}
    [[ -f $repository/HEAD && -d $repository/refs ]] || continue
    # Names, lengths and times of what a repository is made of.
    state=$(find "$repository" -path "$repository/trash*" -prune -o -type f ! -name index ! -name '*.lock' -printf '%P %s %T@\n' 2> /dev/null |
        LC_ALL=C sort | sha256sum | cut -c 1-32)
    grep -qs "$state" "$seen" && continue
    echo "$state" >> "$seen"
    timeout 60 "$git" -C "$repository" fsck --full > "$scratch/fsck" 2>&1 < /dev/null
    fsck=$?
    timeout 60 "$FIELDTEST" git verify "$repository" > "$scratch/verify" 2>&1 < /dev/null
    verify=$?
    if [[ $fsck -ne 0 && $verify -ne 0 ]]; then tell agreed; continue; fi
    if [[ $fsck -eq 0 && $verify -ne 0 ]]; then tell stricter "$scratch/verify"; continue; fi
    if [[ $fsck -ne 0 ]]; then tell laxer "$scratch/fsck"; continue; fi
    if ! timeout 60 "$FIELDTEST" git convert "$repository" "$scratch/new" --pad-submodules > "$scratch/convert" 2>&1 < /dev/null; then
        tell refused "$scratch/convert"
        continue
    fi
    if timeout 60 "$git" -C "$scratch/new" fsck --full > "$scratch/fsck" 2>&1 < /dev/null; then
        tell converted
    else
        tell broken "$scratch/fsck"
    fi
    rm -rf "$scratch/new"
done
exit 0
