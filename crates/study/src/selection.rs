//! From what a user asked for to proven implementations.

use std::sync::atomic::{AtomicBool, Ordering};

use fieldtest_catalog::kind::{Kind, Signature};
use fieldtest_catalog::{self as catalog, Algorithm, Implementation, KatResult, is_attached};
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
    pub proof: KatResult,
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
    pub fn proof_record(&self) -> record::KatResult {
        record::KatResult { vectors: self.proof.vectors, origins: self.proof.origins.clone() }
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

/// Proves the chosen implementations of `algorithms`; `say` hears the name of each before its block.
///
/// The first known answer that is not reproduced ends it: a study with a broken implementation has no place for its
/// results. An engine is no part of this program: where others are left, it goes among the `failed` and they go on, and one that is there
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
            let proof = implementation.kat().map_err(|source| StudyError::Proof {
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

#[cfg(test)]
mod tests {
    use fieldtest_catalog::ENGINE_PIPE;
    use fieldtest_catalog::kind::{Hash, Mac};
    use fieldtest_measure::words::WITH_SYSTEM_CALL;

    use super::*;
    use crate::scripted::{algorithm, subjects, writer};
    use crate::speed::input;

    fn named(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn names_choose() {
        let one = || Choice::Named(named(&["ring"]));
        for (names, choice, in_study) in [
            (&[][..], Choice::Usual, [Choice::Usual, Choice::All]),
            (&["ring", "all"], Choice::All, [Choice::All, Choice::All]),
            (&["ring"], one(), [one(), one()]),
        ] {
            assert_eq!(Choice::named(&named(names)), choice);
            assert_eq!([false, true].map(|thorough| Choice::in_study(&named(names), thorough)), in_study);
        }
    }

    #[test]
    fn algorithms_are_in_the_order_of_the_catalog() {
        let all = Mac::all();
        let of = |found: Result<Vec<&'static Algorithm<Mac>>, StudyError>| {
            found.map(|it| it.iter().map(|it| it.facts.name.clone()).collect::<Vec<_>>()).ok()
        };
        let names = |wanted: &dyn Fn(&Algorithm<Mac>) -> bool| {
            let names = all.iter().filter(|it| wanted(it)).map(|it| it.facts.name.clone());
            Some(names.collect::<Vec<_>>())
        };
        let last_and_first = [all.len() - 1, 0].map(|at| all[at].facts.name.clone());
        let both = names(&|it| last_and_first.contains(&it.facts.name));
        assert_eq!(of(algorithms(&[])), names(&|_| true));
        assert_eq!(of(algorithms(&last_and_first)), both);
        assert_eq!(of(algorithms(&named(&["none"]))), None);
        // Those that few would deploy are in a study that names them.
        let few = names(&|it| it.facts.named_only).filter(|few| !few.is_empty()).expect("some");
        assert_eq!(of(of_study(&[])), names(&|it| !it.facts.named_only));
        assert_eq!(of(of_study(&few)), Some(few));
    }

    #[test]
    fn a_subject_has_its_names_in_records() {
        let algorithm = algorithm::<Hash>("sha-256", "made-up", &["fieldtest", "linux"]);
        let [own, kernel] = &subjects(&[algorithm])[..] else { panic!("two") };
        assert_eq!(kernel.name(), "made-up (linux)");
        assert!(std::ptr::eq(kernel.judge(), own.implementation));
        let record = kernel.implementation_record();
        assert_eq!(
            (record.name.as_str(), record.version.as_str(), record.experiment),
            ("linux", "1.0", None)
        );
        assert!(own.implementation_record().experiment.is_some());
        assert_eq!(kernel.proof_record(), record::KatResult { vectors: 3, origins: named(&["made up"]) });
        let failed = kernel.failed("work", fieldtest_kinds::Error::Unsupported("it"));
        let StudyError::Implementation { algorithm, implementation, what, .. } = failed else {
            panic!("{failed}")
        };
        assert_eq!((algorithm.as_str(), implementation, what), ("made-up", "linux", "work"));
        let input = input("it", "abc", 1);
        let notes =
            [own, kernel].map(|it| writer().measured(it, ("hash", "64"), (1.0, "ns"), &input).notes.concat());
        assert_eq!(notes, ["", WITH_SYSTEM_CALL]);
    }

    /// Names of what is proven, or the failure; who was heard of, and how many are among the failed.
    fn proven(
        algorithms: &[&'static Algorithm<Hash>],
        choice: &Choice,
        interrupt: bool,
        failed: &mut Vec<StudyError>,
    ) -> (Result<Vec<String>, StudyError>, usize) {
        let mut said = Vec::new();
        let interrupt = AtomicBool::new(interrupt);
        let found = prove(algorithms, choice, &interrupt, &mut |text| said.push(text.to_owned()), failed);
        (found.map(|it| it.iter().map(Subject::name).collect()), said.len())
    }

    #[test]
    fn those_that_were_chosen_are_proven() {
        let all = [
            algorithm("sha-256", "made-up", &["fieldtest", "linux"]),
            algorithm("sha-256", "other", &["ring", "fieldtest"]),
        ];
        let with = |choice, interrupt| {
            let (found, said) = proven(&all, &choice, interrupt, &mut Vec::new());
            (found.expect("proven").join(" "), said)
        };
        // What is not usual was not asked for.
        assert_eq!(
            with(Choice::Usual, false),
            ("made-up (fieldtest) other (ring) other (fieldtest)".into(), 3)
        );
        assert_eq!(with(Choice::All, false).1, 4);
        let some = |names: &[&str]| with(Choice::Named(named(names)), false);
        assert_eq!(some(&["ring"]), ("other (ring)".into(), 1));
        assert_eq!(some(&["linux", "ring"]), ("made-up (linux) other (ring)".into(), 2));
        // One at least, in spite of an interrupt.
        assert_eq!(with(Choice::All, true), ("made-up (fieldtest)".into(), 1));
        let nothing = proven(&all, &Choice::Named(named(&["none"])), false, &mut Vec::new());
        assert!(matches!(nothing, (Err(StudyError::Nothing), 0)));
        let broken = [algorithm("sha-256", "broken", &["fieldtest"])];
        let failed = &mut Vec::new();
        let with_others = [all[0], broken[0], all[1]];
        assert!(matches!(proven(&with_others, &Choice::All, false, failed).0, Err(StudyError::Proof { .. })));
        assert!(matches!(proven(&broken, &Choice::All, false, failed).0, Err(StudyError::Proof { .. })));
        assert!(failed.is_empty());
    }

    #[test]
    fn an_engine_that_fails_is_left_out() {
        let engine = |name| algorithm::<Hash>("sha-256", name, &[ENGINE_PIPE]);
        let sound = algorithm("sha-256", "made-up", &["fieldtest"]);
        let all = [engine("broken-1"), sound, engine("broken-2"), engine("works")];
        let mut failed = Vec::new();
        let names = ["made-up (fieldtest)".to_owned(), format!("works ({ENGINE_PIPE})")];
        for said in [4, 2] {
            // The second time they are not asked again.
            let (found, heard) = proven(&all, &Choice::All, false, &mut failed);
            assert_eq!((found.expect("others"), heard), (names.to_vec(), said));
            let engines: Vec<_> = failed.iter().filter_map(StudyError::engine).collect();
            assert_eq!(engines, ["broken-1", "broken-2"]);
        }
        // Where no other is left its failure is the study's: the first of those that were asked for.
        let alone = |failed: &mut Vec<StudyError>| {
            proven(&[engine("broken-2")], &Choice::All, false, failed).0.expect_err("nothing else")
        };
        assert_eq!(alone(&mut failed).engine(), Some("broken-2"));
        assert_eq!(failed.len(), 1);
        assert_eq!(alone(&mut failed).engine(), Some("broken-2"));
        assert_eq!(failed.len(), 1);

        let mut left = subjects(&[all[0], sound]);
        leave_out(&mut left, &mut failed).expect("one is left");
        assert_eq!((left.len(), left[0].name().as_str(), failed.len()), (1, "made-up (fieldtest)", 1));
        leave_out(&mut left, &mut failed).expect("one is left");
        assert_eq!((left.len(), failed.len()), (1, 1));
        let mut left = subjects(&[all[0]]);
        assert_eq!(leave_out(&mut left, &mut failed).expect_err("none").engine(), Some("broken-1"));
        assert!(left.is_empty() && failed.is_empty());
    }
}
