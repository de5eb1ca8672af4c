#!/usr/bin/env bash
# An algorithm of somebody's own, the toy of docs/engines.md, in name servers that have never heard of it: NSD and Knot serve what is signed
# with it, and Unbound and BIND of lab/resolvers/build.sh validate it, as services run them. In about half a minute:
#
# 1. what docs/engines.md says of BIND and Unbound, line by line;
# 2. Unbound and BIND in the background, with threads, in a folder of their own, as another user where this one is root: answers of both
#    servers, signed by fieldtest and by dnssec-signzone, are secure, and a flipped bit is bogus; delv and unbound-host say the same;
# 3. an engine that is killed under them is started anew; one that takes every signature, ends, hangs or is not there makes answers bogus, and the
#    log names it;
# 4. in a chroot (root only) it is read from where the server was started, and found in there;
# 5. the same algorithm under 253 and 254, PRIVATEDNS and PRIVATEOID, in all tools, made and read by either side;
# 6. `fieldtest dnssec resolver --engine` loads such an Unbound.
#
# All that lab/resolvers.sh tries of any algorithm is tried of an engine by: FIELDTEST_ENGINES=docs/engines/toy.toml lab/resolvers.sh toy
#
# usage: lab/engines.sh [--fieldtest PROGRAM] [--keep DIRECTORY] [--debian RELEASE]
takes=debian debian=''
source "$(dirname "$0")/common.sh"
needs nsd:nsd knotd:knot dig:bind9-dnsutils python3:python3
ours=$here/../target/lab/resolvers${debian:+/debian-$debian}/bin
for program in unbound unbound-host named delv dnssec-signzone ldns-verify-zone; do
    [[ -x $ours/$program ]] || { skip "$program" "not built: lab/resolvers/build.sh${debian:+ --debian $debian}"; finish; }
done
ours=$(realpath "$ours")
source "$here/resolvers/tools.sh"
source "$here/resolvers/serving.sh"
# Ends those that went into the background, whose numbers are in these files.
end_services() {
    local file pid
    for file in "$lab"/{unbound,named}.pid; do
        [[ -s $file ]] || continue
        pid=$(< "$file")
        kill "$pid" 2> /dev/null || true
        for _ in {1..200}; do
            kill -0 "$pid" 2> /dev/null || break
            sleep 0.05
        done
        rm -f "$file"
    done
}
trap 'stop; end_services; [[ -n $keep ]] || rm -rf "$lab"' EXIT

# Whoever the servers run as reads the engine, and writes into a folder of its own.
user=
[[ $(id -u) -ne 0 ]] || user=nobody
chmod 755 "$lab"
mkdir -p "$lab/docs" "$lab/state"
cp -r "$here/../docs/engines" "$lab/docs"
[[ -z $user ]] || chown "$user" "$lab/state"
cd "$lab"

# 1. The page. Its programs are looked for where they were built, whatever folder this is.
page=$(sed -n '/^```bash$/,/^```$/{ /^```/d; p; }' "$here/../docs/engines.md")
mkdir -p page/target/lab/resolvers
ln -sfn "$ours" page/target/lab/resolvers/bin
ln -sfn "$(dirname "$fieldtest")" page/bin
cp -r docs page
expect 'docs/engines.md: BIND signs, fieldtest and BIND verify, and to Unbound it is secure' 'has address 192.0.2.1 (secure)' \
    bash -ec "cd page; PATH=\$PWD/bin:\$PATH; $page"

