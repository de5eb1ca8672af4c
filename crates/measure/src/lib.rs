//! What is measured and how: counters, rulers, workers, results with intervals, the host's condition, and the record.
//!
//! `METHODOLOGY.md` at the root of the repository is the contract that this crate keeps. In short: a *worker* is a
//! short-lived process that times all benchmarks of a group, each window between two rulers that show whether the core is
//! contended; a *result* comes from many workers, and its interval is over them; and every result comes with what could
//! have disturbed it.
//!
//! ```
//! use std::time::Duration;
//!
//! use fieldtest_measure::contention::Peak;
//! use fieldtest_measure::estimate::{Estimate, readings};
//! use fieldtest_measure::worker::{WorkerTask, work};
//! use fieldtest_measure::{Benchmark, Counter, Estimator, Prefer, operation};
//!
//! // Sums of a fresh slice per operation; preparing and checking happen outside the timed window.
//! let sum = |length: u64| {
//!     operation(
//!         move |index| Ok((index..index + length).collect::<Vec<u64>>()),
//!         |numbers: &mut Vec<u64>| numbers.iter().sum::<u64>(),
//!         |numbers, total| match total == (numbers[0] + numbers[numbers.len() - 1]) * numbers.len() as u64 / 2 {
//!             true => Ok(()),
//!             false => Err("the sum is wrong".into()),
//!         },
//!     )
//! };
//! let mut benchmarks = [
//!     Benchmark::new("1000 numbers", Estimator::Median, sum(1000)),
//!     Benchmark::new("2000 numbers", Estimator::Median, sum(2000)),
//! ];
//! let counter = Counter::open(Prefer::Cycles);
//! // A study has each of them made by a process of its own.
//! let mut workers = Vec::new();
//! for seed in 0..8 {
//!     let (time, window) = (Duration::from_millis(20), Duration::from_micros(30));
//!     let worker = WorkerTask { time, window, known: vec![], first: 0, seed };
//!     workers.push(work(&worker, &counter, &mut benchmarks, &|| false)?);
//! }
//! let peak = Peak::of(&workers);
//! let estimate = |at: usize| {
//!     let of: Vec<_> = workers.iter().map(|worker| readings(&worker.seen[at], peak, true)).collect();
//!     Estimate::of(&of, Estimator::Median, 1).expect("windows")
//! };
//! assert!(estimate(1).ratio(&estimate(0)).is_none_or(|ratio| ratio.value > 0.0));
//! # Ok::<(), fieldtest_measure::Error>(())
//! ```

pub mod affinity;
mod block;
pub mod contention;
pub mod counter;
pub mod coverage;
pub mod cpu_time;
pub mod doctor;
mod earlier;
mod error;
pub mod estimate;
pub mod file_system;
pub mod host;
pub mod interval;
pub mod jitter;
pub mod neighbours;
pub mod operation;
pub mod record;
pub mod record_file;
pub mod rng;
pub mod ruler;
pub mod student;
mod sys;
pub mod tree;
pub mod words;
pub mod worker;

pub use counter::{Counter, Prefer};
pub use cpu_time::CpuTime;
pub use error::{Error, Failure, Stage};
pub use fieldtest_kinds::words;
pub use interval::{Estimator, Interval, Ratio};
pub use operation::{Benchmark, Operation, operation};
pub use rng::Rng;
