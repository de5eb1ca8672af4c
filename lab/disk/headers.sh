# Scene: headers, good and damaged. Sourced by lab/disk.sh.

log=$lab/headers.log
succeeds() { # what command...
    if "${@:2}" > "$log" 2>&1 < /dev/null; then pass "$1"; else fail "$1" "$log"; fi
}
# Exit code 1, nothing on standard output, and an error that contains the words; a notice may come before it.
refuses() { # what words command...
    local code=0
    "${@:3}" > "$log.out" 2> "$log" < /dev/null || code=$?
    if [[ $code -eq 1 && ! -s $log.out ]] && tail -n 1 "$log" | grep -q -- "$2"; then
        pass "refuses $1: $(tail -n 1 "$log" | sed "s|^fieldtest: ||; s|$images/||" | cut -d ';' -f 1)"
    else
        fail "$1: exit code $code" "$log"
    fi
}
open_container() { # container
    "$fieldtest" disk open "$1" --key-file "$lab/key"
}
overwrite() { # container offset
    printf 'damaged' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

lea=$images/lea aes=$images/aes
head -c 4M /dev/urandom > "$images/plain"
format "$lea" lea-xts-plain64 512 4096 --from "$images/plain" || fail "to make a container with LEA" "$lab/format.log"
format "$aes" aes-xts-plain64 512 4096 --from "$images/plain" || fail "to make a container with AES" "$lab/format.log"

# cryptsetup, without a kernel that has the cipher.
succeeds "cryptsetup isLuks, LEA" cryptsetup isLuks --type luks2 "$lea"
succeeds "cryptsetup luksDump, LEA" cryptsetup luksDump "$lea"
cp "$log" "$log.dump"
succeeds "cryptsetup names the cipher lea-xts-plain64" grep 'cipher: lea-xts-plain64' "$log.dump"
succeeds "cryptsetup open --test-passphrase, LEA" cryptsetup open --test-passphrase --key-file "$lab/key" "$lea"
head -c 32 /dev/urandom > "$lab/wrong-key"
succeeds "cryptsetup luksAddKey, LEA" cryptsetup luksAddKey --batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000 \
    --key-file "$lab/key" "$lea" "$lab/wrong-key"
succeeds "fieldtest opens the key slot that cryptsetup added" "$fieldtest" disk open "$lea" --key-file "$lab/wrong-key"
succeeds "cryptsetup luksKillSlot, LEA" cryptsetup luksKillSlot --batch-mode "$lea" 1
refuses "the key whose slot is gone" 'no keyslot opens' \
    "$fieldtest" disk open "$lea" --key-file "$lab/wrong-key"
# The folder of its locks may belong to root.
succeeds "cryptsetup reencrypt --decrypt, AES" cryptsetup reencrypt --decrypt --force-offline-reencrypt --batch-mode \
    --disable-locks --header "$images/header" --key-file "$lab/key" "$aes"
succeeds "cryptsetup gives the plaintext of our container back" cmp -n 4194304 "$images/plain" "$aes"

# LUKS1, both ways. That cryptsetup decrypts it in user space takes a conversion, which leaves the data as it is.
truncate -s 8M "$images/luks1"
for spec in aes-xts-plain64 aes-cbc-essiv:sha256; do
    succeeds "cryptsetup luksFormat --type luks1, $spec" cryptsetup luksFormat --batch-mode --type luks1 \
        --cipher "$spec" --key-size 256 --pbkdf-force-iterations 1000 "$images/luks1" "$lab/key"
    succeeds "fieldtest opens it" open_container "$images/luks1"
    rm -f "$images/ours1"
    succeeds "fieldtest disk format --type luks1, $spec" "$fieldtest" disk format "$images/ours1" --type luks1 \
        --cipher "$spec" --key-size 256 --iter-time 10 --key-file "$lab/key" --from "$images/plain"
    succeeds "cryptsetup opens it" cryptsetup open --test-passphrase --key-file "$lab/key" "$images/ours1"
    succeeds "cryptsetup convert" cryptsetup convert --batch-mode --disable-locks --type luks2 "$images/ours1"
    rm -f "$images/header"
    succeeds "cryptsetup reencrypt --decrypt, LUKS1" cryptsetup reencrypt --decrypt --force-offline-reencrypt \
        --batch-mode --disable-locks --header "$images/header" --key-file "$lab/key" "$images/ours1"
    succeeds "cryptsetup gives its plaintext back" cmp -n 4194304 "$images/plain" "$images/ours1"
done

# A header of its own, and a key that another one takes the place of.
rm -f "$images/header"
succeeds "fieldtest disk format --header" "$fieldtest" disk format "$images/data" --header "$images/header" --kdf pbkdf2 \
    --iter-time 10 --key-file "$lab/key" --from "$images/plain"
succeeds "cryptsetup opens the header" cryptsetup open --test-passphrase --key-file "$lab/key" --header \
    "$images/header" "$images/data"
succeeds "fieldtest disk slot change" "$fieldtest" disk slot change "$images/header" --key-file "$lab/key" \
    --new-key-file "$lab/wrong-key" --kdf pbkdf2 --iter-time 10
succeeds "cryptsetup opens it with the new key" cryptsetup open --test-passphrase --key-file "$lab/wrong-key" --header \
    "$images/header" "$images/data"

# Another key and another cipher for what is there. cryptsetup goes on in user space where both are AES.
reencrypt() { # container cipher [option...]
    "$fieldtest" disk reencrypt "$1" --cipher "$2" --key-file "$lab/key" --kdf pbkdf2 --iter-time 10 "${@:3}"
}
renewed=$images/renewed
format "$renewed" aes-xts-plain64 512 4096 --from "$images/plain" || fail "to make a container with AES" "$lab/format.log"
succeeds "fieldtest disk reencrypt --init-only, AES" reencrypt "$renewed" aes-xts-plain64 --key-size 256 --init-only
succeeds "cryptsetup reencrypt --resume-only" cryptsetup reencrypt --resume-only --force-offline-reencrypt --batch-mode \
    --disable-locks --key-file "$lab/key" "$renewed"
succeeds "cryptsetup reencrypt --init-only, AES" cryptsetup reencrypt --init-only --force-offline-reencrypt --batch-mode \
    --disable-locks --key-file "$lab/key" --pbkdf pbkdf2 --pbkdf-force-iterations 1000 "$renewed"
succeeds "fieldtest disk reencrypt --resume" "$fieldtest" disk reencrypt "$renewed" --resume --key-file "$lab/key"
succeeds "fieldtest disk reencrypt, AES to LEA" reencrypt "$renewed" lea-xts-plain64
succeeds "cryptsetup opens what is LEA now" cryptsetup open --test-passphrase --key-file "$lab/key" "$renewed"
rm -f "$images/out"
succeeds "fieldtest disk copy, LEA" "$fieldtest" disk copy "$renewed" "$images/out" --key-file "$lab/key"
succeeds "the plaintext is what it was, three keys later" cmp -n 4194304 "$images/plain" "$images/out"

# Damage. The first copy of the header begins at 0 and the second at 16 KiB; each has 4 KiB before its text.
damaged=$images/damaged
# Of a copy, since cryptsetup mends what it may write to as soon as it looks at it.
sound_to_cryptsetup() {
    cp "$damaged" "$images/looked-at"
    cryptsetup luksDump --debug "$images/looked-at" > "$log.dump" 2>&1 || return
    ! grep -q 'requires recovery' "$log.dump"
}
for where in "first header's front:8" "first header's text:5000" "second header's front:16392" \
    "second header's text:22000"; do
    what="a damaged ${where%:*}"
    cp "$lea" "$damaged"
    overwrite "$damaged" "${where#*:}"
    if sound_to_cryptsetup; then
        fail "cryptsetup does not see $what, so that this lab spoils something else"
    fi
    succeeds "opens with $what" open_container "$damaged"
    if grep -q 'fieldtest disk repair' "$log"; then
        pass "says how to mend $what"
    else
        fail "does not say how to mend $what" "$log"
    fi
    succeeds "repairs $what" "$fieldtest" disk repair "$damaged"
    succeeds "cryptsetup finds nothing to mend after the repair of $what" sound_to_cryptsetup
    succeeds "cryptsetup accepts the key after it" cryptsetup open --test-passphrase --key-file "$lab/key" "$damaged"
    "$fieldtest" disk copy "$damaged" "$images/again" --key-file "$lab/key" > "$log" 2>&1 || true
    succeeds "the content is as it was" cmp "$images/plain" "$images/again"
    rm -f "$images/again"
done
cp "$lea" "$damaged"
overwrite "$damaged" 8
overwrite "$damaged" 16392
refuses "a container with both headers damaged" 'both headers are damaged' open_container "$damaged"
refuses "to repair a container with both headers damaged" 'both headers are damaged' "$fieldtest" disk repair "$damaged"
for length in 0 100 4096 20000 1000000 16777216; do
    head -c "$length" "$lea" > "$damaged"
    refuses "a container truncated to $length bytes" 'damaged\|truncated\|not a LUKS container' open_container "$damaged"
done
refuses "what is no container" 'not a LUKS container' open_container "$images/plain"
refuses "a wrong key" 'no keyslot opens' "$fieldtest" disk open "$lea" --key-file "$lab/wrong-key"
# Headers that somebody might make, each before cryptsetup and before us.
hostile=$here/../crates/carriers/disk/tests/hostile.txt
format "$images/hostile" aes-xts-plain64 512 4096 --size 1M || fail "to make a container to change" "$lab/format.log"
if python3 "$here/disk/hostile.py" "$hostile" "$images/hostile" "$lab/key" "$fieldtest" > "$log"; then
    pass "$(sed 's/^passed //' "$log")"
else
    while read -r line; do fail "${line#FAILED }"; done < "$log"
fi

# Storage that others have labelled, of which the second header is still there: blkid says the same before and after
# `repair`, which refuses.
for label in "mkswap:swap" "mkfs.ext4 -q -F:ext4" "mkfs.xfs -q -f:xfs" \
    "mkfs.btrfs -q -f:btrfs"; do
    maker=${label%:*} name=${label##*:}
    if ! command -v "${maker%% *}" > /dev/null || ! command -v blkid > /dev/null; then
        skip "the label of $name" "${maker%% *} or blkid is not installed"
        continue
    fi
    cp "$lea" "$damaged"
    truncate -s 320M "$damaged"
    # In a file of its own, of which the beginning goes over the first header as the tool would put it.
    truncate -s 320M "$images/labelled"
    if ! $maker "$images/labelled" > "$log" 2>&1; then
        skip "the label of $name" "$maker does not work on files here"
        continue
    fi
    dd if="$images/labelled" of="$damaged" bs=4096 count=4 conv=notrunc status=none
    dd if="$images/labelled" of="$damaged" bs=65536 skip=1 seek=1 count=1 conv=notrunc status=none
    before=$(blkid -p -s TYPE -o value "$damaged" 2> /dev/null || true)
    refuses "to repair over the label of $name" "$name" "$fieldtest" disk repair "$damaged"
    if [[ $(blkid -p -s TYPE -o value "$damaged" 2> /dev/null || true) == "$before" ]]; then
        pass "blkid sees what it saw: ${before:-two formats at once}"
    else
        fail "blkid does not see what it saw of $name"
    fi
    rm -f "$images/labelled"
done
rm -f "$lea" "$aes" "$damaged" "$images/hostile" "$images"/{plain,header,luks1,ours1,data,renewed,out,looked-at} "$lab/wrong-key" "$log.out" "$log.dump"
