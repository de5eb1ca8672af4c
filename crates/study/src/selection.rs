//! From what a user asked for to proven implementations.

use std::sync::atomic::{AtomicBool, Ordering};

use fieldtest_catalog::kind::{Kind, Signature};
use fieldtest_catalog::{self as catalog, Algorithm, Implementation, Proof, is_attached};
use fieldtest_measure::record;

use crate::StudyError;

/// Which of an algorithm's implementations take part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Choice {
    /// Those that take part unasked: the rivals that are found on a host make a study longer.
    #[default]
    Usual,
    /// All of them.
    All,
    /// Only those with one of these names.
    Named(Vec<String>),
}

/// The name that stands for all implementations.
pub const ALL: &str = "all";

impl Choice {
    /// Those of these names, [`ALL`] among them for all; the usual ones where there is none.
    pub fn named(names: &[String]) -> Choice {
        match names {
            [] => Choice::Usual,
            names if names.iter().any(|name| name == ALL) => Choice::All,
            names => Choice::Named(names.to_vec()),
        }
    }

    /// As a study has it: a thorough one that names nobody takes all.
    pub fn in_study(names: &[String], thorough: bool) -> Choice {
        match Choice::named(names) {
            Choice::Usual if thorough => Choice::All,
            choice => choice,
        }
    }
}

/// An implementation that reproduced its known answers in this process and may be timed.
pub struct Subject<K: Kind = Signature> {
    /// The algorithm.
    pub algorithm: &'static Algorithm<K>,
    /// The implementation.
    pub implementation: &'static Implementation<K>,
    /// What it reproduced.
    pub proof: Proof,
}

impl<K: Kind> Subject<K> {
    /// `ed25519 (aws-lc)`.
    pub fn name(&self) -> String {
        format!("{} ({})", self.algorithm.facts.name, self.implementation.name)
    }

    /// The implementation whose results the others have to reproduce: the first of the algorithm's.
    pub fn judge(&self) -> &'static Implementation<K> {
        self.algorithm.implementations.first().unwrap_or(self.implementation)
    }

    /// The implementation as records name it.
    pub fn implementation_record(&self) -> record::Implementation {
        record::Implementation {
            name: self.implementation.name.to_owned(),
            version: self.implementation.version.clone(),
            experiment: self.implementation.experiment().map(str::to_owned),
        }
    }

    /// The proof as records carry it.
    pub fn proof_record(&self) -> record::Proof {
        record::Proof { vectors: self.proof.vectors, origins: self.proof.origins.clone() }
    }

    /// The error for a failure of this implementation.
    pub fn failed(&self, what: &'static str, source: fieldtest_kinds::Error) -> StudyError {
        StudyError::Implementation {
            algorithm: self.algorithm.facts.name.clone(),
            implementation: self.implementation.name,
            what,
            source,
        }
    }
}

/// The algorithms of these names and this kind, or all of the kind, in the catalog's order.
pub fn algorithms<K: Kind>(names: &[String]) -> Result<Vec<&'static Algorithm<K>>, StudyError> {
    if names.is_empty() {
        return Ok(K::all().iter().collect());
    }
    let wanted = names.iter().map(|name| catalog::find::<K>(name)).collect::<Result<Vec<_>, _>>()?;
    Ok(K::all().iter().filter(|algorithm| wanted.iter().any(|it| std::ptr::eq(*it, *algorithm))).collect())
}

/// As [`algorithms`], for a study: where none is named, all but those that are [for names alone](fieldtest_catalog::facts::Facts::named_only).
///
/// # Errors
/// As [`algorithms`].
pub fn of_study<K: Kind>(names: &[String]) -> Result<Vec<&'static Algorithm<K>>, StudyError> {
    let mut found = algorithms(names)?;
    found.retain(|algorithm| !names.is_empty() || !algorithm.facts.named_only);
    Ok(found)
}

/// Where an engine is among those that failed.
fn place_of(algorithm: &str, implementation: &str, failed: &[StudyError]) -> Option<usize> {
    let is_it = |error: &StudyError| error.engine() == Some(algorithm);
    if is_attached(implementation) { failed.iter().position(is_it) } else { None }
}

/// Leaves out engines that failed since they were proven.
///
/// # Errors
/// Why the first of them failed, where no other subject is left; it is then no longer among the failed.
pub fn leave_out<K: Kind>(
    subjects: &mut Vec<Subject<K>>,
    failed: &mut Vec<StudyError>,
) -> Result<(), StudyError> {
    let mut left_out = None;
    subjects.retain(|subject| {
        let at = place_of(&subject.algorithm.facts.name, subject.implementation.name, failed);
        left_out = left_out.or(at);
        at.is_none()
    });
    match left_out {
        Some(at) if subjects.is_empty() => Err(failed.remove(at)),
        _ => Ok(()),
    }
}

/// Proves the chosen implementations of `algorithms`; `say` hears the name of each before its turn.
///
/// The first known answer that is not reproduced ends it: a study with a broken implementation has no place for its
/// figures. An engine is no part of this program: where others are left, it goes among the `failed` and they go on, and one that is there
/// already is not asked again. Once `interrupt` is set, what is proven by then is all there is. An implementation name that fits one of the
/// algorithms may be missing from others.
pub fn prove<K: Kind>(
    algorithms: &[&'static Algorithm<K>],
    choice: &Choice,
    interrupt: &AtomicBool,
    say: &mut dyn FnMut(&str),
    failed: &mut Vec<StudyError>,
) -> Result<Vec<Subject<K>>, StudyError> {
    let mut subjects = Vec::new();
    // The place of the first among the failed that was asked for.
    let mut left_out = None;
    for &algorithm in algorithms {
        for implementation in &algorithm.implementations {
            let is_meant = |name: &String| {
                algorithm.implementation(name).is_ok_and(|named| std::ptr::eq(named, implementation))
            };
            let takes_part = match choice {
                Choice::All => true,
                Choice::Usual => implementation.is_usual(),
                Choice::Named(names) => names.iter().any(is_meant),
            };
            if !takes_part {
                continue;
            }
            if interrupt.load(Ordering::Relaxed) && !subjects.is_empty() {
                return Ok(subjects);
            }
            let name = &algorithm.facts.name;
            if let Some(at) = place_of(name, implementation.name, failed) {
                left_out.get_or_insert(at);
                continue;
            }
            say(&format!("proving {} ({})", algorithm.facts.name, implementation.name));
            let proof = implementation.proof().map_err(|source| StudyError::Proof {
                algorithm: algorithm.facts.name.clone(),
                implementation: implementation.name,
                source,
            });
            match proof {
                Ok(proof) => subjects.push(Subject { algorithm, implementation, proof }),
                Err(error) if is_attached(implementation.name) => {
                    left_out.get_or_insert(failed.len());
                    failed.push(error);
                }
                Err(error) => return Err(error),
            }
        }
    }
    match (subjects.is_empty(), left_out) {
        (false, _) => Ok(subjects),
        (true, Some(at)) => Err(failed.remove(at)),
        (true, None) => Err(StudyError::Nothing),
    }
}
