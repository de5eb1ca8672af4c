//! What is measured, on which data: a plan in, records out.
//!
//! What a study of one carrier measures is its [`Part`], which is not known here. All of them go the same way:
//! [`selection`] proves the implementations that were asked for; [`operations`] and [`timed`] say what is timed, in [`workers`] of fresh processes, and
//! [`whole_job`] runs what takes seconds;
//! and the [`RecordWriter`] collects the records that a report reads.
//!
//! ```
//! use fieldtest_catalog::kind::Mac;
//! use fieldtest_study::selection;
//!
//! // What a part does first: names become algorithms, and one that nobody knows is an error before anything costs time.
//! let chosen = selection::algorithms::<Mac>(&["hmac-sha1-96".to_owned()])?;
//! assert_eq!(chosen[0].facts.kind.tag, 12);
//! assert!(selection::algorithms::<Mac>(&["hmac-sha0".to_owned()]).is_err());
//! # Ok::<(), fieldtest_study::StudyError>(())
//! ```

#![forbid(unsafe_code)]

pub mod availability;
pub mod calibration;
mod error;
pub mod group;
mod keys;
mod kit;
pub mod launcher;
pub mod operations;
pub mod part;
pub mod plan;
mod quickest;
#[cfg(test)]
mod scripted;
mod seeded;
pub mod selection;
mod signing;
pub mod speed;
pub mod timed;
pub mod whole_job;
mod windows;
pub mod workers;
mod writer;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use error::StudyError;
use fieldtest_catalog::Algorithm;
use fieldtest_catalog::kind::Kind;
pub use launcher::Launcher;
pub use part::{About, Part, Studied};
pub use plan::Plan;
pub use quickest::{fastest, quickest, quickest_signers};
pub use selection::{Choice, Subject};
pub use signing::Signing;
/// A part says in its words what is wrong with its table of a study file.
pub use toml;
use whole_job::Surroundings;
pub use windows::Windows;
pub use writer::RecordWriter;

/// What every study needs besides its subjects and its data.
pub struct Bench<'a> {
    /// Who times benchmark groups.
    pub launcher: &'a dyn Launcher,
    /// Set by the user to end the run; what is measured by then is kept.
    pub interrupt: &'a AtomicBool,
    /// Decides every random choice.
    pub seed: u64,
    /// Each ratio's 95 % interval is to be within ± this share.
    pub target: f64,
    /// Whether nothing is measured, and only what follows from sizes and facts is entered.
    pub exact: bool,
    /// Whether everything is measured: every implementation and every operation, and not only what decides.
    pub thorough: bool,
    /// How wide intervals are made, and whether the last rounds of whole jobs had the machine to themselves.
    pub surroundings: Surroundings,
    /// Time for the whole study, since it began.
    pub budget: Duration,
    /// When that was.
    pub begun: Instant,
    /// Told what is going on, a few times a second.
    pub say: &'a mut dyn FnMut(&str),
    /// Engines that take no part any longer, as they failed their proofs or did wrong later.
    pub failed: Vec<StudyError>,
}

impl Bench<'_> {
    /// Proves the chosen implementations of `algorithms`, as [`selection::prove`] does.
    ///
    /// # Errors
    /// As of that.
    pub fn prove<K: Kind>(
        &mut self,
        algorithms: &[&'static Algorithm<K>],
        choice: &Choice,
    ) -> Result<Vec<Subject<K>>, StudyError> {
        selection::prove(algorithms, choice, self.interrupt, &mut *self.say, &mut self.failed)
    }

    /// Whether the user asked for the end.
    pub fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// What is left of the time once there is something to measure: at least half of it, so that proofs, keys and data take
    /// nobody's place.
    pub fn left(&self) -> Duration {
        self.budget.saturating_sub(self.begun.elapsed()).max(self.budget / 2)
    }
}

#[cfg(test)]
mod tests {
    use fieldtest_catalog::kind::Hash;

    use super::*;
    use crate::launcher::Here;
    use crate::scripted::{algorithm, with_bench};

    #[test]
    fn half_of_the_time_is_left_at_least() {
        let interrupt = AtomicBool::new(false);
        let launcher = Here { stages: &[], interrupt: &interrupt };
        with_bench(&launcher, &interrupt, |bench| {
            assert!(!bench.interrupted());
            interrupt.store(true, Ordering::Relaxed);
            assert!(bench.interrupted());
            bench.budget = Duration::ZERO;
            assert_eq!(bench.left(), Duration::ZERO);
            bench.budget = Duration::from_secs(1_000_000);
            assert!(bench.left() > Duration::from_secs(900_000));
            let Some(begun) = Instant::now().checked_sub(Duration::from_secs(10)) else { return };
            (bench.budget, bench.begun) = (Duration::from_secs(9), begun);
            assert_eq!(bench.left(), Duration::from_millis(4500));
        });
    }

    #[test]
    fn a_bench_proves_and_keeps_what_failed() {
        let interrupt = AtomicBool::new(false);
        let launcher = Here { stages: &[], interrupt: &interrupt };
        let engine = [fieldtest_catalog::ENGINE_PIPE];
        let all =
            [algorithm("sha-256", "made-up", &["one"]), algorithm::<Hash>("sha-256", "broken", &engine)];
        let (found, said) = with_bench(&launcher, &interrupt, |bench| {
            (bench.prove(&all, &Choice::All).expect("one is sound").len(), bench.failed.len())
        });
        assert_eq!((found, said.len()), ((1, 1), 2));
    }
}
