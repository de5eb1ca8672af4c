//! What is measured and how: counters, rounds, estimates, the host's condition, and the record they end in.
//!
//! `METHODOLOGY.md` at the root of the repository is the contract that this crate keeps. In short: a *round* visits
//! every contender once in a balanced order, what is compared are the ratios within a round, and every figure comes
//! with an interval and with what could have disturbed it.
//!
//! ```
//! use fieldtest_measure::{Contender, Counter, Estimator, Plan, Prefer, measure, operation};
//! use std::{sync::atomic::AtomicBool, time::Duration};
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
//! let mut contenders = [
//!     Contender::new("1000 numbers", Estimator::Median, sum(1000)),
//!     Contender::new("2000 numbers", Estimator::Median, sum(2000)),
//! ];
//! let plan = Plan { budget: Duration::from_millis(300), ..Plan::default() };
//! let counter = Counter::open(Prefer::Cycles);
//! let measurement = measure(&plan, &counter, &mut contenders, &AtomicBool::new(false), &mut |_| ())?;
//! let ratio = measurement.ratio(1, 0).expect("at least one round");
//! assert!(ratio.value > 1.0);
//! # Ok::<(), fieldtest_measure::Error>(())
//! ```

pub mod affinity;
mod bootstrap;
pub mod chain;
pub mod counter;
pub mod cpu_time;
pub mod doctor;
mod error;
pub mod estimate;
pub mod file_system;
pub mod host;
pub mod jitter;
pub mod levels;
pub mod lines;
pub mod measurement;
pub mod operation;
pub mod order;
pub mod plan;
pub mod record;
pub mod rng;
pub mod rounds;
pub mod ruler;
mod stack;
pub mod student;
mod sys;
pub mod tree;
pub mod visit;

pub use counter::{Counter, Prefer};
pub use cpu_time::CpuTime;
pub use error::{Error, Failure, Stage};
pub use estimate::{Estimate, Estimator, Interval, Ratio};
pub use measurement::{Measurement, Series};
pub use operation::{Contender, Operation, operation};
pub use plan::{Plan, StopReason};
pub use rng::Rng;
pub use rounds::{Progress, measure};
