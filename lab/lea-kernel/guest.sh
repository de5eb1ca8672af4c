#!/bin/sh
# The first process of the kernel that judges kernel/lea, in user-mode Linux as under emulation.
#
# Block devices, in this order: a container of fieldtest's with LEA; three that are made here with LEA, AES and LEA-GCM for
# fieldtest to read; two of fieldtest's with tags, LEA-GCM and AES-XTS with HMAC; one for LEA-GCM that is harmed. /lab has
# the key, `ours.sha256` of the content of fieldtest's and `tree.sha256` of its files. Says `passed …`, `FAILED …` and `digest NAME SHA-256` line by line; powers off at the end.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin DM_DISABLE_UDEV=1
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev 2> /dev/null
mount -t tmpfs tmpfs /run
mkdir -p /run/cryptsetup /run/mnt
# Kernels from 7.x on let AF_ALG reach a list of algorithms only, and cryptsetup asks it for authenticated ciphers.
[ ! -e /proc/sys/crypto/af_alg_restrict ] || echo 0 > /proc/sys/crypto/af_alg_restrict

step() { # what command...
    what=$1
    shift
    if said=$("$@" 2>&1); then echo "passed $what"; else
        echo "FAILED $what: exit code $?: $(echo "$said" | tail -n 3 | tr '\n' ' ')"
        return 1
    fi
}
refused() { # what command...
    what=$1
    shift
    if "$@" > /dev/null 2>&1; then echo "FAILED $what: done"; else echo "passed $what: refused"; fi
}
digest() { sha256sum < "$1" | cut -d ' ' -f 1; }
loaded() { grep -q "^$1 " /proc/modules; }

for module in virtio_pci virtio_blk dm-mod dm-crypt dm-integrity ext4 algif_skcipher algif_aead algif_hash; do
    modprobe $module 2> /dev/null
