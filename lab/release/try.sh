#!/usr/bin/env bash
# Tries the files of lab/release.sh for this machine's architecture as users would: each is installed in a bare root directory
# without Rust, and run there. Needs root.
#
# usage: lab/release/try.sh [--files DIRECTORY]
#
# The Debian package goes into Debian stable and testing by apt, the RPM into a root by rpm, the archive is extracted, and
# the image is unpacked by umoci. Prints seconds and MB of each step.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../builder.sh
source "$here/../builder.sh"
cd "$here/../.."
files=target/release-files
options 'files' "$@"
files=$(realpath "$files")
need mmdebstrap mmdebstrap
need umoci umoci
need rpm rpm
need xz xz-utils
needed
work=$(mktemp -d)
trap 'umount -q "$work"/*/proc 2> /dev/null || true; rm -rf --one-file-system "$work"' EXIT
debian=$(dpkg --print-architecture)
(cd "$files" && sha256sum --quiet --check SHA256SUMS)

# A new user's commands: what there is, whether it is right, a short study, a recommendation.
new_user() { # what root
    local what=$1 root=$2 began=$EPOCHREALTIME
    # The image has no other program.
    inside() { env -i PATH=/usr/bin:/bin HOME=/tmp "$(command -v chroot)" "$root" "/usr/bin/$1" "${@:2}"; }
    [[ $(inside fieldtest --version | sed -n 's/^commit: //p') == "$(git rev-parse --short=12 HEAD)" ]]
    inside fieldtest list signature > "$work/list"
    inside fieldtest prove ed25519 ml-dsa-44 sha-256 > "$work/prove"
    mkdir -p "$root/proc" && mount --bind /proc "$root/proc"
    inside fieldtest study --budget 5 -o /tmp/report > "$work/study" 2>&1 || { cat "$work/study"; exit 1; }
    inside fieldtest advise /tmp/report/records.jsonl > "$work/advise"
    umount "$root/proc"
    [[ $(wc -l < "$work/list") -gt 20 && -s $work/advise && -s $root/tmp/report/report.html ]]
    ! grep -q 'openssl-host.*not' "$work/list" || echo "$what: OpenSSL was not found" >&2
    awk -v what="$what" -v a="$began" -v b="$EPOCHREALTIME" -v bytes="$(stat -c %s "$root/usr/bin/fieldtest")" \
        'BEGIN { printf "%-24s %5.0f s for list, prove, study and advise; program of %.0f MB\n", what, b - a, bytes / 1e6 }'
}

bare_root() { # suite directory packages
    apt_from Packages "$1" || { skipped "$1" "$apt_why"; return 1; }
    # The suite alone: testing has no updates, and mmdebstrap wants all that is listed.
    sed '/^$/q' "$apt_conf.sources" > "$work/$1.sources"
    APT_CONFIG=$apt_conf.conf mmdebstrap --quiet --variant="${3:-apt}" "$apt_release" "$2" "$work/$1.sources" ||
        { skipped "$1" 'mmdebstrap cannot make a root directory of it'; return 1; }
}

for suite in stable testing; do
    root=$work/$suite
    bare_root $suite "$root" || continue
    cp "$files"/fieldtest_*_"$debian".deb "$root/tmp/fieldtest.deb"
    chroot "$root" apt-get -q install --no-install-recommends -y /tmp/fieldtest.deb > "$work/apt.log" 2>&1 || { cat "$work/apt.log"; exit 1; }
    new_user "$suite, .deb" "$root"
    chroot "$root" dpkg --verify fieldtest
    chroot "$root" apt-get -q purge -y fieldtest > "$work/apt.log" 2>&1
    [[ -z $(find "$root/usr" -name '*fieldtest*') ]]
done

bare_root stable "$work/rpm" essential
rpm --root "$work/rpm" --initdb
# Debian's C library is in no RPM database.
rpm --root "$work/rpm" --nodeps -i "$files"/fieldtest-*."$(uname -m)".rpm
rpm --root "$work/rpm" --nodeps -V fieldtest
new_user '.rpm' "$work/rpm"

bare_root stable "$work/archive" essential
tar -xf "$files"/fieldtest-*-"$(uname -m)"-unknown-linux-gnu.tar.xz --strip-components=1 -C "$work/archive/usr"
new_user '.tar.xz' "$work/archive"

mkdir "$work/layout"
tar -xf "$files"/fieldtest-*-"$debian".oci.tar -C "$work/layout"
umoci unpack --image "$work/layout:$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)" "$work/bundle" > /dev/null
mkdir -p "$work/bundle/rootfs/tmp"
new_user 'image' "$work/bundle/rootfs"
