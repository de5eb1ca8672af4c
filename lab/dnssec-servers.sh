#!/usr/bin/env bash
# Real name servers carry zones signed with every algorithm: named, nsd and knotd load them unmodified, and dig gets
# the answers with their signatures. No server needs to know the algorithm (RFC 4035, section 5.2).
#
# usage: lab/dnssec-servers.sh [--fieldtest PROGRAM] [--keep DIRECTORY] [--zone FILE] [--signed DIRECTORY] [ALGORITHM...]
#
# Without ALGORITHM all implemented ones are tried, on a generated zone of 12 delegations unless --zone names another.
# A zone that is signed already, DIRECTORY/ALGORITHM.zone, is taken as it is.
# A server that is not installed is skipped by name; with FIELDTEST_PEERS=required that is a failure.
takes='zone signed ...' zone= signed=
. "$(dirname "$0")/common.sh"
needs dig:bind9-dnsutils
algorithms=("${rest[@]}")
[[ -z $signed ]] || signed=$(realpath "$signed")
if [[ ${#algorithms[@]} -eq 0 ]]; then
    mapfile -t algorithms < <("$fieldtest" list signature --format csv | awk -F, 'NR > 1 && !/sizes only/ { print $1 }')
fi

server=
cleanup() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    [[ -n $keep ]] || rm -rf "$lab"
}
trap cleanup EXIT

if [[ -z $zone ]]; then
    zone=$lab/plain.zone
    "$fieldtest" dnssec generate --delegations 12 --output "$zone" 2>/dev/null
fi
# A delegation to ask for, and the number of delegations.
child=$(awk 'toupper($4) == "NS" && $1 != "." { print $1; exit }' "$zone")

start_named() {
    cat > "$lab/named.conf" <<CONF
options { directory "$lab"; pid-file none; session-keyfile none; listen-on port $port { 127.0.0.1; };
    listen-on-v6 { none; }; recursion no; dnssec-validation no; max-udp-size 1232; };
controls { };
zone "." { type primary; file "$lab/signed.zone"; masterfile-format text; };
CONF
    named -g -c "$lab/named.conf" > "$lab/named.log" 2>&1 &
    server=$!
}

start_nsd() {
    nsd_conf nsd "$port"
    nsd_zone nsd . signed.zone
    nsd -d -c "$lab/nsd.conf" > "$lab/nsd.log" 2>&1 &
    server=$!
}

start_knotd() {
    mkdir -p "$lab/knot"
    cat > "$lab/knot.conf" <<CONF
server:
    rundir: "$lab/knot"
    listen: 127.0.0.1@$port
database:
    storage: "$lab/knot"
log:
  - target: stderr
    any: info
zone:
  - domain: .
    file: "$lab/signed.zone"
    semantic-checks: off
    zonefile-sync: -1
    journal-content: none
CONF
    knotd -c "$lab/knot.conf" > "$lab/knotd.log" 2>&1 &
    server=$!
}

ask() { dig "@127.0.0.1" -p "$port" +dnssec +norecurse +nocookie +time=2 +tries=1 "$@"; }

# Counts the RRSIG records of algorithm $number in what dig printed.
signatures() { awk -v number="$number" '$4 == "RRSIG" && $6 == number' | wc -l; }

check() { # what expected found
    if [[ $3 -ge $2 ]]; then
        passed=$((passed + 1))
    else
        fail "$algorithm in $name: $1: expected $2 RRSIG records, found $3" "$lab/$name.log"
    fi
}

for algorithm in "${algorithms[@]}"; do
    rm -f "$lab"/K* "$lab/signed.zone"
    if [[ -n $signed && -f $signed/$algorithm.zone ]]; then
        cp "$signed/$algorithm.zone" "$lab/signed.zone"
    else
        # Whoever has no number gets one for this.
        own=()
        "$fieldtest" show "$algorithm" | grep '^DNSSEC number' > /dev/null || own=(--code-point "$algorithm=200")
        "$fieldtest" dnssec sign "$zone" --algorithm "$algorithm" ${own[@]+"${own[@]}"} --output "$lab/signed.zone" 2>"$lab/sign.log" ||
            { cat "$lab/sign.log" >&2; exit 1; }
    fi
    number=$(awk '$4 == "DNSKEY" { print $7; exit }' "$lab/signed.zone")
    for name in named nsd knotd; do
        if ! command -v "$name" >/dev/null; then
            skip "$name" 'not installed'
            continue
        fi
        port=$((12000 + RANDOM % 18000)) # below the ports that the system hands out
        "start_$name"
        for _ in $(seq 300); do
            ask . SOA 2>/dev/null | grep -q 'status: NOERROR' && break
            kill -0 "$server" 2>/dev/null || break
            sleep 0.1
        done
        check 'SOA over TCP' 1 "$(ask +tcp . SOA | signatures)"
        check 'DNSKEY over TCP' 1 "$(ask +tcp . DNSKEY | signatures)"
        check 'NXDOMAIN over TCP' 2 "$(ask +tcp "no-such-name." A | signatures)"
        check 'referral over TCP' 1 "$(ask +tcp "www.$child" A | signatures)"
        udp=$(ask +bufsize=1232 +ignore . DNSKEY)
        size=$(awk '/MSG SIZE/ { print $NF }' <<<"$udp")
        truncated=no
        grep -q 'flags:[^;]* tc' <<<"$udp" && truncated=yes
        echo "$algorithm ($number) in $name: DNSKEY over UDP $size bytes, truncated $truncated"
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
        server=
    done
done
finish