done
devices=$(ls /dev/vd[a-z] /dev/ubd[a-z] 2> /dev/null)
set -- $devices
[ $# -eq 7 ] || echo "FAILED to find seven block devices: $devices"
ours=$1 lea=$2 aes=$3 gcm=$4 sealed=$5 hmac=$6 harmed=$7

echo "kernel $(uname -r)"
step "lea.ko loads, with the standard's answers" insmod /lab/lea.ko
vector=lea
if [ -e /lab/lea-avx2.ko ]; then
    step "lea-avx2.ko loads, with the standard's answers" insmod /lab/lea-avx2.ko && vector=lea-avx2
    for mode in ecb cbc ctr xts; do
        step "$mode-lea-avx2 is there" grep -q ": $mode-lea-avx2\$" /proc/crypto
    done
fi
step "lea_test.ko loads: modes agree" insmod /lab/lea_test.ko requests="$(cat /lab/requests)"
dmesg | sed -n 's/^.*lea_test: /tested /p'
step "lea_test.ko unloads" rmmod lea_test

make() { # name specification bits device [option...]
    name=$1 specification=$2 bits=$3 device=$4
    shift 4
    step "luksFormat -c $specification, $bits bits $*" cryptsetup luksFormat -q --type luks2 -c "$specification" -s "$bits" \
        "$@" --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --key-file /lab/key "$device" &&
        step "opens $name" cryptsetup open --key-file /lab/key "$device" "$name" &&
        step "a file system on $name" mkfs.ext4 -q -b 4096 "/dev/mapper/$name" &&
        step "mounts $name" mount -t ext4 "/dev/mapper/$name" /run/mnt || return
    for length in 0 1 511 4096 4097 300000; do
        head -c $length /dev/urandom > /run/mnt/$length
    done
    (cd /run/mnt && sha256sum [0-9]*) > "/run/$name.written"
    step "unmounts $name" umount /run/mnt
    step "closes $name" cryptsetup close "$name"
    echo 3 > /proc/sys/vm/drop_caches
    step "opens $name again" cryptsetup open --key-file /lab/key "$device" "$name" || return
    step "mounts $name again" mount -t ext4 "/dev/mapper/$name" /run/mnt || return
    (cd /run/mnt && step "every file on $name as it was" sha256sum -c "/run/$name.written")
    umount /run/mnt
    echo "digest $name $(digest "/dev/mapper/$name")"
    cryptsetup close "$name"
}

theirs() { # name device
    step "opens fieldtest's container $1" cryptsetup open --key-file /lab/key "$2" "$1" || return
    if [ "$(digest "/dev/mapper/$1")" = "$(cat /lab/ours.sha256)" ]; then
        echo "passed every byte of $1 decrypted as it was encrypted"
    else
        echo "FAILED $1 decrypts to something else than was encrypted"
    fi
    step "the file system of $1 mounts" mount -t ext4 "/dev/mapper/$1" /run/mnt
    (cd /run/mnt && step "the files of $1 are as they were" sha256sum -c /lab/tree.sha256)
    echo "written by the kernel" > /run/mnt/from-the-kernel
    umount /run/mnt
    if [ "$1" = ours ]; then
        refused "to unload $vector under an open container" rmmod "$vector"
        step "$vector is still there" loaded "$(echo "$vector" | tr - _)"
    fi
    cryptsetup close "$1"
}
theirs ours "$ours"
theirs sealed "$sealed"
theirs hmac "$hmac"
make lea lea-xts-plain64 512 "$lea" --sector-size 4096
make aes aes-xts-plain64 512 "$aes" --sector-size 4096

make gcm lea-gcm-random 256 "$gcm" --integrity aead | sed '/^digest/d'
make harmed lea-gcm-random 256 "$harmed" --integrity aead
if cryptsetup open --key-file /lab/key "$harmed" harmed; then
    table=$(dmsetup table harmed)
    case $table in *gcm\(lea\)*) echo "passed dm-crypt has gcm(lea)" ;; *) echo "FAILED dm-crypt has $table" ;; esac
    cryptsetup close harmed
    # Near the end, where data and tags are; the header takes 16 MiB of the 22.
    dd if=/dev/urandom of="$harmed" bs=4096 seek=$(($(blockdev --getsize64 "$harmed") / 4096 * 9 / 10)) count=64 2> /dev/null
    echo 3 > /proc/sys/vm/drop_caches
    cryptsetup open --key-file /lab/key "$harmed" harmed
    refused "to read a sector of LEA-GCM that was changed" cat /dev/mapper/harmed
    cryptsetup close harmed
fi

[ "$vector" = lea ] || step "lea-avx2 unloads when nobody uses it" rmmod lea-avx2
# The crypto API frees instances of templates a little later.
for _ in 1 2 3 4 5; do
    rmmod lea 2> /dev/null && break
    sleep 1
done
if loaded lea; then
    # What is left are instances of templates over it, which go with their templates' modules.
    echo "FAILED lea unloads when nobody uses it: $(grep '^lea ' /proc/modules)"
else
    echo "passed lea unloads when nobody uses it"
fi
# Lockdep goes to sleep after its first complaint.
[ ! -e /proc/lockdep_stats ] || step "lockdep is awake" grep -q 'debug_locks: *1$' /proc/lockdep_stats
log=$(dmesg | grep -E 'BUG|KASAN|WARNING|INFO: |Oops|possible .* (deadlock|recursive)|alg: .*(fail|err)|UBSAN|scheduling while' | head -n 20)
if [ -z "$log" ]; then echo "passed the kernel's log is without a complaint"; else echo "FAILED the kernel's log: $log"; fi

# The power fails under an open container: what it was told to keep is in dm-integrity's journal alone.
insmod /lab/lea.ko
if step "opens gcm once more" cryptsetup open --key-file /lab/key "$gcm" gcm; then
    head -c 200000 /dev/urandom > /run/last
    step "writes to gcm" dd if=/run/last of=/dev/mapper/gcm bs=4096 seek=100 conv=notrunc,fsync
    echo 3 > /proc/sys/vm/drop_caches
    echo "digest gcm $(digest /dev/mapper/gcm)"
fi
echo "end of the guest"
poweroff -f
