//! The server's own signer beside this program's: the same zone, the same algorithms.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{Time, UNMEASURED};
use fieldtest_report::tables::ledger::{
    Ledger, Which, cell, implementation, is_approximate, least, remark_on_rounds,
};
use fieldtest_report::tables::primitives::pairs;
use fieldtest_report::{Cell, Kind, Report, Table};

use crate::words::Operation;

pub(super) fn table(report: &Report, ledger: &mut Ledger) -> Table {
    let mut table = Table::new("The server's own signer")
        .texts(["algorithm", "signer"])
        .numbers(["signer, wall", "signer, processor"], "s")
        .ratio_of("signer, processor")
        .column("fieldtest, processor", Kind::number("s"))
        .column("multiple", Kind::number("ratio"));
    let own = Operation::ServerSignZone.word();
    let pairs = pairs(report, ledger, &[own]);
    for &(algorithm, signer) in &pairs {
        let mut row: Vec<Cell> = vec![algorithm.into(), signer.into()];
        let of = |operation, implementation, time: Time| Which {
            implementation,
            ..Which::of(algorithm, operation).on(time.word()).in_unit("s")
        };
        row.extend(Time::ALL.map(|time| ledger.show(of(own, Some(signer), time))));
        let theirs = ledger.find(of(own, Some(signer), Time::Cpu));
        let fastest = fastest_signer(ledger, algorithm);
        let ours = ledger.find(of(Operation::SignZone.word(), fastest, Time::Cpu));
        row.push(ours.map(cell).into());
        row.push(theirs.zip(ours).and_then(multiple).into());
        table.keyed_row(algorithm, row);
    }
    table.baseline_of(report.baseline());
    if let Some(signer) = ledger
        .all()
        .filter(|record| record.operation == Operation::ServerSignZone)
        .find_map(|record| record.implementation.as_ref())
    {
        table.note(format!(
            "{} {} signs from file to file, as a separate program including its start; fieldtest signs in memory, with \
             the fastest signer. The multiple compares the processor time of all cores; its interval combines both intervals.",
            signer.name, signer.version
        ));
    }
    table.notes_of(remark_on_rounds(ledger, &[own]));
    for record in ledger.all().filter(|it| it.operation == UNMEASURED && it.subject == own) {
        table.note(format!("{}: {}", record.algorithm, record.notes.join(", ")));
    }
    table.without_empty_columns()
}

/// A result over another one, where both have an interval.
fn multiple((theirs, ours): (&Record, &Record)) -> Option<Cell> {
    let (of_theirs, of_ours) = theirs.interval.zip(ours.interval).filter(|(_, [low, _])| *low > 0.0)?;
    let interval = [of_theirs[0] / of_ours[1], of_theirs[1] / of_ours[0]];
    Some(
        Cell::from(theirs.value / ours.value)
            .with_interval(Some(interval))
            .approximately(is_approximate(ours)),
    )
}

/// The implementation of this program's that signs the zone first.
pub(super) fn fastest_signer<'a>(ledger: &Ledger<'a>, algorithm: &str) -> Option<&'a str> {
    fastest_in(ledger, algorithm, Operation::SignZone)
}

/// The implementation that has this done first.
pub(super) fn fastest_in<'a>(ledger: &Ledger<'a>, algorithm: &str, operation: Operation) -> Option<&'a str> {
    let runs = ledger.all().filter(|record| {
        record.algorithm == algorithm
            && record.operation == operation
            && record.subject == Time::Wall
            && record.unit == "s"
    });
    least(runs).map(implementation)
}
