#!/usr/bin/env bash
# LUKS2 containers before those who must open them, in five scenes:
#
# 1. headers: cryptsetup accepts the header of a cipher that no kernel has, and decrypts a container of ours; what is
#    damaged is mended or refused, each with one clear error; headers that somebody might make are judged as cryptsetup
#    judges them, and the labels of other formats are left alone;
# 2. served: a file system of this host's kernel lives on `fieldtest disk serve` with LEA, and survives that the server
#    is killed while it is written to;
# 3. asked: the real Linux kernel, which runs here as a program (user-mode Linux; lab/kernel/build.sh makes it), takes and
#    refuses the specifications of crates/carriers/disk/tests/dm-crypt.txt as that list says, by which the judge is tested;
# 4. ours: the kernel opens with cryptsetup what `fieldtest disk format` made, reads every byte of it, and writes files
#    that we find again;
# 5. theirs: the kernel and cryptsetup make containers with file systems, and `fieldtest disk copy` reads them.
#
# Before them the power fails at writes of every command that changes a container (lab/disk/power.py).
#
# usage: lab/disk.sh [--fieldtest PROGRAM] [--keep DIRECTORY] [--power_states NUMBER]
#
# Takes about a minute. Only the second scene needs root; its mounts are in a namespace of their own. Lists, results
# and logs stay in DIRECTORY if one is given. The kernel is target/lab/linux, or what FIELDTEST_KERNEL names. What is
# missing is skipped by name; with FIELDTEST_PEERS=required that is a failure, except where the kernel or cryptsetup
# lacks a cipher.
takes=power_states
. "$(dirname "$0")/common.sh"
needs cryptsetup:cryptsetup-bin mkfs.ext4:e2fsprogs e2fsck:e2fsprogs debugfs:e2fsprogs sha256sum:coreutils python3:python3
kernel=${FIELDTEST_KERNEL:-$here/../target/lab/linux}
if [[ -x $kernel ]]; then
    needs_kernel
else
    skip "the kernel" "no $kernel; build it with lab/kernel/build.sh, or name one in FIELDTEST_KERNEL"
    kernel=
fi
rm -rf "$lab"/{tree,key,*.sha256,containers.*,results.*,finished.*}
images=$(mktemp -d) # of no use afterwards
trap 'rm -rf "$images"; [[ -n $keep ]] || rm -rf "$lab"' EXIT

head -c 32 /dev/urandom > "$lab/key"
format() { # container cipher bits sector [option...]
    "$fieldtest" disk format "$1" --cipher "$2" --key-size "$3" --sector-size "$4" --kdf pbkdf2 --iter-time 10 \
        --key-file "$lab/key" "${@:5}" > "$lab/format.log" 2>&1
}

# Files of lengths around sectors and blocks, in folders.
mkdir -p "$lab/tree/deep/er"
for length in 0 1 15 16 17 511 512 513 1024 4095 4096 4097 65536 1000001; do
    head -c "$length" /dev/urandom > "$lab/tree/$length"
    head -c "$length" /dev/urandom > "$lab/tree/deep/er/$length"
done
(cd "$lab/tree" && find . -type f -exec sha256sum {} + > "$lab/tree.sha256")

. "$here/disk/headers.sh"

# The power fails at a write: some states of each job here, and all of them at night (`--states` of lab/disk/power.py).
if ! command -v strace > /dev/null; then
    skip "power failures" "strace is not installed: apt-get install strace"
elif mkdir -p "$images/power" && python3 "$here/disk/power.py" "$fieldtest" "$images/power" "$lab/key" --states "${power_states:-6}" \
    > "$lab/power.log" 2>&1; then
    pass "power failures: $(grep -c hold "$lab/power.log") jobs"
else
    fail "power failures" "$lab/power.log"
fi
# Without barriers there are states that nobody can open: a check that finds none is none.
if command -v strace > /dev/null && ! python3 "$here/disk/power.py" "$fieldtest" "$images/power" "$lab/key" --jobs 'slot change' \
    --ignore-barriers > "$lab/power.log" 2>&1; then
    pass "power failures: what waits for nothing is found"
elif command -v strace > /dev/null; then
    fail "power failures: what waits for nothing is found" "$lab/power.log"
fi

if [[ $(id -u) -ne 0 ]]; then
    skip "the served file system" "loop devices and mounts need root"
elif ! command -v nbdfuse > /dev/null; then
    skip "the served file system" "nbdfuse is not installed: apt-get install libnbd-bin"
elif [[ ! -c /dev/fuse || ! -c /dev/loop-control ]]; then
    skip "the served file system" "no /dev/fuse or no /dev/loop-control; load the modules with: modprobe fuse loop"
else
    format "$images/served" lea-xts-plain64 512 4096 --size 256M ||
        fail "to make the container to serve" "$lab/format.log"
    timeout 300 unshare --mount --propagation private "$here/disk/served.sh" "$fieldtest" "$images/served" "$lab" \
        < /dev/null > "$lab/served.log" 2>&1 || true
    count "$lab/served.log" "$lab/finished.served" "$lab/results.served"
fi

[[ -z $kernel ]] || . "$here/disk/kernel.sh"
finish
