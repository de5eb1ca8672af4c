#!/usr/bin/env bash
# IMA file signatures before the real Linux kernel, which runs here as a program (user-mode Linux; lab/kernel/build.sh
# makes it) and enforces them:
#
# 1. content: it accepts what `fieldtest ima sign` signed, and refuses it spoiled in every way that the lab knows; what
#    an appraisal costs it is in appraisal.csv;
# 2. space: what signatures cost on each file system of the kernel, and which it refuses, is in space.csv; where
#    `fieldtest ima plan` promises to be exact, it must be;
# 3. metadata: fs-verity digests and portable EVM signatures;
# 4. random trees, from SEED on: what signing them costs on file systems of many options is as planned, in that kernel, and
#    in this machine's for root. Half of SECONDS each.
#
# usage: lab/ima.sh [--fieldtest PROGRAM] [--keep DIRECTORY] [--seed SEED] [--budget SECONDS]
#
# Takes two minutes and needs no root. The tables, signatures and logs stay in DIRECTORY if one is given. The kernel
# is target/lab/linux, or what FIELDTEST_KERNEL names. What is missing is skipped by name; with
# FIELDTEST_PEERS=required that is a failure.
takes='seed budget' seed=1 budget=60
. "$(dirname "$0")/common.sh"
needs_kernel 7.0 "ML-DSA in IMA"
rm -rf "$lab"/{tree,keys,strange-keys,content,strange,verity,*.csv,results.*,finished.*}
images=$(mktemp -d) # sparse, and of no use afterwards
trap 'rm -rf "$images"; [[ -n $keep ]] || rm -rf "$lab"' EXIT

lacking() { # what the program cannot do; no installation cures that, so it is never a failure
    echo "SKIPPED $1: this fieldtest has no \`ima $1\`" >&2
    skipped=$((skipped + 1))
}
algorithms=(ecdsa-p256 ecdsa-p384 rsa-2048 ml-dsa-44 ml-dsa-65 ml-dsa-87)
keygen() { # algorithm directory
    "$fieldtest" ima keygen --algorithm "$1" -o "$lab/$2" > "$lab/keygen.log" 2>&1 && return
    fail "to make a key for $1" "$lab/keygen.log"
    finish
}
for algorithm in "${algorithms[@]}"; do
    keygen "$algorithm" keys
done
keygen ml-dsa-65 strange-keys
mkdir "$lab"/{tree,content,strange,verity}
for number in {100..163}; do
    head -c 6000 /dev/urandom > "$lab/tree/file-$number"
done

sign() { # kind keys algorithm version hash [option...]
    local key=$lab/$2/$3
    "$fieldtest" ima sign "$lab/tree" --key "$key.pem" --certificate "$key.der" --signature-version "$4" --hash "$5" \
        --store manifest --output "$lab/$1/$3.v$4.$5" "${@:6}" > "$lab/sign.log" 2>&1
}
must_sign() {
    sign "$@" || fail "to sign $1 with $3, version $4, $5" "$lab/sign.log"
}
for hash in sha256 sha512; do
    for algorithm in "${algorithms[@]}"; do
        must_sign content keys "$algorithm" 3 "$hash"
        if [[ $algorithm != ml-dsa-* ]]; then
            must_sign content keys "$algorithm" 2 "$hash"
        elif sign content keys "$algorithm" 2 "$hash"; then
            fail "fieldtest: signed with $algorithm in version 2, which there is not"
        else
            pass "fieldtest: refuses to sign with $algorithm in version 2, $hash"
        fi
    done
done
must_sign strange strange-keys ml-dsa-65 3 sha256
[[ $failed -eq 0 ]] || finish

scene() { # name [ubdN=image...] -- [argument...]
    local name=$1 disks=()
    shift
    while [[ $1 != -- ]]; do
        disks+=("$1")
        shift
    done
    # User-mode Linux puts a console= after all that it is given, hence the `end`.
    timeout $((240 + budget)) "$kernel" mem=512M root=/dev/root rootfstype=hostfs rootflags=/ ro con=null con0=null,fd:1 quiet \
        panic=1 "uml_dir=$images/uml/" "${disks[@]}" "init=$python" -- -B "$here/ima/guest.py" "$name" "$lab" \
        "${@:2}" end < /dev/null > "$lab/$name.log" 2>&1 || true
    count "$lab/$name.log" "$lab/finished.$name" "$lab/results.$name"
}

scene content --

file_systems=() disks=()
image() { # name kind package size [option of mkfs...]
    if ! command -v "mkfs.$2" >/dev/null; then
        skip "$1" "mkfs.$2 is not installed: apt-get install $3"
        return
    fi
    truncate -s "$4" "$images/$1"
    "mkfs.$2" "${@:5}" "$images/$1" > "$lab/mkfs.log" 2>&1 || { cat "$lab/mkfs.log" >&2; exit 1; }
    disks+=("ubd${#disks[@]}=$images/$1")
    file_systems+=("$1=$2")
}
image ext4 ext4 e2fsprogs 512M -F -b 4096 -I 256
image ext4-1k ext4 e2fsprogs 512M -F -b 1024 -I 256
image ext4-ea_inode ext4 e2fsprogs 512M -F -b 4096 -I 256 -O ea_inode
image xfs xfs xfsprogs 512M
image btrfs btrfs btrfs-progs 512M
image f2fs f2fs f2fs-tools 512M
planner=$fieldtest
if ! "$fieldtest" ima plan --help > /dev/null 2>&1; then
    lacking plan
    planner=none
fi
scene space "${disks[@]}" -- "$planner" "${file_systems[@]}"

offered=()
"$fieldtest" ima sign --help > "$lab/sign.log" 2>&1 || true
for option in verity evm; do
    if grep -Eq -- "--$option( |$)" "$lab/sign.log"; then
        offered+=("$option")
    else
        lacking "sign --$option"
    fi
done
if [[ ${#offered[@]} -gt 0 ]]; then
    if [[ ${offered[0]} == verity ]]; then
        for hash in sha256 sha512; do
            must_sign verity keys ml-dsa-65 3 "$hash" --verity
        done
    fi
    disks=() file_systems=()
    image metadata ext4 e2fsprogs 64M -F -b 4096 -O verity,ea_inode
    [[ ${#disks[@]} -eq 0 ]] || scene metadata "${disks[@]}" -- "$fieldtest" "${offered[@]}"
fi

if [[ $planner != none ]]; then
    truncate -s 1G "$images/trees"
    scene refute "ubd0=$images/trees" -- "$fieldtest" "$seed" "$((budget / 2))"
    if [[ $(id -u) -eq 0 && -e /dev/loop-control ]]; then
        unshare --mount "$python" -B "$here/ima/refute.py" "$fieldtest" "$seed" "$((budget / 2))" > "$lab/results.trees" 2> "$lab/trees.log" ||
            [[ -s $lab/results.trees ]] || rm "$lab/results.trees"
        count "$lab/trees.log" "$lab/results.trees" "$lab/results.trees"
    else
        echo "SKIPPED random trees in this machine's kernel: loop devices need root" >&2
        skipped=$((skipped + 1))
    fi
fi
finish
