//! A repository made up for measuring: text in directories that grows by small changes, with the sizes and the deltas that
//! real repositories have. The same seed gives the same bytes.
//!
//! What it is modelled on are the repositories of ripgrep and jj: a root of some 30 entries, two or three files of about
//! 25 KiB changed by a commit, mostly in one directory; deltas of files of some hundred bytes, chains of up to 50, and text that
//! deflates to a quarter.

mod history;
mod text;

use std::path::Path;

use crate::new_repository::NewRepository;
use crate::{Error, Format};
use history::History;

/// Makes a bare repository of so many commits (at least one) at `path`, where nothing may be yet.
///
/// # Errors
/// [`Error::Repository`] if there is something at `path`, or if `format` is not one of Git's own; [`Error::Io`];
/// [`Error::Unnamed`] if the hash function fails.
pub fn write(path: &Path, format: &Format, commits: u32, seed: u64) -> Result<(), Error> {
    let new = NewRepository::create(path, format)?;
    let mut history = History::begin(format, seed)?;
    for _ in 1..commits {
        history.commit()?;
    }
    new.write_pack(|out, failed| Ok((history.pack(out).map_err(failed)?, ())))?;
    new.write(Path::new("packed-refs"), history.references().as_bytes())?;
    new.finish(b"ref: refs/heads/main\n")
}
