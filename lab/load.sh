#!/usr/bin/env bash
# The load generator on real servers: beside dnsperf at the same fixed rate, at a rate that the server cannot hold, with answers
# that are truncated, with a replayed capture, and against a responder that does nothing.
#
# What is counted passes or fails. Timings are told, and fail nothing: they are this machine's and this moment's.
#
# usage: lab/load.sh [--fieldtest PROGRAM] [--keep DIRECTORY]
#
# RESPONDER names the responder if it is not target/release/examples/responder, which
# `cargo build --release -p fieldtest-dns-load --example responder` makes.
. "$(dirname "$0")/common.sh"
needs nsd:nsd dig:bind9-dnsutils dnsperf:dnsperf python3:python3
responder=${RESPONDER:-$here/../target/release/examples/responder}
seconds=5
servers=()
# A server writes to its folder until it has ended.
trap 'kill "${servers[@]}" 2> /dev/null || true; wait; [[ -n $keep ]] || rm -rf "$lab"' EXIT
cd "$lab"

"$fieldtest" dnssec generate --delegations 200 -o plain.zone 2> generate.log
"$fieldtest" dnssec sign plain.zone --algorithm ecdsa-p256 -o classic.zone 2> sign.log
"$fieldtest" dnssec sign plain.zone --algorithm ml-dsa-44 -o large.zone 2>> sign.log

port=$((12000 + RANDOM % 18000)) # below the ports that the system hands out
serve() { # zone
    port=$((port + 1))
    nsd_conf "$1" "$port" 'server-count: 1' 'tcp-count: 1000'
    nsd_zone "$1" . "$1.zone"
    nsd -d -c "$1.conf" > "$1.log" 2>&1 &
    servers+=($!)
    for _ in $(seq 100); do
        dig "@127.0.0.1" -p "$port" +norecurse +time=1 +tries=1 . SOA 2> /dev/null | grep -q 'status: NOERROR' && return
        sleep 0.1
    done
    fail "nsd serves $1" "$1.log"
}
load() { # name options...
    "$fieldtest" dnssec load "127.0.0.1:$port" "${@:2}" --format json > "$1.json" 2> "$1.err" || fail "load $1" "$1.err"
}
of() { # name expression
    python3 -c "import json, sys; d = json.load(open('$1.json')); c = d['counts']; l = d['latency']; print($2)"
}
holds() { # what name expression
    [[ $(of "$2" "$3") == True ]] && pass "$1" || fail "$1" "$2.err"
}
micro() { awk -v seconds="$1" 'BEGIN { printf "%.1f", seconds * 1e6 }'; }

# The questions of both generators: names that are there and names that are not.
awk '$4 == "NS" && $1 != "." { print $1, "A"; print "no-" $1, "A" }' plain.zone | sort -u > questions.txt

serve classic
# dnsperf's maximum is what it reaches with a few queries under way.
dnsperf -s 127.0.0.1 -p "$port" -d questions.txt -D -b 1232 -l "$seconds" -q 100 -c 50 > most.txt 2>&1
most=$(awk '/Queries per second/ { printf "%d", $4 }' most.txt)
rate=$((most / 2))
echo "dnsperf reaches $most queries a second; both at $rate now"
dnsperf -s 127.0.0.1 -p "$port" -d questions.txt -D -b 1232 -l "$seconds" -q 65000 -c 50 -Q "$rate" -v > theirs.txt 2>&1
# -v tells each answer: > CODE NAME TYPE SECONDS; a code of T is a timeout.
median=$(awk '$1 == ">" && $2 != "T" { print $NF }' theirs.txt | sort -g | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }')
load ours --questions questions.txt --rate "$rate" --spacing even --seconds "$seconds" --clients 50
holds 'every query is accounted for' ours \
    "c['sent'] == c['answered'] + c['timed out'] + c['connection failed'] + c['unfinished']"
holds 'as many queries as the rate and the time say' ours "c['sent'] + c['not sent'] == $rate * $seconds"
holds 'half of the names are not there' ours "0.45 < c['NXDOMAIN'] / c['answered'] < 0.55"
lost=$(awk '/Queries lost/ { print $3 }' theirs.txt)
echo "median at $rate a second: dnsperf $(micro "${median:-0}") µs (lost $lost), from sending here $(of ours "l['all, from sending']['p50'] / 1e3") µs," \
    "from the moment due $(of ours "l['all']['p50'] / 1e3") µs (lost $(of ours "c['timed out']"));" \
    "late itself: $(of ours "d['late itself']")"

# Twice what dnsperf reaches: it sends less and says so nowhere but in its rate; here the waiting stands in the latency.
dnsperf -s 127.0.0.1 -p "$port" -d questions.txt -D -b 1232 -l "$seconds" -q 100 -c 50 -Q $((2 * most)) > over.txt 2>&1
load over --questions questions.txt --rate $((2 * most)) --spacing even --seconds "$seconds" --clients 1000
holds 'overload: every query is accounted for' over \
    "c['sent'] == c['answered'] + c['timed out'] + c['connection failed'] + c['unfinished']"
