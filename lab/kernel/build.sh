#!/usr/bin/env bash
# Builds the lab's kernel: user-mode Linux, a real Linux kernel that runs as an ordinary program, without virtual
# machine, KVM or root. The source is Debian's package of it, checked by its SHA-256.
#
# usage: lab/kernel/build.sh [--jobs N] [--work DIRECTORY] [--config FILE] [--tree DIRECTORY] [--output PROGRAM]
#
# The tree is what modules for this kernel are built with: target/lab/kernel/build. Another kernel, as that of
# checked.config, takes another tree and another output.
#
# Output: target/lab/linux. Takes about 5 minutes on two idle cores, 170 MB of download and 3 GB of disk under
# target/lab/kernel, which can be deleted afterwards unless modules are to be built (lab/lea-kernel.sh). Does nothing
# if the kernel is there and neither the package nor the configuration changed. With FIELDTEST_KERNEL=/path/to/linux set, the lab uses that kernel and nothing is built.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../fetch.sh"

# The package, as trixie-backports lists it. A newer one: change the two lines, and the date below; its digest is the
# SHA256 field of `apt-cache show linux-source-VERSION`.
package=linux-source-7.3_7.3.4-1~bpo13+1_all.deb
digest=703e369ddd4cce971452f5a593ee55df3a5c10c83caf0fa0df039633ed181ee3
# The second one keeps what the first one replaces.
mirrors=(https://deb.debian.org/debian https://snapshot.debian.org/archive/debian/20261122T000000Z)

jobs=$(nproc)
work=$here/../../target/lab/kernel
config=$here/config
tree=
output=$here/../../target/lab/linux
options 'jobs work config tree output' "$@"
build=${tree:-$work/build}

if [[ -n ${FIELDTEST_KERNEL:-} ]]; then
    [[ -x $FIELDTEST_KERNEL ]] || { echo "FIELDTEST_KERNEL=$FIELDTEST_KERNEL is not a program" >&2; exit 2; }
    echo "FIELDTEST_KERNEL is set: using $FIELDTEST_KERNEL, nothing to build"
    exit 0
fi
[[ $(uname -m) == x86_64 ]] || { echo "the lab's kernel is built on x86_64 only; this is $(uname -m)" >&2; exit 2; }

# What this kernel was made of: built again only when that changes.
stamp=$(cat "$config" <(echo "$digest") | sha256sum | cut -d' ' -f1)
if [[ -x $output && -f $output.made-of && $(<"$output.made-of") == "$stamp" ]]; then
    echo "$output is up to date"
    exit 0
fi

need gcc gcc
need make make
need flex flex
need bison bison
need bc bc
need curl curl
need xz xz-utils
need dpkg-deb dpkg
need strip binutils
need openssl openssl
need_header openssl/opensslv.h libssl-dev
need_header gelf.h libelf-dev
needed

mkdir -p "$work" "$(dirname "$output")"
work=$(realpath "$work")
config=$(realpath "$config")
started=$SECONDS

fetch "$digest" "$work/$package" "${mirrors[@]/%//pool/main/l/linux/$package}"

source=$work/source
if [[ ! -f $source/.unpacked || $(<"$source/.unpacked") != "$digest" ]]; then
    echo "unpacking (1.8 GB)"
    rm -rf "$source" && mkdir -p "$source"
    dpkg-deb --fsys-tarfile "$work/$package" | tar -xO --wildcards './usr/src/linux-source-*.tar.xz' |
        tar -xJ --strip-components=1 -C "$source"
    echo "$digest" > "$source/.unpacked"
fi

mkdir -p "$build"
build=$(realpath "$build")
# The same source and compiler give the same kernel: no host, user or time in it.
make=(make -C "$source" ARCH=um "O=$build" KBUILD_BUILD_HOST=lab KBUILD_BUILD_USER=fieldtest
    KBUILD_BUILD_TIMESTAMP=1970-01-01)
quietly "$work/config.log" "${make[@]}" KCONFIG_ALLCONFIG="$config" allnoconfig
lost=0
while read -r line; do
    case $line in
        CONFIG_*=*) grep -qxF "$line" "$build/.config" ;;
        '# CONFIG_'*' is not set') ! grep -q "^$(cut -d' ' -f2 <<<"$line")=" "$build/.config" ;;
        *) true ;;
    esac || { echo "the kernel's configuration does not take: $line" >&2; lost=1; }
done < "$config"
[[ $lost -eq 0 ]] || { echo "see $build/.config and $config" >&2; exit 1; }

echo "building with $jobs jobs: about $((10 / jobs > 1 ? 10 / jobs : 1)) minutes on idle cores; log in $work/build.log"
quietly "$work/build.log" "${make[@]}" -j"$jobs" linux modules_prepare
# What modules_prepare leaves out: no module of its own is built that would need it.
cp "$build/vmlinux.symvers" "$build/Module.symvers"
strip -o "$output.new" "$build/linux"
mv "$output.new" "$output"
echo "$stamp" > "$output.made-of"
echo "$output: Linux $("${make[@]}" --silent kernelrelease), $(stat -c %s "$output") bytes," \
    "$(((SECONDS - started + 59) / 60)) minutes"
