#!/usr/bin/env bash
# Scene: a file system on `fieldtest disk serve`, inside a mount namespace of its own, made by lab/disk.sh:
#
#   ext4 ── loop device ── a file of nbdfuse ── NBD ── fieldtest disk serve ── the container
#
# usage: served.sh FIELDTEST CONTAINER DIRECTORY, the last of which has `key` and takes `results.served`
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
fieldtest=$1 container=$2 directory=$3
work=$(dirname "$container")
socket=$work/socket disk=$work/nbd/disk content=$work/content
mkdir "$work/nbd" "$content"

server='' fuse='' loop=''
cleanup() { # as far as it was made
    mountpoint -q "$content" && umount -l "$content"
    [[ -z $loop ]] || losetup -d "$loop"
    mountpoint -q "$work/nbd" && umount -l "$work/nbd"
    kill $server $fuse
    wait
} 2> /dev/null
trap 'cleanup || true' EXIT
pass() { echo "passed served: $*" >> "$directory/results.served"; }
fail() { # and no more of this scene, whose steps build on each other
    echo "FAILED served: $*" >> "$directory/results.served"
    : > "$directory/finished.served"
    exit 1
}
wait_for() { # command...
    local tries=200
    until "$@" 2> /dev/null; do
        ((tries-- > 0)) || fail "waited in vain for: $*"
        sleep 0.05
    done
}

serve() { # the container becomes $loop
    : > "$work/uri"
    "$fieldtest" disk serve "$container" --listen "$socket" --key-file "$directory/key" > "$work/uri" &
    server=$!
    wait_for test -s "$work/uri"
    nbdfuse "$disk" "$(cat "$work/uri")" &
    fuse=$!
    wait_for test -f "$disk"
    loop=$(losetup --find --show "$disk")
}
withdraw() { # the clients leave, whatever has become of the server
    losetup -d "$loop"
    loop=
    umount "$work/nbd"
    wait "$fuse" || true
    fuse=
}
stop() {
    withdraw
    kill -TERM "$server"
    wait "$server" || fail "the server ended with exit code $? after SIGTERM"
    server=
}

# A tree of sources goes in, and the same comes out after everything between was started anew. It is a copy, since
# somebody may be working on the original.
sources=$work/sources
cp -a "$here/../../crates" "$sources"
serve
mkfs.ext4 -q "$loop" || fail "mkfs.ext4"
mount "$loop" "$content"
cp -a "$sources" "$content/tree"
umount "$content"
e2fsck -fn "$loop" || fail "e2fsck finds the file system unsound after the copy of a tree"
stop
pass "ends in order after SIGTERM"
serve
mount "$loop" "$content"
diff -r --no-dereference "$sources" "$content/tree" || fail "the tree that was copied is another now"
pass "a tree of $(find "$sources" -type f | wc -l) files came back from ext4 with LEA"
umount "$content"
stop

# The server is killed in the middle of writes; what was durable before is there afterwards.
for round in 1 2 3; do
    serve
    mount "$loop" "$content"
    mkdir "$content/round-$round"
    list=$work/list.$round
    python3 "$here/writer.py" "$content/round-$round" "$list" &
    writer=$!
    wait_for test -s "$list"
    sleep "0.$((RANDOM % 900 + 100))"
    kill -KILL "$server"
    wait "$server" || true
    server=
    # It ends by itself, at the first write that fails.
    wait "$writer" || true
    umount "$content"
    withdraw
    number=$(wc -l < "$list")
    serve
    e2fsck -fp "$loop" || [[ $? -eq 1 ]] || fail "round $round: e2fsck -p cannot mend the file system"
    mount "$loop" "$content"
    (cd "$content/round-$round" && sha256sum --check --quiet "$list") || fail "round $round: durable files are lost"
    umount "$content"
    stop
    pass "killed after $number durable files, which are all there: the file system is sound, and each has its content"
done
: > "$directory/finished.served"
