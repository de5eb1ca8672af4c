//! Verifying a repository: every object's ID is computed again, and everything that is wrong is found, not only the
//! first.

mod check;
mod connectivity;
mod copies;
mod heads;
mod reach;
mod reflogs;

use std::collections::{BTreeSet, HashSet};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use fieldtest_kinds::hash::Hash;

use crate::objects::Forest;
use crate::pack::Pack;
use crate::sizes::SizesByType;
use crate::threads::Portions;
use crate::{Error, ObjectId, Objects, Repository};
use check::{Check, Counters};

/// How a repository is verified.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// The function that names the repository's objects.
    pub hash: &'a dyn Hash,
    /// Threads that work.
    pub threads: NonZeroUsize,
    /// Whether to look up every object that another one, a reference or a reflog names.
    pub connectivity: bool,
    /// Raised by the caller to end the run soon: after the object that each thread is at.
    pub interrupted: Option<&'a AtomicBool>,
    /// Called on any of the threads, many times a second.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Objects that are done.
    pub objects_done: u64,
    /// All objects.
    pub objects: u64,
    /// Bytes of the contents of those that are done.
    pub bytes_done: u64,
}

/// An object that is named and not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Which.
    pub id: ObjectId,
    /// What names it; one of them if there are several.
    pub named_by: NamedBy,
}

/// What names an object.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NamedBy {
    /// An object: a tree, a commit or a tag.
    Object(ObjectId),
    /// A reference.
    Reference(Vec<u8>),
    /// An entry of the reflog of a reference, which may be gone itself.
    Reflog(Vec<u8>),
}

/// What is known of a repository.
#[derive(Debug, Default)]
pub struct Report {
    /// Objects that are there, each once.
    pub objects: u64,
    /// How many of them are loose.
    pub loose: u64,
    /// Further copies of objects, in other packs or loose.
    pub copies: u64,
    /// References and `HEAD`s that could be read.
    pub references: u64,
    /// Reflogs that could be read.
    pub reflogs: u64,
    /// Sizes of those that were read.
    pub sizes: SizesByType,
    /// Deltas between the most distant object and the one that it is made from.
    pub longest_chain: u32,
    /// All that is damaged or has the wrong name: first what concerns files, then each object that cannot be read, once,
    /// in the order of the packs, then those that do not fit what they name ([`Error::Unsound`]) and references that lead
    /// to what they must not lead to ([`Error::Reference`]). Damage to one place often has several effects: on a checksum, on an object, and on
    /// those that are deltas on it.
    pub damaged: Vec<Error>,
    /// What of the repository is not checked, in words. Files that make Git quick are among it: Git makes them again, and checks
    /// them itself.
    pub unchecked: BTreeSet<&'static str>,
    /// Objects that are named and not there, if that was asked for. What a damaged object names is not known.
    pub missing: Vec<Missing>,
    /// Those of them that no reference, no `HEAD` and no reflog leads to: only unreachable objects name them. Empty if that cannot be
    /// told, since objects are damaged.
    pub only_unreachable: BTreeSet<ObjectId>,
    /// How many objects are absent because a remote has promised to keep them (partial clone).
    pub promised: u64,
    /// Whether the caller ended the run before its end.
    pub interrupted: bool,
}

impl Report {
    /// Whether all is as it should be; what a program's exit status should say.
    pub fn is_good(&self) -> bool {
        !self.interrupted && self.damaged.is_empty() && self.missing.is_empty()
    }
}

