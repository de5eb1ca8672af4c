//! What a conversion is made of.

use std::path::PathBuf;

use fieldtest_frame::job::Refused;
use fieldtest_git::refs::Snapshot;
use fieldtest_git::{Error, ObjectId};

/// A repository that is to be converted, as it was when it was looked at.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    /// Where its references led.
    pub(super) snapshot: Snapshot,
    /// The commits that it names of others, whose maps have them, each with its repository's name.
    pub(super) outside: Vec<(String, Vec<ObjectId>)>,
    /// Those of repositories that need this one in turn.
    pub(super) inside: Vec<ObjectId>,
    /// Those that are filled up with zeros, sorted.
    pub(super) padded: Vec<ObjectId>,
}

/// What is wrong with a repository is no failure of the job.
pub(super) fn refused(error: Error) -> anyhow::Error {
    Refused(error.to_string()).into()
}
