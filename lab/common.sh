# shellcheck shell=bash disable=SC2034
# What every lab that this is sourced by has in common: its options, its count, and the kernel that judges.
#
# Sets: here (this directory), fieldtest (the program), keep (DIRECTORY of --keep, or empty), lab (a place for files,
# removed at the end unless kept). After `needs_kernel`: kernel and python. Who has options beyond --fieldtest and --keep sets
# takes="NAME ..." before, as options.sh has it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/options.sh"

fieldtest=target/release/fieldtest
keep=
options "fieldtest keep ${takes-}" "$@"
[[ -x $fieldtest ]] || { echo "no program at $fieldtest; build it with: cargo build --release" >&2; exit 2; }
fieldtest=$(realpath "$fieldtest")
PATH=$PATH:/usr/sbin:/sbin

passed=0 failed=0 skipped=0
pass() { # what
    echo "passed $1"
    passed=$((passed + 1))
}
fail() { # what [log]
    echo "FAILED $1" >&2
    [[ -z ${2:-} ]] || tail -n 15 "$2" >&2
    failed=$((failed + 1))
}
skip() { # what remedy
    echo "SKIPPED $1: $2" >&2
    skipped=$((skipped + 1))
    [[ ${FIELDTEST_PEERS:-} != required ]] || failed=$((failed + 1))
}
finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    # Where nothing was checked and nothing left out, the lab itself is broken.
    [[ $failed -eq 0 && $((passed + skipped)) -gt 0 ]] && exit 0 || exit 1
}

needs() { # program:package ...
    local tool
    for tool in "$@"; do
        command -v "${tool%:*}" > /dev/null || skip "${tool%:*}" "not installed: apt-get install ${tool#*:}"
    done
    [[ $skipped -eq 0 ]] || finish
}

# A kernel of this version at least, for this.
needs_kernel() { # [version what]
    kernel=${FIELDTEST_KERNEL:-$here/../target/lab/linux}
    if [[ ! -x $kernel ]]; then
        skip "the kernel" "no $kernel; build it with lab/kernel/build.sh, or name one in FIELDTEST_KERNEL"
        finish
    fi
    kernel=$(realpath "$kernel")
    local release
    if [[ -n ${1:-} ]]; then
        release=$("$kernel" --version)
        if [[ $(printf '%s\n' "$1" "$release" | sort -V | head -n 1) != "$1" ]]; then
            skip "$2" "it takes Linux $1, and $kernel is Linux $release"
            finish
        fi
    fi
    needs python3:python3
    # The kernel starts it without a shell, so the program itself and not a wrapper in the PATH.
    python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
}

# What the kernel's side of a scene left: `passed …` and `FAILED …` line by line, and that it came to its end.
count() { # log finished results...
    [[ -e $2 ]] || fail "the kernel's side did not come to $2" "$1"
    local results
    for results in "${@:3}"; do
        [[ -e $results ]] || continue
        cat "$results"
        passed=$((passed + $(grep -c '^passed' "$results" || true)))
        failed=$((failed + $(grep -c '^FAILED' "$results" || true)))
    done
}

# Writes NAME.conf for an NSD on the loopback, to which zones are appended; its own files lie beside it.
nsd_conf() { # name port [line of server:]...
    {
        printf '    %s\n' "ip-address: 127.0.0.1@$2" 'username: ""' 'chroot: ""' "zonesdir: \"$lab\"" 'database: ""' \
            "pidfile: \"$lab/$1.pid\"" "xfrdfile: \"$lab/$1.state\"" "xfrdir: \"$lab\"" "zonelistfile: \"$lab/$1.list\"" \
            'rrl-ratelimit: 0' "${@:3}" | sed '1i server:'
        printf 'remote-control:\n    control-enable: no\n'
    } > "$lab/$1.conf"
}
nsd_zone() { # name of the configuration, zone, file
    printf 'zone:\n    name: "%s"\n    zonefile: "%s"\n' "$2" "$3" >> "$lab/$1.conf"
}

if [[ -n $keep ]]; then
    mkdir -p "$keep"
    lab=$(realpath "$keep")
else
    lab=$(mktemp -d)
    trap 'rm -rf "$lab"' EXIT
fi
