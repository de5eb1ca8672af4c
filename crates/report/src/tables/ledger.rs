//! Which records of a study a table has shown already, so that those left over can be shown by themselves.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{NOT_ALONE, UNMEASURED, WITH_SYSTEM_CALL};

use crate::mark;
use crate::number::{factor, full, grouped};
use crate::report::Report;
use crate::table::{Cell, Mark};

/// One study's records with a tick at each that a table has shown.
pub struct Ledger<'a> {
    entries: Vec<(&'a Record, bool)>,
}

/// Which records are meant; an empty choice means any.
#[derive(Debug, Clone, Copy, Default)]
pub struct Which<'a> {
    /// The algorithm.
    pub algorithm: &'a str,
    /// The operation, which is always given.
    pub operation: &'a str,
    /// What it was done to.
    pub subject: Option<&'a str>,
    /// Whose code ran.
    pub implementation: Option<&'a str>,
    /// The figure's unit.
    pub unit: Option<&'a str>,
}

impl Which<'_> {
    fn takes(&self, record: &Record) -> bool {
        (self.algorithm.is_empty() || record.algorithm == self.algorithm)
            && record.operation == self.operation
            && self.subject.is_none_or(|subject| record.subject == subject)
            && self.implementation.is_none_or(|name| implementation(record) == name)
            && self.unit.is_none_or(|unit| record.unit == unit)
    }
}

/// The implementation's name; empty where no code ran.
pub fn implementation(record: &Record) -> &str {
    record.implementation.as_ref().map_or("", |it| &it.name)
}

impl<'a> Ledger<'a> {
    /// The records of `study`, none of them shown yet.
    pub fn new(report: &'a Report, study: &str) -> Ledger<'a> {
        Ledger { entries: report.of_study(study).map(|record| (record, false)).collect() }
    }

    /// All records of the study.
    pub fn all(&self) -> impl Iterator<Item = &'a Record> {
        self.entries.iter().map(|(record, _)| *record)
    }

    /// The records that no table has shown.
    pub fn left(&self) -> impl Iterator<Item = &'a Record> {
        self.entries.iter().filter(|(_, shown)| !shown).map(|(record, _)| *record)
    }

    /// The first record meant, without ticking it.
    pub fn find(&self, which: Which) -> Option<&'a Record> {
        self.all().find(|record| which.takes(record))
    }

    /// The first record meant that is not ticked yet; ticks it.
    pub fn take(&mut self, which: Which) -> Option<&'a Record> {
        let entry = self.entries.iter_mut().find(|(record, shown)| !shown && which.takes(record))?;
        entry.1 = true;
        Some(entry.0)
    }

    /// The figure meant, ticked; where the time was too short for it, the mark that says so.
    pub fn show(&mut self, which: Which) -> Cell {
        if let Some(record) = self.take(which) {
            return cell(record);
        }
        let not = Which { operation: UNMEASURED, subject: Some(which.operation), unit: None, ..which };
        let Some(record) = self.take(not).or_else(|| self.find(not)) else { return Cell::default() };
        Cell::default().with_mark(Some(mark::UNMEASURED)).with_detail(record.notes.join(", "))
    }

    /// The unit that most of an operation's records have; the first of two that are equally common.
    pub fn unit_of(&self, operation: &str, subject: Option<&str>) -> Option<&'a str> {
        let meant = Which { operation, subject, ..Which::default() };
        let units: Vec<&str> =
            self.all().filter(|record| meant.takes(record)).map(|record| record.unit.as_str()).collect();
        let count = |unit: &str| units.iter().filter(|other| **other == unit).count();
        units.iter().copied().rev().max_by_key(|unit| count(unit))
    }
}

/// Whether a figure holds the way into the kernel and back, so that it is no library's.
pub fn has_system_call(record: &Record) -> bool {
    record.notes.iter().any(|note| note == WITH_SYSTEM_CALL)
}

/// What the fastest implementation of `algorithm` takes, a kernel's apart.
pub fn fastest<'a>(
    records: impl Iterator<Item = &'a Record>,
    algorithm: &str,
    operation: &str,
    subject: &str,
    unit: &str,
) -> Option<&'a Record> {
    let meant = records.filter(|record| {
        record.algorithm == algorithm
            && record.operation == operation
            && record.subject == subject
            && record.unit == unit
            && !has_system_call(record)
    });
    least(meant)
}

