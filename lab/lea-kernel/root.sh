# What the guests have as root: busybox, cryptsetup and e2fsprogs of this host, for lab/lea-kernel.sh.

programs=(cryptsetup dmsetup mkfs.ext4 blockdev)
applets=(sh mount umount mkdir insmod modprobe rmmod sync poweroff dd cat grep dmesg sed ls sleep cut head tail tr uname sha256sum)

make_root() { # directory
    local program library applet
    mkdir -p "$1"/{bin,dev,proc,sys,run,tmp,etc,lib,lab}
    ln -sfn lib "$1/lib64"
    ln -sfn bin "$1/sbin" # where the kernel looks for modprobe
    cp "$(command -v busybox)" "$1/bin/busybox"
    for applet in "${applets[@]}"; do ln -sf busybox "$1/bin/$applet"; done
    for program in "${programs[@]}"; do
        cp -L "$(command -v "$program")" "$1/bin/$program"
        while read -r library; do cp -Ln "$library" "$1/lib/"; done < <(ldd "$1/bin/$program" | grep -o '/[^ ]*')
    done
    # Loaded when a thread ends, which ldd does not see.
    cp -L "$(cc -print-file-name=libgcc_s.so.1)" "$1/lib/"
    cp /etc/mke2fs.conf "$1/etc/"
    cp "$here/lea-kernel/guest.sh" "$1/init"
    chmod 755 "$1/init"
}

# Modules of a Debian kernel and what they need, unpacked, since xz takes long under emulation.
add_modules() { # root kernel's-directory module...
    local version modules file
    modules=$(echo "$2"/lib/modules/*)
    version=$(basename "$modules")
    depmod -b "$2" "$version"
    mkdir -p "$1/lib/modules/$version"
    for module in "${@:3}"; do
        grep -E "/$module\.ko[.xz]*:" "$modules/modules.dep" || true # built in
    done | tr -d : | tr ' ' '\n' | sort -u | while read -r file; do
        case $file in
            *.xz) xz -dc "$modules/$file" > "$1/lib/modules/$version/$(basename "$file" .xz)" ;;
            *) cp "$modules/$file" "$1/lib/modules/$version/" ;;
        esac
    done
    cp "$modules"/modules.{builtin,builtin.modinfo,order} "$1/lib/modules/$version/"
    depmod -b "$1" "$version"
}