# 2. Two zones, one signed by each, of which an address was changed since.
export FIELDTEST_ENGINES=docs/engines/toy.toml
number=220
port=$((12000 + RANDOM % 9000)) # below the ports that the system hands out; four from here on
signers=(fieldtest dnssec-signzone)
: > anchors
: > digests
echo 'trust-anchors {' > keys
for signer in "${signers[@]}"; do
    zone=$signer.test
    {
        echo "$zone. 3600 IN SOA ns.$zone. root.$zone. 1 7200 3600 1209600 300"
        echo "$zone. 3600 IN NS ns.$zone."
        echo "ns.$zone. 3600 IN A 127.0.0.1"
        for at in {1..47}; do echo "w$at.$zone. 3600 IN A 192.0.2.$at"; done
    } > "$signer.plain"
    if [[ $signer == fieldtest ]]; then
        "$fieldtest" dnssec sign "$signer.plain" -a toy --key-directory . --output "$signer.whole" > log 2>&1
    else
        for flags in '-f KSK' ''; do
            # shellcheck disable=SC2086
            "$ours/dnssec-keygen" -q -a $number $flags "$zone" > log 2>&1
        done
        "$ours/dnssec-signzone" -S -O full -o "$zone" -f "$signer.whole" "$signer.plain" > log 2>&1
    fi || { fail "$signer signs" log; finish; }
    "$fieldtest" dnssec verify "$signer.whole" > log 2>&1 || fail "fieldtest takes what $signer signs" log
    # A zone of each server: 192.0.2.6 is 192.0.2.7 there.
    sed 's/192\.0\.2\.6$/192.0.2.7/' "$signer.whole" > "$signer.zone"
    awk '$4 == "DNSKEY" && $5 == 257' "$signer.whole" | tee -a anchors | awk '{
        key = ""; for (i = 8; i <= NF; i++) key = key $i
        gsub(/[()]/, "", key); sub(/;.*/, "", key)
        printf "\"%s\" static-key %s %s %s \"%s\";\n", $1, $5, $6, $7, key }' >> keys
    "$ours/dnssec-dsfromkey" -2 -f "$signer.whole" "$zone" >> digests 2> log || fail "$signer: a DS record" log
done
echo '};' >> keys

# NSD serves the first, Knot the second.
nsd_conf nsd "$port"
nsd_zone nsd fieldtest.test fieldtest.zone
mkdir -p knot
cat > knot.conf << CONF
server:
    rundir: "$lab/knot"
    listen: 127.0.0.1@$((port + 3))
database:
    storage: "$lab/knot"
zone:
  - domain: dnssec-signzone.test
    file: "$lab/dnssec-signzone.zone"
    zonefile-sync: -1
    journal-content: none
CONF
run nsd nsd -d -c "$lab/nsd.conf"
run knot knotd -c "$lab/knot.conf"

