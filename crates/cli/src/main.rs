//! `fieldtest` measures a cryptographic algorithm inside the system that has to carry it.
//!
//! Arguments in, exit code out: data goes to standard output, progress and messages to standard error.

mod args;
mod commands;
mod interrupt;
mod outcome;
mod output;
mod progress;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args = args::Args::parse();
    interrupt::survive_file_size_limit();
    match commands::run(args) {
        Ok(outcome) => outcome.into(),
        Err(error) => outcome::report(&error),
    }
}
