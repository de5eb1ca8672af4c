#!/usr/bin/env bash
# Servers in use take every algorithm once libfieldtest gives it to them (lab/resolvers/build.sh). For each, with a zone of 50 names:
#
# 1. what fieldtest signs and NSD serves is secure for Unbound and BIND as resolvers, for unbound-host and for delv, and bogus after a
#    flipped bit; for those that are installed it is insecure, unless they know the algorithm;
# 2. dnssec-verify and ldns-verify-zone take what fieldtest signs, and fieldtest what dnssec-signzone signs, and none does after a flipped bit;
# 3. either signs with keys that the other made;
# 4. fieldtest takes what named signs by a dnssec-policy, with keys that it makes itself, and what it signs anew after a dynamic update.
#
# usage: lab/resolvers.sh [--fieldtest PROGRAM] [--keep DIRECTORY] [--debian RELEASE] [--zone FILE] [ALGORITHM...]
#
# Without ALGORITHM all that can be run, but for composites, which have no number, and one: of the two SLH-DSA, which go the same way, one
# takes three seconds a signature.
# With --zone, 2 and 3 are of that zone instead, and of 1 that both resolvers call it secure and bogus; what signing it took is told, and no
# reason to fail. --debian says whose servers, as build.sh has it.
takes='debian zone ...' zone='' debian=''
source "$(dirname "$0")/common.sh"
needs nsd:nsd unbound-host:unbound-host dig:bind9-dnsutils nsupdate:bind9-dnsutils delv:bind9-dnsutils named:bind9
ours=$here/../target/lab/resolvers${debian:+/debian-$debian}/bin
for program in unbound-host delv ldns-verify-zone; do
    [[ -x $ours/$program ]] || { skip "$program" "not built: lab/resolvers/build.sh${debian:+ --debian $debian}"; finish; }
done
ours=$(realpath "$ours")

