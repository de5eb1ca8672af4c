#!/usr/bin/env bash
# Jobs on a small cluster: Slurm's controller and three nodes, all on this machine, in a folder and on ports of their own, beside
# whatever cluster there may be. A zone that is signed by ranges is octet for octet that of one run; and it still is after a
# node was killed in the middle, the controller was started anew, a worker took too much memory, and the disk was full. By
# ranges it is validated with the same verdict. A fleet of repositories is converted as by threads, also where a node was
# killed. Packages are signed as by threads, and one that is refused twice is in the ledger once. A study runs on two kinds of
# host, each node for itself.
#
# usage: lab/slurm.sh [--fieldtest PROGRAM] [--keep DIRECTORY]
. "$(dirname "$0")/common.sh"
needs munged:munge slurmctld:slurmctld slurmd:slurmd sbatch:slurm-client python3:python3 git:git mountpoint:util-linux taskset:util-linux
delegations=20000

# Children by number: none of a system's own cluster is ever touched.
declare -A running=()
start() { # name command...
    "${@:2}" >> "$lab/$1.out" 2>&1 &
    running[$1]=$!
}
end() { # name [signal]
    [[ -n ${running[$1]:-} ]] || return 0
    kill "-${2:-TERM}" "${running[$1]}" 2> /dev/null || true
    wait "${running[$1]}" 2> /dev/null || true
    unset "running[$1]"
}
down() {
    local name
    for name in "${!running[@]}"; do [[ $name == munged ]] || end "$name"; done
    # What a killed node left of its steps.
    for name in "$lab"/steps/*; do [[ ! -e $name ]] || kill -KILL "$(basename "$name")" 2> /dev/null || true; done
    end munged
    if mountpoint -q "$lab/small"; then umount "$lab/small"; fi
    [[ -n $keep ]] || rm -rf "$lab"
}
trap down EXIT
cd "$lab"
mkdir -p state steps

port=$((12000 + RANDOM % 18000)) # below the ports that the system hands out
host=$(hostname -s)
head -c 1024 /dev/urandom > munge.key
chmod 400 munge.key
chmod 755 "$lab"
export SLURM_CONF=$lab/slurm.conf
cat > slurm.conf << CONF
ClusterName=lab
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$lab/munge.socket,cred_expire=5
StateSaveLocation=$lab/state
SlurmctldPidFile=$lab/slurmctld.pid
SlurmdPidFile=$lab/slurmd-%n.pid
SlurmdSpoolDir=$lab/spool-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
MailProg=/bin/true
ReturnToService=2
SlurmdParameters=config_overrides
SlurmdTimeout=5
InactiveLimit=0
KillWait=2
SchedulerParameters=sched_interval=2,batch_sched_delay=0
NodeName=lab[1-3] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 3))] CPUs=2 RealMemory=4000 State=UNKNOWN
PartitionName=lab Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
controller() { start slurmctld slurmctld -D; }
node() { mkdir -p "spool-lab$1"; start "slurmd-$1" slurmd -D -N "lab$1"; }
until_true() { # seconds command...
    local deadline=$((SECONDS + $1))
    until "${@:2}" > /dev/null 2>&1; do
        ((SECONDS < deadline)) || return 1
        sleep 0.2
    done
}
idle() { [[ $(sinfo -h -t idle -o %D) == 3 ]]; }

start munged munged -F --force --key-file "$lab/munge.key" --socket "$lab/munge.socket" --pid-file "$lab/munged.pid" \
    --seed-file "$lab/munge.seed" --log-file "$lab/munged.log"
until_true 10 test -S munge.socket || { fail 'munged starts' munged.out; finish; }
controller
for at in 1 2 3; do node $at; done
until_true 60 idle || { fail 'three nodes are idle' slurmctld.out; finish; }
pass 'a cluster of three nodes'

"$fieldtest" dnssec generate --form tld -n "$delegations" -o plain.zone 2> generate.log
for kind in --ksk ''; do
    # shellcheck disable=SC2086 # no word where it is empty
    "$fieldtest" dnssec keygen test. -a ed25519 $kind -K . >> generate.log 2>&1
done
keys=()
for key in K*.key; do keys+=(-k "$lab/$key"); done
sign() { # output options...
    "$fieldtest" dnssec sign plain.zone "${keys[@]}" --nsec3 --zonemd compute --inception 20260101000000 --expiration 20270101000000 \
        -o "$1" "${@:2}"
}
same() { # what output log
    if cmp -s whole.zone "$2"; then pass "$1"; else fail "$1" "$3"; fi
}
sign whole.zone 2> whole.log || { fail 'a zone signed in one run' whole.log; finish; }

sign threads.zone --job threads --ranges 8 2> threads.log || true
same 'threads: 8 ranges as one run' threads.zone threads.log

# Killed whenever it comes, and gone on with.
killed=0
for seconds in 0.1 0.2 0.3 0.4 0.5 0.6; do
    timeout -s KILL "$seconds" "$fieldtest" dnssec sign plain.zone "${keys[@]}" --nsec3 --zonemd compute --inception 20260101000000 \
        --expiration 20270101000000 -o killed.zone --job killed --ranges 8 2>> killed.log || killed=$((killed + 1))
done
sign killed.zone --job killed --ranges 8 2>> killed.log || true
same "threads: killed $killed times" killed.zone killed.log

cat > profile.toml << TOML
partition = "lab"
memory = "600M"
time = "10"
TOML
sign dry.zone --job dry --ranges 8 --on slurm --profile profile.toml --dry-run > dry.scripts 2> dry.log
if [[ $(grep -c '^#SBATCH --array=0-7$' dry.scripts) == 2 && ! -e dry.zone ]]; then pass 'a dry run prints its scripts'; else fail 'a dry run prints its scripts' dry.log; fi

sign slurm.zone --job slurm --ranges 8 --on slurm --profile profile.toml 2> slurm.log || true
same 'Slurm: 8 ranges as one run' slurm.zone slurm.log

# The first task of the third wave gets too little memory, once; the second is on a node that is killed. What it runs in is
# noted, since a node that fails takes its tasks along.
cat > harm << 'SH'
once() { mkdir "$LAB/once-$1" 2> /dev/null; }
if [[ $SLURM_JOB_NAME == fieldtest-2 ]]; then
    case $SLURM_ARRAY_TASK_ID in
        0) if [[ $HARM == zone ]] && once memory; then ulimit -v 40000; fi ;;
        1) if once "node-$HARM"; then
            touch "$LAB/steps/$$" "$LAB/steps/$PPID"
            echo "${SLURMD_NODENAME#lab}" > "$LAB/node.partial"
            mv "$LAB/node.partial" "$LAB/node"
            sleep 120 & touch "$LAB/steps/$!"; wait
        fi ;;
    esac
fi
SH
harmed() { # what: the profile
    cat profile.toml
    echo "before = ['export LAB=$lab HARM=$1', '. \"\$LAB/harm\"']"
}
kill_a_node() { # log: the one that a task waits on, with what it runs
    if ! until_true 60 test -e node; then
        fail 'a task to be killed with its node' "$1"
        return 1
    fi
    at=$(cat node)
    rm node
    end "slurmd-$at" KILL
    for step in steps/*; do kill -KILL "$(basename "$step")" 2> /dev/null || true; rm -f "$step"; done
    pass "a node was killed in the middle"
}
nodes_are_back() { # the one that was killed too
    [[ -z ${at:-} || -n ${running[slurmd-$at]:-} ]] || node "$at"
    until_true 60 idle || fail 'three nodes are idle again' slurmctld.out
}
harmed zone > harmed.toml
sign harmed.zone --job harmed --ranges 8 --on slurm --profile harmed.toml 2> harmed.log &
runner=$!
if kill_a_node harmed.log; then
    end slurmctld
    sleep 1
    controller
    pass 'the controller was started anew'
fi
wait "$runner" || true
same 'Slurm: all that, and as one run' harmed.zone harmed.log
if [[ -e once-memory ]] && grep -q 'without a word; Slurm says FAILED' harmed/ledger.jsonl; then
    pass 'the ledger tells of the worker out of memory'
else
    fail 'the ledger tells of the worker out of memory' harmed/ledger.jsonl
fi

nodes_are_back

# The verdict on the zone, and on one with a fault in it.
sed '0,/ NSEC3 1 0 0 - /{/ NSEC3 1 0 0 - /d}' whole.zone > broken.zone
for zone in whole broken; do
    judge() { "$fieldtest" dnssec verify "$zone.zone" --at 20260601000000 --format json "$@"; }
    judge > "$zone.one" 2> verify.log && one=0 || one=$?
    judge --job "verify-$zone" --ranges 8 --on slurm --profile profile.toml > "$zone.ranges" 2> verify.log && ranges=0 || ranges=$?
    if [[ $one == "$ranges" && $one == $([[ $zone == whole ]]; echo $?) ]] && cmp -s "$zone.one" "$zone.ranges"; then
        pass "Slurm: the $zone zone validated by ranges as in one run"
    else
        fail "Slurm: the $zone zone validated by ranges as in one run" verify.log
    fi
done

# Repositories that refer to each other.
python3 "$here/fleet/make.py" forge 30
fleet() { # destination and job, option...
    "$fieldtest" git fleet forge "$1" --job "$1-job" "${@:2}" 2> "$1.log"
}
fleet fleet-threads --workers 2 || fail 'a fleet by threads' fleet-threads.log
harmed fleet > harmed.toml
fleet fleet-slurm --on slurm --profile harmed.toml &
runner=$!
kill_a_node fleet-slurm.log || true
wait "$runner" || true
if diff -r fleet-threads fleet-slurm > fleet.diff 2>&1 &&
    diff <(sort -u fleet-threads-job/maps/*) <(sort -u fleet-slurm-job/maps/*) > fleet.diff 2>&1; then
    pass 'Slurm: a fleet of repositories and its maps as by threads'
else
    cat fleet-slurm.log >> fleet.diff
    fail 'Slurm: a fleet of repositories and its maps as by threads' fleet.diff
fi
nodes_are_back

# Packages, also ones that are refused, twice: the ledger says so once.
python3 "$here/packages/make.py" pool 16
python3 "$here/packages/make.py" pool --strange
"$fieldtest" ima keygen -a ecdsa-p256 -o key >> generate.log 2>&1
packages() { # destination and job, option...
    "$fieldtest" ima packages pool "$1" --job "$1-job" --trees unpacked --keys key "${@:2}" 2> "$1.log" || true
}
packages packages-threads --workers 2
packages packages-slurm --on slurm
lines=$(wc -l < packages-slurm-job/ledger.jsonl)
packages packages-slurm --on slurm
words() { sed -n 's/^fieldtest: [0-9]* packages: [0-9]* signed, [0-9]* as they were, /refused: /p' "$1.log"; }
if diff -r packages-threads packages-slurm > packages.diff 2>&1 && diff <(words packages-threads) <(words packages-slurm) >> packages.diff &&
    [[ $lines == 27 && $(wc -l < packages-slurm-job/ledger.jsonl) == 27 ]] && grep -q '27 packages: 0 signed, 21 as they were, 6 refused' packages-slurm.log; then
    pass 'Slurm: packages as by threads, and what is refused again is entered once'
else
    cat packages-slurm.log >> packages.diff
    fail "Slurm: packages as by threads ($lines lines)" packages.diff
fi

# A study on two kinds of host: the first node's items have one processor, the second one's have all.
"$fieldtest" dnssec generate -n 50 -o small-root.zone 2>> generate.log
printf '%s\n' '[measure]' 'budget-seconds = 2' '[dnssec]' 'zone = "small-root.zone"' 'algorithms = ["ed25519", "ml-dsa-44"]' > study.toml
cat > classes.toml << 'TOML'
partition = "lab"
memory = "600M"
before = ['[ "$SLURMD_NODENAME" != lab1 ] || taskset -p -c 0 $$ > /dev/null']
[classes.one]
options = ["--nodelist=lab1"]
[classes.all]
options = ["--nodelist=lab2"]
TOML
study() { "$fieldtest" study study.toml --job "$1" -o "$1-report" "${@:2}"; }
if (($(nproc) < 2)); then
    skip 'a study on two kinds of host' 'this machine has one processor'
elif study hosts --on slurm --profile classes.toml > hosts.out 2> hosts.log && study here > here.out 2> here.log &&
    grep -q 'Which algorithm wins where' hosts.out &&
    python3 - hosts-report/records.jsonl here-report/records.jsonl > hosts.check 2>&1 << 'PY'; then
import json, sys

def hosts(path):
    found, host = {}, None
    for line in map(json.loads, open(path)):
        if line["line"] == "run":
            host = found.setdefault(line["host"]["id"], {"cores": line["host"]["cores"], "exact": {}, "timed": set()})
        elif line["line"] == "record":
            key = tuple(str(line.get(word)) for word in ("study", "algorithm", "implementation", "operation", "subject", "unit"))
            assert key not in host["exact"] and key not in host["timed"], key
            # What follows from sizes alone; which implementation is the quickest differs between hosts.
            if line["samples"] == 0 and "implementation" not in line:
                host["exact"][key] = line["value"]
            elif line["samples"]:
                host["timed"].add(key)
    return list(found.values())

both, [here] = hosts(sys.argv[1]), hosts(sys.argv[2])
assert len(both) == 2 and min(host["cores"] for host in both) == 1 < max(host["cores"] for host in both), both
for host in both:
    assert host["exact"] == here["exact"] and host["exact"], "sizes and facts are the same everywhere"
    assert host["timed"], "something was timed"
PY
    pass 'a study on two kinds of host, side by side'
else
    cat hosts.log here.log hosts.check > hosts.all 2>&1 || true
    fail 'a study on two kinds of host, side by side' hosts.all
fi

# A node on which somebody else's job runs is none to time anything on.
item=$(study alone --on slurm --dry-run | sed -n 's/^ *\([0-9a-f]\{16\}\) # dnssec$/\1/p')
sleeper=$(sbatch --parsable --nodelist=lab3 --output=/dev/null --wrap 'sleep 60')
on_lab3() { [[ $(squeue -h -j "$sleeper" -o %N -t RUNNING) == lab3 ]]; }
until_true 30 on_lab3 || true
if SLURMD_NODENAME=lab3 SLURM_JOB_ID=1 study alone --item "$item" > alone.log 2>&1; then
    fail 'nothing is timed beside others' alone.log
elif grep -q "lab3 is not this item's alone: Slurm has job $sleeper there" alone.log alone/ledger.jsonl; then
    pass 'nothing is timed beside others'
else
    fail 'nothing is timed beside others' alone.log
fi
scancel "$sleeper"

# A disk that is full, and is given room.
mkdir small
if mount -t tmpfs -o size=4m small small 2> small.log; then
    { cat profile.toml; echo 'attempts = 1'; } > impatient.toml
    if sign small.zone --job small/job --ranges 8 --on slurm --profile impatient.toml 2>> small.log; then
        fail 'a full disk is an error' small.log
    elif grep -q 'No space left' small.log; then
        pass 'a full disk is an error'
    else
        fail 'a full disk is told' small.log
    fi
    mount -o remount,size=200m small
    sign small.zone --job small/job --ranges 8 --on slurm --profile impatient.toml 2>> small.log || true
    same 'Slurm: after a full disk, as one run' small.zone small.log
    cp small/job/ledger.jsonl small.ledger
else
    skip 'a full disk' 'no tmpfs can be mounted here: run it as root'
    cp slurm/ledger.jsonl small.ledger
fi

if python3 - threads slurm killed harmed small.ledger > ledgers.log 2>&1 << 'PY'; then pass 'ledgers: each item done once'; else fail 'ledgers: each item done once' ledgers.log; fi
import collections, json, os, sys

for name in sys.argv[1:]:
    lines = open(os.path.join(name, "ledger.jsonl") if os.path.isdir(name) else name).read().splitlines()
    entries = [json.loads(line) for line in lines]
    done = collections.Counter(entry["item"] for entry in entries if entry["status"] == "done")
    assert len(done) == 18 and set(done.values()) == {1}, (name, done)
    assert all(entry.get("reason") for entry in entries if entry["status"] == "failed"), name
    print(name, len(entries), "lines")
PY
finish
