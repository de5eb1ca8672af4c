#!/usr/bin/env bash
# A zone signed by ranges on a small cluster: Slurm's controller and three nodes, all on this machine, in a folder and on ports of
# their own, beside whatever cluster there may be. The signed zone is octet for octet that of one run; and it still is after a
# node was killed in the middle, the controller was started anew, a worker took too much memory, and the disk was full.
#
# usage: lab/slurm.sh [--fieldtest PROGRAM] [--keep DIRECTORY]
. "$(dirname "$0")/common.sh"
needs munged:munge slurmctld:slurmctld slurmd:slurmd sbatch:slurm-client python3:python3 mountpoint:util-linux
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
        0) if once memory; then ulimit -v 40000; fi ;;
        1) if once node; then
            touch "$LAB/steps/$$" "$LAB/steps/$PPID"
            echo "${SLURMD_NODENAME#lab}" > "$LAB/node.partial"
            mv "$LAB/node.partial" "$LAB/node"
            sleep 120 & touch "$LAB/steps/$!"; wait
        fi ;;
    esac
fi
SH
{ cat profile.toml; echo "before = ['export LAB=$lab', '. \"\$LAB/harm\"']"; } > harmed.toml
sign harmed.zone --job harmed --ranges 8 --on slurm --profile harmed.toml 2> harmed.log &
runner=$!
if until_true 60 test -e node; then
    at=$(cat node)
    end "slurmd-$at" KILL
    for step in steps/*; do kill -KILL "$(basename "$step")" 2> /dev/null || true; rm -f "$step"; done
    pass "a node was killed in the middle"
    end slurmctld
    sleep 1
    controller
    pass 'the controller was started anew'
else
    fail 'a task to be killed with its node' harmed.log
fi
wait "$runner" || true
same 'Slurm: all that, and as one run' harmed.zone harmed.log
if [[ -e once-memory ]] && grep -q 'without a word; Slurm says FAILED' harmed/ledger.jsonl; then
    pass 'the ledger tells of the worker out of memory'
else
    fail 'the ledger tells of the worker out of memory' harmed/ledger.jsonl
fi

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
