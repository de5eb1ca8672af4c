#!/usr/bin/env bash
# Builds validators that know every signature algorithm of the catalog: Unbound, by libfieldtest. The source is that of Debian's package,
# checked by its SHA-256, and is not changed: the linker leads its questions on algorithms to ours.
#
# usage: lab/resolvers/build.sh [--jobs N] [--work DIRECTORY] [--output DIRECTORY]
#
# Output: unbound and unbound-host in target/lab/resolvers. They need libfieldtest, which is built too. A minute and a half on two idle
# cores, 6 MB of download, 60 MB of disk under target/lab/resolvers/build, which can be deleted afterwards. Does nothing if all is there.
# Which number is which algorithm: lab/resolvers/algorithms.h.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
target=$(cd "$here/../.." && pwd)/target

# As bookworm lists it, in the Checksums-Sha256 field of its .dsc.
source=unbound_1.17.1.orig.tar.gz
digest=ee4085cecce12584e600f3d814a28fa822dfaacec1f94c84bfd67f8a5571a5f4
mirror=https://deb.debian.org/debian/pool/main/u/unbound/$source

jobs=$(nproc)
work=$target/lab/resolvers/build
output=$target/lab/resolvers
while [[ $# -gt 0 ]]; do
    case $1 in
        --jobs) jobs=$2; shift 2 ;;
        --work) work=$2; shift 2 ;;
        --output) output=$2; shift 2 ;;
        *) echo "usage: $0 [--jobs N] [--work DIRECTORY] [--output DIRECTORY]" >&2; exit 2 ;;
    esac
done

missing=()
need() { command -v "$1" > /dev/null || missing+=("$2"); }
need cc gcc
need make make
need curl curl
need flex flex
need bison bison
header() { echo "#include <$1>" | cc -E - > /dev/null 2>&1 || missing+=("$2"); }
header openssl/evp.h libssl-dev
header expat.h libexpat1-dev
if [[ ${#missing[@]} -gt 0 ]]; then
    echo "missing: install with: apt-get install ${missing[*]}" >&2
    exit 1
fi

mkdir -p "$work" "$output"
work=$(realpath "$work") output=$(realpath "$output")
"$here/../c/build.sh" --prefix "$output" > /dev/null
stamp=$(cat "$here"/{algorithms.h,algorithms.c,unbound.c} "$output/include/fieldtest.h" <(echo "$digest") | sha256sum | cut -d ' ' -f 1)
if [[ -x $output/bin/unbound && -f $output/made-of && $(< "$output/made-of") == "$stamp" ]]; then
    echo "$output/bin is up to date"
    exit 0
fi

archive=$work/$source
if ! echo "$digest  $archive" | sha256sum --check --status 2> /dev/null; then
    curl --fail --silent --show-error --location --retry 3 --output "$archive.part" "$mirror"
    echo "$digest  $archive.part" | sha256sum --check --status || {
        echo "$mirror is not what it was: its SHA-256 differs from $digest" >&2
        exit 1
    }
    mv "$archive.part" "$archive"
fi
tree=$work/unbound
rm -rf "$tree"
mkdir "$tree"
tar -xzf "$archive" -C "$tree" --strip-components=1

loud() { "$@" > "$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }; }
cd "$tree"
# Static, so that its validator is linked with ours in one step.
loud ./configure --disable-shared --without-libevent --disable-flto
for source in "$here/algorithms.c" "$here/unbound.c"; do
    loud cc -O2 -Wall -Wextra -I. -I"$here" -I"$output/include" -c "$source" -o "$(basename "$source" .c).ours.o"
done
ours="$tree/unbound.ours.o $tree/algorithms.ours.o -L$output/lib -lfieldtest -Wl,-rpath,$output/lib"
ours+=' -Wl,--wrap=dnskey_algo_id_is_supported -Wl,--wrap=verify_canonrrset'
loud make -j"$jobs" unbound unbound-host LIBS="$ours $(sed -n 's/^LIBS=//p' Makefile)"
# A name that the linker does not find is left alone in silence.
for program in unbound unbound-host; do
    nm "$program" | grep '__wrap_verify_canonrrset' > /dev/null || { echo "$program asks none of ours" >&2; exit 1; }
done
mkdir -p "$output/bin"
install -m 755 unbound unbound-host "$output/bin"
echo "$stamp" > "$output/made-of"
echo "$output/bin: unbound, unbound-host"
