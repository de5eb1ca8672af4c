//! What is measured, on which data: a plan in, records out.
//!
//! One file per carrier says which operations are timed on which of the carrier's data. Everything here follows the
//! same way: [`selection`] proves the implementations that were asked for, [`operations`] or a carrier's file times
//! them in rounds, and the [`Book`] collects the records that a report reads.

#![forbid(unsafe_code)]

mod availability;
mod book;
pub mod code_points;
pub mod disk;
pub mod dnssec;
mod error;
pub mod git;
pub mod ima;
pub mod key_files;
pub mod operations;
pub mod plan;
mod rounds;
pub mod selection;
pub mod speed;
pub mod tcp_ao;
mod whole_job;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fieldtest_measure::Counter;

pub use book::Book;
pub use error::StudyError;
pub use plan::Plan;
pub use selection::{Choice, Subject};

/// What every study needs besides its subjects and its data.
pub struct Bench<'a> {
    /// What time is read from.
    pub counter: Counter,
    /// Set by the user to end the run; what is measured by then is kept.
    pub interrupt: &'a AtomicBool,
    /// Decides every random choice.
    pub seed: u64,
    /// Each ratio's 95 % interval is to be within ± this share.
    pub target: f64,
    /// Time for the whole study.
    pub budget: Duration,
    /// Told what is going on, a few times a second.
    pub say: &'a mut dyn FnMut(&str),
}

impl Bench<'_> {
    /// Whether the user asked for the end.
    pub fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }
}
