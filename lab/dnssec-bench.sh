#!/usr/bin/env bash
# CPU seconds of whole processes that sign and validate one zone: fieldtest beside dnssec-signzone, ldns-signzone,
# kzonesign, dnssec-verify, ldns-verify-zone and kzonecheck. Rounds visit every program once, in rotating order; the
# median of user + system time is printed.
#
# usage: lab/dnssec-bench.sh [--fieldtest PROGRAM] [--rounds N] ZONE [ALGORITHM...]
set -euo pipefail

fieldtest=target/release/fieldtest
rounds=7
while [[ ${1:-} == --* ]]; do
    case $1 in
        --fieldtest) fieldtest=$2; shift 2 ;;
        --rounds) rounds=$2; shift 2 ;;
        *) break ;;
    esac
done
[[ $# -ge 1 ]] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
zone=$(realpath "$1"); shift
fieldtest=$(realpath "$fieldtest")
algorithms=("$@")
[[ ${#algorithms[@]} -gt 0 ]] || algorithms=(rsa-2048 ecdsa-p256 ed25519)
lab=$(mktemp -d)
trap 'rm -rf "$lab"' EXIT
cd "$lab"
# Peers keep what they find; they get the zone without ZONEMD, which they would leave stale.
awk 'toupper($4) != "ZONEMD" && toupper($4) != "RRSIG" && toupper($4) != "NSEC" && toupper($4) != "DNSKEY"' "$zone" > bare
mkdir work

now() { date -u +%Y%m%d%H%M%S; }
mnemonic() { case $1 in rsa-2048) echo RSASHA256 ;; ecdsa-p256) echo ECDSAP256SHA256 ;; ecdsa-p384) echo ECDSAP384SHA384 ;; ed25519) echo ED25519 ;; *) echo "no mnemonic for $1" >&2; exit 2 ;; esac; }

# User + system seconds of a command, its children included.
cpu() {
    local before after
    TIMEFORMAT='%U %S'
    { time "$@" >/dev/null 2>"$lab/errors"; } 2>"$lab/times" || { echo "failed: $*" >&2; cat "$lab/errors" >&2; exit 1; }
    awk '{ print $1 + $2 }' "$lab/times"
}

sign_fieldtest() { "$fieldtest" dnssec sign plain -k "$ksk.key" -k "$zsk.key" -o work/f.raw --output-format raw; }
sign_dnssec_signzone() { dnssec-signzone -P -x -n 2 -o . -K . -f work/b.raw -O raw -k "$ksk" plain "$zsk"; }
sign_ldns() { ldns-signzone -o . -f work/l.zone plain "$ksk" "$zsk"; }
sign_kzonesign() { kzonesign -c knot.conf -o work/k . ; }
verify_fieldtest() { "$fieldtest" dnssec verify signed; }
verify_fieldtest_raw() { "$fieldtest" dnssec verify signed.raw; }
verify_dnssec() { dnssec-verify -x -o . signed; }
verify_dnssec_raw() { dnssec-verify -x -I raw -o . signed.raw; }
verify_ldns() { ldns-verify-zone signed; }
verify_kzonecheck() { kzonecheck -d on -o . signed; }

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

compare() { # title contender...
    local title=$1; shift
    local -a list=("$@")
    for ((round = 0; round < rounds; round++)); do
        for ((i = 0; i < ${#list[@]}; i++)); do
            local who=${list[$(((i + round) % ${#list[@]}))]}
            cpu "$who" >> "times.$who"
        done
    done
    for who in "${list[@]}"; do
        printf '%-12s %-22s %8.3f CPU s\n' "$title" "$who" "$(median < "times.$who")"
        rm -f "times.$who"
    done
}

for algorithm in "${algorithms[@]}"; do
    rm -f K* signed*
    name=$(mnemonic "$algorithm")
    bits=(); [[ $algorithm != rsa-2048 ]] || bits=(-b 2048)
    ksk=$(dnssec-keygen -q -f KSK -a "$name" "${bits[@]}" .)
    zsk=$(dnssec-keygen -q -a "$name" "${bits[@]}" .)
    cat bare "$ksk.key" "$zsk.key" > plain   # dnssec-signzone wants the keys in the zone
    signers=(sign_fieldtest)
    command -v dnssec-signzone >/dev/null && signers+=(sign_dnssec_signzone)
    command -v ldns-signzone >/dev/null && signers+=(sign_ldns)
    if command -v kzonesign >/dev/null && command -v keymgr >/dev/null; then
        # kzonesign takes keys from a KASP database and makes its own.
        rm -rf kasp; mkdir -p kasp work/k
        cat > knot.conf <<CONF
database:
    storage: "$lab/kasp"
policy:
  - id: bench
    algorithm: $name
    manual: off
zone:
  - domain: .
    file: "$lab/bare"
    dnssec-signing: on
    dnssec-policy: bench
    zonefile-load: whole
    journal-content: none
CONF
        kzonesign -c knot.conf -o work/k . >/dev/null 2>&1 && signers+=(sign_kzonesign)
    fi
    compare "$algorithm" "${signers[@]}"
    "$fieldtest" dnssec sign plain -k "$ksk.key" -k "$zsk.key" -o signed 2>/dev/null
    "$fieldtest" dnssec sign plain -k "$ksk.key" -k "$zsk.key" -o signed.raw --output-format raw 2>/dev/null
    verifiers=(verify_fieldtest verify_fieldtest_raw)
    command -v dnssec-verify >/dev/null && verifiers+=(verify_dnssec verify_dnssec_raw)
    command -v ldns-verify-zone >/dev/null && verifiers+=(verify_ldns)
    command -v kzonecheck >/dev/null && verifiers+=(verify_kzonecheck)
    compare "$algorithm" "${verifiers[@]}"
done
