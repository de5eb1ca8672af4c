//! Which results of two runs belong together, and which of them can be held against each other at all.

use std::collections::{HashMap, HashSet};

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{Against, DISTURBED, Over, of_lead, of_rate, of_ratio};

use super::{Name, Reason};
use crate::number::{RATES, TIMES};
use crate::report::{Report, UNFIT};
use crate::result::{implementation, is_contended, is_exact, margin};

/// The same result of two runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) first: &'a Record,
    pub(super) other: &'a Record,
    /// Whether one of them was measured on a machine whose results mean nothing.
    unfit: bool,
}

/// All results of two runs.
#[derive(Default)]
pub(super) struct Pairs<'a> {
    /// Those that were timed, and ratios of such where they stand alone.
    pub(super) timed: Vec<Pair<'a>>,
    /// Those that are no times: what follows from sizes, was looked up, or was counted.
    pub(super) untimed: Vec<Pair<'a>>,
    /// Those that one run has: whether it is the first one, and whether it was timed.
    pub(super) alone: Vec<(bool, bool, &'a Record)>,
    /// Pairs that are made of others: ratios and rates whose costs are there.
    pub(super) derived: usize,
}

/// What tells a result from the others of its run, and which of several alike it is.
type Key<'a> = ([&'a str; 6], usize);

/// What a ratio is made of, whatever its unit.
type Cost<'a> = [&'a str; 5];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Exact,
    Timed,
    Ratio,
    Share,
}

fn sort(record: &Record) -> Sort {
    match record.unit.as_str() {
        _ if is_exact(record) => Sort::Exact,
        _ if of_rate(&record.operation).is_some() => Sort::Ratio,
        unit if TIMES.contains(&unit) => Sort::Timed,
        "ratio" if of_ratio(&record.operation).or(of_lead(&record.operation)).is_some() => Sort::Ratio,
        _ => Sort::Share,
    }
}

fn words(record: &Record) -> [&str; 6] {
    let Record { study, algorithm, operation, subject, unit, .. } = record;
    [study, algorithm, implementation(record), operation, subject, unit]
}

/// The records by their keys, each with whether its machine was unfit.
fn keyed(report: &Report) -> Vec<(Key<'_>, (&Record, bool))> {
    let mut seen: HashMap<[&str; 6], usize> = HashMap::new();
    let keyed = report.records_with_runs().map(|(record, run)| {
        let words = words(record);
        let before = seen.entry(words).or_default();
        *before += 1;
        ((words, *before), (record, run.is_some_and(|run| run.verdict == UNFIT)))
    });
    keyed.collect()
}

/// The cost that a ratio, a rate or a lead is of.
fn cost(record: &Record) -> Option<Cost<'_>> {
    let (operation, subject) = if let Some(operation) = of_ratio(&record.operation) {
        (operation, Against::read(&record.subject)?.of)
    } else if let Some(operation) = of_rate(&record.operation) {
        (operation, record.subject.as_str())
    } else {
        (of_lead(&record.operation)?, Over::read(&record.subject)?.of)
    };
    Some([&record.study, &record.algorithm, implementation(record), operation, subject])
}

fn costs(report: &Report) -> HashSet<Cost<'_>> {
    let timed = report.records().iter().filter(|record| sort(record) == Sort::Timed);
    timed.map(words).map(|[a, b, c, d, e, _]| [a, b, c, d, e]).collect()
}

impl<'a> Pairs<'a> {
    pub(super) fn of(first: &'a Report, other: &'a Report) -> Pairs<'a> {
        let mut pairs = Pairs::default();
        let costs = [costs(first), costs(other)];
        let has_cost =
            |run: usize, record: &Record| cost(record).is_some_and(|cost| costs[run].contains(&cost));
        let others: HashMap<Key<'_>, (&Record, bool)> = keyed(other).into_iter().collect();
        let mut met = HashSet::new();
        for (key, (record, unfit)) in keyed(first) {
            let Some((second, unfit_too)) = others.get(&key).copied() else {
                pairs.leave(true, record, has_cost(0, record));
                continue;
            };
            met.insert(key);
            let pair = Pair { first: record, other: second, unfit: unfit || unfit_too };
            match (sort(record), sort(second)) {
                // Sizes, and bytes, packets, memory, answers that were lost, be it counted in one run and measured in the other.
                (Sort::Share | Sort::Exact, Sort::Share | Sort::Exact) => pairs.untimed.push(pair),
                (Sort::Ratio, _) if has_cost(0, record) && has_cost(1, second) => pairs.derived += 1,
                _ => pairs.timed.push(pair),
            }
        }
        for (_, (record, _)) in keyed(other).into_iter().filter(|(key, _)| !met.contains(key)) {
            pairs.leave(false, record, has_cost(1, record));
        }
        pairs
    }

    fn leave(&mut self, is_first: bool, record: &'a Record, has_cost: bool) {
        match sort(record) {
            Sort::Ratio if has_cost => {}
            Sort::Share => {}
            sort => self.alone.push((is_first, sort != Sort::Exact, record)),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.timed.is_empty() && self.untimed.is_empty() && self.derived == 0
    }
}

