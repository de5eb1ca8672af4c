#!/usr/bin/env bash
# Fuzz targets for every parser of foreign bytes: builds them on stable Rust and runs each for a while.
#
#     fuzz/run.sh [seconds for each target, 5] [targets, all]
#     fuzz/run.sh 1200                  # a night, all targets on two cores
#     fuzz/run.sh 60 zone-text nbd
#     fuzz/run.sh --list
#     fuzz/run.sh --input FILE TARGET   # one input again
#
# Coverage comes from LLVM's counters in every crate, as `cargo fuzz --sanitizer none` has it; overflow checks and debug
# assertions are on. Seeds are made by the program itself. What was found useful is kept in FIELDTEST_FUZZ_CORPUS
# (default: target/fuzz/corpus), and inputs that crash in FIELDTEST_FUZZ_CRASHES (default: target/fuzz/crashes); neither
# is a part of the repository. FIELDTEST_FUZZ_JOBS targets run side by side (default: the number of cores). With a
# FIELDTEST_FUZZ_SEED and no corpus the inputs are the same in every run, as far as the time lets them; without, they are not.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}/fuzz
corpus=${FIELDTEST_FUZZ_CORPUS:-$target/corpus}
crashes=${FIELDTEST_FUZZ_CRASHES:-$target/crashes}
jobs=${FIELDTEST_FUZZ_JOBS:-$(nproc)}
seed=${FIELDTEST_FUZZ_SEED:-0}   # 0: libFuzzer draws one

passes='-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters'
passes+=' -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=16'
# The versions are those that the program is built with.
[[ fuzz/Cargo.lock -nt Cargo.lock ]] || cp Cargo.lock fuzz/Cargo.lock
# With a target named, build scripts and procedural macros are built without the counters.
host=$(rustc -vV | sed -n 's/^host: //p')
RUSTFLAGS=$passes cargo build --quiet --release --manifest-path fuzz/Cargo.toml --target "$host" --target-dir "$target"
program=$target/$host/release/fieldtest-fuzz

if [[ ${1-} == --list ]]; then
    FIELDTEST_FUZZ_LIST=1 "$program"
    exit
fi

scratch=$(mktemp -d "$([[ -d /dev/shm ]] && echo /dev/shm || echo "${TMPDIR:-/tmp}")/fieldtest-fuzz.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export FIELDTEST_FUZZ_SCRATCH=$scratch

if [[ ${1-} == --input ]]; then
    FIELDTEST_FUZZ_TARGET=$3 "$program" -timeout=60 "$2"
    exit
fi

seconds=${1:-5}
[[ $seconds =~ ^[0-9]+$ ]] || { echo "'$seconds' is no number of seconds" >&2; exit 2; }
shift || true
targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || mapfile -t targets < <(FIELDTEST_FUZZ_LIST=1 "$program")

FIELDTEST_FUZZ_SEEDS=$scratch/seeds "$program"
mkdir -p "$crashes"

one() {
    local name=$1 log=$scratch/$1.log
    mkdir -p "$corpus/$name"
    if FIELDTEST_FUZZ_TARGET=$name "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
        -use_value_profile=1 -seed="$seed" -print_final_stats=1 -artifact_prefix="$crashes/$name-" \
        "$corpus/$name" "$scratch/seeds/$name" > "$log" 2>&1; then
        printf '%-16s %9s inputs  %6s kept\n' "$name" \
            "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" "$(find "$corpus/$name" -type f | wc -l)"
        return
    fi
    # Where it broke, and how to see it again.
    grep -m 5 -E 'panicked|^==[0-9]+== ERROR|ALARM|assertion' -A 2 "$log" | cut -c 1-300 || tail -n 5 "$log"
    local input
    input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
    printf '%-16s BROKEN; again: fuzz/run.sh --input %q %s\n' "$name" "${input:-?}" "$name"
    return 1
}
export -f one
export program corpus crashes scratch seconds seed
printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I{} bash -c 'one {}'
