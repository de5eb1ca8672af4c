#!/usr/bin/env bash
# Builds what makes Crypto++ an implementation of fieldtest's, `cryptopp-host`: a shared object by the host's compiler, from
# crates/catalog/src/host/cryptopp/shim.cc. Prints what to set. Without g++ or libcrypto++-dev it says so, and fails only if
# FIELDTEST_PEERS=required.
#
#   eval "$(lab/cryptopp.sh [FILE.so])"     # FILE is target/lab/libfieldtest-cryptopp.so if absent
#   fieldtest disk study -a lea-256-xts -i fieldtest -i cryptopp-host
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=${1:-target/lab/libfieldtest-cryptopp.so}
missing() { # what package
    echo "SKIPPED Crypto++: there is no $1; apt-get install $2" >&2
    [[ ${FIELDTEST_PEERS:-} != required ]] || exit 1
    exit 0
}
type g++ > /dev/null 2>&1 || missing g++ g++
echo '#include <cryptopp/lea.h>' | g++ -x c++ -fsyntax-only - 2> /dev/null || missing cryptopp/lea.h libcrypto++-dev
mkdir -p "$(dirname "$out")"
# Written beside and renamed: nobody loads half of it.
g++ -std=c++17 -O2 -shared -fPIC -o "$out.new" crates/catalog/src/host/cryptopp/shim.cc -lcryptopp
mv "$out.new" "$out"
echo "export FIELDTEST_LIBCRYPTOPP=$(printf %q "$(realpath "$out")")"
