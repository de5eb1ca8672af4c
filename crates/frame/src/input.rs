//! What a command reads. Who writes into a FIFO or a pipe may take his time, and a signal ends the wait for him: nobody looks
//! at the [flag](interrupt::flag) meanwhile. Regular files make nobody wait.

use std::fs::{self, File};
use std::io::{self, Read, Stdin};
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::output::{message, opened};
use crate::{interrupt, text};

/// A file, or standard input.
#[derive(Debug)]
pub struct Input<R> {
    source: R,
    waits: bool,
}

/// Opens a file, for which a FIFO waits.
///
/// # Errors
/// The system's.
pub fn open(path: &Path) -> io::Result<Input<File>> {
    let _waiting = interrupt::reading();
    let source = opened_file(path)?;
    let waits = !source.metadata()?.is_file();
    Ok(Input { source, waits })
}

/// Standard input.
pub fn stdin() -> Input<Stdin> {
    let waits = opened(io::stdin()).is_none_or(|found| !found.is_file());
    Input { source: io::stdin(), waits }
}

/// The whole of a file of at most `most` bytes, a number of MiB: a device has no end, and reading it would take all memory.
///
/// # Errors
/// The system's; [`io::ErrorKind::FileTooLarge`] for a larger file.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open(path)?.take(most.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > most {
        let what = format!("it has more than {} MiB; is it the right file?", most >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    Ok(content)
}

/// Opens a FIFO as anything else. A wait for its writer that nobody reports looks like a hang, so it is reported after 3 s.
fn opened_file(path: &Path) -> io::Result<File> {
    if !fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo()) {
        return File::open(path);
    }
    let (_done, waiting) = mpsc::channel::<()>();
    let said = format!("waiting for a writer of '{}' (it is a FIFO)", text::path(path));
    thread::spawn(move || {
        if waiting.recv_timeout(Duration::from_secs(3)) == Err(RecvTimeoutError::Timeout) {
            message(&said);
        }
    });
    File::open(path)
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let _waiting = self.waits.then(interrupt::reading);
        self.source.read(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_without_an_end_are_refused() {
        let zeros = read(Path::new("/dev/zero"), 1 << 20).map_err(|error| error.kind());
        assert_eq!(zeros, Err(io::ErrorKind::FileTooLarge));
    }
}
