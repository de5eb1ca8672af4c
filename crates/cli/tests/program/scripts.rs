//! The scripts under `tests/cmd/`: what is typed, and what comes back, word for word.
//!
//! `TRYCMD=overwrite cargo test --release -p fieldtest scripts` writes the answers of the program that is here into
//! the scripts. Look at the difference before you keep it, and put `[..]` and `...` back where figures change from run
//! to run or from machine to machine.

use std::path::Path;

#[test]
fn scripts() {
    trycmd::TestCases::new()
        .register_bin("fieldtest", Path::new(env!("CARGO_BIN_EXE_fieldtest")))
        .case("tests/cmd/*.trycmd");
}
