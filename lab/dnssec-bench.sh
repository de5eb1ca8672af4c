#!/usr/bin/env bash
# Whole processes that make a key, sign and validate one zone: fieldtest beside dnssec-keygen, dnssec-signzone,
# ldns-signzone, kzonesign, dnssec-verify, ldns-verify-zone and kzonecheck, which take part where they have the algorithm.
# Rounds start every program once, in rotating order. Printed are the mean and the standard deviation of elapsed time, start
# and end of the process included, and the median of user + system time.
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
[[ $# -ge 1 ]] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
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

# Of the algorithms without a mnemonic no peer has a word.
has() { [[ -n $name ]] && command -v "$1" >/dev/null; }
mnemonic() { case $1 in rsa-2048) echo RSASHA256 ;; ecdsa-p256) echo ECDSAP256SHA256 ;; ecdsa-p384) echo ECDSAP384SHA384 ;; ed25519) echo ED25519 ;; esac; }

# Elapsed seconds of a command, and user + system seconds, its children included.
timed() {
    TIMEFORMAT='%R %U %S'
    { time "$@" >/dev/null 2>"$lab/errors"; } 2>"$lab/times" || { echo "failed: $*" >&2; cat "$lab/errors" >&2; exit 1; }
    awk '{ print $1, $2 + $3 }' "$lab/times"
}

keygen_fieldtest() { "$fieldtest" dnssec keygen . -a "$algorithm" -K work --code-points oqs; rm -f work/K*; }
keygen_dnssec_keygen() { dnssec-keygen -q -K work -a "$name" "${bits[@]}" .; rm -f work/K*; }
sign_fieldtest() { "$fieldtest" dnssec sign plain -k "$ksk.key" -k "$zsk.key" --code-points oqs -o work/f.raw --output-format raw; }
sign_dnssec_signzone() { dnssec-signzone -P -x -n 2 -o . -K . -f work/b.raw -O raw -k "$ksk" plain "$zsk"; }
sign_ldns() { ldns-signzone -o . -f work/l.zone plain "$ksk" "$zsk"; }
sign_kzonesign() { kzonesign -c knot.conf -o work/k . ; }
verify_fieldtest() { "$fieldtest" dnssec verify signed --code-points oqs; }
verify_fieldtest_raw() { "$fieldtest" dnssec verify signed.raw --code-points oqs; }
verify_dnssec() { dnssec-verify -x -o . signed; }
verify_dnssec_raw() { dnssec-verify -x -I raw -o . signed.raw; }
verify_ldns() { ldns-verify-zone signed; }
verify_kzonecheck() { kzonecheck -d on -o . signed; }

summary() {
    sort -n -k 2 | awk '{ sum += $1; squares += $1 * $1; cpu[NR] = $2 }
        END { mean = sum / NR; deviation = NR > 1 ? sqrt((squares - NR * mean * mean) / (NR - 1) + 1e-18) : 0
              printf "%9.1f ± %.1f ms %9.3f CPU s\n", 1e3 * mean, 1e3 * deviation, cpu[int((NR + 1) / 2)] }'
}

compare() { # title contender...
    local title=$1; shift
    local -a list=("$@")
    for ((round = 0; round < rounds; round++)); do
        for ((i = 0; i < ${#list[@]}; i++)); do
            local who=${list[$(((i + round) % ${#list[@]}))]}
            timed "$who" >> "times.$who"
        done
    done
    for who in "${list[@]}"; do
        printf '%-13s %-22s %s\n' "$title" "$who" "$(summary < "times.$who")"
        rm -f "times.$who"
    done
}

for algorithm in "${algorithms[@]}"; do
    rm -f K* signed*
    name=$(mnemonic "$algorithm")
    bits=(); [[ $algorithm != rsa-2048 ]] || bits=(-b 2048)
    ksk=$("$fieldtest" dnssec keygen . -a "$algorithm" --ksk --code-points oqs)
    zsk=$("$fieldtest" dnssec keygen . -a "$algorithm" --code-points oqs)
    cat bare "$ksk.key" "$zsk.key" > plain   # dnssec-signzone wants the keys in the zone
    generators=(keygen_fieldtest) signers=(sign_fieldtest)
    ! has dnssec-keygen || generators+=(keygen_dnssec_keygen)
    compare "$algorithm" "${generators[@]}"
    ! has dnssec-signzone || signers+=(sign_dnssec_signzone)
    ! has ldns-signzone || signers+=(sign_ldns)
    if has kzonesign && has keymgr; then
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
    "$fieldtest" dnssec sign plain -k "$ksk.key" -k "$zsk.key" --code-points oqs -o signed 2>/dev/null
    "$fieldtest" dnssec sign plain -k "$ksk.key" -k "$zsk.key" --code-points oqs -o signed.raw --output-format raw 2>/dev/null
    verifiers=(verify_fieldtest verify_fieldtest_raw)
    ! has dnssec-verify || verifiers+=(verify_dnssec verify_dnssec_raw)
    ! has ldns-verify-zone || verifiers+=(verify_ldns)
    ! has kzonecheck || verifiers+=(verify_kzonecheck)
    compare "$algorithm" "${verifiers[@]}"
done
