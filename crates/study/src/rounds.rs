//! Rounds over all implementations, in core cycles wherever they can be known.

use std::time::Duration;

use fieldtest_catalog::OWN;
use fieldtest_catalog::kind::Kind;
use fieldtest_measure::record::Input;
use fieldtest_measure::{self as measure, Contender, Measurement, Ratio, chain};

use crate::{Bench, Book, StudyError, Subject};

/// What the records of some rounds are called, and what their figures are for.
pub struct Figure {
    /// The operation.
    pub operation: &'static str,
    /// What it was done to, and how.
    pub subject: String,
    /// How many of what the figure is for one operation has.
    pub items: usize,
    /// Follows the unit where a figure is for something smaller than an operation of its name: `/byte`.
    pub per: &'static str,
}

/// What all rounds of a study share.
pub struct Rounds<'r, 'b> {
    /// What every study needs.
    pub bench: &'r mut Bench<'b>,
    /// Where the records go.
    pub book: &'r mut Book,
    /// Time for each call.
    pub budget: Duration,
}

impl Rounds<'_, '_> {
    /// Measures the contenders against each other and enters a record for each, and how far our own is ahead of the best
    /// other.
    pub fn run<'s, 'c, K: Kind>(
        &mut self,
        figure: &Figure,
        input: &Input,
        contenders: impl Iterator<Item = (&'s Subject<K>, Contender<'c>)>,
    ) -> Result<(), StudyError> {
        if self.bench.interrupted() {
            return Ok(());
        }
        let (subjects, mut contenders): (Vec<_>, Vec<_>) = contenders.unzip();
        // Without a counter the chain stands behind the others and tells cycles from time.
        let by_chain = self.bench.counter.unit() != "cycles" && chain::is_ruler();
        if by_chain {
            contenders.push(chain::contender());
        }
        let plan = measure::Plan {
            target: self.bench.target,
            budget: self.budget,
            seed: self.bench.seed,
            window: WINDOW,
            baseline: contenders.len() - 1,
            ..measure::Plan::default()
        };
        let say = &mut *self.bench.say;
        let text = format!("{} {}", figure.operation, figure.subject);
        let (interrupt, study) = (self.bench.interrupt, self.book.study());
        let measurement =
            measure::measure(&plan, &self.bench.counter, &mut contenders, interrupt, &mut |progress| {
                say(&format!("{study}, {}: {} rounds", text.trim(), progress.rounds));
            })?;
        drop(contenders);
        let chain = by_chain.then_some(subjects.len());
        for (place, subject) in subjects.iter().enumerate() {
            self.enter(figure, input, &measurement, (place, subject), chain);
        }
        self.enter_leads(figure, input, &measurement, &subjects);
        Ok(())
    }

    fn enter<K: Kind>(
        &mut self,
        figure: &Figure,
        input: &Input,
        measurement: &Measurement,
        (place, subject): (usize, &Subject<K>),
        chain: Option<usize>,
    ) {
        let scale = 1.0 / figure.items as f64;
        let mut notes = measurement.notes(place);
        let found = match chain {
            Some(chain) => {
                notes.push(
                    "cycles by the ratio to a chain of dependent additions in the same rounds, as this machine shows no cycle counter"
                        .to_owned(),
                );
                let cycles = measurement.cycles_by_chain(place, chain);
                cycles.map(|Ratio { value, interval, estimator, rounds }| {
                    (value, interval, estimator, rounds, "cycles")
                })
            }
            None => measurement
                .estimate(place)
                .map(|e| (e.value(), e.interval(), e.estimator, e.rounds, measurement.unit)),
        };
        let Some((value, interval, estimator, rounds, unit)) = found else { return };
        let of = (figure.operation, figure.subject.as_str());
        let unit = format!("{unit}{}", figure.per);
        let mut record = self.book.measured(subject, of, (value * scale, &unit), input);
        record.interval = interval.map(|interval| interval.scaled(scale)).map(|i| [i.low, i.high]);
        record.estimator = estimator.name().to_owned();
        record.samples = rounds as u64;
        record.notes = notes;
        self.book.record(record);
    }

    /// For every algorithm that this project implements, how many times as much the best library takes.
    fn enter_leads<K: Kind>(
        &mut self,
        figure: &Figure,
        input: &Input,
        measurement: &Measurement,
        subjects: &[&Subject<K>],
    ) {
        let cost = |place: &usize| measurement.estimate(*place).map_or(f64::INFINITY, |e| e.value());
        for (place, subject) in subjects.iter().enumerate().filter(|(_, s)| s.implementation.name == OWN) {
            let rival = (0..subjects.len())
                .filter(|other| {
                    let other = subjects[*other];
                    other.algorithm.facts.name == subject.algorithm.facts.name
                        && !other.implementation.name.starts_with(OWN)
                })
                .min_by(|a, b| cost(a).total_cmp(&cost(b)));
            let Some((rival, ratio)) = rival.and_then(|r| Some((r, measurement.ratio(r, place)?))) else {
                continue;
            };
            let against = format!("{} over {}", figure.subject, subjects[rival].implementation.name);
            let operation = format!("{}-lead", figure.operation);
            let mut record =
                self.book.measured(subject, (&operation, against.trim()), (ratio.value, "ratio"), input);
            record.interval = ratio.interval.map(|i| [i.low, i.high]);
            record.estimator = ratio.estimator.name().to_owned();
            record.samples = ratio.rounds as u64;
            self.book.record(record);
        }
    }
}

/// The shortest window. An operation of some hundred cycles begins with caches that the other contenders have emptied;
/// the window is long enough for that to be a small part of it.
const WINDOW: Duration = Duration::from_micros(200);
