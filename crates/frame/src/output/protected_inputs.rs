//! What is written takes the place of nothing that is read.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Result;

use super::STDOUT;
use crate::outcome::{coded, usage};
use crate::text;

/// What any command may read beside its own inputs, with the words for what it is.
static READ: Mutex<Vec<(PathBuf, &'static str)>> = Mutex::new(Vec::new());

/// Says that a file is read: from now on no output takes its place, whichever command writes it. `what` are words such as
/// `the study, which would be lost`.
pub fn reads(path: &Path, what: &'static str) {
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if !read.iter().any(|(known, _)| known == path) {
        read.push((path.to_path_buf(), what));
    }
}

/// Refuses an output that is one of the files which [`reads`] was told of.
///
/// # Errors
///
/// It is one of them.
pub(super) fn check_read(output: &Path) -> Result<()> {
    check_keeps(output, [])
}

/// Refuses an output that is a file which is read, by whatever names: links, `/dev/fd/3`, and `-` with what standard input
/// and output were made to be. `kept` are names with the words for what they are; what [`reads`] was told of is kept, too.
///
/// # Errors
///
/// It is one of them.
pub fn check_keeps<'a>(output: &Path, kept: impl IntoIterator<Item = (&'a Path, &'a str)>) -> Result<()> {
    let read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    // As long as both live.
    let kept = kept.into_iter().map(|(path, what)| -> (&Path, &str) { (path, what) });
    let kept = kept.chain(read.iter().map(|(path, what)| (path.as_path(), *what)));
    let is_standard = |path: &Path| path == Path::new(STDOUT);
    let found = |path: &Path, standard: Option<Metadata>| match is_standard(path) {
        true => standard,
        false => fs::metadata(path).ok(),
    };
    let Some(written) = found(output, opened(io::stdout())).filter(Metadata::is_file) else { return Ok(()) };
    for (path, what) in kept {
        if found(path, opened(io::stdin())).is_some_and(|read| is_same(&read, &written)) {
            let shown = match is_standard(output) {
                true => "standard output".to_owned(),
                false => format!("'{}'", text::path(output)),
            };
            return Err(coded(
                "would-be-lost",
                usage(format!("cannot write {shown}: it is {what}; write to another file")),
            ));
        }
    }
    Ok(())
}

/// What an open file is.
pub fn opened(stream: impl AsFd) -> Option<Metadata> {
    File::from(stream.as_fd().try_clone_to_owned().ok()?).metadata().ok()
}

/// Whether two names lead to one file.
pub fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}
