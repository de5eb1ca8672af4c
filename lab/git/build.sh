#!/usr/bin/env bash
# Builds the lab's Git: one that keeps a second name of every loose object (`extensions.compatObjectFormat`, from 2.45
# on) and so can be asked what Git itself makes of an object under the other hash. Debian 12's is older. The source is
# that of Debian's package, checked by its SHA-256.
#
# usage: lab/git/build.sh [--jobs N] [--work DIRECTORY] [--output PROGRAM]
#
# Output: target/lab/bin/git. Takes a minute on two idle cores, 8 MB of download and 200 MB of disk under
# target/lab/git, which can be deleted afterwards. Does nothing if the program is there. With
# FIELDTEST_GIT=/path/to/git set, the lab uses that one and nothing is built.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../fetch.sh"

# As trixie lists it; its digest is in the Checksums-Sha256 field of `apt-cache showsrc git`.
source=git_2.47.3.orig.tar.xz
digest=9c2eb1250781b3e5bfef098572d07fdf132d67e6c065e4307332ade9819a1501
mirror=https://deb.debian.org/debian/pool/main/g/git/$source

jobs=$(nproc)
work=$here/../../target/lab/git
output=$here/../../target/lab/bin/git # Git finds its commands by this name
options 'jobs work output' "$@"

if [[ -n ${FIELDTEST_GIT:-} ]]; then
    [[ -x $FIELDTEST_GIT ]] || { echo "FIELDTEST_GIT=$FIELDTEST_GIT is not a program" >&2; exit 2; }
    echo "FIELDTEST_GIT is set: using $FIELDTEST_GIT, nothing to build"
    exit 0
fi
if [[ -x $output && -f $output.made-of && $(<"$output.made-of") == "$digest" ]]; then
    echo "$output is up to date"
    exit 0
fi

need cc gcc
need make make
need curl curl
need xz xz-utils
need_header zlib.h zlib1g-dev
needed

mkdir -p "$work" "$(dirname "$output")"
fetch "$digest" "$work/$source" "$mirror"
unpack "$work/$source" "$work/source"
without=(NO_CURL=1 NO_EXPAT=1 NO_GETTEXT=1 NO_TCLTK=1 NO_PYTHON=1 NO_PERL=1 NO_OPENSSL=1)
quietly "$work/make.log" make -C "$work/source" -j"$jobs" CFLAGS=-O2 "${without[@]}" git
install -m 755 "$work/source/git" "$output"
echo "$digest" > "$output.made-of"
"$output" version
