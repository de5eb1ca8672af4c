#!/usr/bin/env bash
# Builds name servers that know every signature algorithm of the catalog, by libfieldtest: Unbound, BIND 9 with its tools, and
# the verifier of ldns. Sources are those of Debian's packages, checked by their SHA-256.
#
# usage: lab/resolvers/build.sh [--debian 12|13] [--jobs N] [--work DIRECTORY] [--output DIRECTORY] [unbound] [bind] [ldns]
#
# Output: programs in target/lab/resolvers/bin, those of Debian 13 in target/lab/resolvers/debian-13/bin; they need libfieldtest, which is
# built too. Debian 13's sources are built on Debian 12 as well. Without a name all are built, each only if something changed. On two idle
# cores a minute and a half each for Unbound and BIND, and less for ldns; 13 MB of download, and 150 MB of disk under build beside bin, which
# can be deleted afterwards. Which number is which algorithm: lab/resolvers/algorithms.h.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
target=$(cd "$here/../.." && pwd)/target
source "$here/../fetch.sh"
source "$here/unbound.sh"
source "$here/bind.sh"
source "$here/ldns.sh"

jobs=$(nproc)
debian=12 work='' output=''
options 'debian jobs work output ...' "$@"
case $debian in
    12) output=${output:-$target/lab/resolvers} ;;
    13) output=${output:-$target/lab/resolvers/debian-13} ;;
    *) usage ;;
esac
work=${work:-$output/build}
servers=("${rest[@]}")
[[ ${#servers[@]} -gt 0 ]] || servers=(unbound bind ldns)

need cc gcc
need make make
need curl curl
need_header openssl/evp.h libssl-dev
for server in "${servers[@]}"; do
    [[ $(type -t "${server}_build") == function ]] || usage
    "${server}_needs"
done
needed

mkdir -p "$work" "$output"
work=$(realpath "$work") output=$(realpath "$output")
"$here/../c/build.sh" --prefix "$output" > /dev/null

for server in "${servers[@]}"; do
    "${server}_sources"
    stamp=$(cd "$here" && cat algorithms.h algorithms.c "${ours[@]}" "$output/include/fieldtest.h" | sha256sum | cut -d ' ' -f 1)
    if [[ -x $output/bin/${made[0]} && -f $output/$server.made-of && $(< "$output/$server.made-of") == "$stamp" ]]; then
        echo "$output/bin is up to date: ${made[*]}"
        continue
    fi
    started=$SECONDS
    fetch "$digest" "$work/$archive" "${mirrors[@]}"
    unpack "$work/$archive" "$work/$server"
    (cd "$work/$server" && "${server}_build")
    echo "$stamp" > "$output/$server.made-of"
    echo "$output/bin, after $((SECONDS - started)) seconds: ${made[*]}"
done
