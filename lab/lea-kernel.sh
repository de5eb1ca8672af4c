#!/usr/bin/env bash
# kernel/lea before real kernels: the module is built for each, loaded, tested by its own test module, and used by
# dm-crypt and cryptsetup. Containers of fieldtest's are opened there, and the kernel's are read by fieldtest.
#
# usage: lab/lea-kernel.sh [--fieldtest PROGRAM] [--keep DIRECTORY] [--kernels NAMES] [--requests N]
#
# Kernels, "lab debian" if not said otherwise:
#   lab       user-mode Linux with modules, as lab/kernel/build.sh makes it: generic code only;
#   debian    Debian's own kernel, fetched by apt, under qemu's emulation: AVX2 too, and no speed is read there;
#   debian13  the same of Debian 13, or of any release with its number, by this host's compiler;
#   checked   user-mode Linux with KASAN and lockdep, built here if it is not there: 10 minutes on idle cores.
#
# A minute for user-mode Linux, two for Debian's. REQUESTS texts per algorithm and key length are compared at random,
# 40 under emulation.
takes="kernels requests"
kernels="lab debian" requests=200
. "$(dirname "$0")/common.sh"
. "$here/lea-kernel/root.sh"
. "$here/lea-kernel/debian.sh"
needs cryptsetup:cryptsetup-bin mkfs.ext4:e2fsprogs e2fsck:e2fsprogs debugfs:e2fsprogs busybox:busybox-static \
    dmsetup:dmsetup depmod:kmod make:make cpio:cpio
work=$(realpath -m "$here/../target/lab")
mkdir -p "$work"
images=$(mktemp -d) # of no use afterwards
trap 'rm -rf "$images"; [[ -n $keep ]] || rm -rf "$lab"' EXIT

head -c 32 /dev/urandom > "$lab/key"
mkdir -p "$lab/tree/deep"
for length in 0 1 511 512 4095 4096 4097 200001; do
    head -c "$length" /dev/urandom > "$lab/tree/$length"
    head -c "$length" /dev/urandom > "$lab/tree/deep/$length"
done
(cd "$lab/tree" && find . -type f -exec sha256sum {} + > "$lab/tree.sha256")

build() { # name make's-argument...
    rm -rf "$lab/$1.module"
    cp -r "$here/../kernel/lea" "$lab/$1.module"
    if make -C "$lab/$1.module" "${@:2}" > "$lab/$1.build.log" 2>&1 && ! grep -i 'warning' "$lab/$1.build.log"; then
        pass "$1: the module builds without a warning"
    else
        fail "$1: the module builds without a warning" "$lab/$1.build.log"
        return 1
    fi
}

disks=(ours lea aes gcm sealed hmac harmed)

