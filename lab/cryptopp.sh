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
# The test holds the project's own code to these digests; here it is looked whether they are Crypto++'s.
digests=$("$program" digests)
wrong=0
while read -r cipher mode key digest; do
    grep -q "\"$digest\"" crates/primitives/modes/tests/all/cryptopp.rs || {
        echo "FAILED $cipher in $mode with keys of $key bytes: Crypto++'s digest is $digest" >&2
        wrong=$((wrong + 1))
    }
done <<< "$digests"
echo "$(($(wc -l <<< "$digests") - wrong)) of $(wc -l <<< "$digests") digests of 10,000 messages are those of crates/primitives/modes/tests/all/cryptopp.rs"
[[ $wrong -eq 0 ]]
