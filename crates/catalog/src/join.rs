//! Facts and adapters joined into algorithms.

use std::sync::Arc;

use crate::facts::{self, FactsError};
use crate::kind::{self, Kind, KindFacts as _};
use crate::waiting::Awaited;
use crate::{Algorithm, Implementation, KatError, KatResult, version};

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
    let joined = joined(files, families);
    let mut all = joined.unwrap_or_else(|defect| panic!("the catalog is defective: {defect}"));
    all.extend(K::waiting().taken());
    all.sort_by_key(|it| (it.facts.kind.rank(), it.facts.status));
    all
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

/// What reproduces the known answers of an algorithm with the code that it is given.
pub(crate) type Prove<K> = fn(&<K as Kind>::Code) -> Result<KatResult, KatError>;

/// What can be code of the kind `K`.
pub(crate) trait Code<K: Kind> {
    fn code(self) -> Arc<K::Code>;
}

impl<T: fieldtest_kinds::signature::Signature + 'static> Code<kind::Signature> for T {
    fn code(self) -> Arc<dyn fieldtest_kinds::signature::Signature> {
        Arc::new(self)
    }
}

impl<T: fieldtest_kinds::mac::Mac + 'static> Code<kind::Mac> for T {
    fn code(self) -> Arc<dyn fieldtest_kinds::mac::Mac> {
        Arc::new(self)
    }
}

impl Code<kind::Cipher> for Arc<dyn fieldtest_kinds::cipher::Cipher> {
    fn code(self) -> Self {
        self
    }
}

impl Code<kind::Aead> for Arc<dyn fieldtest_kinds::aead::Aead> {
    fn code(self) -> Self {
        self
    }
}

/// The implementations of one algorithm while they are gathered.
pub(crate) struct List<K: Kind> {
    pub(crate) prove: Prove<K>,
    pub(crate) all: Vec<Implementation<K>>,
}

impl<K: Kind> List<K> {
    pub(crate) fn proven_by(prove: Prove<K>) -> Self {
        List { prove, all: Vec::new() }
    }

    pub(crate) fn add(&mut self, name: &'static str, package: &str, code: impl Code<K>) {
        self.push(name, version::of(package), code.code());
    }

    pub(crate) fn push(&mut self, name: &'static str, version: String, code: Arc<K::Code>) {
        self.all.push(Implementation { name, version, code, prove: crate::Prove::Own(self.prove) });
    }
}
