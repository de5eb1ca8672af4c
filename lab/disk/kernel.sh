# Scenes: the real kernel opens our containers, and makes some for us. Sourced by lab/disk.sh.

# name, specification, bits of the key, bytes of a sector
ciphers=(
    "aes-256-512 aes-xts-plain64 512 512"
    "aes-256-4096 aes-xts-plain64 512 4096"
    "aes-128-4096 aes-xts-plain64 256 4096"
    "aes-essiv-512 aes-xts-essiv:sha256 512 512"
    "aes-essiv-4096 aes-xts-essiv:sha256 512 4096"
    "aria-256-512 aria-xts-plain64 512 512"
    "aria-256-4096 aria-xts-plain64 512 4096"
    "serpent-256-512 serpent-xts-plain64 512 512"
    "serpent-256-4096 serpent-xts-plain64 512 4096"
    "camellia-256-4096 camellia-xts-plain64 512 4096"
    "adiantum-12-512 xchacha12,aes-adiantum-plain64 256 512"
    "adiantum-12-4096 xchacha12,aes-adiantum-plain64 256 4096"
    "adiantum-20-4096 xchacha20,aes-adiantum-plain64 256 4096"
    "hctr2-512 aes-hctr2-plain64 256 512"
    "hctr2-4096 aes-hctr2-plain64 256 4096"
)

scene() { # name, the disks' names in the order of their devices
    local disks=() name number=0
    for name in "${@:2}"; do
        disks+=("ubd$number=$images/$name")
        number=$((number + 1))
    done
    # User-mode Linux puts a console= after all that it is given, hence the `end`.
    timeout 300 "$kernel" mem=512M root=/dev/root rootfstype=hostfs rootflags=/ ro con=null con0=null,fd:1 quiet \
        panic=1 "uml_dir=$images/uml/" "${disks[@]}" "init=$python" -- -B "$here/disk/guest.py" "$1" "$lab" end \
        < /dev/null > "$lab/$1.log" 2>&1 || true
    : >> "$lab/results.$1"
    count "$lab/$1.log" "$lab/finished.$1" "$lab/results.$1"
    # No installation cures what a kernel or cryptsetup lacks, so it is never a failure.
    skipped=$((skipped + $(grep -c '^SKIPPED' "$lab/results.$1" || true)))
}

names() { # list
    cut -d ' ' -f 1 "$lab/containers.$1"
}

# What is in a container that the kernel has left: a sound file system with the files of these lists.
sound_with() { # name list...
    rm -rf "$images/files" "$images/plain"
    mkdir "$images/files"
    "$fieldtest" disk copy "$images/$1" "$images/plain" --key-file "$lab/key" || return
    e2fsck -fn "$images/plain" || return
    cd "$images" && debugfs -R "rdump / files" plain || return
    cd files && cat "${@:2}" | sha256sum --check --quiet
}
holds() { # name list...
    local what
    what="fieldtest reads what the kernel left, $1"
    if (sound_with "$@") > "$lab/holds.log" 2>&1; then
        pass "$what: the file system is sound, and $(cat "${@:2}" | wc -l) files are as they were written"
    else
        fail "$what" "$lab/holds.log"
    fi
}

# What the judge says of specifications is what dm-crypt does with them.
if command -v dmsetup > /dev/null; then
    truncate -s 4M "$images/blank"
    grep -v '^#' "$here/../crates/carriers/disk/tests/dm-crypt.txt" > "$lab/containers.asked"
    scene asked blank
else
    skip "dm-crypt's view of specifications" "dmsetup is not installed: apt-get install dmsetup"
fi

: > "$lab/containers.ours"
for cipher in "${ciphers[@]}" "lea-256-4096 lea-xts-plain64 512 4096"; do
    read -r name spec bits sector <<< "$cipher"
    block=$((sector == 512 ? 1024 : 4096))
    rm -f "$images/plain"
    mkfs.ext4 -q -b "$block" -d "$lab/tree" "$images/plain" 20M > "$lab/mkfs.log" 2>&1 ||
        { fail "to make a file system" "$lab/mkfs.log"; finish; }
    sha256sum < "$images/plain" > "$lab/$name.plain.sha256"
    if format "$images/$name" "$spec" "$bits" "$sector" --from "$images/plain"; then
        echo "$cipher" >> "$lab/containers.ours"
    else
        fail "to make a container with $spec, $bits bits, sectors of $sector bytes" "$lab/format.log"
    fi
done
mapfile -t disks < <(names ours)
scene ours "${disks[@]}"
while read -r name _; do
    [[ ! -e $lab/$name.written.sha256 ]] || holds "$name" "$lab/tree.sha256" "$lab/$name.written.sha256"
    rm "$images/$name"
done < "$lab/containers.ours"

rm -f "$lab"/*.plain.sha256 "$lab"/*.written.sha256
printf '%s\n' "${ciphers[@]}" > "$lab/containers.theirs"
while read -r name _; do
    truncate -s 36M "$images/$name"
done < "$lab/containers.theirs"
mapfile -t disks < <(names theirs)
scene theirs "${disks[@]}"
while read -r name _; do
    [[ -e $lab/$name.plain.sha256 ]] || continue # the kernel's side failed, and is counted
    holds "$name" "$lab/$name.written.sha256"
    if [[ $(sha256sum < "$images/plain") == $(cat "$lab/$name.plain.sha256") ]]; then
        pass "fieldtest decrypts every byte as the kernel does, $name"
    else
        fail "fieldtest decrypts $name to something else than the kernel"
    fi
done < "$lab/containers.theirs"
