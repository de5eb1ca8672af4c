#!/usr/bin/env bash
# Builds the lab's Git: one that keeps a second name of every loose object (`extensions.compatObjectFormat`, from 2.45
# on) and so can be asked what Git itself makes of an object under the other hash. Debian 12's is older. The source is
# that of Debian stable's package; this machine's apt fetches it.
#
# usage: lab/git/build.sh [--jobs N] [--work DIRECTORY] [--output PROGRAM]
#
# Output: target/lab/bin/git. Takes a minute on two idle cores, 8 MB of download and 200 MB of disk under
# target/lab/git, which can be deleted afterwards. Does nothing if that Git is in place, and takes it from the lab's
# cache (lab/builder.sh) if it was built before. If the newest source cannot be fetched, the last Git that was built serves.
# With FIELDTEST_GIT=/path/to/git set, the lab uses that one and nothing is built.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../builder.sh
source "$here/../builder.sh"
oldest=2.45

jobs=$(nproc)
work=$here/../../target/lab/git
output=$here/../../target/lab/bin/git # Git finds its commands by this name
options 'jobs work output' "$@"

if [[ -n ${FIELDTEST_GIT:-} ]]; then
    [[ -x $FIELDTEST_GIT ]] || { echo "FIELDTEST_GIT=$FIELDTEST_GIT is not a program" >&2; exit 2; }
    echo "FIELDTEST_GIT is set: using $FIELDTEST_GIT, nothing to build"
    exit 0
fi

mkdir -p "$work" "$(dirname "$output")"
deliver() {
    install -m 755 "$stored/git" "$output.new"
    mv "$output.new" "$output"
    basename "$stored" > "$output.made-of"
    "$output" version
}

# If the newest source cannot be fetched: takes what was built before.
fall_back() {
    unknown_inputs "$output"
    if [[ -x $output ]]; then
        echo "$output stays as it is: $apt_why"
    elif any_stored git; then
        echo "the last Git that was built here serves: $apt_why"
        deliver
    else
        skipped 'Git with compatObjectFormat' "$apt_why"
    fi
    exit 0
}

{ apt_from Sources stable && apt_newest Sources git; } || fall_back
if dpkg --compare-versions "$(upstream)" lt "$oldest"; then
    skipped 'Git with compatObjectFormat' "Debian $apt_release has Git $(upstream), and $oldest is the first that has it"
    exit 0
fi

without=(NO_CURL=1 NO_EXPAT=1 NO_GETTEXT=1 NO_TCLTK=1 NO_PYTHON=1 NO_PERL=1 NO_OPENSSL=1)
stamp=$(stamp_of "$0" "${without[@]}")
if [[ -x $output && -f $output.made-of && $(< "$output.made-of") == "$stamp" ]]; then
    echo "$output is up to date"
    exit 0
fi
if ! stored git "$stamp"; then
    need cc gcc
    need make make
    need xz xz-utils
    need_header zlib.h zlib1g-dev
    needed
    unpack_source "$work/source" || fall_back
    quietly "$work/make.log" make -C "$work/source" -j"$jobs" CFLAGS=-O2 "${without[@]}" git
    mkdir -p "$work/result"
    mv "$work/source/git" "$work/result/git"
    store "$work/result"
fi
deliver
