#!/usr/bin/env bash
# cryptsetup's own test images, each before cryptsetup and before us: what the header is, what the passwords of its tests
# open, and what is in it. The images stay where they are; copies are looked at.
#
# usage: lab/cryptsetup-images.sh [--fieldtest PROGRAM] [--keep DIRECTORY] TESTS
#
# TESTS is the folder `tests` of cryptsetup's source (https://gitlab.com/cryptsetup/cryptsetup), with its images
# (*.xz) and generators. What differs is told with its reason, and only what has none fails. Two minutes.
takes="..."
. "$(dirname "$0")/common.sh"
[[ ${#rest[@]} -eq 1 && -d ${rest[0]} ]] || usage
needs cryptsetup:cryptsetup-bin xz:xz-utils jq:jq xxd:xxd blkid:util-linux
tests=$(realpath "${rest[0]}")
work=$(mktemp -d)
trap 'rm -rf "$work"; [[ -n $keep ]] || rm -rf "$lab"' EXIT
cd "$work"
for file in "$tests"/*.xz; do
    case $file in
        *bitlk* | *fvault2* | *tcrypt*) ;; # other formats
        *.tar.xz) tar -xf "$file" --no-same-owner || skip "$(basename "$file")" "it cannot be unpacked" ;;
        *) xz -dc "$file" > "$(basename "$file" .xz)" ;;
    esac
done
mkdir generated
for script in "$tests"/generators/generate-*.sh; do
    (cd "$tests/generators" && "$script" "$work/generated" "$work/luks2_valid_hdr.img") > "$lab/generate.log" 2>&1 ||
        fail "$(basename "$script")" "$lab/generate.log"
done

# Differences that are meant, by image and question.
declare -A reasons=(
    ["blkid-luks2-pv.img header"]="we show the header with the label of LVM2 beside it, and refuse all else as cryptsetup does"
    ["evil_hdr-small_luks_device header"]="we show the header of a container that is cut off, and do not open it"
    ["LUKS-d238e48a-0ed3-4169-b841-f26b44693134.org opens"]="its data is cut off, which we say; cryptsetup tries the passphrase"
    ["luks1_serpent-xts-plain64-sha1.img opens"]="cryptsetup asks the kernel for Serpent"
    ["luks1_serpent-xts-plain64-sha256.img opens"]="cryptsetup asks the kernel for Serpent"
    ["luks1_serpent-xts-plain64-whirlpool.img opens"]="cryptsetup asks the kernel for Serpent"
    ["luks1_twofish-xts-plain64-sha1.img opens"]="cryptsetup asks the kernel for Twofish"
    ["luks1_twofish-xts-plain64-sha256.img opens"]="cryptsetup asks the kernel for Twofish"
    ["luks1_twofish-xts-plain64-whirlpool.img opens"]="cryptsetup asks the kernel for Twofish"
)
compared=0 equal=0
verdict() { # image question ours theirs: exit codes
    local ours=$(($3 != 0)) theirs=$(($4 != 0)) words=(yes no)
    compared=$((compared + 1))
    if [[ $ours -eq $theirs ]]; then
        equal=$((equal + 1))
    elif [[ -n ${reasons["$1 $2"]:-} ]]; then
        echo "differs $1, $2: ours ${words[ours]}, cryptsetup's ${words[theirs]}: ${reasons["$1 $2"]}"
    else
        fail "$1, $2: ours ${words[ours]}, cryptsetup's ${words[theirs]}" "$lab/ours.log"
    fi
}
header() { # image
    local ours=0 theirs=0
    # Of a copy: cryptsetup mends what it looks at.
    cp "$1" looked-at
    cryptsetup luksDump looked-at > "$lab/theirs.log" 2>&1 < /dev/null || theirs=$?
    "$fieldtest" disk dump "$1" > "$lab/ours.log" 2>&1 < /dev/null || ours=$?
    verdict "$(basename "$1")" header "$ours" "$theirs"
}
opens() { # image key-file [option...]
    local ours=0 theirs=0
    cp "$1" looked-at
    cryptsetup open --test-passphrase --key-file "$2" "${@:3}" looked-at > "$lab/theirs.log" 2>&1 < /dev/null || theirs=$?
    "$fieldtest" disk open "$1" --key-file "$2" "${@:3}" > "$lab/ours.log" 2>&1 < /dev/null || ours=$?
    verdict "$(basename "$1")" opens "$ours" "$theirs"
}

for image in *.img evil_hdr-* valid_header_file LUKS-* luks2_header_requirements* test_image_* luks1-images/*.img \
    generated/*.img; do
    [[ ! -e $image ]] || header "$image"
done

# The passwords of compat-test, compat-test2 and luks2-reencryption-test, right and wrong ones.
for password in compatkey 93R4P4pIqAH8 mymJeD8ivEhE ocMakf3fAcQO Qx3qn46vq0v; do
    printf %s "$password" > "key.$password"
done
for password in compatkey mymJeD8ivEhE; do
    for image in compatimage.img compatv10image.img compatimage2.img luks2_keyslot_unassigned.img \
        luks2_valid_hdr.img valid_header_file blkid-luks2-pv.img; do
        opens "$image" "key.$password"
    done
done
for image in test_image_*; do
    opens "$image" key.Qx3qn46vq0v
    opens "$image" key.compatkey
done
opens luks2_keyslot_unassigned.img key.93R4P4pIqAH8
opens luks2_keyslot_unassigned.img key.93R4P4pIqAH8 --key-slot 1
opens luks2_invalid_cipher.img key.93R4P4pIqAH8
opens luks2_invalid_cipher.img key.compatkey
for image in LUKS-*.org LUKS-*.new; do opens "$image" key.93R4P4pIqAH8; done
for image in luks2_header_requirements luks2_header_requirements_free evil_hdr-small_luks_device; do
    opens "$image" key.compatkey
done
for image in luks1-images/*.img; do opens "$image" luks1-images/keyfile1; done

# The file systems that luks1-compat-test looks for.
for image in luks1-images/*.img; do
    name=$(basename "$image")
    rm -f plain
    if "$fieldtest" disk copy "$image" plain --key-file luks1-images/keyfile1 > "$lab/ours.log" 2>&1; then
        if [[ $(blkid -p -o value -s UUID plain) == DEAD-BABE ]]; then
            pass "$name: the file system in it is the one that its test asks for"
        else
            fail "$name: it decrypts to something else"
        fi
    else
        case $name in
            *lrw*) echo "differs $name: LRW, which XTS has replaced, is not supported" ;;
            *wp256*) echo "differs $name: ESSIV by Whirlpool cut to 256 bits is not supported" ;;
            *) fail "$name: it is not decrypted" "$lab/ours.log" ;;
        esac
    fi
done
[[ $compared -gt 0 ]] || fail "there are no images in $tests"
pass "$equal of $compared verdicts are those of $(cryptsetup --version | cut -d ' ' -f 1,2)"
finish
