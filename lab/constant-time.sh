#!/usr/bin/env bash
# Whether a branch or an address depends on a secret, as valgrind sees it: the primitives run with their keys marked as
# undefined. Two kinds of branches of ECDSA are expected: whether a scalar is in range, and whether r and s, about to be
# published, are zero. Of ML-DSA are expected whether the parts of a key belong together, the challenges, why an attempt was
# rejected, and the hints, all of which FIPS 204 allows to be known. A lookup that the program makes on purpose shows that
# anything is seen. Needs valgrind, x86-64.
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
lines() { grep -nE "$2" "crates/primitives/mldsa/src/$1" | cut -d: -f1 | paste -sd'|'; }
rejected=$(lines sign.rs 'if add_product\(|if \(arithmetic\.norm\)\(product\)')
windows=$(lines sign.rs 'arithmetic\.add_windows\)\(poly, secret, starts\)')
hints=$(lines pack.rs 'filter\(\|place\| hint')
dsa="attempt[^(]*[(]src/sign.rs:($rejected)[)]|[(]src/sign.rs:($windows)[)]|[(]src/pack.rs:($hints)[)]|ball [(]src/sample.rs:|from_expanded_on [(]src/sign.rs:"
awk -v dsa="$dsa" -v zero="sign_digest [(]src/sign.rs:($zero)[)]" '
    # The innermost place that is ours.
    function place(    count, i, line) {
        count = split(block, line, "\n")
        for (i = 1; i <= count; i++) if (line[i] ~ /[(](src\/|main.rs)/ && line[i] !~ /library\//) return line[i]
        return ""
    }
    function judge() {
        if (block ~ /ml_dsa</ && place() ~ dsa) known++
        else if (block ~ /secret_scalar/) range++
        else if (block ~ zero) zeros++
        else if (block ~ /lookup_on_purpose/) own++
        else if (block != "") { unexpected++; print block > "/dev/stderr" }
        block = ""
    }
    /^==[0-9]+== *$/ { judge(); next }
    /^==/ { block = block $0 "\n" }
    END {
        judge()
        printf "%d of whether a scalar is in range, %d of whether r or s is zero, %d of what FIPS 204 allows, %d on purpose, %d others\n",
            range, zeros, known, own, unexpected
        exit unexpected > 0 || own == 0 || known == 0
    }' "$log"
