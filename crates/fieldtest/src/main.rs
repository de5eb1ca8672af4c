//! Arguments in, exit code out: data goes to standard output, progress and messages to standard error.

use std::alloc::System;
use std::process::ExitCode;

use fieldtest_frame::output::Format;
use fieldtest_frame::{arguments, interrupt, outcome, own_program};

/// The system's allocator, as it would be anyway; a library that sets its own no longer compiles. One did,
/// which cleared every freed byte: `dnssec sizes` took 1.4 times as long (Intel Xeon, November 2026).
#[global_allocator]
static ALLOCATOR: System = System;

fn main() -> ExitCode {
    outcome::say_panics();
    let typed = arguments::parse(&fieldtest::command());
    interrupt::survive_file_size_limit();
    own_program::offer();
    match fieldtest::run(&typed) {
        Ok(outcome) => outcome.into(),
        Err(error) => outcome::report(&error, typed.get_one("format") == Some(&Format::Json)),
    }
}
