//! What became of the files of a tree that was signed.

use std::path::Path;

use crate::files::report::{ReadFailure, Refusal, Skip, Tallies, Tally, tally, total};

/// What became of one job on one file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Done {
    /// It was signed, and the signature is stored.
    Stored,
    /// It was signed before, and that signature is valid.
    AlreadyValid,
    /// It is kept with the file, which has its signature under its first name.
    FurtherName,
    /// It was signed; the value, for [`Store::Returned`](crate::store::Store::Returned).
    Returned(Vec<u8>),
    /// The signature could not be stored.
    Refused(Refusal),
    /// There is no signature.
    Failed(String),
}

/// What became of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignOutcome {
    /// It is not to be signed.
    Skipped(Skip),
    /// It could not be read.
    Unread(ReadFailure),
    /// It was read.
    Read {
        /// One for each job.
        jobs: Vec<Done>,
        /// The EVM signature, if one was wanted.
        evm: Option<Done>,
        /// Whether it has an EVM signature over the `security.ima` that it had before, which is wrong now: no EVM signature
        /// was wanted, or neither could a new one be stored nor the old `security.ima` be put back.
        breaks_evm: bool,
        /// Bytes of the file.
        bytes: u64,
    },
}

/// What became of one job on all files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobTotals {
    /// Files that were signed in this run, with their signatures stored or returned.
    pub signed: u64,
    /// Files whose signatures were valid before.
    pub already_valid: u64,
    /// Files whose signatures could not be stored.
    pub refused: Tallies<Refusal>,
    /// Files for which there is no signature, and the reason of the first.
    pub failed: (Tally, Option<String>),
}

impl JobTotals {
    pub(crate) fn add(&mut self, path: &Path, done: &Done) {
        match done {
            Done::Stored | Done::Returned(_) => self.signed += 1,
            Done::AlreadyValid => self.already_valid += 1,
            Done::FurtherName => {}
            Done::Refused(refusal) => tally(&mut self.refused, *refusal, path),
            Done::Failed(reason) => {
                self.failed.0.add(path);
                self.failed.1.get_or_insert_with(|| reason.clone());
            }
        }
    }

    /// Whether every file has its signature.
    pub fn is_complete(&self) -> bool {
        total(&self.refused) == 0 && self.failed.0.count == 0
    }
}

/// What became of a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignReport {
    /// Regular files that were found.
    pub files: u64,
    /// Bytes of all files that were read.
    pub bytes_read: u64,
    /// One for each job.
    pub jobs: Vec<JobTotals>,
    /// The EVM signatures, if any were wanted.
    pub evm: Option<JobTotals>,
    /// Files that had an EVM signature and have a wrong one now, since they were given another `security.ima`: without
    /// a new EVM signature, as none was wanted, or neither could one be stored nor the old `security.ima` be put back.
    pub broken_evm: Tally,
    /// Files with further names that were not found in the tree, where signatures are xattrs: what the others name has them
    /// too. Nothing is known of them where the caller ended the run.
    pub elsewhere: Tally,
    /// What is not to be signed.
    pub skipped: Tallies<Skip>,
    /// Files, and directories, that could not be read.
    pub unread: Tallies<ReadFailure>,
    /// Whether the caller ended the run before its end.
    pub interrupted: bool,
}

impl SignReport {
    /// Whether every regular file of the tree is signed now. A program's exit status should say it: evmctl
    /// 1.5's `ima_sign -r` exits with 0 even if every file failed.
    pub fn is_complete(&self) -> bool {
        !self.interrupted
            && total(&self.unread) == 0
            && self.jobs.iter().chain(&self.evm).all(JobTotals::is_complete)
    }

    pub(crate) fn add(&mut self, path: &Path, outcome: &SignOutcome) {
        match outcome {
            SignOutcome::Skipped(skip) => tally(&mut self.skipped, *skip, path),
            SignOutcome::Unread(failure) => {
                self.files += 1;
                tally(&mut self.unread, *failure, path);
            }
            SignOutcome::Read { jobs, evm, breaks_evm, bytes } => {
                self.files += 1;
                if *breaks_evm {
                    self.broken_evm.add(path);
                }
                self.bytes_read += bytes;
                self.jobs.iter_mut().zip(jobs).for_each(|(totals, done)| totals.add(path, done));
                if let (Some(totals), Some(done)) = (&mut self.evm, evm) {
                    totals.add(path, done);
                }
            }
        }
    }
}
