//! Where a function is available, by what is published and on the host that was measured on.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{AVAILABLE, Place};

use super::ledger::{Ledger, Which};
use super::security::named;
use crate::report::Report;
use crate::symbols;
use crate::table::{Cell, Kind, Table};

/// Places that may have a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// Libraries and systems, by what their makers publish.
    Known,
    /// What the host that was measured on has installed.
    Here,
}

impl Places {
    /// The place that a record tells of, if it is one of these.
    fn of(self, record: &Record) -> Option<&str> {
        if record.operation != AVAILABLE || record.unit != "flag" {
            return None;
        }
        match (self, Place::read(&record.subject)) {
            (Places::Known, Place::Known(place)) | (Places::Here, Place::Here(place)) => Some(place),
            _ => None,
        }
    }
}

/// The known places that have the function, and how many were asked.
pub fn known_places<'a>(
    records: impl Iterator<Item = &'a Record>,
    algorithm: &str,
) -> Option<(Vec<&'a str>, usize)> {
    let own = records.filter(|record| record.algorithm == algorithm);
    let asked: Vec<(&Record, &str)> = own.filter_map(|it| Some((it, Places::Known.of(it)?))).collect();
    let having = asked.iter().filter(|(record, _)| record.value > 0.0).map(|(_, place)| *place).collect();
    (!asked.is_empty()).then_some((having, asked.len()))
}

/// Which places have the function, a column each.
pub fn table(report: &Report, ledger: &mut Ledger, places: Places, title: &str) -> Table {
    let mut columns: Vec<(&str, &str)> = Vec::new();
    for record in ledger.all() {
        if let Some(place) = places.of(record).filter(|place| !columns.iter().any(|(it, _)| it == place)) {
            columns.push((place, &record.subject));
        }
    }
    let mut table =
        Table::new(title).column("algorithm", Kind::Text).texts(columns.iter().map(|(place, _)| *place));
    for algorithm in report.measured() {
        let mut row = vec![named(report, algorithm)];
        for (_, subject) in &columns {
            let which = Which::of(algorithm, AVAILABLE).on(subject).in_unit("flag");
            row.push(ledger.take(which).map(flag).into());
        }
        if row.iter().skip(1).any(|cell| cell.mark.is_some()) {
            table.keyed_row(algorithm, row);
        }
    }
    match places {
        Places::Known => table.note(
            "As published by the makers; the records and the page's tooltips show the version and the name.",
        ),
        Places::Here => {
            let version = |subject: &str| {
                let which = Which::of("", AVAILABLE).on(subject);
                Some(ledger.find(which)?.notes.first()?.as_str())
            };
            let found = columns.iter().filter_map(|(place, it)| Some(format!("{place} {}", version(it)?)));
            table.note(format!("As found on this host: {}.", found.collect::<Vec<_>>().join(", ")))
        }
    };
    table.without_empty_columns()
}

/// Whether the function is there, with what is noted of it.
fn flag(record: &Record) -> Cell {
    Cell::default()
        .with_mark(Some(symbols::available(record.value > 0.0)))
        .with_detail(record.notes.join(", "))
}
