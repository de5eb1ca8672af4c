//! What is timed against each other, told so that any process can set it up.

use std::sync::atomic::{AtomicBool, Ordering};

use fieldtest_catalog::kind::Kind;
use fieldtest_catalog::{self as catalog, Implementation, KatResult, host};
use fieldtest_measure::worker::{WorkerResult, WorkerTask, work};
use fieldtest_measure::{Benchmark, Counter, Prefer};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{StudyError, Subject};

/// An implementation by its names in the catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// The algorithm.
    pub algorithm: String,
    /// The implementation.
    pub implementation: String,
}

impl Named {
    /// The names of a proven implementation.
    pub fn of<K: Kind>(subject: &Subject<K>) -> Named {
        Named {
            algorithm: subject.algorithm.facts.name.clone(),
            implementation: subject.implementation.name.to_owned(),
        }
    }

    /// The implementation. It was proven by the process that sends others on workers, which run the same program.
    ///
    /// # Errors
    /// A name that the catalog does not have.
    pub fn find<K: Kind>(&self) -> Result<&'static Implementation<K>, StudyError> {
        let algorithm = catalog::find::<K>(&self.algorithm)?;
        Ok(algorithm.implementation(&self.implementation)?)
    }

    /// The implementation as studies have it, without the proof.
    ///
    /// # Errors
    /// As of [`find`](Self::find).
    pub fn subject<K: Kind>(&self) -> Result<Subject<K>, StudyError> {
        let algorithm = catalog::find::<K>(&self.algorithm)?;
        let proof = KatResult { vectors: 0, origins: Vec::new() };
        Ok(Subject { algorithm, implementation: self.find()?, proof })
    }

    /// Whether other threads or processes do part of its work, which no counter of one thread counts: an engine, or the threads
    /// that a library starts.
    pub fn has_helpers(&self) -> bool {
        catalog::is_attached(&self.implementation) || host::has_threads(&self.algorithm, &self.implementation)
    }

    /// As benchmarks are called: `ed25519 (aws-lc)`.
    pub fn title(&self) -> String {
        format!("{} ({})", self.algorithm, self.implementation)
    }
}

/// What one process is to set up and how long it is to stay.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Order {
    /// The [`Stage`]'s name.
    pub stage: String,
    /// What is timed, as records call it.
    pub operation: String,
    /// Of what, as records call it.
    pub subject: String,
    /// The benchmarks.
    pub subjects: Vec<Named>,
    /// What they work on, as the stage writes and reads it.
    pub input: Vec<u8>,
    /// How long, and in which order.
    pub worker: WorkerTask,
    /// The processor to stay on; any, if absent.
    pub processor: Option<usize>,
    /// Whether windows are of elapsed time, as the work of some benchmark is done by another process.
    pub elapsed: bool,
}

impl Order {
    /// The error for words that the stage does not have.
    pub fn unknown(&self) -> StudyError {
        StudyError::WorkerTask(format!("{} does not know '{} {}'", self.stage, self.operation, self.subject))
    }

    /// What the stage is to set up, as [`crate::timed::Timed::new`] took it.
    ///
    /// # Errors
    /// Where it is something else.
    pub fn task<T: DeserializeOwned>(&self) -> Result<T, StudyError> {
        postcard::from_bytes(&self.input).map_err(|error| {
            StudyError::WorkerTask(format!("{}: no task of this stage: {error}", self.operation))
        })
    }

    /// The subjects, which are of this kind.
    ///
    /// # Errors
    /// Names that the catalog does not have.
    pub fn subjects_of<K: Kind>(&self) -> Result<Vec<Subject<K>>, StudyError> {
        self.subjects.iter().map(Named::subject).collect()
    }
}

/// What windows are read from: this process's cycles say nothing of an engine.
pub(crate) fn counter(elapsed: bool) -> Counter {
    if elapsed { Counter::open(Prefer::WallTime) } else { Counter::open(Prefer::Cycles) }
}

/// Who has the benchmarks once they are set up.
pub type Act<'a> = dyn FnMut(&mut [Benchmark<'_>]) -> Result<(), StudyError> + 'a;

/// Sets up benchmarks of one sort, in whichever process they are to be timed.
pub trait Stage: Sync {
    /// Its name in orders.
    fn name(&self) -> &'static str;

