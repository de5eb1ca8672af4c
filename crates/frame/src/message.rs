//! Messages to whoever started the program.

use std::io::{self, Write as _};

use crate::text;

/// Says something to the user on standard error, in one line: a newline in it comes from what is quoted.
pub fn message(text: &str) {
    // Standard error may be closed; there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "fieldtest: {}", text::line(text));
}
