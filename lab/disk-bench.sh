#!/usr/bin/env bash
# How fast whole images go into containers and come out again on all cores, beside `openssl speed` on as many. The rest
# is what reading, writing and the file system take, of which `cp` gives an idea.
#
# usage: lab/disk-bench.sh [--fieldtest PROGRAM] [--directory DIRECTORY] [--size MEBIBYTES] [--rounds NUMBER]
#
# DIRECTORY (/dev/shm) should be in memory, and takes three times the size (1024). Rounds (3) visit every cipher in
# turn, and the best of each counts: what else the host does only takes away.
set -euo pipefail

fieldtest=target/release/fieldtest directory=/dev/shm size=1024 rounds=3
while [[ $# -gt 0 ]]; do
    case $1 in
        --fieldtest) fieldtest=$2; shift 2 ;;
        --directory) directory=$2; shift 2 ;;
        --size) size=$2; shift 2 ;;
        --rounds) rounds=$2; shift 2 ;;
        *) echo "usage: $0 [--fieldtest PROGRAM] [--directory DIRECTORY] [--size MEBIBYTES] [--rounds NUMBER]" >&2
           exit 2 ;;
    esac
done
[[ -x $fieldtest ]] || { echo "no program at $fieldtest; build it with: cargo build --release" >&2; exit 2; }
fieldtest=$(realpath "$fieldtest")
command -v openssl > /dev/null || { echo "openssl is missing: apt-get install openssl" >&2; exit 2; }
lab=$(mktemp -d -p "$directory")
trap 'rm -rf "$lab"' EXIT
cd "$lab"
head -c 32 /dev/urandom > key
head -c "${size}M" /dev/urandom > plain

note() { # name GB/s
    echo "$1 $2" >> rates
}
copy() { # name source destination; the program says how fast it was, without what the key took
    "$fieldtest" disk copy "$2" "$3" --key-file key --overwrite > said 2>&1 || { cat said >&2; exit 1; }
    note "$1" "$(grep -o '[0-9.]* GB/s' said | cut -d ' ' -f 1)"
}
ciphers=(aes-xts-plain64 lea-xts-plain64 aria-xts-plain64 xchacha12,aes-adiantum-plain64 aes-hctr2-plain64)
for ((round = 0; round < rounds; round++)); do
    rm -f again
    start=$EPOCHREALTIME
    cp --reflink=never plain again
    note "copy,-,cp" "$(awk "BEGIN { print $size * 1.048576e-3 / ($EPOCHREALTIME - $start) }")"
    for sector in 512 4096; do
        for cipher in "${ciphers[@]}"; do
            "$fieldtest" disk format container --cipher "$cipher" --sector-size "$sector" --size "${size}M" \
                --kdf pbkdf2 --iter-time 1 --key-file key --overwrite > said 2>&1 || { cat said >&2; exit 1; }
            copy "$cipher $sector in" plain container
            copy "$cipher $sector out" container again
            cmp plain again
        done
    done
done

echo "$size MiB, $(nproc) cores, load $(cut -d ' ' -f 1 /proc/loadavg), $("$fieldtest" --version)"
printf '%-32s %6s %8s %8s\n' 'GB/s, best of rounds' sector in out
best() { grep -F "$1 " rates | awk '$NF > best { best = $NF } END { printf "%.2f", best }'; }
printf '%-32s %6s %8s\n' 'cp, one core' - "$(best copy,-,cp)"
for sector in 512 4096; do
    for cipher in "${ciphers[@]}"; do
        printf '%-32s %6s %8s %8s\n' "$cipher" "$sector" "$(best "$cipher $sector in")" "$(best "$cipher $sector out")"
    done
    openssl speed -seconds 2 -bytes "$sector" -multi "$(nproc)" -evp aes-256-xts 2> /dev/null | tail -n 1 |
        awk -v sector="$sector" '{ printf "%-32s %6s %8.2f\n", "openssl speed aes-256-xts", sector, $NF / 1e6 }'
done
echo 'What the ciphers do in memory, by threads, is among the records of: fieldtest disk study'
