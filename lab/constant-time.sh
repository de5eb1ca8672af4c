#!/usr/bin/env bash
# Whether a branch or an address depends on a secret, as valgrind sees it: the primitives run with their keys marked as
# undefined. Two kinds of branches of ECDSA are expected: whether a scalar is in range, and whether r and s, about to be
# published, are zero; a lookup that the program makes on purpose shows that anything is seen. Needs valgrind, x86-64.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}/constant-time
[[ lab/constant-time/Cargo.lock -nt Cargo.lock ]] || cp Cargo.lock lab/constant-time/Cargo.lock
cargo build --quiet --release --manifest-path lab/constant-time/Cargo.toml --target-dir "$target"
log=$target/valgrind.log
echo 'branches and addresses that depend on a secret:'
valgrind --quiet --error-limit=no --log-file="$log" "$target/release/fieldtest-constant-time"

# Places of the source that decide what memcheck's blocks are about.
zero=$(grep -n 'Scalar::ZERO' crates/primitives/ecdsa/src/sign.rs | cut -d: -f1 | paste -sd'|')
awk -v zero="sign_digest [(]src/sign.rs:($zero)[)]" '
    function judge() {
        if (block ~ /secret_scalar/) range++
        else if (block ~ zero) zeros++
        else if (block ~ /lookup_on_purpose/) own++
        else if (block != "") { unexpected++; print block > "/dev/stderr" }
        block = ""
    }
    /^==[0-9]+== *$/ { judge(); next }
    /^==/ { block = block $0 "\n" }
    END {
        judge()
        printf "%d of whether a scalar is in range, %d of whether r or s is zero, %d on purpose, %d others\n", range, zeros, own, unexpected
        exit unexpected > 0 || own == 0
    }' "$log"
