//! Jobs that take seconds and use all cores: a zone, a tree of files. They are run whole, a few times, or in part.

use std::time::{Duration, Instant};

use fieldtest_catalog::kind::Kind;
use fieldtest_measure::CpuTime;
use fieldtest_measure::record::{Input, Part};
use fieldtest_measure::words::Time;

use crate::{Bench, Book, StudyError, Subject};

/// Repetitions of a whole job at most; the median counts.
const REPETITIONS: usize = 5;

/// What one run of a job took.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// Seconds by the clock on the wall.
    pub wall: f64,
    /// Seconds of all cores together.
    pub cpu: f64,
}

impl Cost {
    /// What `work` takes.
    pub fn of<T>(work: impl FnOnce() -> Result<T, StudyError>) -> Result<(T, Cost), StudyError> {
        let (start, before) = (Instant::now(), CpuTime::of_process());
        let outcome = work()?;
        let wall = start.elapsed().as_secs_f64();
        let cpu = match (before, CpuTime::of_process()) {
            (Some(before), Some(after)) => after.since(&before).total().as_secs_f64(),
            _ => wall,
        };
        Ok((outcome, Cost { wall, cpu }))
    }

    /// `by` times as much.
    pub fn scaled(self, by: f64) -> Cost {
        Cost { wall: self.wall * by, cpu: self.cpu * by }
    }

    /// Both.
    pub fn plus(self, other: Cost) -> Cost {
        Cost { wall: self.wall + other.wall, cpu: self.cpu + other.cpu }
    }
}

/// A job's figure: what was measured, or what a part of it leads to expect.
pub struct Outcome {
    /// The figure.
    pub cost: Cost,
    /// Runs behind it.
    pub samples: usize,
    /// How much of the job was done, where it was not all.
    pub part: Option<Part>,
}

/// A job that was handled whole, and whose signatures were made or verified in part.
pub fn extrapolated(handling: Cost, cost: Cost, measured: usize, of: usize) -> Outcome {
    Outcome {
        cost: handling.plus(cost.scaled(of as f64 / measured as f64)),
        samples: 1,
        part: Some(Part { measured: measured as u64, of: of as u64 }),
    }
}

/// Runs a job until the allowance is used up, at least once; the median of its costs stands for it.
pub fn repeat<T>(
    bench: &Bench<'_>,
    allowance: Duration,
    mut work: impl FnMut() -> Result<T, StudyError>,
) -> Result<(T, Outcome), StudyError> {
    let start = Instant::now();
    let (mut outcome, first) = Cost::of(&mut work)?;
    let mut costs = vec![first];
    while costs.len() < REPETITIONS
        && !bench.interrupted()
        && start.elapsed().as_secs_f64() + first.wall < allowance.as_secs_f64()
    {
        let (next, cost) = Cost::of(&mut work)?;
        outcome = next;
        costs.push(cost);
    }
    let median = |of: fn(&Cost) -> f64| {
        let mut values: Vec<f64> = costs.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let cost = Cost { wall: median(|cost| cost.wall), cpu: median(|cost| cost.cpu) };
    Ok((outcome, Outcome { cost, samples: costs.len(), part: None }))
}

/// Enters wall and processor time of a job.
pub fn enter<K: Kind>(
    book: &mut Book,
    input: &Input,
    subject: &Subject<K>,
    operation: &str,
    outcome: &Outcome,
) {
    for (time, value) in [(Time::Wall, outcome.cost.wall), (Time::Cpu, outcome.cost.cpu)] {
        let mut record = book.measured(subject, (operation, time.word()), (value, "s"), input);
        record.samples = outcome.samples as u64;
        record.part = outcome.part;
        record.estimator = if outcome.part.is_some() { "extrapolated" } else { "median" }.to_owned();
        record.notes.push(format!("{} threads, in memory", rayon::current_num_threads()));
        book.record(record);
    }
}
