#!/usr/bin/env bash
# Prints the path of a Rust program that the lab or CI uses, and installs it into the lab's cache (lab/builder.sh) if it is not
# there in this version for this rustc. Versions stand here and nowhere else.
#
# usage: lab/tool.sh cargo-deny|cargo-hack|cargo-mutants|cbindgen|mdbook
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=builder.sh
source lab/builder.sh
case ${1:-} in
    cargo-deny) tool "$1" 0.20.2 ;;
    cargo-hack) tool "$1" 0.6.46 ;;
    cargo-mutants) tool "$1" 27.1.0 ;;
    cbindgen) tool "$1" 0.29.4 ;;
    mdbook) tool "$1" 0.5.4 ;;
    *) usage ;;
esac
