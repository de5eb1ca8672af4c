//! What is written takes the place of nothing that is read.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::Result;

use super::STDOUT;
use crate::outcome::usage;
use crate::text;

/// Refuses an output that is a file which is read, by whatever names: links, `/dev/fd/3`, and `-` with what standard input
/// and output were made to be. `kept` are names with the words for what they are.
///
/// # Errors
///
/// It is one of them.
pub fn check_keeps<'a>(output: &Path, kept: impl IntoIterator<Item = (&'a Path, &'a str)>) -> Result<()> {
    let is_standard = |path: &Path| path == Path::new(STDOUT);
    let found = |path: &Path, standard: Option<Metadata>| match is_standard(path) {
        true => standard,
        false => fs::metadata(path).ok(),
    };
    let Some(written) = found(output, opened(io::stdout())).filter(Metadata::is_file) else { return Ok(()) };
    for (path, what) in kept {
        if found(path, opened(io::stdin())).is_some_and(|read| is_same(&read, &written)) {
            let shown = if is_standard(output) { "standard output".to_owned() } else { text::path(output) };
            return Err(usage(format!("{shown} is {what}; write to another file")));
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
