#!/usr/bin/env bash
# The network of the gateway's scene, inside a network namespace of its own, made by lab/tcp-ao.sh:
#
#   application's namespace          this namespace (a router)                    user-mode Linux
#   10.8.0.1 ── ao-inner ──▷ fieldtest tcp-ao gateway ──▷ ao-outer ── wire 10.9.0.1 ══ vec0 10.9.0.2, requires TCP-AO
#
# usage: gateway.sh KERNEL FIELDTEST PYTHON DIRECTORY
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
kernel=$1 fieldtest=$2 python=$3 directory=$4

running=()
cleanup() { for process in "${running[@]}"; do kill "$process" 2>/dev/null || true; done; wait; }
trap cleanup EXIT
fail() { echo "FAILED gateway: $*" >> "$directory/results.application"; exit 1; }
wait_for() { # seconds command...
    local tries=$(($1 * 20))
    shift
    until "$@" 2>/dev/null; do
        ((tries-- > 0)) || return 1
        sleep 0.05
    done
}

# The wire to the kernel. The end that the kernel takes over stays silent itself.
ip link add wire type veth peer name kernel0
echo 0 > /proc/sys/net/ipv6/conf/wire/accept_dad
ip link set kernel0 addrgenmode none
ip link set kernel0 up
ip link set wire up
ip link set lo up
ip address add 10.9.0.1/24 dev wire
ip address add fd00:9::1/64 dev wire nodad
echo 1 > /proc/sys/net/ipv4/ip_forward
echo 1 > /proc/sys/net/ipv6/conf/all/forwarding

# The application's namespace is held open by a process that sleeps.
unshare --net sleep 300 &
application=$!
running+=("$application")
other_namespace() { [[ $(readlink "/proc/$application/ns/net") != $(readlink /proc/self/ns/net) ]]; }
wait_for 5 other_namespace || fail "no namespace for the application"
inside() { nsenter --target "$application" --net "$@"; }

"$python" -B "$here/application.py" keys "$directory/gateway.lines"
"$fieldtest" tcp-ao gateway --inner ao-inner --outer ao-outer --keys "$directory/gateway.lines" \
    2> "$directory/gateway.log" &
gateway=$!
running+=("$gateway")
wait_for 5 ip link show ao-outer >/dev/null || { tail -n 3 "$directory/gateway.log" >&2; fail "it did not start"; }
wait_for 5 ip link show ao-inner >/dev/null || fail "no inner interface"

ip link set ao-outer up
ip route add 10.8.0.0/24 dev ao-outer
ip -6 route add fd00:8::/64 dev ao-outer
ip link set ao-inner netns "$application"
inside ip link set lo up
inside ip address add 10.8.0.1/32 dev ao-inner
inside ip address add fd00:8::1/128 dev ao-inner nodad
inside ip link set ao-inner up
inside ip route add default dev ao-inner
inside ip -6 route add default dev ao-inner

"$python" -B "$here/capture.py" wire "$directory/gateway.pcap" > "$directory/capture.log" &
capture=$!
running+=("$capture")
wait_for 5 grep -q capturing "$directory/capture.log" || fail "no capture on the wire"

"$kernel" mem=192M root=/dev/root rootfstype=hostfs rootflags=/ ro con=null con0=null,fd:1 quiet panic=1 \
    "uml_dir=$directory/uml/" vec0:transport=raw,ifname=kernel0 "init=$python" -- -B "$here/guest.py" gateway "$directory" \
    < /dev/null > "$directory/kernel.log" 2>&1 &
guest=$!
running+=("$guest")
inside "$python" -B "$here/application.py" "$directory" "$directory/gateway.lines" "$gateway" \
    >> "$directory/results.application"
wait_for 40 test -e "$directory/finished" || fail "the kernel's side did not finish; see its log"
wait "$guest" || true

kill "$capture" && wait "$capture" || true
kill "$gateway" && wait "$gateway" || fail "it did not end cleanly"
