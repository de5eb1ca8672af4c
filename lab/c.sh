#!/usr/bin/env bash
# libfieldtest before what uses it: its examples in C, C++, Python and Go; what it exports; its header and manual pages; two threads
# under one prepared key; 10,000 keys; wrong use; valgrind; its Debian packages, unpacked and used.
#
# usage: lab/c.sh [--fieldtest PROGRAM] [--keep DIRECTORY]
source "$(dirname "$0")/common.sh"
needs gcc:gcc g++:g++ python3:python3 go:golang-go valgrind:valgrind pkg-config:pkg-config dpkg-deb:dpkg objdump:binutils man:man-db
root=$here/..
crate=$root/crates/c

"$here/c/build.sh" --prefix "$lab/usr" > /dev/null
export PKG_CONFIG_PATH=$lab/usr/lib/pkgconfig LD_LIBRARY_PATH=$lab/usr/lib
library=$lab/usr/lib/libfieldtest.so.0
log=$lab/log
flags() { pkg-config "$@" fieldtest; }

expect() { # what command...: that it ends well
    local what=$1
    shift
    if "$@" > "$log" 2>&1; then pass "$what"; else fail "$what" "$log"; fi
}
compiled() { # output source compiler...
    local output=$1 source=$2
    shift 2
    # shellcheck disable=SC2046
    expect "$(basename "$source") compiled by $*" "$@" -O1 -g -Wall -Wextra -Werror "$source" -o "$lab/$output" $(flags --cflags --libs) -pthread
}
under_valgrind() { valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite "$@"; }

# What the header declares, the library exports, and nothing else; each under its version.
exported() { objdump -T "$library" | awk '$6 ~ "^FIELDTEST_[0-9]+$" && $4 == ".text" { print $7 }' | sort; }
functions() { sed 's:/\*.*\*/::; /\/\*/,/\*\//d' "$crate/include/fieldtest.h" | grep -oE '\bft_[a-z_]+\(' | tr -d '(' | sort -u; }
expect 'exported is what the header declares' diff <(functions) <(exported)
expect 'nothing else is exported' diff <(functions) <(nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
expect 'nor by the static library' diff <(functions) <(nm -g --defined-only "$lab/usr/lib/libfieldtest.a" | awk 'NF == 3 { print $3 }' | sort)
expect 'its SONAME' grep -q 'SONAME.*libfieldtest.so.0$' <(objdump -p "$library")

if "$here/tool.sh" cbindgen > /dev/null 2> "$log"; then
    cp "$crate/include/fieldtest.h" "$lab/before.h"
    "$here/c/build.sh" --header
    expect 'the header is what cbindgen makes' diff "$lab/before.h" "$crate/include/fieldtest.h"
    cp "$lab/before.h" "$crate/include/fieldtest.h"
else
    skip 'the header' "$(tail -n 1 "$log")"
fi

# A manual page for every function, without complaints.
for function in $(functions); do
    expect "manual page of $function" test -s "$lab/usr/share/man/man3/$function.3"
done
warnings() { local page; for page in "$lab"/usr/share/man/man3/*.3; do (cd "$lab/usr/share/man" && man --warnings -E UTF-8 -l -Tutf8 "man3/$(basename "$page")" 2>&1 > /dev/null); done; }
expect 'manual pages without warnings' diff /dev/null <(warnings)

# The same algorithms as the program's, served by the same implementations, but for ciphers that authenticate (docs/c.md).
names() { "$fieldtest" list "$@" --format csv | awk -F, 'NR > 1 { print $1 }' | sort; }
compiled list "$here/c/list.c" gcc -std=c99
expect 'the list of the program' diff <(comm -23 <(names) <(names aead)) <("$lab/list" | cut -d ' ' -f 1 | sort)

compiled sign "$crate/examples/sign.c" gcc -std=c99
compiled sign++ "$crate/examples/sign.c" g++ -x c++ -std=c++17
for algorithm in $("$fieldtest" list signature --format csv | awk -F, 'NR > 1 && !/sizes only/ { print $1 }'); do
    expect "sign.c with $algorithm" "$lab/sign" "$algorithm"
done
expect 'sign.c as C++' "$lab/sign++"
# shellcheck disable=SC2046
expect 'sign.c linked statically' gcc "$crate/examples/sign.c" -o "$lab/sign-static" $(flags --cflags) \
    "$lab/usr/lib/libfieldtest.a" -lgcc_s -lpthread -ldl -lm -lc
expect 'and run' env -u LD_LIBRARY_PATH "$lab/sign-static" ml-dsa-44
expect 'an unknown algorithm is refused' bash -c "! '$lab/sign' no-such-thing"
expect 'sign.py' python3 "$crate/examples/sign.py" ml-dsa-44
expect 'sign.go' env GOFLAGS=-mod=mod GOCACHE="$lab/go" go run "$crate/examples/sign.go" ml-dsa-44

compiled misuse "$here/c/misuse.c" gcc -std=c99
compiled threads "$here/c/threads.c" gcc -std=c11
compiled keys "$here/c/keys.c" gcc -std=c99
expect 'wrong use' "$lab/misuse"
# Instruction sets that valgrind knows; what is left of the others was held against these in the primitives' tests.
for algorithm in ml-dsa-44 ed25519 falcon-512 mayo-2; do
    expect "two threads under one key of $algorithm" "$lab/threads" "$algorithm"
done
# Of what takes milliseconds to make, fewer.
for keys in 'ml-dsa-44 10000' 'ed25519 10000' 'falcon-512 500' 'mayo-2 500'; do
    # shellcheck disable=SC2086
    expect "keys made and freed without growth: $keys" "$lab/keys" $keys
done
for algorithm in ml-dsa-44 ed25519 falcon-512; do
    expect "valgrind: sign.c with $algorithm" under_valgrind "$lab/sign" "$algorithm"
done
expect 'valgrind: wrong use' under_valgrind "$lab/misuse"

# The packages: what they hold is laid out as Debian has it, and a program is built and run with that alone.
# Cargo builds again what asks pkg-config if that is led elsewhere.
expect 'Debian packages' env -u PKG_CONFIG_PATH -u LD_LIBRARY_PATH "$here/c/build.sh" --deb "$lab/deb"
mkdir -p "$lab/root"
for package in "$lab"/deb/*.deb; do
    expect "$(basename "$package") unpacks" dpkg-deb --extract "$package" "$lab/root"
done
multiarch=$lab/root/usr/lib/$(gcc -print-multiarch)
# shellcheck disable=SC2046
PKG_CONFIG_PATH=$multiarch/pkgconfig expect 'a program by what was unpacked' \
    gcc "$lab/root/usr/share/doc/libfieldtest-dev/examples/sign.c" -o "$lab/sign-deb" $(PKG_CONFIG_PATH=$multiarch/pkgconfig flags --cflags --libs)
LD_LIBRARY_PATH=$multiarch expect 'and it runs' "$lab/sign-deb"
expect 'it is found by ldd there' grep -q "$multiarch/libfieldtest.so.0" <(LD_LIBRARY_PATH=$multiarch ldd "$lab/sign-deb")
finish
