#!/usr/bin/env bash
# The kernel's own TCP-AO selftests (tools/testing/selftests/net/tcp_ao) in the lab's kernel: what the peer of lab/tcp-ao.sh
# does is what its authors want of it.
#
# usage: lab/tcp-ao-selftests.sh [--fieldtest PROGRAM] [--keep DIRECTORY] [--source DIRECTORY]
#
# Takes about two minutes. The source is that of the lab's kernel, target/lab/kernel/source; if it is not there,
# lab/kernel/build.sh --source unpacks it (170 MB of download, 1.8 GB of disk). Root is not needed.
takes=source
source=
. "$(dirname "$0")/common.sh"
needs_kernel 6.7 TCP-AO
needs gcc:gcc make:make ip:iproute2
source=${source:-$here/../target/lab/kernel/source}
[[ -d $source/tools/testing/selftests/net/tcp_ao ]] || "$here/kernel/build.sh" --source "$source"
release=$("$kernel" --version) version=$(make -s -C "$source" kernelversion)
if [[ $version != "$release" ]]; then
    skip "the selftests" "the kernel is Linux $release, and $source is Linux $version; name another with --source"
    finish
fi
source=$(realpath "$source")

mkdir -p "$lab/selftests/bin" "$lab/headers"
# The headers of this kernel: the distribution's know no TCP_AO_ADD_KEY. The kernel's makefiles take top_srcdir from where
# they believe themselves to be, so it is given.
log=$lab/selftests/build.log
if ! { make -s -C "$source" "O=$lab/headers" ARCH=x86 headers &&
    make -s -C "$source/tools/testing/selftests/net/tcp_ao" "top_srcdir=$source" "OUTPUT=$lab/selftests/bin" \
        "KHDR_INCLUDES=-isystem $lab/headers/usr/include"; } > "$log" 2>&1 < /dev/null; then
    fail "building the selftests" "$log"
    finish
fi
timeout 400 "$kernel" mem=256M root=/dev/root rootfstype=hostfs rootflags=/ ro con=null con0=null,fd:1 quiet panic=1 \
    "uml_dir=$lab/uml/" "init=$python" -- -B "$here/tcp-ao/guest.py" selftests "$lab/selftests" \
    < /dev/null > "$lab/selftests/kernel.log" 2>&1 || true
count "$lab/selftests/kernel.log" "$lab/selftests/finished" "$lab/selftests/results.kernel"
# Twelve programs for each version of IP.
[[ $passed -eq 24 ]] || fail "24 programs were to pass, and $passed did"
finish
