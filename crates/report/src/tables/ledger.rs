//! Which records of a study a table has shown already, so that those left over can be shown by themselves.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::UNMEASURED;

use crate::number::{factor, full, grouped};
use crate::report::Report;
use crate::result::{caution, experiment_of};
pub use crate::result::{
    fastest, has_system_call, implementation, is_approximate, is_comparable, is_contended, least,
};
use crate::symbols;
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
    /// The result's unit.
    pub unit: Option<&'a str>,
}

impl<'a> Which<'a> {
    /// Any of this algorithm, or of any where that has no name, and this operation.
    pub fn of(algorithm: &'a str, operation: &'a str) -> Which<'a> {
        Which { algorithm, operation, ..Which::default() }
    }

    /// Those of this subject.
    #[must_use]
    pub fn on(self, subject: &'a str) -> Which<'a> {
        Which { subject: Some(subject), ..self }
    }

    /// Those of this code.
    #[must_use]
    pub fn by(self, implementation: &'a str) -> Which<'a> {
        Which { implementation: Some(implementation), ..self }
    }

    /// Those in this unit.
    #[must_use]
    pub fn in_unit(self, unit: &'a str) -> Which<'a> {
        Which { unit: Some(unit), ..self }
    }

    /// The record that says that there is no such result.
    fn unmeasured(self) -> Which<'a> {
        Which { operation: UNMEASURED, subject: Some(self.operation), unit: None, ..self }
    }

    pub(crate) fn takes(&self, record: &Record) -> bool {
        (self.algorithm.is_empty() || record.algorithm == self.algorithm)
            && record.operation == self.operation
            && self.subject.is_none_or(|subject| record.subject == subject)
            && self.implementation.is_none_or(|name| implementation(record) == name)
            && self.unit.is_none_or(|unit| record.unit == unit)
    }
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

    /// The result meant, ticked.
    pub fn cell(&mut self, which: Which) -> Cell {
        self.take(which).map(cell).into()
    }

    /// The result meant, ticked; where it was not measured, the mark that says so.
    pub fn show(&mut self, which: Which) -> Cell {
        if let Some(record) = self.take(which) {
            return cell(record);
        }
        let missing = self.missing(which);
        self.take(which.unmeasured());
        missing
    }

    /// What stands in the place of a result that is not there: the mark that it was not measured, where a record says so.
    pub fn missing(&self, which: Which) -> Cell {
        let Some(record) = self.find(which.unmeasured()) else { return Cell::default() };
        Cell::default().with_mark(Some(symbols::UNMEASURED)).with_detail(record.notes.join(", "))
    }

    /// The unit that most of an operation's records have; the first of two that are equally common.
    pub fn unit_of(&self, operation: &str, subject: Option<&str>) -> Option<&'a str> {
        let meant = Which { subject, ..Which::of("", operation) };
        let units: Vec<&str> =
            self.all().filter(|record| meant.takes(record)).map(|record| record.unit.as_str()).collect();
        let count = |unit: &str| units.iter().filter(|other| **other == unit).count();
        units.iter().copied().rev().max_by_key(|unit| count(unit))
    }
}

/// What to say of results that cannot be compared, and of those that are missing, where a study has such of `operations`.
pub fn remark_on_rounds(ledger: &Ledger, operations: &[&str]) -> Option<&'static str> {
    let is_meant = |record: &&Record| operations.contains(&record.operation.as_str());
    let few = ledger.all().filter(is_meant).any(|record| !is_comparable(record));
    few.then_some(
        "Results without an interval ran only once or twice within the time budget: they have no ratios, and are not \
         ranked if others can be.",
    )
}

/// A record's result with its interval and everything a reader who looks closer wants.
pub fn cell(record: &Record) -> Cell {
    let mut detail = vec![match record.samples {
        0 => record.estimator.clone(),
        1 => format!("{} of 1 sample", record.estimator),
        samples => format!("{} of {} samples", record.estimator, grouped(&samples.to_string())),
    }];
    if let Some(part) = record.part {
        let smaller =
            part.smaller.map(|smaller| format!("{} and ", full(smaller as f64))).unwrap_or_default();
        detail.push(format!("measured {smaller}{} of {}", full(part.measured as f64), full(part.of as f64)));
    }
    if let Some(shared) = record.shared {
        let times = factor(shared.value / record.value);
        detail.push(format!("×{times} when contended"));
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

/// As [`cell`], of a table that does not say whose code a result is of: marked where that is an experiment, too.
pub fn cell_of_any_code(record: &Record) -> Cell {
    let experiment = experiment_of(record).map(|_| symbols::EXPERIMENT);
    cell(record).with_mark(caution(record).into_iter().chain(experiment).reduce(Mark::and))
}
