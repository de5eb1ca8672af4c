#!/usr/bin/env bash
# A zone with a record of every type that BIND knows, capitals in its names, and $GENERATE lines: BIND and fieldtest must
# read the same records from it, and what fieldtest signs of it, BIND, ldns, Knot and NSD must read and validate. The
# signatures cover the canonical form of every type (RFC 4034, section 6.2; RFC 6840, section 5.1), so a name that is
# lowered by one side alone would be found.
#
# usage: lab/dnssec-types.sh [--fieldtest PROGRAM]
#
# A judge that is not installed is skipped by name; with FIELDTEST_PEERS=required that is a failure.
set -euo pipefail

fieldtest=target/release/fieldtest
[[ ${1:-} != --fieldtest ]] || { fieldtest=$2; shift 2; }
[[ $# -eq 0 ]] || { echo "usage: $0 [--fieldtest PROGRAM]" >&2; exit 2; }
[[ -x $fieldtest ]] || { echo "no program at $fieldtest; build it with: cargo build --release" >&2; exit 2; }
fieldtest=$(realpath "$fieldtest")
PATH=$PATH:/usr/sbin:/sbin
lab=$(mktemp -d)
trap 'rm -rf "$lab"' EXIT
cd "$lab"
passed=0 failed=0 skipped=0

cat > zone <<'ZONE'
$ORIGIN Example.
$TTL 3600
@ IN SOA NS Admin 1 7200 3600 1209600 300
@ IN NS NS
NS IN A 192.0.2.1
NS IN AAAA 2001:DB8::1
$GENERATE 0-15/5 host-${1,3,d} A 192.0.2.$
$GENERATE 1-3 ${0,7,n}.rev PTR Host-$
cname IN CNAME Target
dname IN DNAME Target
mb IN MB Target
mg IN MG Target
mr IN MR Target
null IN NULL \# 2 0102
wks IN WKS 192.0.2.1 TCP 25 53
ptr IN PTR Target
hinfo IN HINFO "CPU" "OS"
minfo IN MINFO Target Other
mx IN MX 10 Target
txt IN TXT "one" "two \"quoted\"" \195\164
rp IN RP Target Other
afsdb IN AFSDB 1 Target
x25 IN X25 311061700956
isdn IN ISDN 150862028003217 004
rt IN RT 10 Target
nsap IN NSAP 0x47.0005.80
sig IN SIG A 1 3 3600 20261231235959 20260101000000 2143 Foo AQIDBA==
key IN KEY 512 255 1 AQIDBA==
px IN PX 10 Target Other
gpos IN GPOS -32.6882 116.8652 10.0
loc IN LOC 42 21 54 N 71 06 18 W -24m 30m
nxt IN NXT Target A SOA NXT
eid IN EID 12 89AB
nimloc IN NIMLOC 1289AB
srv IN SRV 1 2 443 Target
atma IN ATMA +123.45
naptr IN NAPTR 1 2 "S" "X" "!^.*$!A!" Target
kx IN KX 10 Target
cert IN CERT PKIX 1 0 AQIDBA==
a6 IN A6 64 ::1 Target
sink IN SINK 1 2 3 AQIDBA==
apl IN APL 1:192.0.2.0/24 !1:10.0.0.1/32 2:2001:db8::/32
sub IN NS NS.sub
sub IN DS 4711 13 2 D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A
NS.sub IN A 192.0.2.2
sshfp IN SSHFP 4 2 D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A
ipseckey IN IPSECKEY 10 3 2 Gateway AQIDBA==
dhcid IN DHCID AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=
tlsa IN TLSA 3 1 1 D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A
smimea IN SMIMEA 3 1 1 D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A
hip IN HIP 2 200100107B1A74DF365639CC39F1D578 AQIDBA== Server
ninfo IN NINFO "one"
rkey IN RKEY 0 255 1 AQIDBA==
talink IN TALINK Target Other
openpgpkey IN OPENPGPKEY AQIDBA==
csync IN CSYNC 66 3 A NS AAAA
svcb IN SVCB 1 Target alpn=h2 port=53
https IN HTTPS 1 Target ipv4hint=192.0.2.1
spf IN SPF "v=spf1 -all"
uinfo IN TYPE100 \# 1 01
nid IN NID 10 14:4fff:ff20:ee64
l32 IN L32 10 10.1.2.0
l64 IN L64 10 2001:db8:1140:1000
lp IN LP 10 Target
eui48 IN EUI48 00-00-5e-00-53-2a
eui64 IN EUI64 00-00-5e-ef-10-00-00-2a
uri IN URI 10 1 "ftp://ftp.example/"
caa IN CAA 0 issue "ca.example"
avc IN AVC "app"
doa IN DOA 1 2 3 "image/gif" AQIDBA==
amtrelay IN AMTRELAY 10 1 3 Target
ta IN TA 4711 13 2 D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A
dlv IN DLV 4711 13 2 D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A
private IN TYPE65280 \# 3 010203
ZONE

judge() { # what command...
    local what=$1
    shift
    if ! command -v "$1" >/dev/null; then
        echo "SKIPPED $1: not installed" >&2
        skipped=$((skipped + 1))
        [[ ${FIELDTEST_PEERS:-} != required ]] || failed=$((failed + 1))
    elif "$@" > judge.log 2>&1; then
        passed=$((passed + 1))
        echo "$1: $what"
    else
        failed=$((failed + 1))
        echo "FAILED $1: $what" >&2
        tail -n 5 judge.log >&2
    fi
}

# The zone's own records in BIND's text, one a line, without those that signing makes. Case is left out, since fieldtest
# holds zones in canonical form.
own_records() { # form file
    named-compilezone -q -i none -k ignore -f "$1" -F text -s full -o - example. "$2" |
        grep -v '^;' |
        awk '$4 !~ /^(RRSIG|NSEC|DNSKEY)$/' | tr 'A-Z' 'a-z' | tr -s ' \t' ' ' | sed 's/ $//' | sort
}

"$fieldtest" dnssec sign zone -a ed25519 -o signed 2>/dev/null
"$fieldtest" dnssec sign zone -a ed25519 --output-format raw -o signed.raw 2>/dev/null
if command -v named-compilezone >/dev/null; then
    own_records text zone > theirs
    own_records text signed > ours
    judge "$(wc -l < theirs) records are the same in text" diff theirs ours
    own_records raw signed.raw > ours
    judge "$(wc -l < theirs) records are the same in raw form" diff theirs ours
fi
judge 'reads and validates the text' dnssec-verify -x -o example. signed
judge 'reads and validates the raw form' dnssec-verify -x -I raw -o example. signed.raw
# ldns 1.8 keeps one octet of a SINK record.
grep -v '^sink ' zone > fewer
"$fieldtest" dnssec sign fewer -a ed25519 -o signed.fewer 2>/dev/null
judge 'reads and validates the text' ldns-verify-zone signed.fewer
judge 'reads and validates the text' kzonecheck -d on -o example. signed
judge 'reads the text' nsd-checkzone example. signed
judge 'validates its own text' "$fieldtest" dnssec verify signed
if command -v dnssec-signzone >/dev/null; then
    # And the other way round: what BIND signs.
    cp zone theirs.zone
    dnssec-signzone -q -S -x -o example. -O raw -f theirs.raw theirs.zone > sign.log 2>&1 || cat sign.log >&2
    judge 'validates what BIND signs' "$fieldtest" dnssec verify theirs.raw
fi
echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed -eq 0 ]]
