//! Facts and adapters joined into algorithms.

use crate::facts::{self, FactsError};
use crate::kind::{Kind, KindFacts as _};
use crate::waiting::Awaited;
use crate::{Algorithm, Implementation};

/// A family's algorithms by the names they have under `facts/`, each with its implementations.
pub(crate) type Family<K> = Vec<(&'static str, Vec<Implementation<K>>)>;

/// What the catalog cannot be built from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Defect {
    #[error(transparent)]
    Facts(#[from] FactsError),
    #[error("there are adapters for '{0}', and no facts; describe it under facts/")]
    NoFacts(&'static str),
}

/// The algorithms of one kind, those that were attached among them. One without adapters stays, with its sizes.
///
/// # Panics
/// If the embedded facts and the adapters disagree, which is a defect of the build that this crate's tests exclude.
pub(crate) fn algorithms<K: Awaited>(
    files: &[(&str, &str)],
    families: &[fn() -> Family<K>],
) -> Vec<Algorithm<K>> {
    in_order(own(files, families).into_iter().chain(K::waiting().taken()))
}

/// As [`algorithms`], of a kind of which none can be attached.
///
/// # Panics
/// As [`algorithms`].
pub(crate) fn of_the_catalog_alone<K: Kind>(
    files: &[(&str, &str)],
    families: &[fn() -> Family<K>],
) -> Vec<Algorithm<K>> {
    in_order(own(files, families))
}

fn in_order<K: Kind>(algorithms: impl IntoIterator<Item = Algorithm<K>>) -> Vec<Algorithm<K>> {
    let mut all: Vec<_> = algorithms.into_iter().collect();
    all.sort_by_key(|it| (it.facts.kind.rank(), it.facts.status));
    all
}

fn own<K: Kind>(files: &[(&str, &str)], families: &[fn() -> Family<K>]) -> Vec<Algorithm<K>> {
    joined(files, families).unwrap_or_else(|defect| panic!("the catalog is defective: {defect}"))
}

fn joined<K: Kind>(
    files: &[(&str, &str)],
    families: &[fn() -> Family<K>],
) -> Result<Vec<Algorithm<K>>, Defect> {
    // Leaked, as they live as long as the program: once per kind.
    let facts: &'static [_] = facts::read::<K>(files)?.leak();
    let mut algorithms: Vec<Algorithm<K>> =
        facts.iter().map(|facts| Algorithm { facts, implementations: Vec::new() }).collect();
    for (name, implementations) in families.iter().flat_map(|family| family()) {
        let algorithm = algorithms.iter_mut().find(|a| a.facts.name == name).ok_or(Defect::NoFacts(name))?;
        algorithm.implementations.extend(implementations);
    }
    Ok(algorithms)
}
