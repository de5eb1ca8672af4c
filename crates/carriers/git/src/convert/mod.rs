//! One object's content from one object format to another, byte for byte.
//!
//! Blobs are the same under every format. A tree, a commit and a tag name other objects, and a conversion replaces those
//! names and nothing else: no content is parsed into a structure and printed again, so that whatever unusual there is
//! (a mode `100664`, a header in an unusual place, a missing newline at the end) is carried over.
//! Converters that parse lose it: `git fast-export` and `fast-import` gave 108 of ripgrep's 4,528 commits
//! an ID that leads back (Git 2.55, August 2026).
//!
//! # Signatures
//! A signature is over the object as one format writes it. Git's rules (hash-function-transition, "Signed Commits" and
//! "Signed Tags") are followed to the byte, so that the names given here are those that Git gives:
//! a commit holds the signature over its SHA-1 form in a header `gpgsig` and that over its SHA-256 form in
//! `gpgsig-sha256`, in both forms; a tag holds the signature over the form at hand at the end of its message, and
//! signatures over other forms in such headers, so that a conversion exchanges them.
//! Where Git would lose something (a tag with a signature over its own form in a header, a signed tag with a zero byte), the
//! object is refused. For a format that Git does not have (`sha3-256`, say) the rules of SHA-256 are followed with a header
//! `gpgsig-<name of the format>`.

mod commit;
mod lines;
mod mergetag;
mod references;
mod tag;
mod tree;

pub(crate) use references::for_each_link;
pub use references::for_each_reference;
pub use tree::{Entries, Entry, is_gitlink};
pub(crate) use tree::{first_entry, kind_of_mode};

use crate::id::encode_hex;
use crate::{Format, ObjectId, ObjectType};

/// What the objects of the old format are called in the new one.
pub trait Names {
    /// The new ID of an object.
    fn object(&self, old: &[u8]) -> Option<ObjectId>;

    /// The new ID of a submodule's commit. Submodules are other repositories, so their commits have a map of their own.
    fn submodule(&self, old: &[u8]) -> Option<ObjectId>;
}

/// What to do with a header that stands in a commit and is neither among those that Git converts nor among those that are
/// known to hold no object ID, as Jujutsu's `change-id`. Others might, as `jj:trees` of the same program does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum UnknownHeaders<'a> {
    /// The commit is not converted.
    #[default]
    Refuse,
    /// Headers of these names are kept as they are, others refused.
    KeepOnly(&'a [&'a str]),
    /// All are kept as they are.
    Keep,
}

/// Converts the content of objects from one format to another.
#[derive(Debug, Clone)]
pub struct Converter {
    from: Side,
    to: Side,
    kept: Kept,
}

/// The headers that are kept beside those that Git keeps.
#[derive(Debug, Clone)]
enum Kept {
    Only(Vec<Vec<u8>>),
    All,
}

/// What a conversion needs to know of a format.
#[derive(Debug, Clone)]
struct Side {
    id_len: usize,
    /// The header of signatures over this format's form of an object.
    signature_header: Vec<u8>,
}

impl Side {
    fn new(format: &Format) -> Side {
        let signature_header = match format.name.as_str() {
            "sha1" => b"gpgsig".to_vec(),
            other => format!("gpgsig-{other}").into_bytes(),
        };
        Side { id_len: format.id_len(), signature_header }
    }
}

/// Why an object could not be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the fields are
pub enum Refusal {
    /// The content is not what an object of this type looks like.
    #[error("{what} at byte {offset}; see `git fsck` for details (Git itself cannot convert it either)")]
    Malformed { what: &'static str, offset: usize },
    /// Git's own conversion ends at a zero byte, and would lose what follows it.
    #[error("{what}: Git's own conversion would lose everything after it; `git cat-file` shows it")]
    Lossy { what: &'static str },
    /// A commit has a header that might hold an object ID.
    #[error(
        "{}, and can be kept if you know that it does not",
        match headers.as_slice() {
            [header] => format!("the header {header:?} is unknown and might name an object"),
            _ => format!("each of the headers {headers:?} is unknown and might name an object"),
        }
    )]
    UnknownHeader { headers: Vec<String> },
    /// A tag has a signature over its own form in a header, where Git looks for signatures over other forms only.
    #[error(
        "the header {header:?} holds a signature over the tag's own form, which Git's conversion would lose; leave out the tag"
    )]
    OwnSignatureInHeader { header: String },
    /// The object names another one that has no new ID.
    #[error("{role} {id} has no new ID; give the map of its conversion")]
    Unmapped {
        /// What it is in this object: `tree`, `parent`, `object`, or the name of a tree's entry.
        role: String,
        id: ObjectId,
    },
    /// The object names another one as what it is not: a tree an entry by its mode, a commit its tree and parents, a tag
    /// its object by the line `type`.
    #[error("it refers to {id} as a {wanted}, but that is a {found}; see `git fsck` for details")]
    Type { id: ObjectId, wanted: ObjectType, found: ObjectType },
    /// A tree names an object that is not in the repository.
    #[error(
        "the object {id} of the entry {path:?} is missing; fetch it, or restore it from another copy of the repository"
    )]
    Missing { path: String, id: ObjectId },
    /// A tree names a submodule's commit that has no new ID.
    #[error(
        "the submodule {path:?} is at commit {id}, which has no new ID; convert the submodule first and give its map"
    )]
    Submodule { path: String, id: ObjectId },
}

impl Converter {
    /// A converter between two formats.
    pub fn new(from: &Format, to: &Format, unknown_headers: UnknownHeaders<'_>) -> Converter {
        let kept = match unknown_headers {
            UnknownHeaders::Refuse => Kept::Only(Vec::new()),
            UnknownHeaders::KeepOnly(names) => {
                Kept::Only(names.iter().map(|name| name.as_bytes().to_vec()).collect())
            }
            UnknownHeaders::Keep => Kept::All,
        };
        Converter { from: Side::new(from), to: Side::new(to), kept }
    }

    /// The converter of the opposite direction.
    #[must_use]
    pub fn inverse(&self) -> Converter {
        Converter { from: self.to.clone(), to: self.from.clone(), kept: self.kept.clone() }
    }

    /// Appends the new form of an object's content to `new`; if it fails, `new` holds part of it.
    ///
    /// # Errors
    /// The first reason why the object cannot be converted.
    pub fn convert(
        &self,
        kind: ObjectType,
        content: &[u8],
        names: &dyn Names,
        new: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        match kind {
            ObjectType::Blob => {
                new.extend_from_slice(content);
                Ok(())
            }
            ObjectType::Tree => tree::convert(self, content, names, new),
            ObjectType::Commit => commit::convert(self, content, names, new),
            ObjectType::Tag => tag::convert(self, content, 0, names, new),
        }
    }

    /// Appends the new ID of the object whose old ID stands in `hex`, as hexadecimal digits.
    fn rename(
        &self,
        role: &str,
        hex: &[u8],
        offset: usize,
        names: &dyn Names,
        new: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        let id = (hex.len() == 2 * self.from.id_len)
            .then(|| ObjectId::from_hex(hex))
            .flatten()
            .ok_or(Refusal::Malformed { what: "there is no object ID", offset })?;
        let renamed =
            names.object(id.as_bytes()).ok_or_else(|| Refusal::Unmapped { role: role.to_owned(), id })?;
        encode_hex(renamed.as_bytes(), new);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
