//! What authenticating the traffic of a capture takes, and what the option does to it.

use fieldtest_measure::words::Time;
use fieldtest_report::number::grouped;
use fieldtest_report::tables::ledger::{Ledger, Which, cell, implementation, remark_on_rounds};
use fieldtest_report::tables::primitives::pairs;
use fieldtest_report::tables::security::named;
use fieldtest_report::{Cell, Kind, Report, Table};

use crate::words::{Effect, Operation};

/// A row per algorithm: its options in the capture, and the time of all MACs by its fastest implementation.
pub(super) fn table(report: &Report, ledger: &mut Ledger) -> Table {
    let mut table = Table::new("Your traffic")
        .texts(["algorithm", "implementation"])
        .numbers(["all, wall", "all, processor"], "s")
        .numbers(["a segment, wall", "a segment, processor"], "ns")
        .numbers(["no room", "SACK blocks lost", "over the MSS"], "count")
        .column("added", Kind::number("bytes"));
    let mut of = None;
    for algorithm in report.measured() {
        let found = ledger.all().find(|record| {
            record.algorithm == algorithm
                && record.operation == Operation::Capture
                && record.implementation.is_some()
        });
        let mut names: Vec<&str> = found.map(implementation).into_iter().collect();
        if names.is_empty() {
            let known = pairs(report, ledger, &[Operation::Capture.word()]);
            names.extend(known.iter().find(|(of, _)| *of == algorithm).map(|(_, name)| *name));
        }
        let name = names.first().copied();
        let mut row = vec![named(report, algorithm), report.code(name.unwrap_or_default())];
        for (operation, unit) in [(Operation::Capture, "s"), (Operation::CaptureSegment, "ns")] {
            for time in Time::ALL {
                let which = Which::of(algorithm, operation.word()).on(time.word()).in_unit(unit);
                row.push(ledger.show(Which { implementation: name, ..which }));
            }
        }
        for effect in Effect::ALL {
            let record =
                ledger.take(Which::of(algorithm, Operation::CaptureOptions.word()).on(effect.word()));
            if effect == Effect::Added {
                of = of.or(record);
            }
            row.push(record.map(cell).into());
        }
        if row.iter().skip(2).any(|cell: &Cell| cell.number().is_some() || cell.mark.is_some()) {
            table.keyed_row(algorithm, row);
        }
    }
    if let Some((record, input)) = of.and_then(|record| Some((record, record.input.as_ref()?))) {
        let bytes = grouped(&input.bytes.to_string());
        table.note(format!("On {}, {bytes} bytes of IP packets: {}.", input.name, record.notes.join("; ")));
    }
    table.notes_of(remark_on_rounds(ledger, &[Operation::Capture.word()]));
    table.note(
        "All is every segment given its option and its MAC in memory, one after the other on each core, with the traffic keys \
         of every connection made before, by each algorithm's fastest implementation. No room: the segment's other options \
         leave none, and it gets no MAC. SACK blocks lost: it has to give up acknowledgements. Over the MSS: it fits what the \
         other end takes, or 1500 bytes where the capture does not say, and does not with the option: data moves to another segment.",
    );
    table.without_empty_columns()
}
