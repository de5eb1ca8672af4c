//! Repositories as the tests open, verify and convert them.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Once;

use fieldtest_git::destination::{self, Written};
use fieldtest_git::map::{self, Conversion, Scope, Stage};
use fieldtest_git::verify::{Progress, Report, Settings, verify};
use fieldtest_git::{Error, Format, ObjectId, Objects, Options, Repository, Target, refs};
use fieldtest_kinds::hash::Hash;

use crate::{hashes, packs};

/// A directory with a bare repository without objects.
pub(crate) fn empty() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    packs::empty_repository(folder.path());
    folder
}

pub(crate) fn open(path: &Path) -> Repository {
    Repository::open(path, &Options::default()).unwrap()
}

pub(crate) fn objects(path: &Path) -> Objects {
    Objects::open(&open(path)).unwrap()
}

pub(crate) fn format(name: &str) -> Format {
    let hash = if name == "sha1" { hashes::sha1() } else { hashes::sha256() };
    Format { name: name.to_owned(), hash }
}

/// SHA-1 and SHA-256.
pub(crate) fn formats() -> [Format; 2] {
    ["sha1", "sha256"].map(format)
}

pub(crate) fn formats_from(name: &str) -> [Format; 2] {
    [name, if name == "sha1" { "sha256" } else { "sha1" }].map(format)
}

/// All is asked for, of two threads.
pub(crate) fn settings(hash: &dyn Hash) -> Settings<'_> {
    let threads = NonZeroUsize::new(2).unwrap();
    Settings { hash, threads, connectivity: true, interrupted: None, progress: None }
}

pub(crate) fn verified(repository: &Repository) -> Report {
    let hash = format(repository.object_format()).hash;
    verify(repository, &settings(&*hash)).unwrap()
}

pub(crate) fn check(path: &Path) -> Report {
    verified(&open(path))
}

/// Verifies a repository under SHA-1, and does something else once the objects are being read.
pub(crate) fn verified_while(repository: &Repository, meanwhile: &(dyn Fn() + Sync)) -> Report {
    let once = Once::new();
    let progress = |_: Progress| once.call_once(meanwhile);
    let hash = hashes::sha1();
    let threads = NonZeroUsize::MIN;
    verify(repository, &Settings { threads, progress: Some(&progress), ..settings(&*hash) }).unwrap()
}

/// Converts all that references lead to.
pub(crate) fn convert(from: &Path, to: &Path) -> Result<Written, Error> {
    convert_while(from, to, &|_| ())
}

/// The same; `meanwhile` happens when the objects are listed, and whenever something is done.
pub(crate) fn convert_while(
    from: &Path,
    to: &Path,
    meanwhile: &(dyn Fn(Option<Stage>) + Sync),
) -> Result<Written, Error> {
    let repository = Repository::open(from, &Options::default())?;
    let [old, new] = formats_from(repository.object_format());
    let references = repository.snapshot()?;
    let objects = Objects::open(&repository)?;
    meanwhile(None);
    let mut starts: Vec<ObjectId> = Vec::new();
    for reference in &references.listing.references {
        starts.extend(refs::replaced(&reference.name));
        starts.extend(id_of(&reference.target));
    }
    starts.retain(|id| objects.find(id.as_bytes()).is_some());
    let progress = |run: map::Progress| meanwhile(Some(run.stage));
    let options =
        map::Options { scope: Scope::Reachable(&starts), progress: &progress, ..map::Options::default() };
    let conversion = Conversion::compute(&objects, &old, &new, &options)?;
    destination::write(&conversion, &repository, &references, to, &options)
}

/// What a reference names itself.
pub(crate) fn id_of(target: &Target) -> Option<ObjectId> {
    match target {
        Target::Id(id) => Some(*id),
        Target::Symbolic(_) => None,
    }
}

pub(crate) fn write(
    conversion: &Conversion<'_>,
    repository: &Repository,
    to: &Path,
    options: &map::Options<'_>,
) -> Result<Written, Error> {
    destination::write(conversion, repository, &repository.snapshot()?, to, options)
}
