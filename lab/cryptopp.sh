#!/usr/bin/env bash
# Holds block ciphers in modes against Crypto++, the one library that is widespread and has LEA: 10,000 messages of each cipher, mode and
# key length, and with --speed how fast either is, in turns. Crypto++ is a process of its own, which the host's g++ builds of
# lab/cryptopp/cryptopp.cc.
#
#   lab/cryptopp.sh [--speed [WORD ...]]     # LEA, ARIA, AES; ECB, ECB-decrypt, CBC, CBC-decrypt, CTR, XTS, XTS-decrypt,
#                                          # GCM, CCM, CMAC; 16, 24, 32: rows with all words
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
missing() { # what package
    echo "SKIPPED Crypto++: there is no $1; apt-get install $2" >&2
    [[ ${FIELDTEST_PEERS:-} != required ]] || exit 1
    exit 0
}
case ${1:-} in
    '' | --speed) ;;
    *) echo "usage: lab/cryptopp.sh [--speed [WORD ...]]" >&2; exit 2 ;;
esac
type g++ > /dev/null 2>&1 || missing g++ g++
echo '#include <cryptopp/lea.h>' | g++ -x c++ -fsyntax-only - 2> /dev/null || missing cryptopp/lea.h libcrypto++-dev
program=target/lab/cryptopp
mkdir -p target/lab
g++ -std=c++17 -O2 -o "$program.new" lab/cryptopp/cryptopp.cc -lcryptopp
mv "$program.new" "$program"
if [[ ${1:-} == --speed ]]; then
    CRYPTOPP=$(realpath "$program") exec cargo bench -q -p fieldtest-modes --bench cryptopp -- "${@:2}"
fi
# The tests hold the project's own code to the digests of this file; here it is looked whether they are Crypto++'s.
expected=crates/primitives/modes/tests/cryptopp.txt
diff "$expected" <("$program" digests) >&2 || { echo "FAILED: < is $expected, > is what Crypto++ says" >&2; exit 1; }
echo "all $(wc -l < "$expected") digests of 10,000 messages in $expected are Crypto++'s"
