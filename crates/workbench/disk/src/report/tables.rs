//! The tables on disk encryption: what decides, and what sectors cost; containers and published results stand in files of
//! their own.

use fieldtest_measure::record::{OWN, Record};
use fieldtest_report::Report;
use fieldtest_report::once::{by_key, each_once};
use fieldtest_report::symbols::{self, UNSAFE};
use fieldtest_report::tables::availability::{self, Places};
use fieldtest_report::tables::lead;
use fieldtest_report::tables::ledger::cell;
use fieldtest_report::tables::ledger::{Ledger, Which, fastest};
use fieldtest_report::tables::primitives::pairs;
use fieldtest_report::tables::security::{status, verdicts};
use fieldtest_report::{Cell, Kind, Table};

use super::asked::{OF_SECTORS, named, refusal, sizes, specification_mark, unit_of};
use super::{containers, disk, published};
use crate::words::{BESIDE_A_SECTOR, Direction, Operation, Sealing, Sectors, Way};

/// The tables of the study: the overview, then each part in full.
pub(super) fn tables(report: &Report, ledger: &mut Ledger) -> Vec<Table> {
    vec![
        overview(report, ledger),
        disk::table(report, ledger),
        leads(report, ledger),
        sectors(report, ledger, Direction::Encrypt, "Encrypting"),
        sectors(report, ledger, Direction::Decrypt, "Decrypting"),
        sealed(report, ledger),
        containers::containers(report, ledger),
        containers::unlocking(ledger),
        availability::table(report, ledger, Places::Known, "Deployed support"),
        availability::table(report, ledger, Places::Here, "What this host has"),
        published::table(report, ledger),
    ]
}

/// The sizes and ways in which sectors were measured: subject and the name of its column.
fn columns(ledger: &Ledger) -> Vec<String> {
    let sizes = sizes(ledger.all());
    let of = |way| sizes.iter().map(move |size| Sectors { size: *size, way }.to_string());
    Way::ALL.into_iter().flat_map(of).collect()
}

/// One row per algorithm that code runs, with the results that most often decide.
fn overview(report: &Report, ledger: &mut Ledger) -> Table {
    let unit = unit_of(ledger, Operation::Encrypt);
    let pages = sizes(ledger.all()).into_iter().map(|size| Sectors { size, way: Way::Page });
    let subjects: Vec<String> = pages.map(|it| it.to_string()).collect();
    let of_throughput = ledger.all().filter(|record| record.operation == Operation::Throughput);
    let threads = each_once(of_throughput.map(|record| record.subject.as_str()));
    let mut table =
        Table::new("Key results").texts(["algorithm", "status"]).column("key", Kind::number("bytes"));
    table = table
        .numbers(&subjects, unit)
        .numbers(threads.iter().copied(), "GB/s")
        .column("diffusion", Kind::number("bytes"))
        .column("disk", Kind::Text);
    let mut shown: Vec<&str> = Vec::new();
    for algorithm in report.measured() {
        let of = |operation: Operation| Which::of(algorithm, operation.word());
        if ledger.find(of(Operation::Encrypt)).is_none() {
            continue;
        }
        let mut row = vec![
            named(report, ledger, algorithm),
            status(report, algorithm),
            report.size(algorithm, "key").into(),
        ];
        row.extend(subjects.iter().map(|subject| -> Cell {
            fastest(ledger.all(), algorithm, Operation::Encrypt.word(), subject, unit).map(cell).into()
        }));
        for subject in &threads {
            let which = of(Operation::Throughput).on(subject).in_unit("GB/s");
            row.push(ledger.cell(which));
        }
        row.push(ledger.cell(of(Operation::Diffusion).in_unit("bytes")));
        row.push(ledger.find(of(Operation::DmCrypt)).map(specification_mark).into());
        table.keyed_row(algorithm, row);
        shown.push(algorithm);
    }
    table.notes_of(verdicts(report, &shown));
    table.notes_of(refused_alone(report, ledger, &shown));
    table.note(
        "A page is 4096 bytes, encrypted with one call: one sector of 4096 bytes, or eight of 512. GB/s: encryption in \
         memory. The fastest implementation is shown.",
    );
    table.note(
        "Diffusion: bytes of a 4096-byte sector that change if one bit of its ciphertext does. With 16 or 17, an attacker who \
         can write to the disk can change a chosen place and nothing else; with one, flip a chosen bit. None of these ciphers detects it. \
         Disk: whether dm-crypt's specification of the cipher protects a disk.",
    );
    table.without_empty_columns()
}

/// Why dm-crypt's specifications are refused of algorithms that nothing else rules out.
fn refused_alone(report: &Report, ledger: &Ledger, algorithms: &[&str]) -> Vec<String> {
    let others = algorithms.iter().filter(|it| !report.is_unsafe(it));
    by_key(others.filter_map(|name| Some((refusal(report, ledger.all(), name)?, *name))))
        .into_iter()
        .map(|(text, names)| format!("{} {}: {text}.", UNSAFE.symbol, names.join(", ")))
        .collect()
}

