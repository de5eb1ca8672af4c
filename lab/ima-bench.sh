#!/usr/bin/env bash
# Signs and verifies the same files with fieldtest and with evmctl, whole processes, in interleaved rounds, and prints
# the median of wall and processor seconds.
#
# usage: lab/ima-bench.sh [--fieldtest PROGRAM] [--tree DIRECTORY] [--files NUMBER] [--rounds NUMBER]
#
# Takes NUMBER files (5000) of DIRECTORY (/usr/lib), copies them to an ext4 file system on a loop-mounted image, and removes
# the signatures before every signing run. Needs root, and of Debian's packages: ima-evm-utils, e2fsprogs, attr.
set -euo pipefail

fieldtest=target/release/fieldtest
tree=/usr/lib files=5000 rounds=5
while [[ $# -gt 0 ]]; do
    case $1 in
        --fieldtest) fieldtest=$2; shift 2 ;;
        --tree) tree=$2; shift 2 ;;
        --files) files=$2; shift 2 ;;
        --rounds) rounds=$2; shift 2 ;;
        *) echo "usage: $0 [--fieldtest PROGRAM] [--tree DIRECTORY] [--files NUMBER] [--rounds NUMBER]" >&2; exit 2 ;;
    esac
done
[[ -x $fieldtest ]] || { echo "no program at $fieldtest; build it with: cargo build --release" >&2; exit 2; }
fieldtest=$(realpath "$fieldtest")
[[ $(id -u) -eq 0 ]] || { echo "security.ima and loop mounts need root" >&2; exit 2; }
PATH=$PATH:/usr/sbin:/sbin
for tool in evmctl:ima-evm-utils mkfs.ext4:e2fsprogs setfattr:attr; do
    command -v "${tool%:*}" >/dev/null || { echo "${tool%:*} is missing: apt-get install ${tool#*:}" >&2; exit 2; }
done

# The mount is seen by this script alone, and ends with it.
[[ -n ${FIELDTEST_UNSHARED:-} ]] ||
    exec env FIELDTEST_UNSHARED=1 unshare --mount "$0" --fieldtest "$fieldtest" --tree "$tree" --files "$files" --rounds "$rounds"
lab=$(mktemp -d)
trap 'umount "$lab/mount" 2>/dev/null || true; rm -rf "$lab"' EXIT
truncate --size 2G "$lab/image"
mkfs.ext4 -q -F "$lab/image"
mkdir "$lab/mount"
mount -o loop "$lab/image" "$lab/mount"
mkdir "$lab/mount/tree"

# The first files by name, so that every run has the same.
find "$tree" -xdev -type f -size -4M 2>/dev/null | LC_ALL=C sort > "$lab/all"
head -n "$files" "$lab/all" | tar -C / -cf - -P -T - 2>/dev/null | tar -C "$lab/mount/tree" -xf - --strip-components=1 2>/dev/null
cd "$lab"
copied=$(find mount/tree -type f | wc -l)
echo "$copied files, $(du -sm --apparent-size mount/tree | cut -f1) MB, $(nproc) cores, $(evmctl --version | head -n 1)"

for algorithm in ecdsa-p256 ecdsa-p384 rsa-2048 ml-dsa-65; do
    "$fieldtest" ima keygen --algorithm "$algorithm" -o keys >/dev/null 2>&1
done

unsign() { find mount/tree -type f -print0 | xargs -0 -r setfattr -x security.ima 2>/dev/null || true; }
timed() { # name command...
    local name=$1
    shift
    TIMEFORMAT='%R %U %S'
    # evmctl ends with an exit code of its own mind.
    { time "$@" >/dev/null 2>&1 || true; } 2> took
    awk -v name="$name" '{ print name, $1, $2 + $3 }' took >> times
}
evmctl_verify() { find mount/tree -type f -print0 | xargs -0 -r evmctl ima_verify --key "$1"; }

for ((round = 0; round < rounds; round++)); do
    for algorithm in ecdsa-p256 ecdsa-p384 rsa-2048 ml-dsa-65; do
        if [[ $algorithm != ml-dsa-65 ]]; then
            unsign
            timed "$algorithm sign evmctl" evmctl ima_sign -a sha256 --key "$PWD/keys/$algorithm.pem" -r mount/tree
            timed "$algorithm verify evmctl" evmctl_verify "keys/$algorithm.der"
        fi
        unsign
        timed "$algorithm sign fieldtest" "$fieldtest" ima sign mount/tree --key "keys/$algorithm.pem"
        timed "$algorithm verify fieldtest" "$fieldtest" ima verify mount/tree --key "keys/$algorithm.der"
    done
done

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
printf '%-12s %-7s %-10s %8s %8s\n' algorithm job program 'wall s' 'cpu s'
cut -d' ' -f1-3 times | sort -u | while read -r algorithm job program; do
    of="^$algorithm $job $program "
    printf '%-12s %-7s %-10s %8.3f %8.3f\n' "$algorithm" "$job" "$program" \
        "$(grep "$of" times | cut -d' ' -f4 | median)" "$(grep "$of" times | cut -d' ' -f5 | median)"
done
