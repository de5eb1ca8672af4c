//! Messages to whoever started the program.

use std::io::{self, Write as _};

use crate::text;

/// Says something to the user on standard error, in one line: a newline in it comes from what is quoted.
pub fn message(text: &str) {
    line(&format!("fieldtest: {}", text::line(&text::system(text))));
}

/// Writes a line that is fit to be shown to standard error.
pub(crate) fn line(text: &str) {
    // Standard error may be closed; there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "{text}");
}
