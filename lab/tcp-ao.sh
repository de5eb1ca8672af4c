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
. "$(dirname "$0")/common.sh"
needs_kernel 6.7 TCP-AO
needs ip:iproute2 unshare:util-linux nsenter:util-linux
rm -rf "$lab/loopback" "$lab/gateway"
mkdir "$lab/loopback" "$lab/gateway"

verify() { # capture expected-exit-code
    local code=0 keys
    mapfile -t keys < "${1%.pcap}.keys"
    "$fieldtest" tcp-ao verify "$1" "${keys[@]}" > "${1%.pcap}.verified" 2>&1 || code=$?
    if [[ $code -eq $2 ]]; then
        pass "verify $(basename "$1"): exit code $code, as it must be"
    else
        fail "verify $1: exit code $code, expected $2" "${1%.pcap}.verified"
    fi
}

# The gateway's capture ends with a SYN under a wrong key. It verifies under that key, and that the kernel never answers it
# is the one fault that there must be.
verify_gateway() { # capture
    local keys report=${1%.pcap}.json
    mapfile -t keys < "${1%.pcap}.keys"
    "$fieldtest" tcp-ao verify "$1" "${keys[@]}" --format json > "$report" 2> "${1%.pcap}.verified" || true
    if "$python" -B "$here/tcp-ao/judged.py" "$report" 2>> "${1%.pcap}.verified"; then
        pass "verify $(basename "$1"): every segment, and the SYN with the wrong key is unanswered"
    else
        fail "verify $1" "${1%.pcap}.verified"
    fi
}

timeout 240 "$kernel" mem=192M root=/dev/root rootfstype=hostfs rootflags=/ ro con=null con0=null,fd:1 quiet panic=1 \
    "uml_dir=$lab/uml/" "init=$python" -- -B "$here/tcp-ao/guest.py" loopback "$lab/loopback" \
    < /dev/null > "$lab/loopback/kernel.log" 2>&1 || true
count "$lab/loopback/kernel.log" "$lab/loopback/finished" "$lab"/loopback/results.*
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
    timeout 240 "${namespace[@]}" "$here/tcp-ao/gateway.sh" "$kernel" "$fieldtest" "$python" "$lab/gateway" || true
    count "$lab/gateway/kernel.log" "$lab/gateway/finished" "$lab"/gateway/results.*
    [[ ! -e $lab/gateway/gateway.pcap ]] || verify_gateway "$lab/gateway/gateway.pcap"
fi
finish
