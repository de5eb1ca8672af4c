//! Hash functions by the names that Git and the catalog have for them.

use anyhow::{Result, anyhow};
use fieldtest_catalog::Wanted;
use fieldtest_catalog::facts::Status;
use fieldtest_catalog::hash::{self, Algorithm, Implementation};
use fieldtest_git::Format;

use crate::outcome::usage;

/// An object format with the code that makes it.
pub(crate) struct Chosen {
    pub(crate) algorithm: &'static Algorithm,
    pub(crate) implementation: &'static Implementation,
    pub(crate) format: Format,
}

impl Chosen {
    /// Which algorithm in which implementation.
    pub(crate) fn words(&self) -> String {
        format!("{} ({})", self.algorithm.facts.name, self.implementation.name)
    }
}

/// One of Git's own formats: `sha1` or `sha256`.
///
/// # Errors
/// If no algorithm of this format has the implementation.
pub(crate) fn of_git(name: &str, implementation: Option<&str>) -> Result<Chosen> {
    let mut algorithms: Vec<&Algorithm> =
        hash::all().iter().filter(|algorithm| format_name(algorithm) == name).collect();
    // Of Git's SHA-1 there are two, that which notices attacks and the plain one.
    algorithms.sort_by_key(|algorithm| algorithm.facts.status == Status::Broken);
    choose(&algorithms, implementation)
}

/// A format by Git's name or the catalog's.
///
/// # Errors
/// If nothing has this name, or the algorithm lacks the implementation.
pub(crate) fn named(name: &str, implementation: Option<&str>) -> Result<Chosen> {
    // Before the catalog's: to Git, `sha1` is the one that notices attacks.
    match is_of_git(name) {
        true => of_git(name, implementation),
        false => choose(&[hash::find(name).map_err(usage)?], implementation),
    }
}

pub(crate) fn is_of_git(format: &str) -> bool {
    hash::all()
        .iter()
        .any(|algorithm| algorithm.facts.kind.git.as_ref().is_some_and(|git| git.name == format))
}

/// The name that the format has in repositories and maps.
fn format_name(algorithm: &'static Algorithm) -> &'static str {
    let facts = algorithm.facts;
    facts.kind.git.as_ref().map_or(&facts.name, |git| &git.name)
}

/// The implementation of that name, whichever algorithm has it; if none is named, the one that serves the first
/// algorithm.
fn choose(algorithms: &[&'static Algorithm], implementation: Option<&str>) -> Result<Chosen> {
    let Some(first) = algorithms.first() else {
        return Err(anyhow!("the catalog has no hash function for this format"));
    };
    let serve = |algorithm: &'static Algorithm| {
        algorithm.served(Wanted::only(implementation)).map(|serving| chosen(algorithm, serving))
    };
    // Which there are is said of the first algorithm, the one that Git uses.
    algorithms
        .iter()
        .find_map(|algorithm| serve(algorithm).ok())
        .map_or_else(|| serve(first).map_err(usage), Ok)
}

fn chosen(algorithm: &'static Algorithm, implementation: &'static Implementation) -> Chosen {
    let format = Format { name: format_name(algorithm).to_owned(), hash: implementation.code.clone() };
    Chosen { algorithm, implementation, format }
}
