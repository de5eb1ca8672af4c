use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::job::{Job, Place};
use super::pair::Pair;
use super::pipeline::{self, Item, Limits};
use super::sign_report::{Done, JobTotals, SignOutcome, SignReport};
use super::{Options, TreeError, WINDOW, WINDOW_WITH_VALUES, evm_attribute};
use crate::file_hasher::Wanted;
use crate::files::content::{Buffers, Content, Unread};
use crate::files::partial::is_partial;
use crate::files::report::{Progress, ReadFailure, Skip, Tally};
use crate::files::root::Root;
use crate::files::walk::{Found, Walk};
use crate::store::{Store, attribute};

/// One path, as it is passed to the caller.
#[derive(Debug)]
pub struct SignedFile<'a> {
    /// From the tree's root.
    pub path: &'a Path,
    /// What became of it.
    pub outcome: &'a SignOutcome,
    /// How far the run is.
    pub progress: Progress,
}

/// Signs all regular files of a tree with each job, and with `evm` after those, which stores a portable EVM signature
/// in `security.evm` whatever its own store is; where that cannot be stored, the file keeps the `security.ima` that it had. A
/// tree may be a single file. `observe` is called here for every path,
/// in the order of the paths.
///
/// # Errors
/// [`TreeError`]: the root cannot be opened, or `observe` failed.
pub fn sign(
    tree: &Path,
    jobs: &[Job],
    evm: Option<&Job>,
    options: &Options<'_>,
    mut observe: impl FnMut(SignedFile<'_>) -> io::Result<()>,
) -> Result<SignReport, TreeError> {
    let root = Root::of_tree(tree)?;
    let run = Run { root: &root, jobs, evm, wanted: wanted(jobs), options };
    let has_store = |wanted: fn(&Store) -> bool| jobs.iter().any(|job| wanted(job.store()));
    let walk = Walk {
        cross_file_systems: options.cross_file_systems,
        sidecars: jobs.iter().filter_map(|job| job.store().suffix().map(str::to_string)).collect(),
    };
    let returns = has_store(|store| matches!(store, Store::Returned));
    let limits =
        Limits { threads: options.threads(), budget: if returns { WINDOW_WITH_VALUES } else { WINDOW } };
    let found = AtomicU64::new(0);
    let interrupted = options.interrupted();
    let mut elsewhere = Tally::default();

    let mut report = SignReport {
        jobs: vec![JobTotals::default(); jobs.len()],
        evm: evm.map(|_| JobTotals::default()),
        ..SignReport::default()
    };
    let mut progress = Progress::default();
    pipeline::run(
        &limits,
        |feed| {
            elsewhere = walk.run(&root, &mut |path, kind| {
                let size = match kind {
                    Found::File { size, .. } => size,
                    _ => 0,
                };
                found.fetch_add(u64::from(matches!(kind, Found::File { .. })), Ordering::Relaxed);
                let item = Item { content: (path, kind), weight: 1, priority: size };
                !interrupted.load(Ordering::Relaxed) && feed.push(item)
            });
            Ok(())
        },
        Buffers::new,
        |buffers, (path, found)| run.path(path, found, buffers),
        |(path, _): (PathBuf, Found), outcome| {
            // Nothing is known of a file that the flag came before.
            let Some(outcome) = outcome else { return Ok(()) };
            report.add(&path, &outcome);
            progress.files_done = report.files;
            progress.bytes_read = report.bytes_read;
            progress.files_found = found.load(Ordering::Relaxed);
            observe(SignedFile { path: &path, outcome: &outcome, progress }).map_err(TreeError::Observer)
        },
    )?;
    report.interrupted = interrupted.load(Ordering::Relaxed);
    if has_store(|store| matches!(store, Store::Attribute(_))) {
        report.elsewhere = elsewhere;
    }
    Ok(report)
}

/// The digests that all jobs sign, each once.
pub(crate) fn wanted(jobs: &[Job]) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for job in jobs {
        if !wanted.contains(&job.wanted()) {
            wanted.push(job.wanted());
        }
    }
    wanted
}

