//! A repository in the new format, with all objects, references and `HEAD` of the old one.
//!
//! Notes (`refs/notes`) and replacements (`refs/replace`) name objects by their IDs in paths: they get the new ones.
//! Hooks, reflogs, the index and settings other than the format are not carried over ([`left_behind`]).

mod new_objects;
mod not_carried_over;
mod notes;
mod pack;
mod place;
mod references;
mod tree_delta;

use std::path::Path;

pub use not_carried_over::left_behind;
pub use notes::Summary as NotesSummary;
pub use pack::Contents;
pub use place::{check as check_place, check_output};
pub use references::Left;

use crate::map::{Conversion, Options};
use crate::new_repository::NewRepository;
use crate::refs::Snapshot;
use crate::symbolic::ByName;
use crate::{Error, Repository};

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The objects.
    pub contents: Contents,
    /// Bytes of the pack.
    pub pack_len: u64,
    /// Bytes of its index.
    pub index_len: u64,
    /// How many references there are.
    pub references: usize,
    /// References that could not be carried over.
    pub left: Vec<Left>,
    /// What became of notes.
    pub notes: NotesSummary,
    /// Objects that were made for notes, beside those that old ones became.
    pub made: usize,
}

/// Writes a bare repository at `path`, where nothing may be yet. `references` are those of the source, read before its
/// objects were; `options` are those of the conversion.
///
/// Everything is written under another name beside it, brought to the disk, and renamed at last, so that whatever has the
/// name `path` is whole. A reference that cannot be carried over is in the result, and the others are written.
///
/// # Errors
/// [`Error::SameContent`] and [`Error::Collision`] of the conversion; [`Error::Repository`] if there is something at `path`, if it is within the source, if Git has no such format, or if
/// `HEAD` cannot be carried over; [`Error::Io`].
pub fn write(
    conversion: &Conversion<'_>,
    repository: &Repository,
    references: &Snapshot,
    path: &Path,
    options: &Options<'_>,
) -> Result<Written, Error> {
    let Snapshot { head, listing } = references;
    let by_name = ByName::new(listing.references.iter().chain([head]));
    conversion.collisions().first().map_or(Ok(()), |twins| Err(twins.error()))?;
    place::check(repository, path)?;
    let new = NewRepository::create(path, conversion.to)?;
    (options.begun)(new.folder());
    // References first: a repository that cannot have them is not worth a pack.
    let notes = notes::rewrite(conversion, &listing.references, options)?;
    let (references, left) = references::write(conversion, listing, &by_name, &notes.references, &new)?;
    let head = references::head(conversion, repository, &by_name, head)?;
    let (made, mut objects) = (notes.objects.len(), notes.objects);
    // Git's own copy of the empty tree would do for reading, and `git fsck` would miss it.
    if let Some((_, id)) = conversion.new_ids.named_empty_tree()
        && objects.iter().all(|made| made.id != id)
    {
        objects.push(new_objects::Made::empty_tree(id));
    }
    let (lens, contents) =
        new.write_pack(|out, failed| pack::write(conversion, &objects, options, out, failed))?;
    new.finish(&head)?;
    let notes = notes.summary;
    Ok(Written { contents, pack_len: lens.pack, index_len: lens.index, references, left, notes, made })
}
