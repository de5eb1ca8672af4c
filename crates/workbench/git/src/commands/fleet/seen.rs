//! What a repository says of itself and of others, read once for each state that it is in.

use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use fieldtest_git::map::Options;
use fieldtest_git::refs::{Listing, Snapshot};
use fieldtest_git::submodules::{Link, Survey, survey};
use fieldtest_git::{Error, ObjectId, Objects, Reference, Repository, Target};
use serde::{Deserialize, Serialize};

use crate::args::GitReferences;
use crate::commands::locate;
use crate::commands::scope::{self, Narrowed};
use crate::output;
use fieldtest_frame::job::{digest, files, key};
use fieldtest_frame::text::{self, names};

/// What is known of a repository in one state, a file in the job's directory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Seen {
    /// A digest of all that leads into it.
    pub(super) state: String,
    pub(super) format: String,
    /// Submodules' commits, each with its path and URL.
    links: Vec<(String, Option<String>, String)>,
}

/// A repository as far as it could be read.
pub(super) struct Sight {
    /// The directory that its working trees share, by which it is told from others.
    pub(super) common: Option<PathBuf>,
    /// Whether it is the main one of these.
    pub(super) is_main: bool,
    pub(super) seen: Result<Seen, String>,
    /// What a conversion begins with: names as they are now, whatever comes since.
    pub(super) snapshot: Option<Snapshot>,
    /// How many references are not wanted.
    pub(super) others: usize,
    /// The prefixes that none has.
    pub(super) unmatched: Vec<String>,
    /// Those that are converted although they are not wanted.
    pub(super) kept: Vec<Vec<u8>>,
}

impl Sight {
    /// Of what cannot be read.
    pub(super) fn none(why: String) -> Sight {
        let (snapshot, unmatched, kept) = (None, Vec::new(), Vec::new());
        Sight { common: None, is_main: true, seen: Err(why), snapshot, others: 0, unmatched, kept }
    }
}

/// Looks at a repository below a directory; `store` is where is kept what was seen the last time.
///
/// # Errors
/// [`Error::Interrupted`]; the store cannot be written. What is wrong with the repository is in the result.
pub(super) fn look(
    (root, path): (&Path, &Path),
    name: &str,
    store: &Path,
    wanted: &GitReferences,
    options: &Options<'_>,
) -> Result<Sight> {
    let repository = match locate::exactly(path) {
        Ok(repository) => repository,
        Err(error) => return Ok(Sight::none(error.to_string())),
    };
    let common = fs::canonicalize(repository.common_dir()).ok();
    let is_main = fs::canonicalize(repository.git_dir()).ok() == common;
    // As a link would: a file `.git` may name any place.
    if let Some(elsewhere) = common.as_ref().filter(|common| !common.starts_with(root)) {
        return Ok(Sight::none(format!(
            "its .git leads to {}, which is not in the directory; move the repository here, or convert it by itself",
            text::path(elsewhere)
        )));
    }
    // Before the objects: whatever is committed meanwhile, all that these lead to is found.
    let read = repository.snapshot().map_err(anyhow::Error::from).and_then(|snapshot| {
        let narrowed = Narrowed::of(snapshot, wanted);
        Ok((read(&repository, &narrowed.snapshot, name, store, options)?, narrowed))
    });
    match read {
        Ok((seen, Narrowed { snapshot, others, unmatched, kept })) => {
            Ok(Sight { common, is_main, seen: Ok(seen), snapshot: Some(snapshot), others, unmatched, kept })
        }
        Err(error) => match error.downcast::<Error>()? {
            Error::Interrupted => Err(Error::Interrupted.into()),
            error => Ok(Sight { common, is_main, ..Sight::none(error.to_string()) }),
        },
    }
}

fn read(
    repository: &Repository,
    snapshot: &Snapshot,
    name: &str,
    store: &Path,
    options: &Options<'_>,
) -> Result<Seen> {
    let format = repository.object_format().to_owned();
    let state = digest(&[&told(&format, snapshot)]);
    let file = store.join(format!("{}.json", key(name)));
    let before = files::read(&file).ok().and_then(|text| serde_json::from_slice::<Seen>(&text).ok());
    if let Some(before) = before.filter(|before| before.state == state && commits_file(store, name).is_file())
    {
        return Ok(before);
    }
    let objects = Objects::open(repository)?;
    let starts = scope::present_starts(snapshot, &objects);
    let Survey { links, commits } = survey(&objects, &starts, options)?;
    let _ = fs::remove_file(&file);
    Commits::write(&commits_file(store, name), commits.iter().map(ObjectId::as_bytes))?;
    let links = links.into_iter().map(|Link { commit, path, url }| (path, url, commit.to_string())).collect();
    let seen = Seen { state, format, links };
    output::own_file(&file, &serde_json::to_vec(&seen)?)?;
    Ok(seen)
}

impl Seen {
    pub(super) fn links(&self) -> impl Iterator<Item = Link> {
        let link = |(path, url, commit): &(String, Option<String>, String)| {
            Some(Link { commit: commit.parse().ok()?, path: path.clone(), url: url.clone() })
        };
        self.links.iter().filter_map(link)
    }
}

/// All that leads into a repository, to be told from what does at another time.
pub(super) fn told(format: &str, snapshot: &Snapshot) -> Vec<u8> {
    let reference = |reference: &Reference| {
        let target = match &reference.target {
            Target::Id(id) => id.to_string(),
            Target::Symbolic(name) => format!("ref: {}", names::encode(name)),
        };
        format!("{} {target}", names::encode(&reference.name))
    };
    let Listing { references, unreadable } = &snapshot.listing;
    let unreadable = unreadable.iter().map(|(name, error)| format!("{}: {error}", names::encode(name)));
    let lines = [format.to_owned(), reference(&snapshot.head)].into_iter();
    lines
        .chain(references.iter().map(reference))
        .chain(unreadable)
        .collect::<Vec<_>>()
        .join("\n")
        .into_bytes()
}

/// Whether nothing leads into a repository: it has no commit yet, or none any more.
pub(super) fn is_none(snapshot: &Snapshot) -> bool {
    let Listing { references, unreadable } = &snapshot.listing;
    references.is_empty() && unreadable.is_empty() && matches!(snapshot.head.target, Target::Symbolic(_))
}

/// Commits, sorted: those of a repository's history, or those that a map has.
pub(super) struct Commits(Vec<u8>);

impl Commits {
    /// Those in a file.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn read(path: &Path) -> Result<Commits> {
        files::read(path).map(Commits).with_context(|| format!("cannot read {}", text::path(path)))
    }

    /// Writes a file of commits, which have to be sorted.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write<'i>(path: &Path, commits: impl Iterator<Item = &'i [u8]>) -> Result<()> {
        output::own_file(path, &commits.flatten().copied().collect::<Vec<u8>>())
    }

    pub(super) fn has(&self, id: &ObjectId) -> bool {
        is_among(&self.0, id.as_bytes())
    }
}

/// Whether an ID is among others of its length, which are sorted and lie one behind the other.
pub(super) fn is_among(ids: &[u8], id: &[u8]) -> bool {
    let (mut low, mut high) = (0, ids.len() / id.len().max(1));
    while low < high {
        let middle = low.midpoint(high);
        match ids[middle * id.len()..(middle + 1) * id.len()].cmp(id) {
            Ordering::Less => low = middle + 1,
            Ordering::Equal => return true,
            Ordering::Greater => high = middle,
        }
    }
    false
}

pub(super) fn commits_file(store: &Path, name: &str) -> PathBuf {
    store.join(format!("{}.commits", key(name)))
}
