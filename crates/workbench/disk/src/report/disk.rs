//! The disk that a study was measured on: the cipher in use, what others would take, and what reading it allows.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::Time;
use fieldtest_report::number::grouped;
use fieldtest_report::tables::ledger::{Ledger, Which, cell, fastest, implementation, remark_on_rounds};
use fieldtest_report::tables::primitives::pairs;
use fieldtest_report::{Cell, Kind, Report, Table};

use super::asked::{named, sizes};
use crate::words::{Operation, ReadFrom, Sectors, Threads, Way};

/// A row per algorithm, with ratios to the cipher in use.
pub(super) fn table(report: &Report, ledger: &mut Ledger) -> Table {
    let in_use = ledger.take(Which::of("", Operation::InUse.word()));
    let rates =
        ReadFrom::ALL.map(|from| ledger.take(Which::of("", Operation::ReadRate.word()).on(from.word())));
    let unit = ledger.unit_of(Operation::Encrypt.word(), None).unwrap_or("cycles");
    let page = "a page";
    let mut table = Table::new("Your disk")
        .texts(["algorithm", "in use", "implementation"])
        .column(page, Kind::number(unit.to_owned()))
        .ratio_of(page)
        .column("all of it, wall", Kind::number("s"))
        .ratio_of("all of it, wall")
        .column("all of it, processor", Kind::number("s"));
    let largest = sizes(ledger.all()).last().copied();
    let subject = largest.map(|size| Sectors { size, way: Way::Page }.to_string());
    let known = pairs(report, ledger, &[Operation::Reencrypt.word()]);
    let (mut rows, mut of) = (0, None);
    for algorithm in report.measured() {
        let is_used = in_use.filter(|record| record.algorithm == algorithm);
        let name = known.iter().find(|(of, _)| *of == algorithm).map(|(_, name)| *name);
        if is_used.is_none() && name.is_none() {
            continue;
        }
        let pages = subject
            .as_deref()
            .and_then(|subject| fastest(ledger.all(), algorithm, Operation::Encrypt.word(), subject, unit));
        let mut row = vec![
            named(report, ledger, algorithm),
            is_used.map_or(Cell::default(), |record| {
                Cell::from(record.subject.as_str()).with_detail(record.notes.join("; "))
            }),
            report.code(name.unwrap_or_default()),
            pages.map(cell).into(),
        ];
        for time in Time::ALL {
            let which = Which::of(algorithm, Operation::Reencrypt.word()).on(time.word()).in_unit("s");
            let which = Which { implementation: name, ..which };
            of = of.or(ledger.find(which));
            row.push(ledger.show(which));
        }
        if is_used.is_some() {
            table.baseline(rows);
        }
        table.keyed_row(algorithm, row);
        rows += 1;
    }
    if let Some(note) = what_it_is(of.or(rates[0]).or(rates[1]), in_use) {
        table.note(note);
    }
    if let Some(note) = what_limits(ledger, in_use, rates) {
        table.note(note);
    }
    table.notes_of(remark_on_rounds(ledger, &[Operation::Reencrypt.word()]));
    if of.is_some() {
        let old =
            if in_use.is_some() { "decrypted with the cipher in use and encrypted" } else { "encrypted" };
        table.note(format!(
            "All of it: the disk's data {old}, in memory on all cores, extrapolated on a straight line from two parts of a \
             sample. Reading and writing are not included."
        ));
    }
    table.without_empty_columns()
}

/// Which disk it is, and what it is encrypted with.
fn what_it_is(of: Option<&Record>, in_use: Option<&Record>) -> Option<String> {
    let input = of?.input.as_ref()?;
    let bytes = grouped(&input.bytes.to_string());
    let how = match in_use {
        Some(record) => {
            format!("under {} ({}), {}", record.subject, record.algorithm, record.notes.join(", "))
        }
        None => "without a LUKS2 header with a supported cipher: no cipher is in use".to_owned(),
    };
    Some(format!("On {}, {bytes} bytes, {how}.", input.name))
}

/// Whether the cipher or the disk is slower, as far as one core and all of them tell.
fn what_limits(ledger: &Ledger, in_use: Option<&Record>, rates: [Option<&Record>; 2]) -> Option<String> {
    let told = |(from, rate): (ReadFrom, &Record)| {
        let from = if from == ReadFrom::Device { "the device" } else { "the page cache" };
        format!("{:.2} GB/s from {from}", rate.value)
    };
    let shown: Vec<String> =
        ReadFrom::ALL.into_iter().zip(rates).filter_map(|(from, rate)| Some(told((from, rate?)))).collect();
    let first = rates[0].or(rates[1])?;
    let before = first.notes.last().map(|note| format!(" ({note})")).unwrap_or_default();
    let mut note = format!("It is read with {}{before}.", shown.join(" and "));
    if rates[0].is_none() {
        note.push_str(" Its pages stayed in the page cache, as pages do that are not written back yet or exist only in memory: the device was not measured.");
    }
    let algorithm = in_use.map_or(first.algorithm.as_str(), |record| record.algorithm.as_str());
    let of_cipher = ledger
        .all()
        .filter(|record| record.algorithm == algorithm && record.operation == Operation::Throughput)
        .filter_map(|record| Some((Threads::read(&record.subject)?.0, record)))
        .max_by_key(|(threads, _)| *threads);
    if let (Some((_, cipher)), Some(device)) = (of_cipher, rates[0]) {
        let apart = match (cipher.interval, device.interval) {
            (Some([low, high]), Some([least, most])) => low > most || high < least,
            _ => false,
        };
        let verdict = match (apart, cipher.value > device.value) {
            (false, _) => "their difference is not significant, so either may be the limit",
            (true, true) => "the device limits, not the cipher",
            (true, false) => "the cipher limits, not the device",
        };
        note.push_str(&format!(
            " {algorithm} by {} encrypts {:.2} GB/s in memory with {}: {verdict}.",
            implementation(cipher),
            cipher.value,
            cipher.subject
        ));
    }
    Some(note)
}
