//! Means and standard deviations by the clock, as papers and presentations have them.

use fieldtest_measure::record::Record;

use super::ledger::{Ledger, Which, is_approximate};
use super::primitives::pairs;
use crate::report::Report;
use crate::result::caution;
use crate::table::{Cell, Table};

/// A column pair: how it is called, the operation, and its subject.
pub type Timed<'a> = (&'a str, &'a str, Option<&'a str>);

/// A row per algorithm and implementation: nothing in it is of other code.
pub fn table(report: &Report, ledger: &Ledger, columns: &[Timed<'_>]) -> Table {
    let operations: Vec<&str> = columns.iter().map(|(_, operation, _)| *operation).collect();
    let mut table = Table::new("Mean and standard deviation").texts(["algorithm", "implementation"]);
    for (name, ..) in columns {
        table = table.numbers([name.to_string(), format!("{name} σ")], "ms");
    }
    for (algorithm, implementation) in pairs(report, ledger, &operations) {
        let find = |(_, operation, subject): &Timed<'_>| {
            let which = Which { subject: *subject, ..Which::of(algorithm, operation).by(implementation) };
            ledger.all().find(|record| record.elapsed.is_some() && which.takes(record))
        };
        let found: Vec<Option<&Record>> = columns.iter().map(find).collect();
        if found.iter().any(Option::is_some) {
            let mut row: Vec<Cell> = vec![algorithm.into(), report.code(implementation)];
            row.extend(found.into_iter().flat_map(cells));
            table.keyed_row(algorithm, row);
        }
    }
    table.note(
        "Elapsed time of the windows that the results above are of; a window of a short operation is the mean of several. Use \
         the other tables to compare: frequencies change.",
    );
    table.without_empty_columns()
}

fn cells(record: Option<&Record>) -> [Cell; 2] {
    let Some((record, elapsed)) = record.and_then(|record| Some((record, record.elapsed?))) else {
        return [Cell::default(), Cell::default()];
    };
    let in_ms = |ns: f64| Cell::from(ns / 1e6).approximately(is_approximate(record));
    [in_ms(elapsed.mean).with_mark(caution(record)), elapsed.deviation.map(in_ms).unwrap_or_default()]
}
