#!/usr/bin/env bash
# What decides in the page: the crate fieldtest-verdict as WebAssembly. Without arguments it is compiled into
# crates/report/templates/script/verdict.wasm, and verdict.txt says its SHA-256 and by which compiler.
#
# usage: lab/wasm.sh                                            compiles it
#        lab/wasm.sh --check [--page FILE.html] [--requests N]  compiles it again and compares
#
# With --check, the same compiler has to give the same bytes. What is committed, and what another compiler gives, has to answer
# random requests to the page's matrix as the crate does natively [default: 3000, to fieldtest-report/report.html].
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/options.sh"
cd "$here/.."
check=
[[ ${1:-} != --check ]] || { check=1; shift; }
page=fieldtest-report/report.html requests=3000
options "page requests" "$@"
[[ -n $check || $# -eq 0 ]] || usage

kept=crates/report/templates/script/verdict
made=target/lab/verdict
mkdir -p target/lab
# Without Cargo, whose hash of the workspace the bytes would depend on; a crate without dependencies needs nothing else. Compressed,
# opt-level z gives 65,091 bytes, s 70,211 and 3 81,966; wasm-opt 108 would save another 2,058, and be one more tool to install.
rustc --edition 2024 --crate-name fieldtest_verdict --crate-type cdylib --target wasm32-unknown-unknown \
    -C opt-level=z -C lto=fat -C codegen-units=1 -C panic=abort -C strip=symbols \
    crates/verdict/src/lib.rs -o "$made.wasm"
printf '%s  verdict.wasm\n%s\n' "$(sha256sum < "$made.wasm" | cut -d ' ' -f 1)" "$(rustc --version)" > "$made.txt"
if [[ -z $check ]]; then
    install -m 644 "$made.wasm" "$made.txt" crates/report/templates/script/
    cat "$kept.txt"
    exit
fi

head -n 1 "$kept.txt" | (cd "$(dirname "$kept")" && sha256sum --check --quiet)
several=("$kept.wasm")
if [[ $(tail -n 1 "$made.txt") != "$(tail -n 1 "$kept.txt")" ]]; then
    echo "$kept.wasm is by $(tail -n 1 "$kept.txt"): other bytes are no failure"
    several+=("$made.wasm")
elif ! cmp "$made.wasm" "$kept.wasm"; then
    echo "crates/verdict has changed; compile it for the page: lab/wasm.sh" >&2
    exit 1
fi
cargo ${FIELDTEST_CARGO_CONFIG:+--config "$FIELDTEST_CARGO_CONFIG"} build --quiet --release --locked -p fieldtest-verdict --example decide
node lab/wasm.mjs "$page" target/release/examples/decide "$requests" "${several[@]}"
