//! `fieldtest` measures a cryptographic algorithm inside the system that has to carry it.
//!
//! Arguments in, exit code out: data goes to standard output, progress and messages to standard error.

mod args;
mod commands;

use std::process::ExitCode;

use fieldtest_frame::{arguments, interrupt, outcome, output, progress};

fn main() -> ExitCode {
    outcome::say_panics();
    let args = arguments::parse();
    interrupt::survive_file_size_limit();
    match commands::run(args) {
        Ok(outcome) => outcome.into(),
        Err(error) => outcome::report(&error),
    }
}
