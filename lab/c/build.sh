#!/usr/bin/env bash
# Builds libfieldtest: the shared library with its symbols' version, the static one, header, pkg-config file and manual pages, and on
# request Debian packages of them.
#
# usage: lab/c/build.sh [--prefix DIRECTORY] [--libdir NAME] [--deb DIRECTORY]
#        lab/c/build.sh --header
#
# Everything is laid out under the prefix (default: target/lab/c/usr), where it can be used as it stands: the pkg-config file finds
# its place by itself. --libdir is where libraries lie below the prefix (default: lib). --deb leaves libfieldtest0 and
# libfieldtest-dev in a directory. --header makes crates/c/include/fieldtest.h anew, by cbindgen.
#
# Cargo makes a static library; the linker makes of it a shared one and one object with no global symbol but those of the header.
# rustc would link a shared one too, but has a version script of its own and takes no second one.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
crate=$root/crates/c
target=${CARGO_TARGET_DIR:-$root/target}
major=0   # of the SONAME; libfieldtest.map has the versions of symbols
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)

prefix=$target/lab/c/usr libdir=lib deb= header=
while [[ $# -gt 0 ]]; do
    case $1 in
        --prefix) prefix=$2; shift 2 ;;
        --libdir) libdir=$2; shift 2 ;;
        --deb) deb=$2; shift 2 ;;
        --header) header=1; shift ;;
        *) echo "usage: $0 [--prefix DIRECTORY] [--libdir NAME] [--deb DIRECTORY] | --header" >&2; exit 2 ;;
    esac
done

if [[ -n $header ]]; then
    cbindgen=$("$here/../tool.sh" cbindgen)
    exec "$cbindgen" --quiet --config "$crate/cbindgen.toml" --crate fieldtest-c --output "$crate/include/fieldtest.h" "$crate"
fi

