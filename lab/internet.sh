#!/usr/bin/env bash
# A small internet with every algorithm that the resolver knows: secure everywhere, bogus below broken keys, and nothing left of it however
# it ends. Then a resolver under load, as short as can be.
#
# usage: lab/internet.sh [--fieldtest PROGRAM] [--keep DIRECTORY]
#
# The Unbound of lab/resolvers/build.sh is taken if it is there, and else the one that is installed, with the algorithms that it knows.
. "$(dirname "$0")/common.sh"
needs nsd:nsd knotd:knot keymgr:knot unbound:unbound named:bind9 kresd:knot-resolver pdns_recursor:pdns-recursor python3:python3 dig:bind9-dnsutils nsenter:util-linux
ours=$here/../target/lab/resolvers/bin/unbound
if [[ -x $ours ]]; then
    resolver=$(realpath "$ours")
    algorithms=(rsa-2048 ecdsa-p256 ed25519 ml-dsa-44 falcon-512 hawk-256 hawk-512 mayo-1 antrag-512 sqisign-1)
else
    skip 'all algorithms but RSA, ECDSA and EdDSA' 'build an Unbound that knows them: lab/resolvers/build.sh'
    resolver=$(command -v unbound)
    algorithms=(rsa-2048 ecdsa-p256 ed25519)
fi
cd "$lab"
export TMPDIR=$lab/tmp
mkdir "$TMPDIR"
other= # a resolver in place of that one
internet() { "$fieldtest" dnssec internet --tlds 3 --domains 3 --resolver "${other:-$resolver}" "$@"; }

# Whatever this started, by the folder that its configurations lie in.
left() { pgrep -f -- "[ =]$TMPDIR/" || ls -A "$TMPDIR"; }
nothing_left() { # what
    local found
    for _ in $(seq 50); do
        found=$(left)
        [[ -z $found ]] && break
        sleep 0.1
    done
    if [[ -z $found ]]; then pass "$1: nothing is left"; else echo "$found" > found.txt; fail "$1: something is left" found.txt; fi
}

for algorithm in "${algorithms[@]}"; do
    if internet -a "$algorithm" --check > check.txt 2> check.err; then
        pass "$algorithm: $(head -n 1 check.txt)"
        pass "$algorithm: $(tail -n 1 check.txt)"
    else
        cat check.err >> check.txt
        fail "$algorithm: secure, and bogus below broken keys" check.txt
    fi
done
check() { # what options...
    if internet "${@:2}" --check > check.txt 2> check.err; then pass "$1"; else cat check.err >> check.txt; fail "$1" check.txt; fi
}
check 'NSEC3 and opt-out' --denial root=nsec3 --denial tld=nsec3-opt-out --denial domain=nsec3
check 'a chain of mixed algorithms' -a "${algorithms[-1]}" --level root=rsa-2048 --level tld=ecdsa-p256
for other in named kresd pdns_recursor; do
    check "$other: all levels by NSEC"
    check "$other: NSEC3 and opt-out" --denial root=nsec3 --denial tld=nsec3-opt-out --denial domain=nsec3
done
other=
check 'high ports of a shared network' --shared-network
"$fieldtest" dnssec generate --delegations 200 -o root.zone 2> generate.log
check 'TLDs of a root zone that is given' --root root.zone
nothing_left 'after these'

if "$fieldtest" dnssec internet --resolver "$resolver" -a uov-ip 2> refused.err; then
    fail 'an algorithm without code is refused' refused.err
else
    pass 'an algorithm without code is refused'
fi

# Killed and interrupted while zones are signed, while servers start, and while they run.
begin() { # seconds; "running" for until everything runs
    # Not by the function, whose process would be the shell's.
    local algorithm=rsa-2048 # its keys take seconds
    [[ $1 != running ]] || algorithm=ecdsa-p256
    "$fieldtest" dnssec internet --resolver "$resolver" -a "$algorithm" > running.txt 2> running.err &
    running=$!
    if [[ $1 == running ]]; then
        for _ in $(seq 300); do
            grep -q 'Ctrl-C' running.txt && return
            sleep 0.1
        done
        fail 'an internet runs' running.err
    else
        sleep "$1"
    fi
}
for moment in 0.2 1 2 3 running; do
    begin "$moment"
    kill -TERM "$running" 2> /dev/null || true # as Ctrl-C, which what runs in the background of a script does not hear
    code=0
    wait "$running" || code=$?
    if [[ $code -eq 130 ]]; then pass "a signal ends it ($moment)"; else fail "a signal ends it ($moment): exit code $code" running.err; fi
    nothing_left "a signal ($moment)"
done
begin running
asked=$(sed -n 's/^ask it: //p' running.txt)
if $asked > asked.txt 2>&1 && grep -q 'flags:[^;]* ad' asked.txt; then pass 'it can be asked as it says'; else fail "it can be asked as it says: $asked" asked.txt; fi
killed=$(pgrep -f -- "-c $TMPDIR/.*nsd-tld.conf" | head -n 1)
kill -KILL "$killed"
code=0
wait "$running" || code=$?
if [[ $code -eq 1 ]] && grep -q 'NSD for the level tld ended by itself' running.err; then
    pass 'a name server that is killed is missed'