# Disks for the guest, and what it is told of them.
prepare() { # root module's-directory requests
    make_root "$1"
    cp "$2"/*.ko "$lab/key" "$lab/tree.sha256" "$1/lab/"
    echo "$3" > "$1/lab/requests"
    rm -f "$images/plain" "${disks[@]/#/$images/}"
    truncate -s 6M "$images/plain"
    mkfs.ext4 -q -b 4096 -O ^has_journal -d "$lab/tree" "$images/plain"
    sha256sum < "$images/plain" | cut -d ' ' -f 1 > "$1/lab/ours.sha256"
    format ours --cipher lea-xts-plain64 --key-size 512 --sector-size 4096
    format sealed --cipher lea-gcm-random --integrity aead --sector-size 4096
    format hmac --cipher aes-xts-random --integrity hmac-sha256 --sector-size 512
    truncate -s 22M "$images"/{lea,aes,gcm,harmed}
}

format() { # container option...
    "$fieldtest" disk format "$images/$1" "${@:2}" --kdf pbkdf2 --iter-time 1 --key-file "$lab/key" \
        --from "$images/plain" > "$lab/format.log" 2>&1 || fail "to make the container $1" "$lab/format.log"
}

copy_out() { # container
    rm -f "$images/plain"
    "$fieldtest" disk copy "$images/$1" "$images/plain" --key-file "$lab/key" > "$lab/copy.log" 2>&1
}

# What the guest said, and what it left on the disks.
judge() { # name log
    local name=$1 log=$2 line
    tr -d '\r' < "$log" > "$log.lines"
    while read -r line; do
        case $line in
            'passed '*) pass "$name: ${line#passed }" ;;
            'FAILED '*) fail "$name: ${line#FAILED }" ;;
            'kernel '* | 'tested '*) echo "$name: $line" ;;
        esac
    done < "$log.lines"
    grep -q '^end of the guest' "$log.lines" || fail "$name: the guest did not come to its end" "$log"
    for container in lea aes gcm; do
        if ! copy_out "$container"; then
            fail "$name: fieldtest opens the kernel's container with ${container^^}" "$lab/copy.log"
        elif [[ $(sha256sum < "$images/plain" | cut -d ' ' -f 1) == \
            $(sed -n "s/^digest $container //p" "$log.lines") ]]; then
            pass "$name: fieldtest decrypts every byte of the kernel's container with ${container^^}"
        else
            fail "$name: fieldtest decrypts the kernel's container with ${container^^} to something else"
        fi
    done
    for container in ours sealed hmac; do
        if copy_out "$container" && e2fsck -fn "$images/plain" > "$lab/copy.log" 2>&1 &&
            [[ $(debugfs -R 'cat from-the-kernel' "$images/plain" 2> /dev/null) == 'written by the kernel' ]]; then
            pass "$name: fieldtest finds what the kernel wrote into its container $container, in a sound file system"
        else
            fail "$name: fieldtest does not find what the kernel wrote into its container $container" "$lab/copy.log"
        fi
    done
    if ! copy_out harmed && grep -q 'tag does not match' "$lab/copy.log"; then
        pass "$name: fieldtest refuses the sector of LEA-GCM that was changed: $(grep -o 'sector [0-9]*' "$lab/copy.log")"
    else
        fail "$name: fieldtest reads a sector of LEA-GCM that was changed" "$lab/copy.log"
    fi
}

# User-mode Linux has a folder of this host as its root.
user_mode() { # name kernel's-program tree
    if [[ ! -x $2 || ! -e $3/Module.symvers ]]; then
        skip "$1" "no kernel with modules at $2 and $3; build it with lab/kernel/build.sh"
        return
    fi
    build "$1" ARCH=um "KERNEL=$3" || return 0
    prepare "$images/$1" "$lab/$1.module" "$requests"
    local ubd=() disk
    for disk in "${disks[@]}"; do ubd+=("ubd${#ubd[@]}=$images/$disk"); done
    timeout 600 "$2" mem=512M root=/dev/root rootfstype=hostfs "rootflags=$images/$1" rw con=null con0=null,fd:1 quiet \
        panic=1 "uml_dir=$images/uml/" "${ubd[@]}" init=/init < /dev/null > "$lab/$1.log" 2>&1 || true
    judge "$1" "$lab/$1.log"
}

emulated() { # name directory release make's-argument...
    if ! command -v qemu-system-x86_64 > /dev/null; then
        skip "$1" "qemu-system-x86_64 is not installed: apt-get install qemu-system-x86"
        return
    fi
    if ! (fetch_debian "$2" "$3") > "$lab/fetch.log" 2>&1; then
        skip "$1" "no kernel to be had: $(tail -n 1 "$lab/fetch.log")"
        return
    fi
    build "$1" "KERNEL=$(echo "$2"/usr/src/linux-headers-*-amd64)" "${@:4}" || return 0
    prepare "$images/$1" "$lab/$1.module" "$((requests < 40 ? requests : 40))"
    add_modules "$images/$1" "$2" virtio_pci virtio_blk dm-mod dm-crypt dm-integrity ext4 crc32c_generic \
        ecb cbc ctr xts gcm ghash-generic authenc essiv hmac sha256_generic sha256-ssse3 aesni-intel cryptd \
        algif_skcipher algif_aead algif_hash
    (cd "$images/$1" && find . | cpio -o -H newc --quiet | gzip -1) > "$images/$1.gz"
    local drives=() disk
    for disk in "${disks[@]}"; do drives+=(-drive "file=$images/$disk,format=raw,if=virtio,cache=unsafe"); done
    # Emulated beside other work, the timer may come later than the kernel's own check of it waits for.
    timeout 600 qemu-system-x86_64 -accel tcg -machine pc -cpu max -m 512 -nodefaults -no-user-config -display none \
        -serial stdio -no-reboot -kernel "$(echo "$2"/boot/vmlinuz-*)" -initrd "$images/$1.gz" "${drives[@]}" \
        -append 'console=ttyS0 quiet loglevel=1 panic=-1 mitigations=off nokaslr tsc=reliable no_timer_check' \
        < /dev/null > "$lab/$1.log" 2>&1 || true
    judge "$1" "$lab/$1.log"
}

for kernel in $kernels; do
    case $kernel in
        lab) user_mode lab "$work/linux" "$work/kernel/build" ;;
        debian) emulated debian "$work/debian" '' ;;
        # Its headers were made by a newer compiler, and their types would be taken from its kernel by pahole.
        debian[0-9]*) emulated "$kernel" "$work/$kernel" "${kernel#debian}" CC=gcc CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT= ;;
        checked)
            "$here/kernel/build.sh" --config "$here/kernel/checked.config" --tree "$work/kernel/checked" \
                --output "$work/linux-checked"
            user_mode checked "$work/linux-checked" "$work/kernel/checked"
            ;;
        *) usage ;;
    esac
done
finish