missing=()
need() { command -v "$1" > /dev/null || missing+=("$2"); }
need cc gcc
need objcopy binutils
need python3 python3
[[ -z $deb ]] || need dpkg-deb dpkg
if [[ ${#missing[@]} -gt 0 ]]; then
    echo "missing: install with: apt-get install ${missing[*]}" >&2
    exit 1
fi

# Beside the program, where there is one, with its features of libraries: what both are made of is then not compiled twice.
packages=(-p fieldtest-c)
[[ ! -x $target/release/fieldtest ]] || packages+=(-p fieldtest)
# FIELDTEST_CARGO_CONFIG is CI's overlay, by which the program was built there.
cargo ${FIELDTEST_CARGO_CONFIG:+--config "$FIELDTEST_CARGO_CONFIG"} build --quiet --release --manifest-path "$root/Cargo.toml" "${packages[@]}"
archive=$target/release/libfieldtest_c.a
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
map=$crate/libfieldtest.map
sed -n 's/^ *\(ft_[a-z_]*\);$/\1/p' "$map" > "$work/symbols"
depends='-lgcc_s -lpthread -ldl -lm -lc'

lay() { # directory below which lib, include and share lie; libdir
    local lib=$1/$2 real=libfieldtest.so.$major.$version
    mkdir -p "$lib/pkgconfig" "$1/include" "$1/share/man"
    # shellcheck disable=SC2086
    cc -shared -o "$work/$real" -Wl,-soname,"libfieldtest.so.$major" -Wl,--version-script="$map" \
        -Wl,--whole-archive "$archive" -Wl,--no-whole-archive \
        -Wl,--gc-sections -Wl,-z,defs -Wl,-z,relro -Wl,-z,now -Wl,--as-needed $depends
    strip --strip-unneeded "$work/$real"
    ld -r --whole-archive "$archive" --no-whole-archive --gc-sections $(sed 's/^/-u /' "$work/symbols") -o "$work/fieldtest.o"
    # Bitcode of Rust's own libraries, which is of no use joined, and upsets tools that look at it.
    objcopy --remove-section=.llvmbc --remove-section=.llvmcmd --strip-unneeded \
        --keep-global-symbols="$work/symbols" "$work/fieldtest.o"
    rm -f "$work/libfieldtest.a"
    ar rcsD "$work/libfieldtest.a" "$work/fieldtest.o"
    install -m 644 "$work/libfieldtest.a" "$work/$real" "$lib"
    ln -sf "$real" "$lib/libfieldtest.so.$major"
    ln -sf "libfieldtest.so.$major" "$lib/libfieldtest.so"
    install -m 644 "$crate/include/fieldtest.h" "$1/include"
    local up=${2//[^\/]/}   # as many levels up as the libraries lie deep
    cat > "$lib/pkgconfig/fieldtest.pc" << PC
prefix=\${pcfiledir}/../..${up//\//\/..}
libdir=\${prefix}/$2
includedir=\${prefix}/include

Name: libfieldtest
Description: signatures, MACs, hash functions and ciphers of storage by name
Version: $version
Libs: -L\${libdir} -lfieldtest
Libs.private: $depends
Cflags: -I\${includedir}
PC
    python3 "$here/man.py" "$crate/src" "$crate/include/fieldtest.h" "$1/share/man/man3"
}

if [[ -z $deb ]]; then
    lay "$prefix" "$libdir"
    echo "libfieldtest $version is in $prefix"
    exit 0
fi

# Debian's layout and the two packages that its policy asks for (chapter 8).
architecture=$(dpkg --print-architecture)
multiarch=lib/$(cc -print-multiarch)
lay "$work/usr" "$multiarch"
# The newest symbols of the C library that are asked for say which one is needed.
glibc=$(objdump -T "$work/usr/$multiarch/libfieldtest.so.$major" | sed -n 's/.*GLIBC_\([0-9.]*\)[) ].*/\1/p' | sort -V | tail -n 1)

package() { # name section depends description
    local tree=$work/deb/$1
    mkdir -p "$tree/DEBIAN" "$tree/usr/share/doc/$1"
    cat "$root/LICENSE-MIT" "$root/LICENSE-APACHE" > "$tree/usr/share/doc/$1/copyright"
    cat > "$tree/DEBIAN/control" << CONTROL
Package: $1
Version: $version
Architecture: $architecture
Multi-Arch: same
Section: $2
Priority: optional
Maintainer: the fieldtest developers <fieldtest@localhost>
Source: fieldtest
Depends: $3
Installed-Size: $(du -sk "$tree/usr" | cut -f 1)
Description: $4
 A cryptographic algorithm by its name: its facts, its keys, its signatures,
 MACs, digests and encrypted sectors, by the implementation that fieldtest's
 catalog thinks best or by a named one.
CONTROL
    find "$tree" -type d -exec chmod 755 {} +
    (cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum) > "$tree/DEBIAN/md5sums"
    mkdir -p "$deb"
    dpkg-deb --root-owner-group --build "$tree" "$deb" > /dev/null
    echo "$deb/${1}_${version}_$architecture.deb"
}

runtime=libfieldtest$major
mkdir -p "$work/deb/$runtime/usr/$multiarch" "$work/deb/$runtime/DEBIAN"
mv "$work/usr/$multiarch"/libfieldtest.so.* "$work/deb/$runtime/usr/$multiarch"
echo "libfieldtest $major $runtime (>= $version)" > "$work/deb/$runtime/DEBIAN/shlibs"
echo 'activate-noawait ldconfig' > "$work/deb/$runtime/DEBIAN/triggers"
mkdir -p "$work/deb/libfieldtest-dev/usr/share/doc/libfieldtest-dev"
cp -a "$work/usr/." "$work/deb/libfieldtest-dev/usr"
find "$work/deb/libfieldtest-dev/usr/share/man" -name '*.3' -exec gzip -9n {} +
cp -r "$crate/examples" "$work/deb/libfieldtest-dev/usr/share/doc/libfieldtest-dev/examples"
rm -f "$work/deb/libfieldtest-dev/usr/share/doc/libfieldtest-dev/examples/"*.rs
package "$runtime" libs "libc6 (>= $glibc), libgcc-s1" 'cryptographic algorithms by name - shared library'
package libfieldtest-dev libdevel "$runtime (= $version), libc6-dev" 'cryptographic algorithms by name - development files'