else
    fail "a name server that is killed is missed: exit code $code" running.err
fi
nothing_left 'a killed name server'
begin running
kill -KILL "$running"
wait "$running" 2> /dev/null || true
for _ in $(seq 50); do
    pgrep -f -- "[ =]$TMPDIR/" > /dev/null || break
    sleep 0.1
done
if pgrep -af -- "[ =]$TMPDIR/" > found.txt; then fail 'killed itself, it leaves no process' found.txt; else pass 'killed itself, it leaves no process'; fi
rm -rf "${TMPDIR:?}"/*

"$fieldtest" dnssec resolver --resolver "$resolver" -a ecdsa-p256 -a "${algorithms[-1]}" --tlds 3 --domains 3 --seconds 1 \
    --rate 500 --ramp 3000 --budget 60 -o report > study.txt 2> study.err || fail 'a resolver under load' study.err
python3 - "${algorithms[-1]}" > judged.txt << 'PYTHON' && pass "a resolver under load: $(< judged.txt)" || fail 'its records' judged.txt
import json, sys
found = {}
for line in open('report/records.jsonl'):
    record = json.loads(line)
    record = record.get('record', record)
    if 'operation' in record:
        found[record['algorithm'], record['operation'], record.get('subject', '')] = record
for algorithm in ['ecdsa-p256', sys.argv[1]]:
    for load in ['cold', 'steady']:
        assert found[algorithm, 'resolver-secure', load]['value'] == 1, (algorithm, load)
        assert found[algorithm, 'resolver-lost', load]['value'] == 0, (algorithm, load)
        assert found[algorithm, 'resolver-processor', load]['interval'], (algorithm, load)
    assert found[algorithm, 'resolver-upstream', 'cold packets']['value'] > 2
    assert (algorithm, 'resolver-rate', '') in found
print(len(found), 'figures, everything secure')
PYTHON
# Clients over TLS, and answers that are signed as they are given: everything secure, with every resolver that does it.
short() { # what resolver options...
    local what=$1 of=$2
    shift 2
    if "$fieldtest" dnssec resolver --resolver "$of" -a ecdsa-p256 --tlds 2 --domains 2 --clients 20 --seconds 0.5 --rate 100 --budget 8 \
        -o short "$@" > study.txt 2> study.err && python3 - > judged.txt << 'PYTHON'
import json
records = [json.loads(line) for line in open('short/records.jsonl')]
secure = [it['value'] for it in records if it.get('operation') == 'resolver-secure']
assert secure == [1, 1], secure
PYTHON
    then pass "$what, $of"; else cat study.err >> judged.txt; fail "$what, $of" judged.txt; fi
}
for other in unbound named kresd; do
    short 'clients over TLS' "$other" --transport tls --fresh-connections
done
for other in unbound named kresd pdns_recursor; do
    short 'compact denial' "$other" --denial tld=compact --missing 100 --missing-below tld
done
"$fieldtest" dnssec resolver --resolver "$resolver" --by-level -a "${algorithms[-1]}" --tlds 3 --domains 3 --seconds 0.5 --budget 40 -o levels \
    > study.txt 2> study.err || fail 'a resolver by level' study.err
"$fieldtest" dnssec project report/records.jsonl --rate 250000 > project.txt 2>&1 || fail 'a projection' project.txt
"$fieldtest" dnssec keytrap -a ecdsa-p256 -a "${algorithms[-1]}" --budget 60 -o traps > study.txt 2> study.err || fail 'the worst query' study.err
python3 - "${algorithms[-1]}" > judged.txt << 'PYTHON' && pass "by level, and the worst query: $(< judged.txt)" || fail 'their records' judged.txt
import json, sys
def read(path):
    return [record for record in map(json.loads, open(path)) if 'operation' in record]
levels = {(record['algorithm'], record['operation'], record['subject']): record for record in read('levels/records.jsonl')}
for level in ['root', 'tld', 'domain']:
    assert levels[sys.argv[1], 'level-factor', level + ' processor']['interval'], level
traps = read('traps/records.jsonl')
told = [record for record in traps if (record['operation'], record['subject']) == ('trap-processor', 'keytrap')]
assert told and all(any(note.startswith('answered: SERVFAIL') for note in record['notes']) for record in told), told
print(len({record['implementation']['name'] for record in told}), 'resolvers')
PYTHON
nothing_left 'by level, and the worst query'
"$fieldtest" dnssec resolver --resolver "$resolver" -a rsa-2048 --seconds 5 -o stopped > study.txt 2> study.err &
running=$!
sleep 6
kill -TERM "$running"
code=0
wait "$running" || code=$?
if [[ $code -eq 130 ]]; then pass 'a signal ends a study'; else fail "a signal ends a study: exit code $code" study.err; fi
nothing_left 'a study'
finish
