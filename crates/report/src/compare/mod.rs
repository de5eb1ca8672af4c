//! Runs held against each other: what changed from one records file to another, and what cannot be told.
//!
//! Results of one machine are divided by each other. Those of two machines are first divided by what a common baseline
//! takes on each. A change is told where an interval that is corrected for the number of results excludes 1 by more than
//! the place of code in memory makes; `METHODOLOGY.md` says why so.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use fieldtest_measure::record_file::load;
//! use fieldtest_report::compare::{Comparison, Labelled, Wanted};
//! use fieldtest_report::{Format, Report};
//!
//! let report = |path: &str| Report::from_lines(load(Path::new(path)).expect("records"), &[]).expect("of one machine");
//! let (old, new) = (report("old.jsonl"), report("new.jsonl"));
//! let of = |label, report| Labelled { label, report };
//! let found = Comparison::of(of("old", &old), &[of("new", &new)], &Wanted::default())?;
//! println!("{} slower\n{}", found.others[0].counts.slower, found.render(Format::Markdown, false));
//! # Ok::<(), fieldtest_report::Error>(())
//! ```

mod chance;
mod counted;
mod csv;
mod found;
mod hosts;
mod pairs;
pub(crate) mod render;
mod stated;
pub(crate) mod tables;

pub use chance::MOST_FALSE;
use chance::{Change, Spread};
pub(crate) use counted::{exceeds, looks_worse_by};
use fieldtest_measure::record::Run;
pub use found::{
    Alone, Base, BaseResult, Counts, Differs, Estimate, Held, Name, Reason, Size, Told, Verdict,
};
use hosts::Bases;
pub(crate) use pairs::times;
use pairs::{Pair, Pairs};
use serde::{Deserialize, Serialize};

use crate::difference::Difference;
use crate::{Error, Report};

/// The records of a run, under the name that the reader is to see.
#[derive(Debug, Clone, Copy)]
pub struct Labelled<'a> {
    /// The name.
    pub label: &'a str,
    /// The records.
    pub report: &'a Report,
}

/// What a comparison is to look for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// The algorithm that stands for its machine where there are several.
    pub baseline: Option<&'a str>,
    /// How much longer something may take, as a share, before it is called out.
    pub threshold: Option<f64>,
}

/// Runs held against the first of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The label of the run that the others are held against.
    pub first: String,
    /// What that run was: a records file may hold several.
    pub runs: Vec<Run>,
    /// How much longer something may take, as a share, before it is called out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub threshold: Option<f64>,
    /// How many results were judged, all runs together.
    pub judged: usize,
    /// In which share of all cases an interval misses the truth, so that at most [`MOST_FALSE`] of the unchanged
    /// results are told as changed.
    pub outside: f64,
    /// The other runs.
    pub others: Vec<Held>,
}

