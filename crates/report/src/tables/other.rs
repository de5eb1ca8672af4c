//! The results that no other table asks for: an operation this version does not know, a second result of the same
//! thing, another unit.

use super::ledger::cell;
use super::ledger::{Ledger, implementation};
use crate::once::each_once;
use crate::table::{Cell, Kind, Table};

/// The table of what is left, a result a row in its own unit; none where nothing is left.
pub(crate) fn table(ledger: &Ledger) -> Option<Table> {
    let units = each_once(ledger.left().map(|record| record.unit.as_str()));
    let mut table = Table::new("Other results").texts(["algorithm", "implementation", "operation", "of"]);
    for unit in &units {
        table = table.column(format!("in {}", unit.replace('-', " ")), Kind::number((*unit).to_owned()));
    }
    table = table.column("estimator", Kind::Text).column("samples", Kind::number("count"));
    for record in ledger.left() {
        let mut row: Vec<Cell> = vec![
            record.algorithm.as_str().into(),
            implementation(record).into(),
            record.operation.as_str().into(),
            record.subject.as_str().into(),
        ];
        row.extend(units.iter().map(
            |unit| {
                if *unit == record.unit { cell(record) } else { Cell::default() }
            },
        ));
        row.push(record.estimator.as_str().into());
        row.push(record.samples.into());
        table.keyed_row(record.algorithm.as_str(), row);
    }
    (!table.is_empty()).then(|| table.without_empty_columns())
}
