#!/usr/bin/env bash
# Validators on altered zones, and a server's answers: fieldtest must find wrong whatever BIND, ldns or Knot find wrong in mutants of
# zones with NSEC, NSEC3 and opt-out, and `sizes` must have the octets of each of the zone's own answers, as NSD sends them.
#
# usage: lab/zones.sh [--fieldtest PROGRAM] [--keep DIRECTORY] [--count MUTANTS] [--seed NUMBER] [--budget SECONDS]
#
# Glue does not count: it is not signed, and only Knot reports it missing.
# A validator that is not installed is skipped by name; with FIELDTEST_PEERS=required that is a failure.
takes='count seed budget' count=100 seed=1 budget=120
. "$(dirname "$0")/common.sh"
needs python3:python3 dig:bind9-dnsutils nsd:nsd dnssec-verify:bind9-utils ldns-verify-zone:ldnsutils kzonecheck:knot-dnssecutils
server=
cleanup() {
    [[ -z $server ]] || kill "$server" 2> /dev/null || true
    [[ -n $keep ]] || rm -rf "$lab"
}
trap cleanup EXIT
cd "$lab"

cat > zone <<'ZONE'
$ORIGIN w.test.
$TTL 3600
@ SOA ns admin 1 7200 3600 1209600 300
@ NS ns
@ MX 10 mail
@ TXT "v=spf1 -all"
@ CAA 0 issue "ca.example"
ns A 192.0.2.1
ns AAAA 2001:db8::1
mail A 192.0.2.2
mail A 192.0.2.3
www CNAME mail
far CNAME away.example.
chain CNAME www
_443._tcp.mail TLSA 3 1 1 D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A
svc HTTPS 1 . alpn=h2 ipv4hint=192.0.2.1
*.wild A 192.0.2.4
*.wild TXT "for any name"
*.names CNAME mail
a.b.deep TXT "empty non-terminals above"
old DNAME other.example.
sub NS ns.sub
ns.sub A 192.0.2.5
secure NS ns.secure
secure DS 60485 13 2 D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A
ns.secure AAAA 2001:db8::5
ZONE
text=$(printf 'a%.0s' {1..250})
echo "big TXT ( \"$text\" \"$text\" \"$text\" \"$text\" \"$text\" )" >> zone

sign() { # denial
    local words=()
    [[ $1 == nsec ]] || words=(--nsec3)
    [[ $1 != nsec3-opt-out ]] || words+=(--opt-out)
    "$fieldtest" dnssec sign zone -a ecdsa-p256 -o "$1" ${words[@]+"${words[@]}"} 2> sign.log || { cat sign.log >&2; exit 1; }
}

torture() { # denial
    # Exit code 1 says that others alone find a mutant wrong.
    if "$fieldtest" dnssec torture "$1" --count "$count" --seed "$seed" --budget "$budget" > "$1.log" 2>&1; then
        pass "$1: $(tail -n 1 "$1.log")"
    else
        fail "$1: others alone find mutants wrong" "$1.log"
    fi
}

# What NSD sends to questions for all of the zone's own RRsets, in octets; those behind a CNAME record are of type A here.
own_answers() {
    local name type
    awk '$4 == "RRSIG" && $5 !~ /^(SOA|NS|DS|DNSKEY|NSEC|NSEC3|NSEC3PARAM)$/ { sub(/^\*/, "wildcarded", $1); print $1, $5 }' "$1" |
        while read -r name type; do
            dig @127.0.0.1 -p "$port" +dnssec +norecurse +nocookie +tcp "$name" "${type/CNAME/A}" |
                awk '/MSG SIZE/ { print $NF }'
        done | sort -n
}

sizes() { # denial
    local sent answer computed expected
    port=$((12000 + RANDOM % 18000)) # below the ports that the system hands out
    nsd_conf nsd "$port" 'minimal-responses: yes'
    nsd_zone nsd w.test. "$1"
    nsd -d -c nsd.conf > nsd.log 2>&1 &
    server=$!
    for _ in $(seq 300); do
        dig @127.0.0.1 -p "$port" +time=1 +tries=1 w.test. SOA 2> /dev/null | grep -q 'status: NOERROR' && break
        kill -0 "$server" 2> /dev/null || break
        sleep 0.1
    done
    mapfile -t sent < <(own_answers "$1")
    kill "$server" 2> /dev/null || true
    wait "$server" 2> /dev/null || true
    server=
    "$fieldtest" dnssec sizes zone -a ecdsa-p256 --denial "$1" --format json > sizes.json 2> sizes.log
    for answer in 'own median:50' 'own p99:99' 'own max:100'; do
        computed=$(python3 -c 'import json, sys; print(json.load(open("sizes.json"))["rows"][0][sys.argv[1]])' "${answer%:*}")
        expected=${sent[$(((${#sent[@]} * ${answer#*:} + 99) / 100 - 1))]}
        if [[ $computed == "$expected" ]]; then
            pass "$1: $computed octets, ${answer%:*} of ${#sent[@]} answers of NSD"
        else
            fail "$1: ${answer%:*} of ${#sent[@]} answers: NSD sends $expected octets, computed are $computed" nsd.log
        fi
    done
}

for denial in nsec nsec3 nsec3-opt-out; do
    sign "$denial"
    sizes "$denial"
    torture "$denial"
done
finish
