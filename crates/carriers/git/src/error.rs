use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::convert::Refusal;
use crate::problem::{Problem, Unsound};
use crate::{ObjectId, ObjectType};

/// Why a repository could not be read, mapped or written.
#[derive(Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum Error {
    /// The hash function failed, or found a collision attack.
    #[error("object {id}: {source}")]
    Hash { id: ObjectId, source: fieldtest_kinds::Error },
    /// The hash function failed on an object that is being made.
    #[error("a new {kind} has no ID: {source}")]
    Unnamed { kind: ObjectType, source: fieldtest_kinds::Error },
    /// A file or directory could not be read or written.
    #[error("cannot use {path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("cannot use {path}: {problem}; {remedy}")]
    Repository { path: PathBuf, problem: String, remedy: &'static str },
    /// A file of a repository is damaged at a known place.
    #[error("{path} at byte {offset}: {problem}; {remedy}")]
    File { path: PathBuf, offset: u64, problem: String, remedy: &'static str },
    /// An object cannot be read.
    #[error("object {id} ({path} at byte {offset}): {problem}; {}", .problem.remedy())]
    Object { id: ObjectId, path: PathBuf, offset: u64, problem: Problem },
    /// An object is what its ID says, and does not fit what it names.
    #[error(
        "{kind} {id}: {problem}; it was written that way, and only rewriting the history removes it: see `git fsck` for details"
    )]
    Unsound { id: ObjectId, kind: ObjectType, problem: Unsound },
    /// A reference leads to what it must not lead to.
    #[error("{}: {problem}; {}", String::from_utf8_lossy(.name), remedy_of_reference(.name))]
    Reference { name: Vec<u8>, problem: String },
    /// No such object is in the repository or its alternates.
    #[error("object {0} is missing; fetch it, or restore it from another copy of the repository")]
    Missing(ObjectId),
    /// An object cannot be converted to another format.
    #[error("cannot convert {kind} {id}: {reason}")]
    Convert {
        /// The object, by its old ID.
        id: ObjectId,
        kind: ObjectType,
        reason: Refusal,
    },
    /// Two objects have the same ID under a hash function, which is broken then.
    #[error(
        "the {format} ID {id} belongs to two objects, {first} and {second}; leave out an earlier map \
         that is wrong, or else the hash function has a collision"
    )]
    Collision {
        format: Box<str>,
        id: ObjectId,
        /// One object, by its old ID.
        first: ObjectId,
        second: ObjectId,
    },
    /// Two objects would become one, since they differ in nothing that a conversion keeps.
    #[error(
        "{first} and {second} would become one object, with the {format} ID {id}: they differ only in how they write \
         the IDs of other objects, as in capital letters; convert references of which only one leads there"
    )]
    SameContent {
        format: Box<str>,
        id: ObjectId,
        /// One object, by its old ID.
        first: ObjectId,
        second: ObjectId,
    },
    /// There are more objects than a conversion has numbers for.
    #[error(
        "the repository has {found} objects, but a conversion supports fewer than {most}; convert fewer references"
    )]
    TooManyObjects { found: usize, most: usize },
    #[error("no object has the number {0}; numbers are those of the same `Objects`")]
    NoSuchNumber(u32),
    /// The caller raised the flag that ends the run.
    #[error("interrupted; run the same command to start again")]
    Interrupted,
}

/// To Git, a directory is no repository if its `HEAD` leads to what it must not.
fn remedy_of_reference(name: &[u8]) -> &'static str {
    match name.rsplit(|byte| *byte == b'/').next() {
        Some(b"HEAD") if !name.starts_with(b"refs/") => HEAD_REMEDY,
        _ => "correct it with `git update-ref` or `git symbolic-ref`",
    }
}

/// What helps where a `HEAD` is wrong.
pub(crate) const HEAD_REMEDY: &str = "write `ref: refs/heads/` and a branch's name into it, or a commit's ID";
