//! What a command reads. Who writes into a FIFO or a pipe may take his time, and a signal ends the wait for him: nobody looks
//! at the [flag](interrupt::flag) meanwhile. Regular files make nobody wait.

use std::fs::File;
use std::io::{self, BufReader, Read, Stdin};
use std::path::Path;

use fieldtest_measure::record::Line;
use fieldtest_measure::record_file::{self, Error};

use crate::message::noticed;
use crate::output::opened;
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
    let source = announced(path, |path| File::open(path))?;
    let found = source.metadata()?;
    if found.is_dir() {
        // The system's own error.
        (&source).read_exact(&mut [0])?;
    }
    Ok(Input { source, waits: !found.is_file() })
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
    let input = open(path)?;
    // At once: of a secret, a growing buffer would leave parts behind that nobody wipes.
    let length = input.source.metadata()?.len().min(most) as usize;
    let mut content = Vec::with_capacity(length + 1);
    input.take(most.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > most {
        let what = format!("it has more than {} MiB; is it the right file?", most >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    Ok(content)
}

/// The lines of a records file, each with its number.
///
/// # Errors
/// [`Error::Io`] and [`Error::File`], both of which name the file.
pub fn records(path: &Path) -> Result<Vec<(usize, Line)>, Error> {
    let file = open(path).map_err(|source| {
        let inside = path.join("records.jsonl");
        let source = match source.kind() {
            io::ErrorKind::IsADirectory if inside.is_file() => {
                io::Error::other(format!("it is a directory; give {}", text::path(&inside)))
            }
            _ => source,
        };
        Error::Io { path: path.to_owned(), source }
    })?;
    record_file::read_numbered(BufReader::new(file))
        .map_err(|source| Error::File { path: path.to_owned(), source: Box::new(source) })
}

/// Has `read` open a file, and reports a wait for a FIFO's writer. [`open`] does so itself; this is for readers of other
/// crates, which take a name.
pub fn announced<T>(path: &Path, read: impl FnOnce(&Path) -> T) -> T {
    let _waiting = interrupt::reading();
    noticed(path, read)
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
