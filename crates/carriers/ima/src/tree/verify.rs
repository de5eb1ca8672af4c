use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::io::Errno;

use super::pipeline::{self, Item, Limits};
use super::{Options, TreeError, WINDOW, WINDOW_WITH_VALUES, evm_attribute};
use crate::evm::Owner;
use crate::file_hasher::Wanted;
use crate::files::content::{Buffers, Content, Unread};
use crate::files::report::{Progress, ReadFailure, Skip, Tallies, Tally, tally, total};
use crate::files::root::Root;
use crate::files::walk::{self, Found, Walk};
use crate::store::manifest::Reader;
use crate::store::{attribute, sidecar};
use crate::verifier::{Keyring, Verdict};

/// Where the signatures of a tree are.
#[non_exhaustive]
pub enum Source<'a> {
    /// In the xattr of this name.
    Attribute(&'a str),
    /// In files beside what they sign, with this suffix.
    Sidecar(&'a str),
    /// In a list, under the name of this xattr. Its paths are from the tree's root. Files that it does not
    /// name are unsigned, and come last. Further records of a file are judged too, since setfattr takes the
    /// last one, but count as no files.
    Manifest(&'a str, Box<dyn BufRead + Send + 'a>),
}

/// What is known of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileVerdict {
    /// It is not to be verified.
    Skipped(Skip),
    /// It could not be read.
    Unread(ReadFailure),
    /// There is no signature.
    Unsigned,
    /// There is one.
    Signed(Verdict),
}

/// One path, as it is passed to the caller.
#[derive(Debug)]
pub struct VerifiedFile<'a> {
    /// From the tree's root.
    pub path: &'a Path,
    /// What is known of its content.
    pub verdict: &'a FileVerdict,
    /// What is known of its metadata, if that was asked for and the file could be read.
    pub evm: Option<&'a FileVerdict>,
    /// How far the run is.
    pub progress: Progress,
}

/// How many files of each verdict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// As they were signed.
    pub good: u64,
    /// Without a signature: no xattr, or one that is a digest or an HMAC.
    pub unsigned: Tally,
    /// Other than they were signed, or with a signature that was changed ([`Verdict::Wrong`]).
    pub changed: Tally,
    /// Signed by a key that is not in the ring.
    pub unknown_key: Tally,
    /// With something else than a signature where one should be.
    pub malformed: Tally,
    /// With a signature of a kind that is not verified here.
    pub not_judged: Tally,
}

impl Verdicts {
    /// Whether all are good.
    pub fn are_good(&self) -> bool {
        [&self.unsigned, &self.changed, &self.unknown_key, &self.malformed, &self.not_judged]
            .iter()
            .all(|tally| tally.count == 0)
    }

    fn add(&mut self, path: &Path, verdict: &FileVerdict) {
        let tally = match verdict {
            FileVerdict::Skipped(_) | FileVerdict::Unread(_) => return,
            FileVerdict::Unsigned | FileVerdict::Signed(Verdict::NoSignature(_)) => &mut self.unsigned,
            FileVerdict::Signed(Verdict::Good(_)) => {
                self.good += 1;
                return;
            }
            FileVerdict::Signed(Verdict::Wrong(_)) => &mut self.changed,
            FileVerdict::Signed(Verdict::UnknownKey(_)) => &mut self.unknown_key,
            FileVerdict::Signed(Verdict::Malformed(_)) => &mut self.malformed,
            FileVerdict::Signed(_) => &mut self.not_judged,
        };
        tally.add(path);
    }
}

/// What is known of a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// Regular files that were found, and those of a list that are missing.
    pub files: u64,
    /// Bytes of all files that were read. What has no signature of a known key is not read.
    pub bytes_read: u64,
    /// Their contents.
    pub content: Verdicts,
    /// Their metadata, if that was asked for.
    pub evm: Option<Verdicts>,
    /// What is not to be verified.
    pub skipped: Tallies<Skip>,
    /// Files, and directories, that could not be read; those of a list that are missing have vanished.
    pub unread: Tallies<ReadFailure>,
    /// Whether the caller ended the run before its end.
    pub interrupted: bool,
}

impl VerifyReport {
    /// Whether every regular file is as it was signed; what a program's exit status should say.
    pub fn is_good(&self) -> bool {
        !self.interrupted
            && total(&self.unread) == 0
            && self.content.are_good()
            && self.evm.as_ref().is_none_or(Verdicts::are_good)
    }