/// How far this project's code is ahead of the best library, a row per algorithm and direction.
fn leads(report: &Report, ledger: &mut Ledger) -> Table {
    let columns = columns(ledger);
    let mut table = Table::new(lead::TITLE)
        .texts(["algorithm", "direction"])
        .numbers(&columns, "ratio")
        .column("best library", Kind::Text);
    for algorithm in report.measured() {
        for operation in OF_SECTORS {
            let mut rivals: Vec<&str> = Vec::new();
            let mut row = vec![named(report, ledger, algorithm), operation.word().into()];
            for of in &columns {
                let found = lead::take(ledger, algorithm, operation.word(), of);
                if let Some((_, rival)) = found.filter(|(_, rival)| !rivals.contains(rival)) {
                    rivals.push(rival);
                }
                row.push(found.map(|(lead, rival)| lead::cell(report, lead, rival)).into());
            }
            if !rivals.is_empty() {
                row.push(rivals.join(", ").into());
                table.keyed_row(algorithm, row);
            }
        }
    }
    table.note(format!(
        "How many times as long the best other implementation takes, in the same processes. {} Page is one call per \
         4096 bytes, bulk one per 256 KiB; before it stand the bytes of a sector.",
        lead::TOLD
    ));
    table
}

/// A row per implementation, a column per size and way.
fn sectors(report: &Report, ledger: &mut Ledger, direction: Direction, title: &str) -> Table {
    let unit = unit_of(ledger, direction.operation());
    let operation = direction.word();
    let columns = columns(ledger);
    let mut table = Table::new(title).texts(["algorithm", "implementation", "time"]).numbers(&columns, unit);
    for (algorithm, name) in pairs(report, ledger, &[operation]) {
        let time = Which::of(algorithm, Operation::ConstantTime.word()).by(name);
        // It stands in both tables, and is ticked by the first.
        let time = ledger.take(time).or_else(|| ledger.find(time));
        let mut row = vec![named(report, ledger, algorithm), report.code(name), time.map(timing).into()];
        for subject in &columns {
            row.push(ledger.cell(Which::of(algorithm, operation).on(subject).by(name).in_unit(unit)));
        }
        table.row_of_results(algorithm, row);
    }
    table.note(format!(
        "Per page of 4096 bytes, on data that stays in the core's caches. {OWN} chooses the fastest path of this machine. Time \
         is constant, or depends on key and data by tables, as far as it is known."
    ));
    table.without_empty_columns()
}

/// Ciphers that authenticate, a row per implementation.
fn sealed(report: &Report, ledger: &mut Ledger) -> Table {
    let unit = unit_of(ledger, Operation::Seal);
    let sizes = sizes(ledger.all());
    let columns: Vec<(Sealing, String)> = (Sealing::BOTH.into_iter())
        .flat_map(|it| {
            sizes.iter().map(move |size| (it, Sectors { size: *size, way: Way::Page }.to_string()))
        })
        .collect();
    let mut table = Table::new("Sealing and opening")
        .texts(["algorithm", "implementation", "time"])
        .column("per sector", Kind::number("bytes"))
        .numbers(columns.iter().map(|(sealing, subject)| format!("{} {subject}", sealing.word())), unit);
    for (algorithm, name) in pairs(report, ledger, &Sealing::BOTH.map(Sealing::word)) {
        let time = Which::of(algorithm, Operation::ConstantTime.word()).by(name);
        let beside = Which::of(algorithm, Operation::Overhead.word()).on(BESIDE_A_SECTOR);
        let mut row = vec![
            algorithm.into(),
            report.code(name),
            ledger.take(time).map(timing).into(),
            // It is of the algorithm, and stands beside each implementation.
            ledger.take(beside).or_else(|| ledger.find(beside)).map(cell).into(),
        ];
        for (sealing, subject) in &columns {
            let which = Which::of(algorithm, sealing.word()).on(subject).by(name).in_unit(unit);
            row.push(ledger.cell(which));
        }
        table.row_of_results(algorithm, row);
    }
    table.note(
        "Per page of 4096 bytes, copied and then sealed or opened in place. Each sector has its number and nonce and a 16-byte tag, \
         as in dm-crypt. That takes space: a disk has to store the nonce and tag of every sector.",
    );
    table.without_empty_columns()
}

/// Whether an implementation's time is independent of its secrets.
fn timing(record: &Record) -> Cell {
    let mark = if record.value > 0.0 { symbols::CONSTANT_TIME } else { symbols::TABLES };
    Cell::from(mark.word.to_string()).with_mark(Some(mark)).with_detail(record.notes.join(", "))
}
