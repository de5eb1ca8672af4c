//! What is read must not be written over: whoever names the same storage twice, by whatever names, loses one of them.

use std::path::Path;

use anyhow::{Result, bail};
use fieldtest_disk::{Error, shared};

use super::end::explained;
use crate::args::DiskKey;

/// Refuses a destination that lies on the storage of the source.
pub(super) fn apart(source: &Path, destination: &Path) -> Result<()> {
    match shared(source, destination) {
        true => Err(explained(Error::SameStorage { one: source.to_owned(), other: destination.to_owned() })),
        false => Ok(()),
    }
}

/// Refuses to write over the key file, without which nothing could be opened any more.
pub(super) fn apart_from_key(key: &DiskKey, destination: &Path) -> Result<()> {
    match &key.key_file {
        Some(file) if shared(file, destination) => bail!(
            "{} is the key file, and without it the container could not be opened any more; choose another name",
            destination.display()
        ),
        _ => Ok(()),
    }
}