echo "at $((2 * most)) a second: dnsperf $(awk '/Queries per second/ { print $4 }' over.txt) a second," \
    "average latency $(micro "$(awk '/Average Latency/ { print $4 }' over.txt)") µs; here p50 $(of over "l['all']['p50'] / 1e6") ms," \
    "p99 $(of over "l['all']['p99'] / 1e6") ms, lost $(of over "c['timed out']") of $(of over "c['sent']")"

serve large
for way in fresh kept ignore; do
    load "truncated-$way" --zone plain.zone --rate 500 --seconds 3 --clients 100 --truncated "$way"
    holds "truncated, $way: everything is answered" "truncated-$way" "c['answered'] == c['sent']"
    holds "truncated, $way: signatures of 2,420 octets do not fit" "truncated-$way" "c['truncated'] == c['sent']"
done
holds 'fresh: a connection for each truncated answer' truncated-fresh "c['connections'] == c['asked again over TCP'] == c['sent']"
holds 'kept: fewer connections than queries' truncated-kept "c['connections'] < c['sent'] == c['asked again over TCP']"
holds 'ignore: no connection' truncated-ignore "c['connections'] == 0 == c['asked again over TCP']"
echo "truncated: UDP then TCP takes $(of truncated-fresh "l['over UDP, then TCP']['p50'] / 1e3") µs with fresh connections," \
    "$(of truncated-kept "l['over UDP, then TCP']['p50'] / 1e3") µs with kept ones"

# A capture as a resolver's clients make one: three of them, 10 ms apart, over IPv4.
python3 - << 'PYTHON'
import struct
def query(number, name):
    labels = b''.join(bytes([len(label)]) + label for label in name.split(b'.')) + b'\0'
    return struct.pack('>6H', number, 0, 1, 0, 0, 1) + labels + struct.pack('>2H', 1, 1) + b'\0' + struct.pack('>2HIH', 41, 4096, 0x8000, 0)
with open('clients.pcap', 'wb') as file:
    file.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
    for number in range(300):
        message = query(number, b'no-such-name-%d' % number)
        udp = struct.pack('>4H', 40000 + number, 53, 8 + len(message), 0) + message
        ip = struct.pack('>BBHHHBBH4s4s', 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, bytes([192, 0, 2, number % 3]), bytes([192, 0, 2, 53]))
        packet = ip + udp
        file.write(struct.pack('<4I', 1700000000 + number // 100, number % 100 * 10000, len(packet), len(packet)) + packet)
PYTHON
load replayed --capture clients.pcap
holds 'a capture is replayed in the time that it took' replayed "c['sent'] == 300 == c['answered'] and 2.98 < d['seconds'] < 3.5"
holds 'with the EDNS size of its queries' replayed "c['truncated'] == c['asked again over TCP'] and c['NXDOMAIN'] == 300"
load faster --capture clients.pcap --speed 10
holds 'ten times as fast' faster "c['sent'] == 300 and 0.298 < d['seconds'] < 0.8"

if [[ -x $responder ]]; then
    port=$((port + 1))
    "$responder" "127.0.0.1:$port" &
    servers+=($!)
    sleep 0.2
    load trivial --questions questions.txt --rate 100000 --spacing even --seconds "$seconds" --clients 100
    holds 'trivial responder: every query is accounted for' trivial "c['sent'] == c['answered'] + c['timed out']"
    dnsperf -s 127.0.0.1 -p "$port" -d questions.txt -D -b 1232 -l "$seconds" -q 1000 -c 100 > trivial.txt 2>&1
    echo "trivial responder: dnsperf as fast as it goes $(awk '/Queries per second/ { print $4 }' trivial.txt) a second"
    echo "trivial responder: $(of trivial "round(c['sent'] / $seconds)") queries a second of 100000," \
        "$(of trivial "round(c['sent'] / d['processor seconds'])") for each second of processor time; lost $(of trivial "c['timed out']")," \
        "late itself: $(of trivial "d['late itself']")"
else
    skip 'the trivial responder' 'build it: cargo build --release -p fieldtest-dns-load --example responder'
fi

if "$fieldtest" dnssec load 192.0.2.1 --questions questions.txt 2> elsewhere.err; then
    fail 'another machine is not loaded' elsewhere.err
else
    grep -q 'not an address of this machine' elsewhere.err && pass 'another machine is not loaded' || fail 'and why' elsewhere.err
fi
if echo yes | "$fieldtest" dnssec load 192.0.2.1 --questions questions.txt --beyond-this-machine 2> elsewhere.err; then
    fail 'nor without its address' elsewhere.err
else
    grep -q 'nothing was sent' elsewhere.err && pass 'nor without its address' || fail 'and why' elsewhere.err
fi
"$fieldtest" dnssec load "127.0.0.1:$port" --questions questions.txt --seconds 60 --format json > stopped.json 2> stopped.err &
running=$!
sleep 2
kill -TERM "$running" # as Ctrl-C, which what runs in the background of a script does not hear
before=$(date +%s%N)
code=0
wait "$running" || code=$?
after=$((($(date +%s%N) - before) / 1000000))
[[ $code -eq 130 && $after -lt 1000 ]] && pass 'a signal ends it within a second' || fail "a signal: exit code $code after $after ms" stopped.err
holds 'with what was seen' stopped "d['interrupted'] and c['answered'] > 500"
finish
