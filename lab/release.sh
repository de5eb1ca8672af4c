#!/usr/bin/env bash
# Makes what users download: for each target an archive, a Debian package, an RPM and an OCI image, and for all an inventory of
# what is linked in and checksums. The program needs glibc 2.28 (RHEL 8, Debian 10) or newer and nothing else.
#
# usage: lab/release.sh [--out DIRECTORY] [--targets "x86_64 aarch64"]
#
# The same commit gives the same bytes on any machine with the same rustc, rpm and xz: directories of the machine are mapped away,
# times are the commit's. Only the image also depends on the day, since its base has the newest libraries of Debian stable.
# Fetches zig and cargo-zigbuild from the Python package index, and rustup's targets; names the Debian packages that are
# missing. Each target takes 15 minutes on one core.
#
# Not static: musl's programs cannot open the host's libraries, so OpenSSL, a usual rival, would be missing. Not gcc of an old
# distribution: zig brings the headers of every glibc. Its clang makes AWS-LC's ML-DSA-44 8 to 10% faster than gcc 12.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=builder.sh
source "$here/builder.sh"
cd "$here/.."
out=target/release-files targets="x86_64 aarch64"
options 'out targets' "$@"
glibc=2.28
need pip3 python3-pip
need rpmbuild rpm
need dpkg-deb dpkg
need xz xz-utils
need readelf binutils
need mmdebstrap mmdebstrap
[[ $targets != *aarch64* ]] || need qemu-aarch64 'qemu-user libc6-arm64-cross'
needed
# Versions of November 2026. They are part of what decides about the bytes.
zig=$cache/zig-0.17.1-0.24.1
[[ -d $zig ]] || {
    pip3 install --quiet --target "$zig.$$" ziglang==0.17.1 cargo-zigbuild==0.24.1
    mv "$zig.$$" "$zig"
}
export PATH=$zig/bin:$PATH CARGO_ZIGBUILD_ZIG_PATH=$zig/ziglang/zig
apt_from Packages stable || { echo "no image can be made: $apt_why" >&2; exit 1; }

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
home=${CARGO_HOME:-$HOME/.cargo}
export SOURCE_DATE_EPOCH CARGO_INCREMENTAL=0
export RUSTFLAGS="--remap-path-prefix=$PWD=/fieldtest --remap-path-prefix=$home=/cargo"
export CFLAGS="-ffile-prefix-map=$PWD=/fieldtest -ffile-prefix-map=$home=/cargo"
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The C library and what implementations of the host need, in a root directory.
image() {
    local base=$work/base-$debian.tar
    APT_CONFIG=$apt_conf.conf mmdebstrap --quiet --variant=extract --arch="$debian" --include=base-files,libssl3t64,libgcrypt20 \
        --dpkgopt='path-exclude=/usr/share/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
        --dpkgopt='path-exclude=/usr/lib/*/gconv/*' "$apt_release" "$base" "$apt_conf.sources"
    "$here/release/image.py" "$work/image-$debian" "$debian" "$version" "$base" "$program"
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime "@$SOURCE_DATE_EPOCH" -C "$work/image-$debian" -cf \
        "$out/fieldtest-$version-$debian.oci.tar" .
}

debian_package() {
    local root=$work/debian
    mkdir -p "$root/DEBIAN"
    cp -a "$work/$target/usr" "$root/"
    cat > "$root/DEBIAN/control" <<CONTROL
Package: fieldtest
Version: $version-1
Architecture: $debian
Maintainer: the fieldtest developers <fieldtest@localhost>
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f 1)
Depends: libc6 (>= $glibc)
Recommends: libssl3 | libssl3t64
Section: utils
Priority: optional
Description: measures a cryptographic algorithm inside the system that carries it
 Costs of signatures, MACs, hash functions and ciphers in DNSSEC, IMA, TCP-AO,
 Git and disk encryption, and a recommendation under your constraints.
CONTROL
    (cd "$root" && find usr -type f -printf '%P\n' | sort | sed 's,^,usr/,' | xargs md5sum > DEBIAN/md5sums)
    find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz -b "$root" "$out/fieldtest_$version-1_$debian.deb" > /dev/null
    rm -r "$root"
}