struct Run<'a> {
    root: &'a Root,
    jobs: &'a [Job],
    evm: Option<&'a Job>,
    wanted: Vec<Wanted>,
    options: &'a Options<'a>,
}

impl Run<'_> {
    /// None where the caller interrupted.
    fn path(&self, path: &Path, found: &Found, buffers: &mut Buffers) -> Option<SignOutcome> {
        let failed = match found {
            Found::File { further_name: true, .. } if self.in_inodes() => {
                return Some(SignOutcome::Skipped(Skip::FurtherName));
            }
            Found::File { further_name, .. } => {
                match self.file(path, *further_name, buffers).map_err(|unread| self.told_apart(path, unread))
                {
                    Ok(outcome) => return Some(outcome),
                    Err(Unread::Interrupted) => return None,
                    // A sidecar of another process that has its own name now.
                    Err(Unread::Failed(ReadFailure::Vanished))
                        if self.has_sidecars() && path.file_name().is_some_and(is_partial) =>
                    {
                        return Some(SignOutcome::Skipped(Skip::Sidecar));
                    }
                    Err(Unread::Failed(failure)) => failure,
                }
            }
            Found::Skipped(skip) => return Some(SignOutcome::Skipped(*skip)),
            Found::Failed(error) => (*error).into(),
        };
        Some(SignOutcome::Unread(failed))
    }

    /// What lost its name while it was read was removed, unless another file has that name.
    fn told_apart(&self, path: &Path, unread: Unread) -> Unread {
        match unread {
            Unread::Failed(ReadFailure::Replaced) => {
                self.root.open_file(path).map_or_else(Unread::from, |_| unread)
            }
            unread => unread,
        }
    }

    /// Whether all signatures are kept where a file's names do not matter.
    fn in_inodes(&self) -> bool {
        self.jobs.iter().all(|job| matches!(job.store(), Store::Attribute(_)))
    }

    fn has_sidecars(&self) -> bool {
        self.jobs.iter().any(|job| job.store().suffix().is_some())
    }

    fn file(&self, path: &Path, further_name: bool, buffers: &mut Buffers) -> Result<SignOutcome, Unread> {
        let content = Content::new(self.root.open_file(path)?, self.options.interrupted())?;
        if self.options.output.is_some_and(|output| output == (content.before.st_dev, content.before.st_ino))
        {
            return Err(Unread::Failed(ReadFailure::IsOutput));
        }
        let (digests, bytes) = content.digests(&self.wanted, &mut buffers.piece)?;
        let _turn = match digests.first() {
            Some(first) if self.evm.is_some() => Some(attribute::turn(first.digest.bytes())),
            _ => None,
        };
        let pair = match self.evm {
            Some(evm) if !further_name => Some(Pair::of(evm, &content, &mut buffers.value)?),
            _ => None,
        };
        let place = Place { root: self.root, path, content: &content };
        let mut jobs: Vec<Done> = self
            .jobs
            .iter()
            .map(|job| match job.wanted().among(&digests) {
                _ if further_name && matches!(job.store(), Store::Attribute(_)) => Done::FurtherName,
                Some(digest) => job.perform(&place, digest, &mut buffers.value),
                None => Done::Failed("its digest was not computed".to_string()),
            })
            .collect();
        // The place of the job that EVM's signature is over.
        let own = self.jobs.iter().position(|job| job.sets_ima());
        let stored = own.and_then(|own| jobs.get_mut(own));
        let evm = match &pair {
            None => self.evm.map(|_| Done::FurtherName),
            Some(pair) => Some(pair.complete(stored, &mut buffers.value)),
        };
        let breaks_evm = own.and_then(|own| jobs.get(own)) == Some(&Done::Stored)
            && !matches!(evm, Some(Done::Stored | Done::AlreadyValid))
            && evm_attribute::is_signature(&content.file, &mut buffers.value);
        Ok(SignOutcome::Read { jobs, evm, breaks_evm, bytes })
    }
}
