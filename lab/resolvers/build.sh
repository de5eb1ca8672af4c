#!/usr/bin/env bash
# Builds name servers that know every signature algorithm of the catalog, by libfieldtest: Unbound, BIND 9 with its tools, and
# the verifier of ldns. Sources are those of this Debian's packages, or of another release's; this machine's apt fetches them.
#
# usage: lab/resolvers/build.sh [--debian RELEASE] [--jobs N] [--work DIRECTORY] [--output DIRECTORY] [unbound] [bind] [ldns]
#
# RELEASE is a number, a code name or a suite: 13, trixie, stable.
#
# Output: programs in target/lab/resolvers/bin, those of RELEASE in target/lab/resolvers/debian-RELEASE/bin; they need libfieldtest, which is
# built too. Debian 13's sources are built on Debian 12 as well. Without a name all are built, each only if its inputs changed. A server
# whose source does not match the edits of lab/resolvers is skipped by name. On two idle cores a minute and a half each for Unbound and
# BIND, and less for ldns; 13 MB of download, and 150 MB of disk under build next to bin, which can be deleted afterwards. Algorithm
# numbers: lab/resolvers/algorithms.h.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
target=$(cd "$here/../.." && pwd)/target
# shellcheck source=../builder.sh
source "$here/../builder.sh"
# shellcheck source=unbound.sh
source "$here/unbound.sh"
# shellcheck source=bind.sh
source "$here/bind.sh"
# shellcheck source=ldns.sh
source "$here/ldns.sh"

jobs=$(nproc)
debian='' work='' output=''
options 'debian jobs work output ...' "$@"
output=${output:-$target/lab/resolvers${debian:+/debian-$debian}}
work=${work:-$output/build}
servers=("${rest[@]}")
[[ ${#servers[@]} -gt 0 ]] || servers=(unbound bind ldns)

need cc gcc
need make make
need_header openssl/evp.h libssl-dev
for server in "${servers[@]}"; do
    [[ $(type -t "${server}_build") == function ]] || usage
done
# If the newest source cannot be fetched: leaves what was built before.
fall_back() { # server
    "${1}_sources"
    if [[ -x $output/bin/${made[0]} ]]; then
        echo "SKIPPED $1: $output/bin stays as it is: ${made[*]}: $apt_why"
    else
        skipped "$1" "$apt_why"
    fi
}

if ! apt_from Sources "${debian:-host}"; then
    for server in "${servers[@]}"; do fall_back "$server"; done
    exit 0
fi
for server in "${servers[@]}"; do
    "${server}_sources"
    apt_newest Sources "$source_package" || continue
    "${server}_needs"
done
needed

mkdir -p "$work" "$output"
work=$(realpath "$work") output=$(realpath "$output")
"$here/../c/build.sh" --prefix "$output" > /dev/null

for server in "${servers[@]}"; do
    "${server}_sources"
    if ! apt_newest Sources "$source_package"; then
        fall_back "$server"
        continue
    fi
    stamp=$(cd "$here" && stamp_of build.sh algorithms.h algorithms.c "${ours[@]}" "$output/include/fieldtest.h")
    if [[ -x $output/bin/${made[0]} && -f $output/$server.made-of && $(< "$output/$server.made-of") == "$stamp" ]]; then
        echo "$output/bin is up to date: ${made[*]}"
        continue
    fi
    started=$SECONDS
    unpack_source "$work/$server" || { fall_back "$server"; continue; }
    # Not with `||`: there bash ignores -e within the parentheses.
    set +e
    (set -e; cd "$work/$server"; "${server}_build")
    status=$?
    set -e
    case $status in
        0) ;;
        "$otherwise") skipped "$server" "$source_package $(upstream) of Debian $apt_release does not match the edits"; continue ;;
        *) echo "cannot build $source_package $(upstream) of Debian $apt_release; see $work/log" >&2; exit 1 ;;
    esac
    echo "$stamp" > "$output/$server.made-of"
    echo "$output/bin, after $((SECONDS - started)) seconds, $source_package $(upstream): ${made[*]}"
done
