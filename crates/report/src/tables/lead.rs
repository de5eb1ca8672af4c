//! How far this project's code is ahead of the best library, for the studies whose records tell it.

use std::collections::BTreeSet;

use fieldtest_measure::record::{OWN, Record};
use fieldtest_measure::words::{self, Over};

use super::ledger::{Ledger, Which, cell as result, has_system_call, implementation};
use super::security::named;
use crate::difference::{Difference, mark_of};
use crate::report::Report;
use crate::result::{caution, margin};
use crate::table::{Cell, Kind, Mark, Table};

/// The title where there is one table. Leads are told of the implementation [`OWN`].
pub const TITLE: &str = "fieldtest against the best library";

/// What the marks beside leads say.
pub const TOLD: &str = "= tied within 2%; ? not significant: smaller than the interval, than what another thread on the core \
                        may explain, or than two builds of the same code differ; or there is no interval.";

/// A lead over the best other implementation, with how far it can be told.
pub fn cell(report: &Report, lead: &Record, rival: &str) -> Cell {
    let told = Difference::of(lead.interval, lead.samples, margin(lead, report.layout()));
    let mark = mark_of(told).into_iter().chain(caution(lead)).reduce(Mark::and);
    result(lead).with_mark(mark).with_detail(format!("over {rival}"))
}

/// What the leads of a study are told of.
pub struct Leads<'a> {
    /// The title of the table.
    pub title: String,
    /// The operation that leads are of.
    pub operation: &'a str,
    /// What is worked on: `segments`.
    pub things: &'a str,
    /// The ways of working, as the records and as people call them.
    pub ways: &'a [(&'a str, &'a str)],
    /// The sizes that subjects begin with, each with the name of its column.
    pub sizes: Vec<(String, String)>,
}

/// The table, a row per algorithm and way; a single way needs no words.
pub fn table(report: &Report, ledger: &mut Ledger, leads: &Leads) -> Table {
    let with_ways = leads.ways.len() > 1;
    let rivals = taking_part(ledger, leads.operation);
    let mut table = Table::new(leads.title.as_str()).column("algorithm", Kind::Text);
    if with_ways {
        table = table.column(leads.things, Kind::Text);
    }
    table = table
        .numbers(leads.sizes.iter().map(|(_, name)| name.as_str()), "ratio")
        .column("best library", Kind::Text);
    for algorithm in report.measured() {
        for (way, words) in leads.ways {
            let mut rivals: Vec<&str> = Vec::new();
            let mut row = vec![named(report, algorithm)];
            if with_ways {
                row.push((*words).into());
            }
            for (size, _) in &leads.sizes {
                let found = take(ledger, algorithm, leads.operation, format!("{size} {way}").trim());
                if let Some((_, rival)) = found.filter(|(_, rival)| !rivals.contains(rival)) {
                    rivals.push(rival);
                }
                row.push(found.map(|(lead, rival)| cell(report, lead, rival)).into());
            }
            if rivals.is_empty() {
                continue;
            }
            row.push(rivals.join(", ").into());
            table.keyed_row(algorithm, row);
        }
    }
    table.note(format!(
        "How many times as long the best other implementation takes, in the same workers. {TOLD}"
    ));
    if !rivals.is_empty() {
        table.note(format!("The best of {}, if they have the algorithm.", rivals.join(", ")));
    }
    table
}

/// The implementations that may be the best library in `operation`: all that were measured in it but this project's own and
/// a kernel's.
fn taking_part<'a>(ledger: &Ledger<'a>, operation: &str) -> Vec<&'a str> {
    let others = ledger.all().filter(|record| {
        record.operation == operation
            && !implementation(record).starts_with(OWN)
            && !has_system_call(record)
            && record.estimator != words::PUBLISHED
    });
    others.map(implementation).filter(|name| !name.is_empty()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Takes the record of how far this project's code is ahead in `operation` on `of`, with the name of the best other implementation.
pub fn take<'a>(
    ledger: &mut Ledger<'a>,
    algorithm: &str,
    operation: &str,
    of: &str,
) -> Option<(&'a Record, &'a str)> {
    let operation = words::lead(operation);
    let (subject, rival) = ledger.all().find_map(|record| {
        let meant = record.algorithm == algorithm
            && record.operation == operation
            && implementation(record) == OWN
            && record.unit == "ratio";
        let over = Over::read(&record.subject).filter(|over| meant && over.of == of)?;
        Some((record.subject.as_str(), over.rival))
    })?;
    let which = Which::of(algorithm, &operation).on(subject).by(OWN).in_unit("ratio");
    Some((ledger.take(which)?, rival))
}
