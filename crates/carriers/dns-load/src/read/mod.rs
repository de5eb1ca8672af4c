//! What schedules are read from.

pub mod capture;
pub mod csv;
pub mod text;

use std::fs::{self, File};
use std::io::{self, Read};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use fieldtest_capture::{CaptureError, uncompressed};
use thiserror::Error;

/// A file that no schedule can be read from.
#[derive(Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum ReadError {
    /// The system's error.
    #[error("cannot read {}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("cannot read {}", path.display())]
    Capture { path: PathBuf, source: CaptureError },
    /// A recording of a version or a content that is not read.
    #[error("cannot read {}: {what}", path.display())]
    Format { path: PathBuf, what: String },
    /// A line that says something else than it has to.
    #[error("cannot read {}, line {line}: {what}", path.display())]
    Line {
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        what: String,
    },
    /// A capture whose queries are lost in what cannot be read.
    #[error("{} has no readable query: {problem}; record it again, or repair it with editcap", path.display())]
    Damaged { path: PathBuf, problem: String },
    /// Nothing in it can be asked.
    #[error("{} has no query; {remedy}", path.display())]
    Empty { path: PathBuf, remedy: String },
    /// A capture in which an address asks, and is asked, as that of a resolver.
    #[error(
        "cannot replay {}: {address} receives and sends queries, like a resolver; give the server whose clients are replayed: \
         --capture-server {address}",
        path.display()
    )]
    BothSides { path: PathBuf, address: IpAddr },
    /// A capture that would have to be sorted as a whole.
    #[error(
        "the queries of {} are not in order of time: one is earlier than another that is {queries} before it; sort the file, for example \
         with Wireshark's reordercap",
        path.display()
    )]
    Order { path: PathBuf, queries: usize },
}

/// A file that is read more than once, unpacked where it is compressed.
pub(crate) fn open_again(path: &Path) -> Result<Box<dyn Read>, ReadError> {
    let io = |source| ReadError::Io { path: path.to_path_buf(), source };
    // Asked before it is opened, as opening a pipe waits for who writes to it.
    if !fs::metadata(path).map_err(io)?.is_file() {
        let what = "it is not a regular file, but a replay reads it more than once; write it to a file first"
            .to_owned();
        return Err(ReadError::Format { path: path.to_path_buf(), what });
    }
    uncompressed(File::open(path).map_err(io)?).map_err(io)
}

/// Octets of the longest line that makes sense: a name of 255 octets, each written `\DDD`, and what stands beside it.
const LONGEST_LINE: u64 = 4_096;
/// What more of one is passed over. Then reading ends: a list without line ends (`/dev/zero`) was read for
/// ever.
const LONGEST_SKIPPED: u64 = 1 << 20;

/// The lines of a file with their numbers; of a line that is too long nothing is kept.
struct Lines<R> {
    source: R,
    path: PathBuf,
    number: u64,
}

impl<R: io::BufRead> Lines<R> {
    fn next(&mut self) -> Result<Option<(u64, Vec<u8>)>, ReadError> {
        let mut line = Vec::new();
        let limited = &mut io::Read::take(&mut self.source, LONGEST_LINE + 1);
        let read = io::BufRead::read_until(limited, b'\n', &mut line);
        read.map_err(|source| ReadError::Io { path: self.path.clone(), source })?;
        if line.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        // An image has neither in its first line.
        if line.contains(&0) || self.number == 1 && str::from_utf8(&line).is_err() {
            let what = "it is not a text file; check the path".to_owned();
            return Err(ReadError::Format { path: self.path.clone(), what });
        }
        if line.len() as u64 > LONGEST_LINE {
            let mut rest = io::Read::take(&mut self.source, LONGEST_SKIPPED);
            let is_whole = line.ends_with(b"\n");
            let skipped = if is_whole { Ok(0) } else { io::BufRead::skip_until(&mut rest, b'\n') };
            let skipped = skipped.map_err(|source| ReadError::Io { path: self.path.clone(), source })?;
            let what = format!("it has more than {LONGEST_LINE} bytes; is it the right file?");
            return Err(match skipped as u64 {
                LONGEST_SKIPPED => ReadError::Format { path: self.path.clone(), what },
                _ => self.wrong(what),
            });
        }
        Ok(Some((self.number, line.trim_ascii().to_vec())))
    }

    fn wrong(&self, what: String) -> ReadError {
        ReadError::Line { path: self.path.clone(), line: self.number, what }
    }
}

/// A piece of a line for a message: its beginning, printable.
fn shown(text: &[u8]) -> String {
    const LONGEST: usize = 40;
    let start = text.get(..LONGEST).unwrap_or(text);
    let more = if text.len() > LONGEST { "…" } else { "" };
    format!("'{}{more}'", start.escape_ascii())
}