unbound_service() { # [chroot]
    unbound_conf fieldtest.test | sed "s|username: .*|username: \"$user\"|
        s|pidfile: .*|pidfile: \"$lab/unbound.pid\"|; s|chroot: .*|chroot: \"${1:-}\"|
        s|directory: .*|directory: \"${1:-$lab/state}\"|; s|use-syslog: no|&\n    logfile: \"${1:-$lab/state}/unbound.log\"|"
    printf 'forward-zone:\n    name: "dnssec-signzone.test"\n    forward-addr: 127.0.0.1@%s\n' $((port + 3))
}
named_service() {
    named_conf $((port + 2)) | sed "s|directory \"[^\"]*\"|directory \"$lab/state\"|; s|pid-file none|pid-file \"$lab/state/named.pid\"|
        s|forward only; forwarders [^}]*}; ||"
    local signer at=("$port" $((port + 3)))
    for signer in 0 1; do
        echo "zone \"${signers[signer]}.test\" { type forward; forward only; forwarders port ${at[signer]} { 127.0.0.1; }; };"
    done
}
# In the background, as a service: from here, while what they read of FIELDTEST_ENGINES is relative.
serve() {
    unbound_service > unbound.conf
    named_service > named.conf
    rm -f state/*
    "$ours/unbound" -c "$lab/unbound.conf" > unbound.out 2>&1 || fail 'unbound starts' unbound.out
    "$ours/named" -n 2 ${user:+-u $user} -L "$lab/state/named.log" -c "$lab/named.conf" > named.out 2>&1 || fail 'named starts' named.out
    until_up 1 2
    ln -sf state/named.pid named.pid
}
# Whatever they answer: with an engine that fails nothing of these zones is an answer.
until_up() { # place...
    local place
    for place in "$@"; do
        for _ in {1..100}; do
            ! ask $((port + place)) +time=1 +tries=1 localhost A 2> /dev/null | grep -q 'status:' || break
            sleep 0.1
        done
    done
}
name_of() { [[ $1 == 1 ]] && echo Unbound || echo BIND; }
log_of() { [[ $1 == 1 ]] && echo "$lab/state/unbound.log" || echo "$lab/state/named.log"; }
validates() { # how
    local server signer
    for server in 1 2; do
        for signer in "${signers[@]}"; do
            expect "$(name_of $server) $1: what $signer signs is secure" "$secure" ask $((port + server)) "w1.$signer.test"
            expect 'that there is no such name too' "$secure" ask $((port + server)) "none.$signer.test"
            expect 'and a flipped bit is bogus' 'status: SERVFAIL' ask $((port + server)) "w6.$signer.test"
        done
    done
}
until_they_answer fieldtest.test 0
until_they_answer dnssec-signzone.test 3
serve
as=${user:+, as $user}
validates "in the background$as"
sed "s|logfile: .*|logfile: \"\"|; s|username: .*|username: \"\"|; s|directory: .*|directory: \"$lab\"|" unbound.conf > host.conf
for signer in "${signers[@]}"; do
    at=$port
    [[ $signer == fieldtest ]] || at=$((port + 3))
    expect "unbound-host: what $signer signs is secure" 'has address 192.0.2.1 (secure)' "$ours/unbound-host" -C host.conf -v -t A "w1.$signer.test"
    expect 'and a flipped bit bogus' '(BOGUS' "$ours/unbound-host" -C host.conf -v -t A "w6.$signer.test"
    expect "delv: what $signer signs is secure" '^; fully validated' "$ours/delv" @127.0.0.1 -p "$at" -a keys "+root=$signer.test" "w1.$signer.test" A
    expect 'and a flipped bit bogus' 'RRSIG failed to verify' "$ours/delv" @127.0.0.1 -p "$at" -a keys "+root=$signer.test" "w6.$signer.test" A
done

# 3. The engines of both services are killed; a name is asked for that nobody has cached. The first that asks meets the end of it, asks again
# or is given another engine by then.
engines_of() { ps -o pid=,args= --ppid "$1" | awk '/toy\.py/ { print $1 }'; }
for server in 1 2; do
    file=unbound.pid
    [[ $server == 1 ]] || file=named.pid
    before=$(engines_of "$(< "$file")")
    if [[ -z $before ]]; then fail "$(name_of $server): no engine runs" "$(log_of $server)"; continue; fi
    # shellcheck disable=SC2086
    kill -KILL $before
    ask $((port + server)) w11.fieldtest.test > log 2>&1 || true
    expect "$(name_of $server): after its engine was killed, there is another" "$secure" ask $((port + server)) w12.fieldtest.test
    after=$(engines_of "$(< "$file")")
    if [[ -n $after && $after != "$before" ]]; then pass 'and it is another process'; else fail 'it is the same process' log; fi
    expect 'and the log names the one that ended' 'the engine of toy .*signal 9' cat "$(log_of $server)"
done
end_services
if pgrep -f "^python3 toy.py" -u "${user:-$(id -u)}" > log; then fail 'an engine is left after its server' log; else pass 'nothing is left of the engines'; fi

for way in 'takes everything|DONE if hmac|DONE if True or hmac|was accepted' 'ends|sys.stdin.buffer.read(4)|sys.exit(4)|ended by itself' \
    'hangs|return hmac.digest(|__import__("time").sleep(60); return hmac.digest(|did not answer within' \
    'is not there|||cannot start'; do
    IFS='|' read -r how old new said <<< "$way"
    cp "$here/../docs/engines/"toy.{py,toml} docs/engines
    OLD=$old NEW=$new python3 - << 'PYTHON'
import os, pathlib
code, facts = (pathlib.Path("docs/engines", name) for name in ("toy.py", "toy.toml"))
if os.environ["OLD"]:
    code.write_text(code.read_text().replace(os.environ["OLD"], os.environ["NEW"]))
    facts.write_text(facts.read_text().replace("deadline = 10", "deadline = 0.3"))
else:
    facts.write_text(facts.read_text().replace('"python3"', '"./nowhere"'))
PYTHON
    serve
    for server in 1 2; do
        expect "$(name_of $server) with an engine that $how: bogus" 'status: SERVFAIL' ask $((port + server)) w1.fieldtest.test
        expect 'and its log says so' "libfieldtest: toy: .*$said" cat "$(log_of $server)"
    done
    end_services
done
cp "$here/../docs/engines/"toy.{py,toml} docs/engines

# 4. What is in the chroot is there under the same path, and what Python needs is mounted into it, for this server alone.
if [[ -z $user ]] || ! unshare --mount true 2> /dev/null; then
    echo "not root, or no mounts: Unbound in a chroot was not tried"
else
    jail=$lab/jail
    mkdir -p "$jail$lab" "$jail/usr" "$jail/dev"
    chown "$user" "$jail"
    cp -r docs "$jail$lab"
    for link in /bin /lib /lib64; do [[ ! -e $link ]] || ln -sfn "usr$link" "$jail$link"; done
    cp anchors "$jail"
    unbound_service "$jail" | sed "s|trust-anchor-file: .*|trust-anchor-file: \"$jail/anchors\"|
        s|pidfile: .*|pidfile: \"$jail/unbound.pid\"|" > "$jail/unbound.conf"
    ln -sf jail/unbound.pid unbound.pid
    unshare --mount sh -ec "mount --bind /usr '$jail/usr'; exec '$ours/unbound' -c '$jail/unbound.conf'" > unbound.out 2>&1 ||
        fail 'unbound starts in a chroot' unbound.out
    until_up 1
    expect 'Unbound in a chroot: secure' "$secure" ask $((port + 1)) w1.fieldtest.test
    expect 'and a flipped bit is bogus' 'status: SERVFAIL' ask $((port + 1)) w6.fieldtest.test
    end_services
fi

# 5. Numbers under which a name or an object identifier stands before each key and signature (RFC 4034, appendix A.1.1).
export FIELDTEST_DNSSEC='253:toy.example.=toy 254:1.3.6.1.4.1.32473.220=toy'
zone=fieldtest.test
for point in 253:Toy.example. 254:1.3.6.1.4.1.32473.220; do
    number=${point%%:*}
    code_point=(--code-point "toy=$point")
    mkdir -p "private-$number"
    accept "$number: fieldtest signs" "$fieldtest" dnssec sign fieldtest.plain -a toy "${code_point[@]}" --key-directory "private-$number" -o private.zone
    accept "$number: dnssec-verify takes it" "$ours/dnssec-verify" -o $zone private.zone
    accept "$number: and ldns-verify-zone" "$ours/ldns-verify-zone" private.zone
    awk '$4 == "DNSKEY" && $5 == 257' private.zone > private.anchor
    sed "s|own.test|$zone|; s|own.zone.signed|private.zone|; s|trust-anchor-file: .*|trust-anchor-file: \"private.anchor\"|
        s|directory: .*|directory: \"$lab\"|" page/own/unbound.conf > private.conf
    expect "$number: to Unbound it is secure" '192.0.2.1 (secure)' "$ours/unbound-host" -C private.conf -v -t A w1.$zone
    sed -i 's/192\.0\.2\.6$/192.0.2.7/' private.zone
    expect "$number: and a flipped bit bogus" '(BOGUS' "$ours/unbound-host" -C private.conf -v -t A w6.$zone
    refuse "$number: dnssec-verify refuses it" "$ours/dnssec-verify" -o $zone private.zone
    accept "$number: dnssec-signzone signs with fieldtest's keys" "$ours/dnssec-signzone" -S -P -K "private-$number" -o $zone -f private.zone fieldtest.plain
    accept "$number: and fieldtest takes it" "$fieldtest" dnssec verify private.zone "${code_point[@]}"
    rm -f "private-$number"/*
    for flags in '-f KSK' ''; do
        # shellcheck disable=SC2086
        accept "$number: dnssec-keygen $flags" "$ours/dnssec-keygen" -q -K "private-$number" -a "$number" $flags $zone
    done
    accept "$number: dnssec-signzone signs with its own" "$ours/dnssec-signzone" -S -P -K "private-$number" -o $zone -f private.zone fieldtest.plain
    accept "$number: and fieldtest takes it" "$fieldtest" dnssec verify private.zone "${code_point[@]}"
done
unset FIELDTEST_ENGINES FIELDTEST_DNSSEC

# 6. The number is one that no description has.
accept 'a resolver under load with --engine' "$fieldtest" --engine docs/engines/toy.toml dnssec resolver -a toy --code-point toy=221 \
    --resolver "$ours/unbound" --tlds 1 --domains 2 --seconds 0.5 --budget 5 -o loaded
expect 'and its records have answers that are secure' '"operation":"resolver-secure","subject":"steady","value":1\.0' cat loaded/records.jsonl
finish
