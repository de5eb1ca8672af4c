//! What can be wrong with one object.

use thiserror::Error;

use crate::{ObjectId, ObjectType};

/// What is wrong with the content of an object that is what its ID says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum Unsound {
    /// What it names cannot be read, at least not all.
    #[error("{what} at byte {offset} of its content")]
    Malformed { what: &'static str, offset: usize },
    #[error("it refers to {id} as a {wanted}, but that is a {found}")]
    Type { id: ObjectId, wanted: ObjectType, found: ObjectType },
}

/// What is wrong with one object.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum Problem {
    /// Its file cannot be read, for a reason of the operating system.
    #[error("{0}")]
    Unreadable(String),
    #[error("the file ends within it")]
    Truncated,
    /// The deflated bytes, or the checksum at their end, are wrong.
    #[error("its deflated bytes are damaged")]
    Deflated,
    /// More or fewer bytes than the header says.
    #[error("its header declares {declared} bytes, but there are {found}")]
    Size {
        declared: u64,
        /// What there is; `declared` + 1 stands for anything more.
        found: u64,
    },
    /// There are bytes between its end and the next one.
    #[error("{0} bytes that belong to no object follow it")]
    Followed(u64),
    /// The header of a pack entry has a type that does not exist.
    #[error("its type is {0}, which does not exist")]
    PackType(u8),
    /// The header of a pack entry, or of a loose object, is none.
    #[error("its header is damaged: {0}")]
    Header(&'static str),
    #[error("it is a delta on byte {0} of the pack, where no object begins")]
    BaseOffset(u64),
    #[error("it is a delta on {0}, which is missing")]
    MissingBase(ObjectId),
    /// A delta on an object of another pack, or on a loose one: Git looks for it in the same pack alone.
    #[error("it is a delta on {0}, which is not in the same pack, the only place where Git looks")]
    ForeignBase(ObjectId),
    #[error("it is a delta on {0}, which is not readable")]
    UnreadableBase(ObjectId),
    /// A delta on itself, through others.
    #[error("its delta chain is a loop")]
    Loop,
    /// The instructions of a delta do not fit its base or its result.
    #[error("its delta is damaged: {0}")]
    Delta(&'static str),
    #[error("its content has the ID {0}")]
    Name(ObjectId),
    /// The entry's checksum in the pack's index is another.
    #[error("its bytes in the pack do not match the checksum in the index")]
    Checksum,
    #[error("there is no memory for its {0} bytes")]
    Memory(u64),
    /// A type was asked for and it has another.
    #[error("it is a {found}, but must be a {wanted}")]
    Type { found: ObjectType, wanted: ObjectType },
}

impl Problem {
    pub(crate) fn remedy(&self) -> &'static str {
        match self {
            // There may be nothing wrong with what is in the file.
            Problem::Unreadable(_) => "check that this user can read the file, and that the disk is sound",
            _ => "restore it from another copy of the repository",
        }
    }
}
