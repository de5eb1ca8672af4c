#!/usr/bin/env bash
# A validator in use takes what fieldtest signs: a zone of 50 names for every algorithm, served by NSD, is secure for Unbound with
# libfieldtest, bogus after a flipped bit, and insecure for Unbound as it is installed, unless that knows the algorithm.
#
# usage: lab/resolvers.sh [--fieldtest PROGRAM] [--keep DIRECTORY]
#
# lab/resolvers/build.sh builds that Unbound.
source "$(dirname "$0")/common.sh"
needs nsd:nsd unbound-host:unbound-host dig:bind9-dnsutils
ours=$here/../target/lab/resolvers/bin
[[ -x $ours/unbound-host ]] || { skip unbound "not built: lab/resolvers/build.sh"; finish; }

# One of the two SLH-DSA takes three seconds a signature; the other goes the same way.
mapfile -t algorithms < <("$fieldtest" list signature --format csv |
    awk -F, 'NR > 1 && !/sizes only/ && !/slh-dsa-sha2-128s/ { print $1 }')
port=$((12000 + RANDOM % 9000)) # below the ports that the system hands out
servers=()
stop() {
    for server in ${servers[@]+"${servers[@]}"}; do
        kill "$server" 2> /dev/null || true
        wait "$server" 2> /dev/null || true
    done
}
trap 'stop; [[ -n $keep ]] || rm -rf "$lab"' EXIT

cat > "$lab/nsd.conf" << CONF
server:
    ip-address: 127.0.0.1@$port
    username: ""
    chroot: ""
    zonesdir: "$lab"
    database: ""
    pidfile: "$lab/nsd.pid"
    xfrdfile: "$lab/xfrd.state"
    xfrdir: "$lab"
    zonelistfile: "$lab/zone.list"
    rrl-ratelimit: 0
    tcp-count: 200
remote-control:
    control-enable: no
CONF
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
    printf 'zone:\n    name: "%s"\n    zonefile: "%s.zone"\n' "$zone" "$algorithm" >> "$lab/nsd.conf"
    awk '$4 == "DNSKEY" && $5 == 257' "$lab/$algorithm.whole" >> "$lab/anchors"
done

cat > "$lab/unbound.conf" << CONF
server:
    username: ""
    chroot: ""
    directory: "$lab"
    pidfile: "$lab/unbound.pid"
    use-syslog: no
    interface: 127.0.0.1@$((port + 1))
    num-threads: 2
    do-not-query-localhost: no
    do-ip6: no
    val-max-restart: 0 # there is no other server to ask again
    trust-anchor-signaling: no
    access-control: 127.0.0.0/8 allow
    trust-anchor-file: "$lab/anchors"
    local-zone: "test." nodefault
# Forwarded, as name servers that the zones name are asked at port 53.
forward-zone:
    name: "test."
    forward-addr: 127.0.0.1@$port
CONF
nsd -d -c "$lab/nsd.conf" > "$lab/nsd.log" 2>&1 &
servers+=($!)
"$ours/unbound" -d -c "$lab/unbound.conf" > "$lab/unbound.log" 2>&1 &
servers+=($!)
for _ in $(seq 100); do
    dig "@127.0.0.1" -p "$port" +tcp +time=1 +tries=1 "ns.${algorithms[0]}.test" | grep -q NOERROR && break
    sleep 0.1
done

# What a validator says of a name.
said() { timeout 60 "$1" -C "$lab/unbound.conf" -v -t A "$2" 2>&1; }
expect() { # what wanted validator name
    local answer
    answer=$(said "$3" "$4") || true
    if grep -qi "$2" <<< "$answer"; then pass "$1"; else echo "$answer" > "$lab/log"; fail "$1" "$lab/log"; fi
}
flags() { dig "@127.0.0.1" -p $((port + 1)) +dnssec +time=20 +tries=2 "$@"; }
for algorithm in "${algorithms[@]}"; do
    [[ -s $lab/$algorithm.zone ]] || continue
    zone=$algorithm.test
    number=$(awk '$4 == "DNSKEY" { print $7; exit }' "$lab/$algorithm.whole")
    expect "$algorithm ($number): an address is secure" 'has address 192.0.2.1 (secure)' "$ours/unbound-host" "w1.$zone"
    expect "$algorithm: of a wildcard too" 'has address 192.0.2.99 (secure)' "$ours/unbound-host" "any.wild.$zone"
    expect "$algorithm: that there is none is secure" 'NXDOMAIN). (secure)' "$ours/unbound-host" "none.$zone"
    expect "$algorithm: a flipped bit of the data is bogus" '(BOGUS' "$ours/unbound-host" "w6.$zone"
    expect "$algorithm: a changed signature is bogus" '(BOGUS' "$ours/unbound-host" "w9.$zone"
    case $number in
        8 | 13 | 14 | 15) expect "$algorithm: secure for any Unbound" '(secure)' unbound-host "w1.$zone" ;;
        *) expect "$algorithm: unknown to Unbound as it is installed, so insecure" '(insecure)' unbound-host "w6.$zone" ;;
    esac
    if flags "w2.$zone" | grep -q 'flags:[^;]* ad'; then pass "$algorithm: the resolver sets AD"; else fail "$algorithm: the resolver sets AD"; fi
    if flags "w6.$zone" | grep -q 'status: SERVFAIL'; then pass "$algorithm: and refuses what is bogus"; else fail "$algorithm: and refuses what is bogus"; fi
done
finish