rpm_package() {
    cat > "$work/fieldtest.spec" <<SPEC
Name: fieldtest
Version: $version
Release: 1
Summary: Measure cryptographic algorithms in the systems that use them
License: MIT OR Apache-2.0
Requires: glibc >= $glibc
AutoReqProv: no
%description
Costs of signatures, MACs, hash functions and ciphers in DNSSEC, IMA, TCP-AO, Git and disk encryption, and a
recommendation under your constraints.
%install
cp -a $work/$target/usr %{buildroot}/
%files
/usr/bin/fieldtest
/usr/share/bash-completion/completions/fieldtest
/usr/share/zsh/vendor-completions/_fieldtest
/usr/share/fish/vendor_completions.d/fieldtest.fish
/usr/share/man/man1/*
%doc /usr/share/doc/fieldtest
SPEC
    rpmbuild --quiet -bb --target "$target-linux" --define "_topdir $work/rpm" --define "_rpmdir $work/rpms" \
        --define '__os_install_post %{nil}' --define '_build_id_links none' --define 'debug_package %{nil}' \
        --define '_buildhost localhost' --define 'use_source_date_epoch_as_buildtime 1' \
        --define 'clamp_mtime_to_source_date_epoch 1' --define '_binary_payload w9.xzdio' "$work/fieldtest.spec"
    cp "$work/rpms/$target/fieldtest-$version-1.$target.rpm" "$out/"
}

# How a target is called by Rust, Debian and RPM.
for target in $targets; do
    command -v rustup > /dev/null && rustup -q target add "$target-unknown-linux-gnu"
    triple=$target-unknown-linux-gnu
    case $target in
        x86_64) debian=amd64 run=() ;;
        aarch64) debian=arm64 run=(qemu-aarch64 -L /usr/aarch64-linux-gnu) ;;
        *) echo "unknown target '$target': expected x86_64 or aarch64" >&2; exit 2 ;;
    esac
    cargo zigbuild --release --locked -p fieldtest --target "$triple.$glibc"
    program=target/$triple/release/fieldtest
    # No packaging tool looks at either: a newer symbol, or relocations that only glibc 2.36 can read, fail on the user's machine.
    newest=$(readelf -VW "$program" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
    [[ $(printf '%s\n' "GLIBC_$glibc" "$newest" | sort -V | tail -n 1) == "GLIBC_$glibc" ]] || { echo "$program needs $newest" >&2; exit 1; }
    ! readelf -VW "$program" | grep -q GLIBC_ABI_DT_RELR || { echo "$program needs glibc 2.36" >&2; exit 1; }
    "${run[@]}" "$program" prove ed25519 ml-dsa-44 > /dev/null

    tree=$work/$target/usr
    install -D -m 755 "$program" "$tree/bin/fieldtest"
    "${run[@]}" "$program" man "$tree/share/man/man1" -q
    gzip -9n "$tree"/share/man/man1/*
    for shell in bash:bash-completion/completions/fieldtest zsh:zsh/vendor-completions/_fieldtest fish:fish/vendor_completions.d/fieldtest.fish; do
        mkdir -p "$(dirname "$tree/share/${shell#*:}")"
        "${run[@]}" "$program" completions "${shell%%:*}" > "$tree/share/${shell#*:}"
    done
    install -D -m 644 -t "$tree/share/doc/fieldtest" README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE
    cat LICENSE-MIT LICENSE-APACHE > "$tree/share/doc/fieldtest/copyright"
    chmod -R u=rwX,go=rX "$work/$target"
    find "$work/$target" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

    name=fieldtest-$version-$triple
    tar --sort=name --owner=0 --group=0 --numeric-owner --transform "s,^\./usr,$name," -C "$work/$target" -c ./usr |
        xz -9 -T1 > "$out/$name.tar.xz"
    debian_package
    rpm_package
    image
done
"$here/release/sbom.py" > "$out/fieldtest-$version.cdx.json"
cd "$out"
find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum > SHA256SUMS
cat SHA256SUMS
