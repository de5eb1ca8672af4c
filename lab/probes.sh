#!/usr/bin/env bash
# What servers as they are installed spend in signing and verifying: uprobes at the entry and the return of their library's functions,
# while the small internet loads a resolver. Only processes that this script starts are counted.
#
# usage: lab/probes.sh [--fieldtest PROGRAM] [--keep DIRECTORY] [--resolver PROGRAM] [--algorithm NAME] [--denial WAY]
#
# It takes root and a kernel with CONFIG_UPROBE_EVENTS; where tracefs is not mounted, it is, in a mount namespace of the script's own.
# Uprobes outlive who set them, so this is a script that takes them back however it ends, and no option of the program. A probe costs
# its server one to a few microseconds, which is in these times: they are bounds from above, where the resolvers of lab/resolvers count
# without.
tracing=/sys/kernel/tracing
if [[ ! -e $tracing/uprobe_events && -z ${FIELDTEST_OWN_MOUNTS:-} && $EUID -eq 0 ]]; then
    FIELDTEST_OWN_MOUNTS=yes exec unshare --mount "$0" "$@"
fi
takes="resolver algorithm denial"
resolver=unbound algorithm=ecdsa-p256 denial=nsec
. "$(dirname "$0")/common.sh"
needs nsd:nsd python3:python3 nm:binutils
[[ -e $tracing/uprobe_events ]] || mount -t tracefs nodev $tracing 2> /dev/null || true
if [[ ! -w $tracing/uprobe_events ]]; then
    skip uprobes 'they take root, tracefs and CONFIG_UPROBE_EVENTS'
    finish
fi

group=fieldtest_$$
instance=$tracing/instances/$group
end() {
    [[ ! -d $instance ]] || { echo 0 > "$instance/events/$group/enable"; rmdir "$instance"; } 2> /dev/null
    sed -n "s|^[pr][^:]*:\($group/[^ ]*\) .*|-:\1|p" $tracing/uprobe_events > "$lab/back"
    while read -r back; do echo "$back" >> $tracing/uprobe_events; done < "$lab/back"
    [[ -n $keep ]] || rm -rf "$lab"
}
trap end EXIT
# What a server's library is asked to sign or verify, whatever it calls within.
set_probes() { # library function...
    local library at
    library=$(realpath "$1")
    for name in "${@:2}"; do
        at=$(nm -D "$library" | awk -v name="$name" '$2 == "T" { split($3, of, "@"); if (of[1] == name && !seen++) print $1 }')
        [[ -n $at ]] || continue
        echo "p:$group/enter_$name $library:0x$at" >> $tracing/uprobe_events
        echo "r:$group/leave_$name $library:0x$at" >> $tracing/uprobe_events
    done
}
library() { ldconfig -p | awk -v name="$1" '$1 == name && !seen++ { print $NF }'; }
set_probes "$(library libcrypto.so.3)" EVP_DigestVerify EVP_DigestVerifyFinal EVP_VerifyFinal
[[ -z $(library libgnutls.so.30) ]] || set_probes "$(library libgnutls.so.30)" gnutls_pubkey_verify_data2 gnutls_privkey_sign_data2
mkdir "$instance"
echo 16384 > "$instance/buffer_size_kb"
# What others of this machine sign and verify by the same libraries is none of it: events of this script's children alone. A namespace of
# processes hides the number by which the kernel knows the script, which is in what it writes there.
echo follow > "$instance/trace_marker"
sed -n 's/.*-\([0-9]*\) .*: follow$/\1/p' "$instance/trace" > "$instance/set_event_pid"
echo 1 > "$instance/options/event-fork"
echo 1 > "$instance/events/$group/enable"

"$fieldtest" dnssec resolver -a "$algorithm" --resolver "$resolver" --denial "tld=$denial" --missing-below tld --tlds 3 --domains 3 \
    --seconds 2 --rate 300 --budget 10 -o "$lab/report" > "$lab/out" 2>&1 || fail 'a resolver under load' "$lab/out"
echo 0 > "$instance/events/$group/enable"
cp "$instance/trace" "$lab/trace"
cat "$instance"/per_cpu/cpu*/stats > "$lab/stats"
python3 - "$lab/trace" > "$lab/sums" << 'END'
import re, sys
from collections import defaultdict
line = re.compile(r"^\s*(.+)-(\d+)\s+\[\d+\]\s+\S+\s+([\d.]+): (enter|leave)_(\w+):")
depth, begun, sums = defaultdict(int), {}, defaultdict(list)
for text in open(sys.argv[1]):
    if found := line.match(text):
        program, thread, at, which, name = found.groups()
        if which == "enter":
            if depth[thread] == 0:
                begun[thread] = float(at)
            depth[thread] += 1
        elif depth[thread] > 0:
            depth[thread] -= 1
            if depth[thread] == 0:
                what = "sign" if "sign" in name.lower() else "verify"
                sums[program.split("/")[0], what].append((float(at) - begun[thread]) * 1e6)
for (program, what), times in sorted(sums.items()):
    times.sort()
    print(f"{program}: {len(times)} times {what}, median {times[len(times) // 2]:.0f} us, {sum(times) / 1e3:.1f} ms in all")
END
cat "$lab/sums"
lost=$(awk '/^overrun:/ { sum += $2 } END { print sum + 0 }' "$lab/stats")
if [[ $lost -eq 0 ]]; then pass 'no event was lost'; else fail "$lost events were lost"; fi
if grep -q ' times verify' "$lab/sums"; then pass "$resolver was seen to verify"; else fail "$resolver was not seen to verify" "$lab/out"; fi
if [[ $denial == compact ]]; then
    if grep -q ' times sign' "$lab/sums"; then pass 'Knot was seen to sign'; else fail 'Knot was not seen to sign' "$lab/out"; fi
fi
finish