    /// Makes a benchmark of each subject of the order and lets `act` have them.
    ///
    /// # Errors
    /// What the order, an implementation or `act` refuse.
    fn set_up(&self, order: &Order, act: &mut Act<'_>) -> Result<(), StudyError>;
}

/// Sets up what the order says and stays for its time.
///
/// # Errors
/// A stage that is not among these, and whatever it or a benchmark refuses.
pub fn obey(
    order: &Order,
    stages: &[&dyn Stage],
    interrupt: &AtomicBool,
) -> Result<WorkerResult, StudyError> {
    let stage = stages.iter().find(|stage| stage.name() == order.stage);
    let stage =
        stage.ok_or_else(|| StudyError::WorkerTask(format!("there is no stage '{}'", order.stage)))?;
    let counter = counter(order.elapsed);
    let interrupted = || interrupt.load(Ordering::Relaxed);
    let mut stayed = None;
    stage.set_up(order, &mut |benchmarks| {
        stayed = Some(work(&order.worker, &counter, benchmarks, &interrupted)?);
        Ok(())
    })?;
    stayed.ok_or_else(|| StudyError::WorkerTask(format!("the stage '{}' set nothing up", order.stage)))
}

#[cfg(test)]
mod tests {
    use fieldtest_catalog::kind::{Hash, Signature};
    use fieldtest_catalog::{ENGINE_LIBRARY, ENGINE_PIPE};
    use fieldtest_measure::Estimator;

    use super::*;
    use crate::calibration::CalibrationStage;
    use crate::scripted::{algorithm, order, subjects};

    fn named(algorithm: &str, implementation: &str) -> Named {
        Named { algorithm: algorithm.to_owned(), implementation: implementation.to_owned() }
    }

    #[test]
    fn implementations_are_found_by_their_names() {
        let subject = &subjects(&[algorithm::<Hash>("sha-256", "made-up", &["one", "two"])])[1];
        assert_eq!(Named::of(subject), named("made-up", "two"));
        assert_eq!(named("made-up", "two").title(), "made-up (two)");
        let first =
            &fieldtest_catalog::find::<Signature>("ed25519").expect("in the catalog").implementations[0];
        let known = named("ed25519", first.name);
        assert!(std::ptr::eq(known.find::<Signature>().expect("found"), first));
        let found = known.subject::<Signature>().expect("found");
        assert_eq!((found.name(), found.proof.vectors), (known.title(), 0));
        for unknown in [named("ed25519", "none"), named("none", first.name)] {
            assert!(unknown.find::<Signature>().is_err() && unknown.subject::<Signature>().is_err());
        }
        for (algorithm, name, has_helpers) in [
            ("made-up", ENGINE_PIPE, true),
            ("made-up", ENGINE_LIBRARY, true),
            ("made-up", "ring", false),
            ("blake2b-256", "libb2-host", false),
            ("blake2bp-256", "libb2-host", true),
        ] {
            assert_eq!(named(algorithm, name).has_helpers(), has_helpers, "{algorithm} {name}");
        }
        let order = Order { subjects: vec![known.clone(), known], ..order("") };
        let all = order.subjects_of::<Signature>().expect("found");
        assert_eq!(all.iter().map(Subject::name).collect::<Vec<_>>(), vec![found.name(); 2]);
    }

    #[test]
    fn an_order_has_the_task_of_its_stage() {
        let order = order("stage");
        assert_eq!(order.task::<[u16; 2]>().expect("its task"), [7, 9]);
        assert!(matches!(order.task::<String>(), Err(StudyError::WorkerTask(_))));
        let StudyError::WorkerTask(text) = order.unknown() else { panic!("another error") };
        assert!(["stage", "hash", "64"].iter().all(|part| text.contains(part)), "{text}");
    }

    struct Idle {
        sets_up: bool,
    }

    impl Stage for Idle {
        fn name(&self) -> &'static str {
            "idle"
        }

        fn set_up(&self, order: &Order, act: &mut Act<'_>) -> Result<(), StudyError> {
            let work = fieldtest_measure::operation(Ok, |_: &mut u64| (), |_, ()| Ok(()));
            match self.sets_up {
                true => act(&mut [Benchmark::new(order.subject.clone(), Estimator::Mean, work)]),
                false => Ok(()),
            }
        }
    }

    #[test]
    fn an_order_is_obeyed_by_the_stage_of_its_name() {
        let obey = |name: &str, sets_up| {
            let stages: [&dyn Stage; 2] = [&CalibrationStage, &Idle { sets_up }];
            let order = Order { elapsed: true, ..order(name) };
            obey(&order, &stages, &AtomicBool::new(false))
        };
        let seen = obey("idle", true).expect("no failure").seen;
        assert_eq!((seen.len(), seen[0].name.as_str(), seen[0].blocks), (1, "64", 1));
        assert!(matches!(obey("idle", false), Err(StudyError::WorkerTask(_))));
        assert!(matches!(obey("none", true), Err(StudyError::WorkerTask(_))));
        assert_eq!(counter(true).unit(), "ns");
        assert_eq!(counter(false).unit(), Counter::open(Prefer::Cycles).unit());
    }
}