    pub(crate) fn add(&mut self, path: &Path, verdict: &FileVerdict, evm: Option<&FileVerdict>, bytes: u64) {
        self.files += u64::from(!matches!(verdict, FileVerdict::Skipped(_)));
        self.bytes_read += bytes;
        match verdict {
            FileVerdict::Skipped(skip) => tally(&mut self.skipped, *skip, path),
            FileVerdict::Unread(failure) => tally(&mut self.unread, *failure, path),
            _ => self.content.add(path, verdict),
        }
        if let (Some(verdicts), Some(evm)) = (&mut self.evm, evm) {
            verdicts.add(path, evm);
        }
    }
}

/// Verifies all regular files of a tree by a ring of keys, and their portable EVM signatures by another if there is
/// one. `observe` is called here for every path, in the order of the paths.
///
/// # Errors
/// [`TreeError`]: the root cannot be opened, the list cannot be read, or `observe` failed.
pub fn verify(
    tree: &Path,
    ring: &Keyring,
    evm: Option<&Keyring>,
    source: Source<'_>,
    options: &Options<'_>,
    mut observe: impl FnMut(VerifiedFile<'_>) -> io::Result<()>,
) -> Result<VerifyReport, TreeError> {
    let root = Root::of_tree(tree)?;
    let (place, manifest) = match source {
        Source::Attribute(name) => (Place::Attribute(name), None),
        Source::Sidecar(suffix) => (Place::Sidecar(suffix), None),
        Source::Manifest(name, list) => (Place::Given, Some((name, list))),
    };
    let walk = Walk {
        cross_file_systems: options.cross_file_systems,
        sidecars: match place {
            Place::Sidecar(suffix) => vec![suffix.to_string()],
            _ => Vec::new(),
        },
    };
    let run = Run { root: &root, ring, evm, place, options };
    let budget = if manifest.is_some() { WINDOW_WITH_VALUES } else { WINDOW };
    let limits = Limits { threads: options.threads(), budget };
    let found = AtomicU64::new(0);
    let interrupted = options.interrupted();

    let mut report = VerifyReport { evm: evm.map(|_| Verdicts::default()), ..VerifyReport::default() };
    let mut progress = Progress::default();
    pipeline::run(
        &limits,
        |feed| {
            let push = |path, kind, value| {
                let size = match kind {
                    Found::File { size, .. } => size,
                    _ => 0,
                };
                found.fetch_add(u64::from(matches!(kind, Found::File { .. })), Ordering::Relaxed);
                let item = Item { content: Entry { path, found: kind, value }, weight: 1, priority: size };
                !interrupted.load(Ordering::Relaxed) && feed.push(item)
            };
            let listed = match manifest {
                Some((name, list)) => push_listed(name, list, &push)?,
                None => Listed::default(),
            };
            walk.run(&root, &mut |path, found| listed.contains(&path) || push(path, found, None));
            Ok(())
        },
        Buffers::new,
        |buffers, entry| run.entry(entry, buffers),
        |Entry { path, .. }, judged| {
            // Nothing is known of a file that the flag came before.
            let Some(Judged { content, evm, bytes }) = judged else { return Ok(()) };
            report.add(&path, &content, evm.as_ref(), bytes);
            progress.files_done = report.files;
            progress.bytes_read = report.bytes_read;
            progress.files_found = found.load(Ordering::Relaxed);
            let file = VerifiedFile { path: &path, verdict: &content, evm: evm.as_ref(), progress };
            observe(file).map_err(TreeError::Observer)
        },
    )?;
    report.interrupted = interrupted.load(Ordering::Relaxed);
    Ok(report)
}

/// The paths of a list, as keyed hashes: eight bytes for each of what may be millions, and nobody who does not know
/// the key finds two that collide.
#[derive(Default)]
struct Listed {
    key: RandomState,
    paths: HashSet<u64>,
}

impl Listed {
    /// Whether it is new.
    fn insert(&mut self, path: &Path) -> bool {
        self.paths.insert(self.key.hash_one(path))
    }

    fn contains(&self, path: &Path) -> bool {
        !self.paths.is_empty() && self.paths.contains(&self.key.hash_one(path))
    }
}

fn push_listed(
    name: &str,
    list: Box<dyn BufRead + Send + '_>,
    push: &impl Fn(PathBuf, Found, Option<Vec<u8>>) -> bool,
) -> Result<Listed, TreeError> {
    let mut listed = Listed::default();
    for record in Reader::new(list) {
        let mut record = record?;
        let path: PathBuf =
            record.path.components().filter(|component| *component != Component::CurDir).collect();
        let value = record.xattrs.iter_mut().find(|(known, _)| known == name);
        let Some((_, value)) = value else { continue };
        let further_name = !listed.insert(&path);
        if !push(
            path,
            Found::File { size: 0, further_name, owner: Owner::default(), place: walk::Place::default() },
            Some(std::mem::take(value)),
        ) {
            break;
        }
    }
    Ok(listed)
}

struct Entry {
    path: PathBuf,
    found: Found,
    value: Option<Vec<u8>>,
}

enum Place<'a> {
    Attribute(&'a str),
    Sidecar(&'a str),
    Given,
}

struct Run<'a> {
    root: &'a Root,
    ring: &'a Keyring,
    evm: Option<&'a Keyring>,
    place: Place<'a>,
    options: &'a Options<'a>,
}

struct Judged {
    content: FileVerdict,
    evm: Option<FileVerdict>,
    bytes: u64,
}

impl Judged {
    fn content(content: FileVerdict) -> Self {
        Judged { content, evm: None, bytes: 0 }
    }
}

impl Run<'_> {
    /// None where the caller interrupted.
    fn entry(&self, entry: &Entry, buffers: &mut Buffers) -> Option<Judged> {
        let failed = match &entry.found {
            Found::File { further_name: true, .. } if matches!(self.place, Place::Attribute(_)) => {
                return Some(Judged::content(FileVerdict::Skipped(Skip::FurtherName)));
            }
            Found::File { further_name, .. } => match self.file(entry, buffers) {
                Ok(Judged { content: FileVerdict::Signed(Verdict::Good(_)), .. })
                    if *further_name && entry.value.is_some() =>
                {
                    return Some(Judged::content(FileVerdict::Skipped(Skip::FurtherRecord)));
                }
                Ok(judged) => return Some(judged),
                Err(Unread::Interrupted) => return None,
                // What a list says may be anything; what the walk finds was a file.
                Err(Unread::Failed(ReadFailure::Replaced)) if entry.value.is_some() => ReadFailure::Link,
                Err(Unread::Failed(ReadFailure::System(number)))
                    if entry.value.is_some() && number == Errno::XDEV.raw_os_error() =>
                {
                    ReadFailure::Outside
                }
                Err(Unread::Failed(failure)) => failure,
            },
            Found::Skipped(skip) => return Some(Judged::content(FileVerdict::Skipped(*skip))),
            Found::Failed(error) => (*error).into(),
        };
        Some(Judged::content(FileVerdict::Unread(failed)))
    }

    fn file(&self, entry: &Entry, buffers: &mut Buffers) -> Result<Judged, Unread> {
        let content = Content::new(self.root.open_file(&entry.path)?, self.options.interrupted())?;
        let Buffers { piece, value } = buffers;
        let found = match (&self.place, &entry.value) {
            (_, Some(given)) => Some(given.as_slice()),
            (Place::Attribute(name), None) => attribute::get(&content.file, name, value)?,
            (Place::Sidecar(suffix), None) => {
                sidecar::get(self.root, &entry.path, suffix, value).map_err(|error| match error {
                    Errno::LOOP => Unread::Failed(ReadFailure::Sidecar),
                    other => other.into(),
                })?
            }
            (Place::Given, None) => None,
        };
        let mut bytes = 0;
        let judged = match found {
            None => FileVerdict::Unsigned,
            Some(found) => FileVerdict::Signed(self.ring.verify(found, |covers, algorithm| {
                let (digest, read) = content.digest(Wanted { covers, algorithm }, piece)?;
                bytes = read;
                Ok::<_, Unread>(digest)
            })?),
        };
        let evm = self.evm.map(|ring| judge_evm(ring, &content, value, piece)).transpose()?;
        Ok(Judged { content: judged, evm, bytes })
    }
}

fn judge_evm(
    ring: &Keyring,
    content: &Content<'_>,
    value: &mut [u8],
    buffer: &mut [u8],
) -> Result<FileVerdict, Unread> {
    let Some(found) = attribute::get(&content.file, attribute::EVM, value)? else {
        return Ok(FileVerdict::Unsigned);
    };
    /// Why there is no digest.
    enum Without {
        Read(Unread),
        Ima,
    }
    let verdict = ring.verify(found, |_, algorithm| {
        evm_attribute::digest(&content.file, &content.before, algorithm, buffer)
            .map_err(|error| Without::Read(error.into()))?
            .map_err(|_| Without::Ima)
    });
    match verdict {
        Ok(verdict) => Ok(FileVerdict::Signed(verdict)),
        Err(Without::Read(unread)) => Err(unread),
        // Without security.ima no kernel accepts the signature, whoever made it.
        Err(Without::Ima) => Ok(FileVerdict::Unsigned),
    }
}
