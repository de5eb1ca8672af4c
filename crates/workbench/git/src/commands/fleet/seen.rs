//! What a repository says of itself and of others, read once for each state that it is in.

use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use fieldtest_git::map::Options;
use fieldtest_git::refs::{Listing, Snapshot};
use fieldtest_git::submodules::{Link, Survey, survey};
use fieldtest_git::{Error, ObjectId, Objects, Reference, Repository, Target};
use serde::{Deserialize, Serialize};

use crate::args::GitScope;
use crate::commands::{locate, rewrite};
use crate::output;
use fieldtest_frame::job::{digest, files};
use fieldtest_frame::text::{self, names};

/// What is known of a repository in one state, a file in the job's folder.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Seen {
    /// A digest of what follows up to the links.
    pub(super) state: String,
    pub(super) names: Names,
    /// Submodules' commits, each with its path and URL.
    links: Vec<(String, Option<String>, String)>,
}

/// All that leads into a repository, as text.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Names {
    pub(super) format: String,
    head: (String, String),
    references: Vec<(String, String)>,
    /// With the reasons.
    unreadable: Vec<(String, String)>,
}

/// A repository as far as it could be read.
pub(super) struct Sight {
    /// The folder that its working trees share, by which it is told from others.
    pub(super) common: Option<PathBuf>,
    /// Whether it is the main one of these.
    pub(super) is_main: bool,
    pub(super) seen: std::result::Result<Seen, String>,
}

/// Looks at a repository; `store` is where is kept what was seen the last time.
///
/// # Errors
/// [`Error::Interrupted`]; the store cannot be written. What is wrong with the repository is in the result.
pub(super) fn look(path: &Path, name: &str, store: &Path, options: &Options<'_>) -> Result<Sight> {
    let mut sight = Sight { common: None, is_main: true, seen: Err(String::new()) };
    let repository = match locate::exactly(path) {
        Ok(repository) => repository,
        Err(error) => return Ok(Sight { seen: Err(error.to_string()), ..sight }),
    };
    sight.common = fs::canonicalize(repository.common_dir()).ok();
    sight.is_main = fs::canonicalize(repository.git_dir()).ok() == sight.common;
    sight.seen = match read(&repository, name, store, options) {
        Ok(seen) => Ok(seen),
        Err(error) => match error.downcast::<Error>() {
            Ok(Error::Interrupted) => return Err(Error::Interrupted.into()),
            Ok(error) => Err(error.to_string()),
            Err(error) => return Err(error),
        },
    };
    Ok(sight)
}

fn read(repository: &Repository, name: &str, store: &Path, options: &Options<'_>) -> Result<Seen> {
    // Before the objects: whatever is committed meanwhile, all that these lead to is found.
    let snapshot = repository.snapshot()?;
    let names = Names::of(repository.object_format(), &snapshot);
    let state = digest(&[&serde_json::to_vec(&names)?]);
    let file = store.join(format!("{}.json", key(name)));
    let before = files::read(&file).ok().and_then(|text| serde_json::from_slice::<Seen>(&text).ok());
    if let Some(before) = before.filter(|before| before.state == state && commits_file(store, name).is_file())
    {
        return Ok(before);
    }
    let objects = Objects::open(repository)?;
    let starts = rewrite::starts(repository, &snapshot, &GitScope::default())?.present(&objects);
    let Survey { links, commits } = survey(&objects, &starts, options)?;
    let commits: Vec<u8> = commits.iter().flat_map(|id| id.as_bytes()).copied().collect();
    let _ = fs::remove_file(&file);
    output::file(&commits_file(store, name), &commits)?;
    let links = links.into_iter().map(|Link { commit, path, url }| (path, url, commit.to_string())).collect();
    let seen = Seen { state, names, links };
    output::file(&file, &serde_json::to_vec(&seen)?)?;
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

impl Names {
    /// Those of the repository that is at this very place.
    ///
    /// # Errors
    /// There is none; something cannot be read.
    pub(super) fn at(place: &Path) -> std::result::Result<Names, Error> {
        let repository = locate::exactly(place)?;
        Ok(Names::of(repository.object_format(), &repository.snapshot()?))
    }

    pub(super) fn of(format: &str, Snapshot { head, listing }: &Snapshot) -> Names {
        let unreadable = listing.unreadable.iter();
        Names {
            format: format.to_owned(),
            head: written(head),
            references: listing.references.iter().map(written).collect(),
            unreadable: unreadable.map(|(name, error)| (names::encode(name), error.to_string())).collect(),
        }
    }

    /// The names of all references, also of those that cannot be read, as [`names`] has them.
    pub(super) fn references(&self) -> impl Iterator<Item = &str> {
        self.references.iter().chain(&self.unreadable).map(|(name, _)| name.as_str())
    }

    /// Whether nothing leads into it: it has no commit yet, or none any more.
    pub(super) fn is_none(&self) -> bool {
        self.references().next().is_none() && self.head.1.starts_with("ref: ")
    }

    /// What a conversion begins with: names as they were when the job was planned, whatever came since.
    ///
    /// # Errors
    /// Nobody of us wrote them.
    pub(super) fn snapshot(&self) -> Result<Snapshot> {
        let unreadable = self.unreadable.iter().map(|(name, problem)| {
            let name = names::decode(name);
            (name.clone(), Error::Reference { name, problem: problem.clone() })
        });
        let references = self.references.iter().map(reference).collect::<Result<_>>()?;
        Ok(Snapshot {
            head: reference(&self.head)?,
            listing: Listing { references, unreadable: unreadable.collect() },
        })
    }
}

fn written(reference: &Reference) -> (String, String) {
    let target = match &reference.target {
        Target::Id(id) => id.to_string(),
        Target::Symbolic(name) => format!("ref: {}", names::encode(name)),
    };
    (names::encode(&reference.name), target)
}

fn reference((name, target): &(String, String)) -> Result<Reference> {
    let target = match target.strip_prefix("ref: ") {
        Some(name) => Target::Symbolic(names::decode(name)),
        None => Target::Id(target.parse().map_err(|_| anyhow!("{target} is no object ID"))?),
    };
    Ok(Reference { name: names::decode(name), target })
}

/// The commits of a repository's history.
pub(super) struct Commits(Vec<u8>);

impl Commits {
    /// Those that were seen the last time.
    ///
    /// # Errors
    /// They cannot be read.
    pub(super) fn read(store: &Path, name: &str) -> Result<Commits> {
        let path = commits_file(store, name);
        files::read(&path).map(Commits).with_context(|| format!("cannot read {}", text::path(&path)))
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

fn commits_file(store: &Path, name: &str) -> PathBuf {
    store.join(format!("{}.commits", key(name)))
}

/// A name for files, of any length that repositories' names have.
pub(super) fn key(name: &str) -> String {
    digest(&[name.as_bytes()])[..16].to_owned()
}
