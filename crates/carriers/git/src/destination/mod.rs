//! A repository in the new format, with all objects, references and `HEAD` of the old one.
//!
//! Notes (`refs/notes`) are carried over as any tree; the names of their entries are old IDs, for which Git has no
//! conversion. Hooks, reflogs, the index and settings other than the format are not carried over.

mod pack;
mod references;
mod tree_delta;

use std::path::Path;

pub use pack::Contents;

use crate::map::{Conversion, Options};
use crate::new_repository::NewRepository;
use crate::{Error, Repository};

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// The objects.
    pub contents: Contents,
    /// Bytes of the pack.
    pub pack_len: u64,
    /// Bytes of its index.
    pub index_len: u64,
    /// How many references there are.
    pub references: usize,
}

/// Writes a bare repository at `path`, where nothing may be yet. `options` are those of the conversion.
///
/// Everything is written under another name beside it, brought to the disk, and renamed at last, so that whatever has the
/// name `path` is whole.
///
/// # Errors
/// [`Error::Repository`] if there is something at `path`, if Git has no such format, or if a reference names an object
/// that has no new ID; [`Error::Io`].
pub fn write(
    conversion: &Conversion<'_>,
    repository: &Repository,
    path: &Path,
    options: &Options<'_>,
) -> Result<Written, Error> {
    let new = NewRepository::create(path, conversion.to)?;
    // References first: a repository that cannot have them is not worth a pack.
    let references = references::write(conversion, repository, &new)?;
    let head = references::head(conversion, repository)?;
    let (lens, contents) = new.write_pack(|out, failed| pack::write(conversion, options, out, failed))?;
    new.finish(&head)?;
    Ok(Written { contents, pack_len: lens.pack, index_len: lens.index, references })
}