impl<'a> Pair<'a> {
    pub(super) fn both(self) -> [&'a Record; 2] {
        [self.first, self.other]
    }

    pub(super) fn name(self) -> Name {
        Name::of(self.first)
    }

    /// What the results of a benchmark group have in common: study, operation, subject, unit.
    pub(super) fn task(self) -> [&'a str; 4] {
        let Record { study, operation, subject, unit, .. } = self.first;
        [study, operation, subject, unit]
    }

    /// The implementation's version in both runs, where it changed.
    pub(super) fn versions(self) -> Option<[String; 2]> {
        let [first, other] = self.both().map(|record| record.implementation.as_ref().map(|it| &it.version));
        (first != other).then(|| [first, other].map(|version| version.cloned().unwrap_or_default()))
    }

    /// Both results were measured on the same data, as far as that is not drawn anew in every run.
    pub(super) fn is_of_one_input(self) -> bool {
        let [first, other] = self.both().map(|record| record.input.as_ref().map(|input| &input.sha256));
        first == other
    }

    /// Whether both results are of a core that somebody else used.
    pub(super) fn is_contended(self) -> bool {
        self.both().into_iter().all(is_contended)
    }

    /// Whether it is a ratio, which holds its baseline already.
    pub(super) fn is_ratio(self) -> bool {
        sort(self.first) == Sort::Ratio
    }

    /// How many times as long the other takes. Of what is done in a time, and of leads, less is longer.
    pub(super) fn times(self) -> f64 {
        times(&self.name(), [self.first.value, self.other.value])
    }

    /// By what share whoever used its core may have made the result of one run longer: of 24 runs next to an endless loop, one
    /// had a result that was 11 to 66% slower by its interval alone.
    pub(super) fn taken(self, of_other: bool) -> f64 {
        margin(if of_other { self.other } else { self.first }, 0.0)
    }

    /// Why the results cannot be held against each other, whatever they are.
    pub(super) fn unfit(self) -> Option<Reason> {
        let [first, other] = self.both();
        // A whole job that was drawn out stands for the same as one that was run whole.
        let estimator = |record: &'a Record| match record.estimator.as_str() {
            "extrapolated" => "mean",
            other => other,
        };
        if !self.is_of_one_input() {
            Some(Reason::Input)
        } else if estimator(first) != estimator(other) {
            Some(Reason::Estimator)
        } else if core(first) != core(other) {
            Some(Reason::SharedCore)
        } else if self.unfit {
            Some(Reason::Unfit)
        } else if first.interval.is_none() || other.interval.is_none() {
            Some(Reason::NoInterval)
        } else {
            None
        }
    }
}

/// Whether the unit is of what is done in a time.
pub(super) fn is_rate(unit: &str) -> bool {
    unit == "per-second" || RATES.contains(&unit)
}

/// How many times as long the second of two results of a time takes.
pub(crate) fn times(name: &Name, [was, is]: [f64; 2]) -> f64 {
    let more_is_less = is_rate(&name.unit) || of_lead(&name.operation).is_some();
    if more_is_less { was / is } else { is / was }
}

/// Whose the core was, as far as that was not the thread's own.
fn core(record: &Record) -> Option<&str> {
    let mut notes = record.notes.iter().map(String::as_str);
    notes.find(|note| DISTURBED.contains(note))
}

impl Name {
    pub(crate) fn of(record: &Record) -> Name {
        let [study, algorithm, implementation, operation, subject, unit] = words(record).map(str::to_owned);
        Name { study, algorithm, implementation, operation, subject, unit }
    }

    /// All but the unit.
    pub(crate) fn words(&self) -> [&str; 5] {
        let Name { study, algorithm, implementation, operation, subject, .. } = self;
        [study, algorithm, implementation, operation, subject]
    }
}
