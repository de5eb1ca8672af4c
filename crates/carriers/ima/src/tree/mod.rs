//! Signing and verifying all files of a tree: on all cores, each file opened and read once, in bounded memory, and with
//! the same report in every run.
//!
//! Only regular files are signed, and links are not followed. A file's xattr is read and set through the descriptor
//! that its content was read through, so that nothing which happens to its path in between can lead a signature to
//! another file. Setting an xattr is one transaction of the file system and everything else is renamed into place:
//! a run that is interrupted or killed leaves each file signed as before or signed anew (of a pair with EVM, a killed one
//! may leave half), and the next run goes on where it ended, as it signs nothing that verifies already.

mod evm_attribute;
mod job;
mod pair;
pub(crate) mod pipeline;
mod sign;
mod sign_report;
mod state;
mod verify;

use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

pub use job::Job;
pub use pipeline::NoThread;
pub(crate) use sign::wanted;
pub use sign::{SignedFile, sign};
pub use sign_report::{Done, JobTotals, SignOutcome, SignReport};
pub use state::{digest, stamp};
pub use verify::{FileVerdict, Source, Verdicts, VerifiedFile, VerifyReport, verify};

pub use crate::files::addressed::Addressed;
pub use crate::files::report::{FIRST_PATHS, Progress, ReadFailure, Refusal, Skip, Tallies, Tally};
pub use crate::files::root::CannotOpen;
use crate::store::manifest::ManifestError;

/// Files that are found, or done, ahead of the first that is not done: results come in the order of paths, so
/// a large first file would otherwise keep those of the whole tree in memory.
const WINDOW: u64 = 32_768;

/// The same where each of them may hold a signature in memory.
const WINDOW_WITH_VALUES: u64 = 4096;

/// How a tree is gone through.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'a> {
    /// Threads that read and sign; one for each core if not given.
    pub threads: Option<NonZeroUsize>,
    /// Whether to enter other file systems that are mounted in the tree, and subvolumes.
    pub cross_file_systems: bool,
    /// Raised by the caller to end the run soon: within 128 KiB of reading for each thread.
    pub interrupted: Option<&'a AtomicBool>,
    /// Device and inode of the file that the caller writes to, which is none to be signed ([`ReadFailure::IsOutput`]).
    pub output: Option<(u64, u64)>,
}

impl Options<'_> {
    pub(crate) fn threads(&self) -> NonZeroUsize {
        let all = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.threads.unwrap_or_else(all)
    }

    pub(crate) fn interrupted(&self) -> &AtomicBool {
        static NEVER: AtomicBool = AtomicBool::new(false);
        self.interrupted.unwrap_or(&NEVER)
    }
}

/// What ends a run. All that concerns single files is in the report instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// The tree itself.
    #[error(transparent)]
    Open(#[from] CannotOpen),
    /// What the caller does with each file.
    #[error("cannot report the result of a file: {0}")]
    Observer(#[source] io::Error),
    /// The list that is verified against.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// There are no threads to do it.
    #[error(transparent)]
    Threads(#[from] NoThread),
}
