#![doc = include_str!("../README.md")]

pub mod affinity;
pub mod bench;
mod block;
pub mod contention;
pub mod counter;
pub mod coverage;
pub mod cpu_time;
pub mod doctor;
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

pub use bench::bench;
pub use counter::{Counter, Prefer};
pub use cpu_time::CpuTime;
pub use error::{Error, Failure, Stage};
pub use fieldtest_text::words;
pub use interval::{Estimator, Interval, Ratio};
pub use operation::{Benchmark, Operation, operation};
pub use rng::Rng;
