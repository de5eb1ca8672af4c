//! What is timed against each other, told so that any process can set it up.

use std::sync::atomic::{AtomicBool, Ordering};

use fieldtest_catalog::kind::Kind;
use fieldtest_catalog::{self as catalog, Implementation, Proof};
use fieldtest_measure::visit::{Stay, Visit, stay};
use fieldtest_measure::{Contender, Counter, Prefer};
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

    /// The implementation. It was proven by the process that sends others on visits, which run the same program.
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
        let proof = Proof { vectors: 0, origins: Vec::new() };
        Ok(Subject { algorithm, implementation: self.find()?, proof })
    }

    /// Whether its work is done by an engine, which is another process.
    pub fn is_attached(&self) -> bool {
        catalog::is_attached(&self.implementation)
    }

    /// As contenders are called: `ed25519 (aws-lc)`.
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
    /// The contenders.
    pub subjects: Vec<Named>,
    /// What they work on, as the stage writes and reads it.
    pub input: Vec<u8>,
    /// How long, and in which order.
    pub visit: Visit,
    /// The processor to stay on; any, if absent.
    pub processor: Option<usize>,
    /// Whether windows are of elapsed time, as the work of some contender is done by another process.
    pub elapsed: bool,
}

impl Order {
    /// The error for words that the stage does not have.
    #[must_use]
    pub fn unknown(&self) -> StudyError {
        StudyError::Visit(format!("{} does not know “{} {}”", self.stage, self.operation, self.subject))
    }

    /// What the stage is to set up, as [`crate::timed::Timed::new`] took it.
    ///
    /// # Errors
    /// Where it is something else.
    pub fn task<T: DeserializeOwned>(&self) -> Result<T, StudyError> {
        postcard::from_bytes(&self.input)
            .map_err(|error| StudyError::Visit(format!("{}: no task of this stage: {error}", self.operation)))
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

/// Who has the contenders once they are set up.
pub type Act<'a> = dyn FnMut(&mut [Contender<'_>]) -> Result<(), StudyError> + 'a;

/// Sets up contenders of one sort, in whichever process they are to be timed.
pub trait Stage: Sync {
    /// Its name in orders.
    fn name(&self) -> &'static str;

    /// Makes a contender of each subject of the order and lets `act` have them.
    ///
    /// # Errors
    /// What the order, an implementation or `act` refuse.
    fn set_up(&self, order: &Order, act: &mut Act<'_>) -> Result<(), StudyError>;
}

/// Sets up what the order says and stays for its time.
///
/// # Errors
/// A stage that is not among these, and whatever it or a contender refuses.
pub fn obey(order: &Order, stages: &[&dyn Stage], interrupt: &AtomicBool) -> Result<Stay, StudyError> {
    let stage = stages.iter().find(|stage| stage.name() == order.stage);
    let stage = stage.ok_or_else(|| StudyError::Visit(format!("there is no stage “{}”", order.stage)))?;
    let counter = counter(order.elapsed);
    let interrupted = || interrupt.load(Ordering::Relaxed);
    let mut stayed = None;
    stage.set_up(order, &mut |contenders| {
        stayed = Some(stay(&order.visit, &counter, contenders, &interrupted)?);
        Ok(())
    })?;
    stayed.ok_or_else(|| StudyError::Visit(format!("the stage “{}” set nothing up", order.stage)))
}
