//! What others published of a cipher, beside what this machine measured.

use fieldtest_catalog::OWN_PORTABLE;
use fieldtest_measure::record::Record;
use fieldtest_report::Report;
use fieldtest_report::once::each_once;
use fieldtest_report::tables::ledger::cell;
use fieldtest_report::tables::ledger::{Ledger, Which, fastest};
use fieldtest_report::{Cell, Kind, Table};

use super::asked::{named, unit_of};
use crate::words::{Direction, Operation, Published, Sectors, Way};

pub(super) fn table(report: &Report, ledger: &mut Ledger) -> Table {
    let unit = unit_of(ledger, Operation::EncryptPublished);
    let mut table = Table::new("Published elsewhere")
        .texts(["algorithm", "by"])
        .numbers(Direction::BOTH.into_iter().map(|direction| direction.word()), unit);
    let here = unit_of(ledger, Operation::Encrypt);
    table = table.column("converted", Kind::number("cycles/byte")).numbers(
        Direction::BOTH.into_iter().map(|direction| format!("{}, this host", direction.word())),
        here,
    );
    let mut sources: Vec<String> = Vec::new();
    for algorithm in report.measured() {
        let is_published = |it: &&Record| {
            it.algorithm == algorithm && Direction::BOTH.iter().any(|of| it.operation == of.published())
        };
        for subject in each_once(ledger.all().filter(is_published).map(|it| it.subject.as_str())) {
            let results = Direction::BOTH.map(|direction| {
                let which = Which::of(algorithm, direction.published().word()).on(subject).in_unit(unit);
                ledger.take(which)
            });
            let noted = results.into_iter().flatten().filter(|record| !record.notes.is_empty());
            sources.extend(noted.map(|record| format!("{}.", record.notes.join("; "))));
            if results.iter().any(Option::is_some) {
                let converted = Published::read(subject)
                    .zip(results[0])
                    .and_then(|(published, record)| published.cycles_per_byte(record.value));
                let mut row = vec![named(report, ledger, algorithm), subject.into()];
                row.extend(results.map(|it| it.map(cell).into()));
                row.push(converted.map(Cell::from).into());
                row.extend(
                    Direction::BOTH
                        .map(|it| measured_here(ledger, algorithm, subject, it, here).map(cell).into()),
                );
                table.keyed_row(algorithm, row);
            }
        }
    }
    table.notes_of(each_once(sources));
    table.note(
        "Results of other machines, in the kernel: for orientation, not for comparison. The first number is the bytes of a call. \
         Converted: ticks of encryption on a Ryzen 9 5950X in core cycles, at 4.9 / 3.4 = 1.44 per tick, inferred from its clocks. \
         Here: this machine's results for a page, next to generic code those of our portable code if it took part (-i all), \
         next to other code those of the fastest.",
    );
    table.without_empty_columns()
}

/// What this machine measured of what was published: portable code beside generic code, and else the fastest.
fn measured_here<'a>(
    ledger: &Ledger<'a>,
    algorithm: &str,
    published: &str,
    direction: Direction,
    unit: &str,
) -> Option<&'a Record> {
    let published = Published::read(published)?;
    let subject = Sectors { size: published.bytes, way: Way::Page }.to_string();
    if !published.is_generic() {
        return fastest(ledger.all(), algorithm, direction.word(), &subject, unit);
    }
    let is_portable = |record: &&Record| {
        record.algorithm == algorithm
            && record.operation == direction.operation()
            && record.subject == subject
            && record.unit == unit
            && record.implementation.as_ref().is_some_and(|it| it.name == OWN_PORTABLE)
    };
    ledger.all().find(is_portable)
}