impl Comparison {
    /// Holds runs against the first.
    ///
    /// # Errors
    ///
    /// [`Error::NothingInCommon`] for a run that has none of the first one's results, [`Error::NoBaseline`] for times of another
    /// machine of which none has a baseline, and [`Error::UnknownBaseline`] where no record of the first is about the
    /// baseline.
    pub fn of(
        first: Labelled<'_>,
        others: &[Labelled<'_>],
        wanted: &Wanted<'_>,
    ) -> Result<Comparison, Error> {
        let known = first.report.measured();
        if let Some(name) = wanted.baseline.filter(|name| !known.contains(name)) {
            return Err(Error::UnknownBaseline { name: name.to_owned(), known: known.join(", ") });
        }
        let mut held = Vec::new();
        for other in others {
            let pairs = Pairs::of(first.report, other.report);
            if pairs.is_empty() {
                let [first, other] = [first.label, other.label].map(str::to_owned);
                return Err(Error::NothingInCommon { first, other });
            }
            let share_a_task = hosts::share_a_task(&pairs.timed);
            let (held_one, changes) = hold(first, *other, pairs, wanted);
            if !held_one.refused.is_empty() && !share_a_task {
                let [first, other] = [first.label, other.label].map(str::to_owned);
                return Err(Error::NoBaseline { first, other });
            }
            held.push((held_one, changes));
        }
        let all = held.iter().flat_map(|(_, changes)| changes.iter().flatten());
        let chances: Vec<f64> = all.map(Change::chance).collect();
        let (judged, outside) = (chances.len(), chance::outside(chances));
        let judge = |(mut held, changes): (Held, Vec<Option<Change>>)| {
            for (result, change) in held.results.iter_mut().zip(changes) {
                if let Some(change) = change {
                    result.judge(&change, outside, wanted.threshold);
                }
            }
            held.settle();
            held
        };
        Ok(Comparison {
            first: first.label.to_owned(),
            runs: first.report.runs().to_vec(),
            threshold: wanted.threshold,
            judged,
            outside,
            others: held.into_iter().map(judge).collect(),
        })
    }

    /// How many results may be worse by more than this share, or may not be: their intervals contain it, or they have none.
    pub fn undecided(&self, threshold: f64) -> usize {
        let sizes = self.others.iter().flat_map(|held| &held.sizes);
        let sizes = sizes.filter(|size| size.verdict == Told::Undecided).count();
        sizes + self.undecided_times(threshold)
    }

    /// Times without an interval count where they are longer by more than that, and where none has one.
    fn undecided_times(&self, threshold: f64) -> usize {
        let results = || self.others.iter().flat_map(|held| &held.results).filter(|result| !result.beyond);
        let high = |result: &Estimate| {
            let high = result.interval.map(|[_, high]| high).or(result.times)?;
            Some(high * (1.0 + result.hidden))
        };
        if results().all(|result| result.interval.is_none()) && self.beyond() == 0 {
            return results().count();
        }
        results().filter(|result| high(result).is_none_or(|high| high > 1.0 + threshold)).count()
    }

    /// How many results are worse by more than the threshold.
    pub fn beyond(&self) -> usize {
        let sizes = |held: &Held| held.sizes.iter().filter(|size| size.beyond).count();
        self.others.iter().map(|held| held.counts.beyond + sizes(held)).sum()
    }
}

/// Everything about a run beside the first but the verdicts, with what these will be made of.
fn hold(
    first: Labelled<'_>,
    other: Labelled<'_>,
    pairs: Pairs<'_>,
    wanted: &Wanted<'_>,
) -> (Held, Vec<Option<Change>>) {
    let layout = first.report.layout().max(other.report.layout());
    let same_machine = hosts::same(first.report, other.report);
    // Where there are two machines, the baseline's code has a place of its own, too.
    let layout = if same_machine { layout } else { (1.0 + layout).powi(2) - 1.0 };
    let bases = (!same_machine).then(|| Bases::among(&pairs.timed, wanted.baseline));
    let timed = pairs.timed.iter().filter(|pair| !bases.as_ref().is_some_and(|bases| bases.are(**pair)));
    let (results, changes) = timed.map(|pair| result(*pair, bases.as_ref(), layout)).unzip();
    let (bases, refused) = bases.map(Bases::into_words).unwrap_or_default();
    let (exact, elsewhere): (Vec<&Pair<'_>>, Vec<_>) =
        pairs.untimed.iter().partition(|pair| pair.is_of_one_input());
    let counts = Counts { sizes: exact.len(), ..Counts::default() };
    let sizes = exact.into_iter().filter_map(|pair| counted::judge(*pair, first.report, wanted.threshold));
    let (changed, lost) = counted::facts(first, other.report, wanted.threshold);
    let held = Held {
        label: other.label.to_owned(),
        runs: other.report.runs().to_vec(),
        same_machine,
        differs: [hosts::differs, stated::differs]
            .iter()
            .flat_map(|of| of(first.report, other.report))
            .collect(),
        bases,
        refused,
        layout,
        counts,
        results,
        sizes: sizes.chain(changed).collect(),
        sizes_of_other_input: elsewhere.len(),
        of_other_input: elsewhere.iter().map(|pair| (pair.name(), pair.both().map(|it| it.value))).collect(),
        alone: pairs
            .alone
            .iter()
            .map(|&(is_first, timed, record)| Alone {
                run: if is_first { first.label } else { other.label }.to_owned(),
                name: Name::of(record),
                value: record.value,
                timed,
            })
            .chain(lost)
            .collect(),
        derived: pairs.derived,
    };
    (held, changes)
}

/// A result that is not judged yet, and what it will be judged by, if it can be.
fn result<'a>(pair: Pair<'a>, bases: Option<&Bases<'a>>, layout: f64) -> (Estimate, Option<Change>) {
    // Which machine it is cancels out in a ratio, too.
    let base = bases.filter(|_| !pair.is_ratio()).map(|bases| bases.of(pair));
    let base_result = base.flatten().map(|base| BaseResult {
        algorithm: base.first.algorithm.clone(),
        implementation: base.name().implementation,
        values: base.both().map(|record| record.value),
    });
    let parts: Vec<Pair<'_>> = std::iter::once(pair).chain(base.flatten()).collect();
    let times = pair.times() / base.flatten().map_or(1.0, Pair::times);
    let is_something = |it: &f64| it.is_finite() && *it > 0.0;
    let times = Some(times).filter(|times| is_something(times) && is_something(&(1.0 / times)));
    // What took time from the longer result, or from the baseline of the shorter one, may explain all of it.
    let is_longer = times.is_some_and(|times| times > 1.0);
    let of_base = |of_other| base.flatten().map_or(0.0, |base| base.taken(of_other));
    let both = |of_other| (1.0 + pair.taken(of_other)) * (1.0 + of_base(!of_other)) - 1.0;
    let (taken, hidden) = (both(is_longer), both(false));
    let spreads: Option<Vec<Spread>> = parts.iter().flat_map(|pair| pair.both()).map(Spread::of).collect();
    let reason = match (pair.unfit(), base) {
        (Some(unfit), _) => Some(unfit),
        (None, Some(None)) => Some(Reason::NoBase),
        (None, _) if times.is_none() || spreads.is_none() => Some(Reason::Nothing),
        (None, _) => None,
    };
    let change = times.zip(spreads).filter(|_| reason.is_none()).map(|(times, spreads)| Change {
        times,
        spread: Spread::together(spreads),
        layout,
        taken,
        hidden,
    });
    let result = Estimate {
        name: pair.name(),
        values: pair.both().map(|record| record.value),
        versions: pair.versions(),
        base: base_result,
        times: times.filter(|_| !matches!(base, Some(None))),
        interval: None,
        verdict: Verdict::NotSignificant,
        reason,
        beyond: false,
        shared_core: pair.is_contended(),
        hidden,
    };
    (result, change)
}

impl Estimate {
    fn judge(&mut self, change: &Change, outside: f64, threshold: Option<f64>) {
        let interval = change.interval(outside);
        self.interval = Some(interval);
        self.verdict = match change.told(interval) {
            Difference::Ahead => Verdict::Slower,
            Difference::Behind => Verdict::Faster,
            Difference::NoChange => Verdict::Level,
            Difference::NotSignificant => Verdict::NotSignificant,
        };
        let why = if change.is_masked(interval) { Reason::Contended } else { Reason::TooLittle };
        self.reason = (self.verdict == Verdict::NotSignificant).then_some(why);
        self.beyond =
            self.verdict == Verdict::Slower && threshold.is_some_and(|most| exceeds(interval[0] - 1.0, most));
    }
}