algorithms=("${rest[@]}")
if [[ ${#algorithms[@]} -eq 0 ]]; then
    mapfile -t algorithms < <("$fieldtest" list signature --format csv |
        awk -F, 'NR > 1 && !/sizes only/ && !/slh-dsa-sha2-128s/ && !/^mldsa/ { print $1 }')
fi
trap 'stop; [[ -n $keep ]] || rm -rf "$lab"' EXIT
source "$here/resolvers/tools.sh"
source "$here/resolvers/serving.sh"
port=$((12000 + RANDOM % 9000)) # below the ports that the system hands out; five from here on
if [[ -n $zone ]]; then
    with_zone "$zone"
    finish
fi

nsd_conf nsd "$port" 'tcp-count: 200'
echo 'trust-anchors {' > "$lab/keys"
for algorithm in "${algorithms[@]}"; do
    zone=$algorithm.test
    {
        echo "$zone. 3600 IN SOA ns.$zone. root.$zone. 1 7200 3600 1209600 300"
        echo "$zone. 3600 IN NS ns.$zone."
        echo "ns.$zone. 3600 IN A 127.0.0.1"
        for number in {1..47}; do echo "w$number.$zone. 3600 IN A 192.0.2.$number"; done
        echo "*.wild.$zone. 3600 IN A 192.0.2.99"
    } > "$lab/$algorithm.plain"
    "$fieldtest" dnssec sign "$lab/$algorithm.plain" --algorithm "$algorithm" --key-directory "$lab" \
        --output "$lab/$algorithm.whole" > /dev/null 2> "$lab/log" || { fail "$algorithm signs" "$lab/log"; continue; }
    # After signing, one bit of an address, and one character of a signature.
    awk -v data="w6.$zone." -v signature="w9.$zone." '
        $1 == data && $4 == "A" { sub(/192\.0\.2\.6/, "192.0.2.7") }
        $1 == signature && $4 == "RRSIG" && $5 == "A" {
            last = $NF; at = int(length(last) / 2); one = substr(last, at, 1) == "A" ? "B" : "A"
            $NF = substr(last, 1, at - 1) one substr(last, at + 1)
        }
        { print }' "$lab/$algorithm.whole" > "$lab/$algorithm.zone"
    nsd_zone nsd "$zone" "$algorithm.zone"
    # Anchors as records, for Unbound; as keys, for delv; and as digests, for BIND.
    awk '$4 == "DNSKEY" && $5 == 257' "$lab/$algorithm.whole" >> "$lab/anchors"
    awk '$4 == "DNSKEY" && $5 == 257 {
        key = ""; for (i = 8; i <= NF; i++) key = key $i
        printf "\"%s\" static-key %s %s %s \"%s\";\n", $1, $5, $6, $7, key }' "$lab/$algorithm.whole" >> "$lab/keys"
    "$ours/dnssec-dsfromkey" -2 -f "$lab/$algorithm.whole" "$zone" >> "$lab/digests" 2> "$lab/log" ||
        fail "$algorithm: a DS record" "$lab/log"
done
echo '};' >> "$lab/keys"

# named as a signer, with a policy for each zone.
signer_conf() { # port
    cat << CONF
options { directory "$lab"; pid-file none; session-keyfile none; listen-on port $1 { 127.0.0.1; }; listen-on-v6 { none; };
    recursion no; notify no; allow-transfer { any; }; key-directory "$lab/signer"; };
controls { };
CONF
    local algorithm
    for algorithm in "${algorithms[@]}"; do
        [[ -s $lab/$algorithm.whole ]] || continue
        cp "$lab/$algorithm.plain" "$lab/signer/$algorithm"
        cat << CONF
dnssec-policy "$algorithm" { keys { csk lifetime unlimited algorithm $(number_of "$lab/$algorithm.whole"); }; };
zone "$algorithm.test" { type primary; file "$lab/signer/$algorithm"; dnssec-policy "$algorithm"; inline-signing yes;
    allow-update { 127.0.0.1; }; };
CONF
    done
}
# Whether fieldtest takes the zone as named has it by now; there is no other sign that it is signed from end to end.
signed_there() { # zone [what the zone has to have]
    local try
    for try in {1..60}; do
        dig "@127.0.0.1" -p $((port + 4)) +onesoa +noall +answer AXFR "$1" > "$lab/transferred" 2>&1
        grep -q "${2:-.}" "$lab/transferred" && "$fieldtest" dnssec verify "$lab/transferred" && return
        sleep 0.5
    done
    return 1
}
update() { # zone
    nsupdate << UPDATE
server 127.0.0.1 $((port + 4))
zone $1
update add new.$1 3600 A 192.0.2.77
send
UPDATE
}
unbound_conf test. > "$lab/unbound.conf"
named_conf > "$lab/named.conf" $((port + 2))
named_conf > "$lab/installed.conf" $((port + 3))
rm -rf "$lab/signer" && mkdir "$lab/signer"
signer_conf > "$lab/signer.conf" $((port + 4))
run nsd nsd -d -c "$lab/nsd.conf"
run unbound "$ours/unbound" -d -c "$lab/unbound.conf"
run named "$ours/named" -g -c "$lab/named.conf"
run installed named -g -c "$lab/installed.conf"
run signer "$ours/named" -g -c "$lab/signer.conf"
until_they_answer "ns.${algorithms[0]}.test" 0 1 2 3

# What a validator says of a name.
of_unbound() { timeout 60 "$1" -C "$lab/unbound.conf" -v -t A "$2"; }
of_delv() { timeout 60 "$1" "@127.0.0.1" -p "$port" -a "$lab/keys" "+root=$zone" "$2" A; }
for algorithm in "${algorithms[@]}"; do
    [[ -s $lab/$algorithm.zone ]] || continue
    zone=$algorithm.test
    number=$(number_of "$lab/$algorithm.whole")
    unbound=$ours/unbound-host delv=$ours/delv
    expect "$algorithm ($number): an address is secure" 'has address 192.0.2.1 (secure)' of_unbound "$unbound" "w1.$zone"
    expect "$algorithm: of a wildcard too" 'has address 192.0.2.99 (secure)' of_unbound "$unbound" "any.wild.$zone"
    expect "$algorithm: that there is none is secure" 'NXDOMAIN). (secure)' of_unbound "$unbound" "none.$zone"
    expect "$algorithm: a flipped bit of the data is bogus" '(BOGUS' of_unbound "$unbound" "w6.$zone"
    expect "$algorithm: a changed signature is bogus" '(BOGUS' of_unbound "$unbound" "w9.$zone"
    expect "$algorithm: delv says so of an address" '^; fully validated' of_delv "$delv" "w1.$zone"
    expect "$algorithm: of a wildcard" '^; fully validated' of_delv "$delv" "any.wild.$zone"
    expect "$algorithm: of none" '^; negative response, fully validated' of_delv "$delv" "none.$zone"
    expect "$algorithm: and not of a flipped bit" 'resolution failed: RRSIG failed to verify' of_delv "$delv" "w6.$zone"
    expect "$algorithm: nor of a changed signature" 'resolution failed: RRSIG failed to verify' of_delv "$delv" "w9.$zone"
    for server in 1 2; do
        name=$([[ $server == 1 ]] && echo Unbound || echo BIND)
        expect "$algorithm: $name as a resolver sets AD" "$secure" ask $((port + server)) "w2.$zone"
        expect "$algorithm: of none too" "$secure" ask $((port + server)) "nobody.$zone"
        expect "$algorithm: and refuses what is bogus" 'status: SERVFAIL' ask $((port + server)) "w6.$zone"
    done
    case $number in
        8 | 13 | 14 | 15)
            expect "$algorithm: secure for any Unbound" '(secure)' of_unbound unbound-host "w1.$zone"
            expect "$algorithm: and for any BIND" "$secure" ask $((port + 3)) "w1.$zone"
            ;;
        *)
            expect "$algorithm: unknown to Unbound as it is installed, so insecure" '(insecure)' of_unbound unbound-host "w6.$zone"
            expect "$algorithm: and to BIND" 'status: NOERROR' ask $((port + 3)) "w6.$zone"
            expect "$algorithm: which does not set AD" 'flags: qr rd ra;' ask $((port + 3)) "w1.$zone"
            ;;
    esac
    tools "$algorithm" "$zone" "$lab/$algorithm.plain"
    accept "$algorithm: fieldtest takes what named signs by a policy" signed_there "$zone"
    accept "$algorithm: named takes a dynamic update" update "$zone"
    accept "$algorithm: and fieldtest what it signs anew" signed_there "$zone" "^new\\.$zone\\."
    refuse "$algorithm: dnssec-verify refuses a flipped bit" "$ours/dnssec-verify" -o "$zone" "$lab/$algorithm.zone"
    refuse "$algorithm: and so does ldns-verify-zone" "$ours/ldns-verify-zone" "$lab/$algorithm.zone"
done
finish
