#!/usr/bin/env bash
# Builds the lab's kernel: user-mode Linux, a real Linux kernel that runs as an ordinary program, without virtual
# machine, KVM or root. The source is the newest linux-source of Debian stable or its backports; this machine's apt fetches
# it.
#
# usage: lab/kernel/build.sh [--jobs N] [--work DIRECTORY] [--config FILE] [--tree DIRECTORY] [--output PROGRAM]
# usage: lab/kernel/build.sh --source DIRECTORY
#
# Modules for this kernel are built with the tree target/lab/kernel/build, a link into the lab's cache (lab/builder.sh).
# Another kernel, as that of checked.config, takes another tree and another output. With --source, the script unpacks that
# kernel's source there and builds nothing.
#
# Output: target/lab/linux. Takes about 5 minutes on two idle cores, 170 MB of download and 3 GB of disk under
# target/lab/kernel, which can be deleted afterwards. Does nothing if that kernel is in place, and takes it from the cache
# if it was built before. If the newest source cannot be fetched, the last kernel that was built serves. The script reports
# each option that this version of Linux does not take, and builds without it; with FIELDTEST_PEERS=required that is a
# failure. With FIELDTEST_KERNEL=/path/to/linux set, the lab uses that kernel and nothing is built.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../builder.sh
source "$here/../builder.sh"

jobs=$(nproc)
work=$here/../../target/lab/kernel
config=$here/config
tree=
output=$here/../../target/lab/linux
source=
options 'jobs work config tree output source' "$@"
tree=${tree:-$work/build}

if [[ -n ${FIELDTEST_KERNEL:-} && -z $source ]]; then
    [[ -x $FIELDTEST_KERNEL ]] || { echo "FIELDTEST_KERNEL=$FIELDTEST_KERNEL is not a program" >&2; exit 2; }
    echo "FIELDTEST_KERNEL is set: using $FIELDTEST_KERNEL, nothing to build"
    exit 0
fi
[[ $(uname -m) == x86_64 ]] || { echo "the lab's kernel is built on x86_64 only; this is $(uname -m)" >&2; exit 2; }

mkdir -p "$work" "$(dirname "$output")" "$(dirname "$tree")"
work=$(realpath "$work") config=$(realpath "$config")
result=kernel-$(basename "$config") # each configuration has its own results

# Finds the newest linux-source-X.Y; sets `package`, `version` and `digest` as apt_newest does.
newest_kernel() {
    local name
    apt_from Packages stable -backports || return
    name=$(apt apt-cache pkgnames linux-source- | grep -xE 'linux-source-[0-9]+(\.[0-9]+)+' | sort -V | tail -n 1)
    apt_newest Packages "${name:-linux-source-X.Y}"
}

unpack_kernel() { # directory
    [[ ! -f $1/.unpacked || $(< "$1/.unpacked") != "$digest" ]] || return 0
    rm -rf "$work/package"
    apt_fetch Packages "$package" "$version" "$work/package" || return
    echo "unpacking Linux $(upstream) (1.8 GB)"
    rm -rf "$1" && mkdir -p "$1"
    dpkg-deb --fsys-tarfile "$work/package"/*.deb | tar -xO --wildcards './usr/src/linux-source-*.tar.xz' |
        tar -xJ --strip-components=1 -C "$1"
    rm -r "$work/package"
    echo "$digest" > "$1/.unpacked"
}

# Puts the stored kernel and the link to its tree in place.
deliver() {
    install -m 755 "$stored/linux" "$output.new"
    mv "$output.new" "$output"
    # Only a kernel's build folder is replaced, as earlier versions of this script made it there.
    if [[ -e $tree && ! -L $tree && ! -e $tree/.config ]]; then
        echo "cannot link $tree to the kernel's tree: it is another folder; remove it or name one with --tree" >&2
        exit 2
    fi
    rm -rf "$tree"
    ln -s "$stored/build" "$tree"
    basename "$stored" > "$output.made-of"
}
without() {
    local line
    while read -r line; do skipped "$line" "Linux $(< "$stored/version") does not take it"; done < "$stored/without"
}

# If the newest source cannot be fetched: takes what was built before.
fall_back() {
    unknown_inputs "$output"
    if [[ -n $source ]]; then
        echo "cannot unpack a kernel: $apt_why" >&2
        exit 1
    elif [[ -x $output && -e $tree/Module.symvers ]]; then
        echo "$output stays as it is: $apt_why"
    elif any_stored "$result"; then
        deliver
        echo "$output: Linux $(< "$stored/version"), the last that was built here: $apt_why"
        without
    else
        skipped "the lab's kernel" "$apt_why"
    fi
    exit 0
}

newest_kernel || fall_back
if [[ -n $source ]]; then
    unpack_kernel "$source" || fall_back
    echo "$source: Linux $(upstream)"
    exit 0
fi

stamp=$(stamp_of "$0" "$here/tree.sh" "$config")
if [[ -x $output && -e $tree/Module.symvers && -f $output.made-of && $(< "$output.made-of") == "$stamp" ]]; then
    stored=$(dirname "$(realpath "$tree")")
    touch "$stored"
    echo "$output is up to date: Linux $(< "$stored/version")"
    without
    exit 0
fi
if stored "$result" "$stamp"; then
    deliver
    echo "$output: Linux $(< "$stored/version"), as it was built before"
    without
    exit 0
fi

need gcc gcc
need make make
need flex flex
need bison bison
need bc bc
need xz xz-utils
need dpkg-deb dpkg
need strip binutils
need openssl openssl
need_header openssl/opensslv.h libssl-dev
need_header gelf.h libelf-dev
needed
started=$SECONDS
unpack_kernel "$work/source" || fall_back
source=$work/source

build=$work/objects
# An interrupted build is resumed.
if [[ ! -f $work/objects-of || $(< "$work/objects-of") != "$stamp" ]]; then
    rm -rf "$build"
    echo "$stamp" > "$work/objects-of"
fi
rm -rf "$work/result"
mkdir -p "$build" "$work/result"
# The same source and compiler give the same kernel: no host, user or time in it.
make=(make -C "$source" ARCH=um "O=$build" KBUILD_BUILD_HOST=lab KBUILD_BUILD_USER=fieldtest
    KBUILD_BUILD_TIMESTAMP=1970-01-01)
quietly "$work/config.log" "${make[@]}" KCONFIG_ALLCONFIG="$config" allnoconfig
while read -r line; do
    case $line in
        CONFIG_*=*) grep -qxF "$line" "$build/.config" ;;
        '# CONFIG_'*' is not set') ! grep -q "^$(cut -d' ' -f2 <<< "$line")=" "$build/.config" ;;
        *) true ;;
    esac || echo "$line"
done < "$config" > "$work/result/without"

echo "building Linux $(upstream) with $jobs jobs: about $((10 / jobs > 1 ? 10 / jobs : 1)) minutes on idle cores; log in $work/build.log"
quietly "$work/build.log" "${make[@]}" -j"$jobs" linux modules_prepare
# What modules_prepare leaves out: no module of its own is built that would need it.
cp "$build/vmlinux.symvers" "$build/Module.symvers"
strip -o "$work/result/linux" "$build/linux"
"${make[@]}" --silent kernelrelease > "$work/result/version"
# shellcheck source=tree.sh
source "$here/tree.sh"
keep_tree "$source" "$build" "$work/result" "$stored"
store "$work/result"
deliver
echo "$output: Linux $(< "$stored/version"), $(stat -c %s "$output") bytes, $(((SECONDS - started + 59) / 60)) minutes"
without
