//! From the rounds of a whole job to its result: what it took on average, or the straight line through what parts of it
//! took, drawn out to the whole. The rounds are what is drawn, so an interval is over them: Student's t of their number.

use fieldtest_measure::Interval;
use fieldtest_measure::record::{Elapsed, Part, Record};
use fieldtest_measure::student::two_sided_95;
use fieldtest_measure::words::{OTHER_LOAD, Time};

use super::{Cost, Surroundings};

/// Rounds that carry an interval.
pub const FEWEST_ROUNDS: usize = 3;

/// Items that something may be extrapolated from, where one of them takes less than [`SLOW`].
pub const FEWEST_ITEMS: u64 = 30;

/// Seconds of an item beyond which fewer do: what is noise beside thirty quick ones is nothing beside it. SQIsign was in no
/// result of a minute's study before.
pub const SLOW: f64 = 0.01;

/// What one round showed of a job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reading {
    /// All of it was done.
    Whole(Cost),
    /// A part was.
    Part {
        /// The whole job without what is done to each item.
        beside: Cost,
        /// Two numbers of items, ascending, with what it took to do it to them.
        sizes: [(u64, Cost); 2],
    },
}

impl Reading {
    /// What the job takes besides its items, and for each of them: the line through both sizes. Nothing for each of a
    /// whole job. NaN where both sizes are the same.
    fn line(&self, time: Time) -> [f64; 2] {
        match self {
            Reading::Whole(cost) => [cost.in_time(time), 0.0],
            Reading::Part { beside, sizes: [(few, low), (many, high)] } => {
                let (low, high) = (low.in_time(time), high.in_time(time));
                let slope = (high - low) / (*many as f64 - *few as f64);
                [beside.in_time(time) + low - slope * *few as f64, slope]
            }
        }
    }

    fn part(&self, of: u64) -> Option<Part> {
        match self {
            Reading::Whole(_) => None,
            Reading::Part { sizes: [(smaller, _), (measured, _)], .. } => {
                Some(Part { measured: *measured, of, smaller: Some(*smaller) })
            }
        }
    }
}

/// A mean over rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// Its 95 % interval, from [`FEWEST_ROUNDS`] on.
    pub interval: Option<Interval>,
    /// The standard deviation of rounds, where there are several.
    pub deviation: Option<f64>,
    /// The rounds.
    pub rounds: usize,
    /// Whether others used the processors beside them.
    pub busy: bool,
}

impl Mean {
    /// The mean of what each round showed, its interval as wide as `around` makes it; `None` without rounds, and where one
    /// of them showed no number.
    pub fn of(rounds: &[f64], around: Surroundings) -> Option<Mean> {
        let count = rounds.len() as f64;
        let value = rounds.iter().sum::<f64>() / count;
        let squares: f64 = rounds.iter().map(|round| (round - value).powi(2)).sum();
        let deviation = (squares / (count - 1.0)).sqrt();
        let error = deviation / count.sqrt();
        let width = two_sided_95(count - 1.0) * error * around.widening;
        let interval = Interval { low: value - width, high: value + width };
        let interval = (rounds.len() >= FEWEST_ROUNDS).then_some(interval);
        let deviation = Some(deviation).filter(|it| it.is_finite());
        value.is_finite().then_some(Mean {
            value,
            interval,
            deviation,
            rounds: rounds.len(),
            busy: around.busy,
        })
    }

    /// As [`of`](Self::of), of what is above zero and spread by factors, such as rates: the mean of the logarithms, so that no
    /// interval reaches zero.
    pub fn of_positive(rounds: &[f64], around: Surroundings) -> Option<Mean> {
        let logarithms: Vec<f64> = rounds.iter().map(|round| round.ln()).collect();
        let mean = Mean::of(&logarithms, around)?;
        let interval = mean.interval.map(|it| Interval { low: it.low.exp(), high: it.high.exp() });
        // A logarithm and back is not quite what it was.
        let all_alike = rounds.first().filter(|first| rounds.iter().all(|round| round == *first));
        let value = all_alike.copied().unwrap_or_else(|| mean.value.exp());
        Some(Mean { value, interval, deviation: None, ..mean })
    }

    /// Writes it into a record, within what a result of its kind can be.
    pub fn told_in(&self, record: Record, [least, most]: [f64; 2]) -> Record {
        let within = |bound: f64| bound.clamp(least, most);
        let mut notes = record.notes;
        if self.interval.is_none() {
            let times = if self.rounds == 1 { "once" } else { "twice" };
            notes.push(format!("run {times}: too few for an interval or a comparison"));
        }
        notes.extend(self.busy.then(|| OTHER_LOAD.to_owned()));
        Record {
            value: within(self.value),
            interval: self.interval.map(|it| [within(it.low), within(it.high)]),
            estimator: "mean".to_owned(),
            samples: self.rounds as u64,
            notes,
            ..record
        }
    }
}

/// Why a job has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoEstimate {
    /// No round was run, or one of one number of items.
    TooLittleTime,
    /// Others took so much of the machine that the line ends at no time or less.
    Disturbed,
}

impl NoEstimate {
    /// What people are told.
    pub fn why(self) -> &'static str {
        match self {
            NoEstimate::TooLittleTime => "too little time for a run of it, or for enough of its items",
            NoEstimate::Disturbed => "others disturbed it so much that more of it took less time",
        }
    }
}

/// A job's result in one time, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// What the whole job takes.
    pub all: Mean,
    /// How much of it was measured, where that was not all; with what it takes besides its items, and what each of them does.
    pub part: Option<(Part, [Mean; 2])>,
}

impl Estimate {
    /// The result of a job of `of` items.
    ///
    /// # Errors
    /// Why there is none.
    pub fn of(rounds: &[Reading], time: Time, of: u64, around: Surroundings) -> Result<Estimate, NoEstimate> {
        let lines: Vec<[f64; 2]> = rounds.iter().map(|round| round.line(time)).collect();
        let over =
            |at: &dyn Fn(&[f64; 2]) -> f64| Mean::of(&lines.iter().map(at).collect::<Vec<_>>(), around);
        let all = over(&|[beside, each]| beside + each * of as f64).ok_or(NoEstimate::TooLittleTime)?;
        let Some(part) = rounds.iter().find_map(|round| round.part(of)) else {
            return Ok(Estimate { all, part: None });
        };
        let line = over(&|line| line[0]).zip(over(&|line| line[1])).filter(|_| all.value > 0.0);
        let (beside, each) = line.ok_or(NoEstimate::Disturbed)?;
        Ok(Estimate { all, part: Some((part, [beside, each])) })
    }

    /// Writes the result into a record.
    pub fn told_in(&self, record: Record) -> Record {
        let mut record = self.all.told_in(record, [0.0, f64::INFINITY]);
        let in_ns = |seconds: f64| seconds * 1e9;
        let deviation = self.all.deviation.map(in_ns);
        record.elapsed = Some(Elapsed { mean: in_ns(record.value), deviation });
        if let Some((part, [beside, each])) = &self.part {
            record.estimator = "extrapolated".to_owned();
            record.part = Some(*part);
            let told = |mean: &Mean| match mean.interval {
                Some(it) => format!("{:.3e} s ({:.3e} to {:.3e})", mean.value, it.low, it.high),
                None => format!("{:.3e} s", mean.value),
            };
            record.notes.push(format!("{} and for each item {}", told(beside), told(each)));
        }
        record
    }
}

#[cfg(test)]
mod tests;