/// The record of least value among those that can be compared; the first one where none can.
pub fn least<'a>(records: impl Iterator<Item = &'a Record>) -> Option<&'a Record> {
    let (comparable, others): (Vec<_>, Vec<_>) = records.partition(|record| is_comparable(record));
    comparable.into_iter().min_by(|a, b| a.value.total_cmp(&b.value)).or(others.first().copied())
}

/// Whether a figure may be ranked, and divided by another: not one that was measured too few times to know how far it may be
/// off. Those of earlier versions' whole jobs, which never had an interval, may, but for what they extrapolated.
pub fn is_comparable(record: &Record) -> bool {
    let is_of_earlier_job = matches!(record.unit.as_str(), "s" | "GB/s") && record.estimator == "median";
    record.interval.is_some() || !is_timed(record) || is_of_earlier_job
}

/// Whether somebody may be first by a figure: it can be ranked, and is of a core that nobody else used.
pub fn is_leading(record: &Record) -> bool {
    is_comparable(record) && !is_of_shared_core(record)
}

/// Whether a figure was measured, and not read off or predicted.
pub(crate) fn is_timed(record: &Record) -> bool {
    record.samples > 0 && matches!(record.estimator.as_str(), "median" | "mean" | "extrapolated")
}

/// Whether a figure is of a core that was not its own.
pub fn is_of_shared_core(record: &Record) -> bool {
    record.notes.iter().any(|note| NOT_ALONE.contains(&note.as_str()))
}

/// What a reader is told of a measured figure at first sight.
pub(crate) fn caution(record: &Record) -> Option<Mark> {
    match record {
        record if is_timed(record) && record.interval.is_none() => Some(mark::UNCERTAIN),
        record if is_of_shared_core(record) => Some(mark::OF_SHARED_CORE),
        _ => None,
    }
}

/// The code of a figure and why it is an experiment, where it is one.
pub(crate) fn experiment_of(record: &Record) -> Option<(&str, &str)> {
    let it = record.implementation.as_ref()?;
    Some((&it.name, it.experiment.as_deref()?))
}

/// What to say of figures that cannot be compared, and of those that are missing, where a study has such of `operations`.
pub fn remark_on_rounds(ledger: &Ledger, operations: &[&str]) -> Option<&'static str> {
    let is_meant = |record: &&Record| operations.contains(&record.operation.as_str());
    let few = ledger.all().filter(is_meant).any(|record| !is_comparable(record));
    few.then_some(
        "Figures without an interval were run once or twice in this time: no ratio is made of them, and they are not \
         ranked where others can be.",
    )
}

/// Whether a figure stands for more than was measured.
pub fn is_approximate(record: &Record) -> bool {
    matches!(record.estimator.as_str(), "estimated" | "extrapolated" | "projected")
}

/// A record's figure with its interval and everything a reader who looks closer wants.
pub fn cell(record: &Record) -> Cell {
    let mut detail = vec![match record.samples {
        0 => record.estimator.clone(),
        1 => format!("{} of 1 sample", record.estimator),
        samples => format!("{} of {} samples", record.estimator, grouped(&samples.to_string(), ' ')),
    }];
    if let Some(part) = record.part {
        let smaller =
            part.smaller.map(|smaller| format!("{} and ", full(smaller as f64))).unwrap_or_default();
        detail.push(format!("measured {smaller}{} of {}", full(part.measured as f64), full(part.of as f64)));
    }
    if let Some(shared) = record.shared {
        let times = factor(shared.value / record.value, ' ');
        detail.push(format!("×{times} beside a busy neighbour on the core"));
    }
    if let Some(it) = &record.implementation {
        detail.push(format!("{} {}", it.name, it.version));
    }
    if let Some(input) = &record.input {
        detail.push(format!("on {}", input.name));
    }
    detail.extend(record.notes.iter().cloned());
    Cell::from(record.value)
        .with_interval(record.interval)
        .approximately(is_approximate(record))
        .standing_alone(!is_comparable(record))
        .with_mark(caution(record))
        .with_detail(detail.join(", "))
}