/// Verifies a repository: the names of all objects, the checksums of packs and indexes, and the connections between
/// objects if they are asked for.
///
/// # Errors
/// [`Error::Repository`] if the function's digests are not as long as the repository's IDs; [`Error::Io`] of directories that
/// cannot be listed. Whatever is wrong with the content is in the report instead.
pub fn verify(repository: &Repository, settings: &Settings<'_>) -> Result<Report, Error> {
    if settings.hash.digest_len() != repository.id_len() {
        return Err(Error::Repository {
            path: repository.git_dir().to_path_buf(),
            problem: format!(
                "its IDs have {} bytes, but this function's digests have {}",
                repository.id_len(),
                settings.hash.digest_len()
            ),
            remedy: "verify it with the function of its object format",
        });
    }
    let mut report = Report::default();
    // Before the objects, which others may add to.
    let names = settings.connectivity.then(|| connectivity::Names::read(repository));
    let objects = Objects::open_damaged(repository, &mut |error| {
        // An unreadable object is reported when the walk comes to it.
        if !matches!(error, Error::Object { .. }) {
            report.damaged.push(error);
        }
        Ok(())
    })?;
    let forest = Forest::new(&objects, &|_| true);
    let counters = Counters::new(settings, objects.len());
    let packs = Packs { portions: Portions::new(objects.packs(), 1), damaged: Mutex::default() };
    let (visitors, result) = objects.walk_in(&forest, settings.threads, || {
        packs.verify(settings.interrupted);
        Check::new(&objects, settings, &counters)
    });
    match result {
        Err(Error::Interrupted) => report.interrupted = true,
        result => result?,
    }

    report.objects = objects.len() as u64;
    report.loose = objects.loose() as u64;
    report.longest_chain = forest.longest_chain();
    let (mut damaged, mut missing, mut unsound) = (Vec::new(), Vec::new(), Vec::new());
    for visitor in visitors {
        let found = visitor.finish()?;
        report.sizes.merge(&found.sizes);
        damaged.extend(found.damaged);
        missing.extend(found.missing);
        unsound.extend(found.unsound);
    }
    damaged.sort_by_key(|(number, _)| *number);
    // Why an object cannot be read says more than that its bytes are others.
    let unreadable: HashSet<u32> = damaged.iter().map(|(number, _)| *number).collect();
    let mut of_packs = packs.damaged.into_inner().unwrap_or_else(PoisonError::into_inner);
    of_packs.retain(|error| {
        !matches!(error, Error::Object { id, path, offset, .. }
        if objects.find(id.as_bytes()).is_some_and(|number| {
            unreadable.contains(&number) && objects.whereabouts(number) == (path.clone(), *offset)
        }))
    });
    // A copy that cannot be read says so itself, and not that its bytes are others.
    let of_copies = if report.interrupted { Ok(Vec::new()) } else { copies::check(&objects, settings) };
    let of_copies = match of_copies {
        Err(Error::Interrupted) => {
            report.interrupted = true;
            Vec::new()
        }
        found => found?,
    };
    let place = |error: &Error| match error {
        Error::Object { path, offset, .. } => Some((path.clone(), *offset)),
        _ => None,
    };
    let unreadable: HashSet<_> = of_copies.iter().filter_map(place).collect();
    of_packs.retain(|error| place(error).is_none_or(|place| !unreadable.contains(&place)));
    report.copies = objects.copies().len() as u64;
    report.damaged.extend(of_packs);
    report.damaged.extend(damaged.into_iter().map(|(_, error)| error));
    report.damaged.extend(of_copies);
    // Looked up twice where the end of a tree is malformed.
    unsound.sort_unstable();
    unsound.dedup();
    let id = |number| ObjectId::from_bytes(objects.id(number));
    report.damaged.extend(unsound.into_iter().filter_map(|(number, problem)| {
        Some(Error::Unsound { id: id(number)?, kind: objects.kind(number), problem })
    }));
    report.unchecked = beside_packs(repository, &objects);
    if let Some(names) = names {
        connectivity::report(repository, &objects, names, missing, settings, &mut report);
    }
    Ok(report)
}

/// The files that make Git quick, and maps of names (gitformat-loose(5)), by what they are called in
/// messages. They are named and not read: to check them took 1,900 lines, no conversion reads them, and Git
/// makes them again from the objects.
fn beside_packs(repository: &Repository, objects: &Objects) -> BTreeSet<&'static str> {
    const IN_FOLDER: [(&str, &str); 6] = [
        ("info/commit-graph", "commit graphs (git commit-graph verify)"),
        ("info/commit-graphs", "commit graphs (git commit-graph verify)"),
        ("pack/multi-pack-index", "multi-pack indexes (git multi-pack-index verify)"),
        ("pack/multi-pack-index.d", "multi-pack indexes (git multi-pack-index verify)"),
        ("loose-object-idx", "objects/loose-object-idx"),
        ("object-map", "objects/object-map"),
    ];
    const OF_PACK: [(&str, &str); 3] = [
        ("bitmap", "bitmaps (git fsck)"),
        ("rev", "reverse indexes (git fsck)"),
        ("mtimes", "times of unreachable objects"),
    ];
    // Also a link that leads nowhere.
    let is_there = |path: PathBuf| path.symlink_metadata().is_ok();
    let folders = repository.object_dirs();
    let in_folder = IN_FOLDER.iter().filter(|(name, _)| folders.iter().any(|dir| is_there(dir.join(name))));
    let packs = objects.packs();
    let of_pack =
        OF_PACK.iter().filter(|(end, _)| packs.iter().any(|pack| is_there(pack.path().with_extension(end))));
    in_folder.chain(of_pack).map(|(_, what)| *what).collect()
}

/// The objects that references, `HEAD`s and reflogs name, as far as these can be read: what they lead to is in use.
pub fn in_use(repository: &Repository) -> Vec<ObjectId> {
    connectivity::Names::read(repository).ids()
}

/// The packs whose checksums are to be checked. A thread that begins looks here first.
struct Packs<'a> {
    portions: Portions<'a, Pack>,
    damaged: Mutex<Vec<Error>>,
}

impl Packs<'_> {
    fn verify(&self, interrupted: Option<&AtomicBool>) {
        let wanted = || !interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed));
        while let Some((_, packs)) = self.portions.take()
            && wanted()
        {
            let mut damaged = Vec::new();
            packs.iter().for_each(|pack| pack.verify(&wanted, &mut |error| damaged.push(error)));
            self.damaged.lock().unwrap_or_else(PoisonError::into_inner).extend(damaged);
        }
    }
}
