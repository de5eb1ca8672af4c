#!/usr/bin/env bash
# TCP-AO against the real Linux kernel, which runs here as a program (user-mode Linux; lab/kernel/build.sh makes it):
#
# 1. the kernel talks to itself, and `fieldtest tcp-ao verify` verifies every segment that it sent;
# 2. an application on this host, whose kernel may have no TCP-AO, talks to the kernel, which requires it, through
#    `fieldtest tcp-ao gateway`.
#
# usage: lab/tcp-ao.sh [--fieldtest PROGRAM] [--keep DIRECTORY]
#
# Takes under a minute. Root is not needed where users may make namespaces; nothing of the host's network is touched.
# The captures, their keys and the logs stay in DIRECTORY if one is given. The kernel is target/lab/linux, or what
# FIELDTEST_KERNEL names. What is missing is skipped by name; with FIELDTEST_PEERS=required that is a failure.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

fieldtest=target/release/fieldtest
keep=
while [[ $# -gt 0 ]]; do
    case $1 in
        --fieldtest) fieldtest=$2; shift 2 ;;
        --keep) keep=$2; shift 2 ;;
        *) echo "usage: $0 [--fieldtest PROGRAM] [--keep DIRECTORY]" >&2; exit 2 ;;
    esac
done
[[ -x $fieldtest ]] || { echo "no program at $fieldtest; build it with: cargo build --release" >&2; exit 2; }
fieldtest=$(realpath "$fieldtest")
kernel=${FIELDTEST_KERNEL:-$here/../target/lab/linux}

PATH=$PATH:/usr/sbin:/sbin
passed=0 failed=0 skipped=0
skip() { # what remedy
    echo "SKIPPED $1: $2" >&2
    skipped=$((skipped + 1))
    [[ ${FIELDTEST_PEERS:-} != required ]] || failed=$((failed + 1))
}
finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [[ $failed -eq 0 ]] && exit 0 || exit 1
}

if [[ ! -x $kernel ]]; then
    skip "the kernel" "no $kernel; build it with lab/kernel/build.sh, or name one in FIELDTEST_KERNEL"
    finish
fi
for tool in python3:python3 ip:iproute2 unshare:util-linux nsenter:util-linux; do
    command -v "${tool%:*}" >/dev/null || skip "${tool%:*}" "not installed: apt-get install ${tool#*:}"
done
[[ $skipped -eq 0 ]] || finish
kernel=$(realpath "$kernel")
# The kernel starts it without a shell, so the program itself and not a wrapper in the PATH.
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')

if [[ -n $keep ]]; then
    mkdir -p "$keep"
    lab=$(realpath "$keep")
    rm -rf "$lab/loopback" "$lab/gateway"
else
    lab=$(mktemp -d)
    trap 'rm -rf "$lab"' EXIT
fi
mkdir "$lab/loopback" "$lab/gateway"

count() { # the results of both sides of a scene
    if [[ ! -e $1/finished ]]; then
        echo "FAILED: the kernel's side did not finish in $1" >&2
        tail -n 15 "$1"/*.log >&2
        failed=$((failed + 1))
    fi
    cat "$1"/results.*
    passed=$((passed + $(cat "$1"/results.* | grep -c '^passed' || true)))
    failed=$((failed + $(cat "$1"/results.* | grep -c '^FAILED' || true)))
}

verify() { # capture expected-exit-code
    local code=0 keys
    mapfile -t keys < "${1%.pcap}.keys"
    "$fieldtest" tcp-ao verify "$1" "${keys[@]}" > "${1%.pcap}.verified" 2>&1 || code=$?
    if [[ $code -eq $2 ]]; then
        echo "passed verify $(basename "$1"): exit code $code, as it must be"
        passed=$((passed + 1))
    else
        echo "FAILED verify $1: exit code $code, expected $2" >&2
        tail -n 5 "${1%.pcap}.verified" >&2
        failed=$((failed + 1))
    fi
}

timeout 60 "$kernel" mem=192M root=/dev/root rootfstype=hostfs rootflags=/ ro con=null con0=null,fd:1 quiet panic=1 \
    "uml_dir=$lab/uml/" "init=$python" -- -B "$here/tcp-ao/guest.py" loopback "$lab/loopback" \
    < /dev/null > "$lab/loopback/kernel.log" 2>&1 || true
count "$lab/loopback"
for capture in "$lab"/loopback/*.pcap; do
    case $capture in
        *wrong-key*) verify "$capture" 1 ;;
        *) verify "$capture" 0 ;;
    esac
done

namespace=(unshare --net)
[[ $(id -u) -eq 0 ]] || namespace=(unshare --map-root-user --net)
if ! "${namespace[@]}" true 2>/dev/null; then
    skip "the gateway" "this user may not make network namespaces; run as root"
elif [[ ! -c /dev/net/tun ]]; then
    skip "the gateway" "no /dev/net/tun; load the module with: modprobe tun"
else
    timeout 90 "${namespace[@]}" "$here/tcp-ao/gateway.sh" "$kernel" "$fieldtest" "$python" "$lab/gateway" || true
    count "$lab/gateway"
    [[ ! -e $lab/gateway/gateway.pcap ]] || verify "$lab/gateway/gateway.pcap" 0
fi
finish
