//! Messages to whoever started the program.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::text;

/// How much is said beside errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Talk {
    /// Nothing.
    Quiet,
    /// What a reader of the results has to know.
    Usual,
    /// Also what is done at the moment, and where options come from.
    Verbose,
}

static TALK: OnceLock<Talk> = OnceLock::new();

/// Sets it, once.
pub(crate) fn talk(talk: Talk) {
    let _ = TALK.set(talk);
}

pub(crate) fn is(talk: Talk) -> bool {
    *TALK.get().unwrap_or(&Talk::Usual) == talk
}

/// Says something to the user on standard error, in one line: a newline in it comes from what is quoted.
pub fn message(text: &str) {
    if !is(Talk::Quiet) {
        failure(text);
    }
}

/// Has `open` open a file. A wait for a FIFO's other end that nobody reports looks like a hang, so it is reported after 3 s.
pub(crate) fn noticed<T>(path: &Path, open: impl FnOnce(&Path) -> T) -> T {
    let (_done, waiting) = mpsc::channel::<()>();
    if fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo()) {
        let said = format!("waiting for '{}' (it is a FIFO)", text::path(path));
        thread::spawn(move || {
            if waiting.recv_timeout(Duration::from_secs(3)) == Err(RecvTimeoutError::Timeout) {
                message(&said);
            }
        });
    }
    open(path)
}

/// The same of what nobody can ask not to hear: errors, and what became of an interrupted command.
pub(crate) fn failure(text: &str) {
    line(&format!("fieldtest: {}", text::line(&text::system(text))));
}

/// Writes a line that is fit to be shown to standard error.
pub(crate) fn line(text: &str) {
    // Standard error may be closed; there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "{text}");
}
