//! Arguments in, exit code out: data goes to standard output, progress and messages to standard error.

use std::process::ExitCode;

use fieldtest_frame::{arguments, interrupt, outcome, visiting};

fn main() -> ExitCode {
    outcome::say_panics();
    let typed = arguments::parse(&fieldtest::command());
    interrupt::survive_file_size_limit();
    visiting::offer();
    match fieldtest::run(&typed) {
        Ok(outcome) => outcome.into(),
        Err(error) => outcome::report(&error),
    }
}
