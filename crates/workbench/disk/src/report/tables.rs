//! The tables on disk encryption: what decides, and what sectors cost; containers and published figures stand in files of
//! their own.

use fieldtest_measure::record::{OWN, Record};
use fieldtest_report::Report;
use fieldtest_report::mark::{self, UNSAFE};
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
        availability::table(report, ledger, Places::Known, "Where it is available"),
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

/// One row per algorithm that code runs, with the figures that most often decide.
fn overview(report: &Report, ledger: &mut Ledger) -> Table {
    let unit = unit_of(ledger, Operation::Encrypt);
    let pages = sizes(ledger.all()).into_iter().map(|size| Sectors { size, way: Way::Page });
    let subjects: Vec<String> = pages.map(|it| it.to_string()).collect();
    let mut threads: Vec<&str> = Vec::new();
    for record in ledger.all().filter(|record| record.operation == Operation::Throughput) {
        if !threads.contains(&record.subject.as_str()) {
            threads.push(&record.subject);
        }
    }
    let mut table = Table::new("What decides")
        .column("algorithm", Kind::Text)
        .column("status", Kind::Text)
        .column("key", Kind::number("bytes"));
    for subject in &subjects {
        table = table.column(subject.as_str(), Kind::number(unit.to_owned()));
    }
    for words in &threads {
        table = table.column(*words, Kind::number("GB/s"));
    }
    table = table.column("a bit garbles", Kind::number("bytes")).column("disk", Kind::Text);
    let mut shown: Vec<&str> = Vec::new();
    for algorithm in report.measured() {
        let of = |operation: Operation| Which { algorithm, operation: operation.word(), ..Which::default() };
        if ledger.find(of(Operation::Encrypt)).is_none() {
            continue;
        }
        let sizes = report.candidate(algorithm).map_or(&[][..], |candidate| &candidate.sizes);
        let key = sizes.iter().find(|(name, _)| name == "key").map(|(_, bytes)| *bytes);
        let mut row = vec![named(report, ledger, algorithm), status(report, algorithm), key.into()];
        row.extend(subjects.iter().map(|subject| -> Cell {
            fastest(ledger.all(), algorithm, Operation::Encrypt.word(), subject, unit).map(cell).into()
        }));
        for subject in &threads {
            let which = Which { subject: Some(subject), unit: Some("GB/s"), ..of(Operation::Throughput) };
            row.push(ledger.take(which).map(cell).into());
        }
        row.push(ledger.take(Which { unit: Some("bytes"), ..of(Operation::Diffusion) }).map(cell).into());
        row.push(ledger.find(of(Operation::DmCrypt)).map(specification_mark).into());
        table.keyed_row(algorithm, row);
        shown.push(algorithm);
    }
    for verdict in verdicts(report, &shown) {
        table.note(verdict);
    }
    for refused in refused_alone(report, ledger, &shown) {
        table.note(refused);
    }
    table.note(
        "A page is 4096 bytes, encrypted with one call: one sector of 4096 bytes, or eight of 512. GB/s are of encryption in \
         memory. Of several implementations the fastest is shown.",
    );
    table.note(
        "A bit garbles so many bytes of a sector of 4096 if one bit of its ciphertext is changed: 16 or 17 let somebody who \
         can write to the disk garble a chosen place and nothing else, one lets them flip a chosen bit. No cipher here detects it. \
         Disk says whether dm-crypt's specification of the cipher protects a disk.",
    );
    table.without_empty_columns()
}

/// Why dm-crypt's specifications are refused of algorithms that nothing else rules out.
fn refused_alone(report: &Report, ledger: &Ledger, algorithms: &[&str]) -> Vec<String> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    for algorithm in algorithms.iter().filter(|it| !report.is_unsafe(it)) {
        let Some(text) = refusal(report, ledger.all(), algorithm) else { continue };
        match found.iter_mut().find(|(known, _)| *known == text) {
            Some((_, names)) => names.push(algorithm),
            None => found.push((text, vec![algorithm])),
        }
    }
    found
        .into_iter()
        .map(|(text, names)| format!("{} {}: {text}.", UNSAFE.symbol, names.join(", ")))
        .collect()
}

/// How far this project's code is ahead of the best library, a row per algorithm and direction.
fn leads(report: &Report, ledger: &mut Ledger) -> Table {
    let columns = columns(ledger);
    let mut table = Table::new(lead::TITLE).column("algorithm", Kind::Text).column("direction", Kind::Text);
    for name in &columns {
        table = table.column(name.as_str(), Kind::number("ratio"));
    }
    table = table.column("best library", Kind::Text);
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
    let mut table = Table::new(title)
        .column("algorithm", Kind::Text)
        .column("implementation", Kind::Text)
        .column("time", Kind::Text);
    for name in &columns {
        table = table.column(name.as_str(), Kind::number(unit.to_owned()));
    }
    for (algorithm, name) in pairs(report, ledger, &[operation]) {
        let implementation = Some(name);
        let time = Operation::ConstantTime.word();
        let time = Which { algorithm, operation: time, implementation, ..Which::default() };
        // It stands in both tables, and is ticked by the first.
        let time = ledger.take(time).or_else(|| ledger.find(time));
        let mut row = vec![named(report, ledger, algorithm), report.code(name), time.map(timing).into()];
        for subject in &columns {
            let which =
                Which { algorithm, operation, subject: Some(subject), implementation, unit: Some(unit) };
            row.push(ledger.take(which).map(cell).into());
        }
        if row.iter().any(|cell| cell.number().is_some()) {
            table.keyed_row(algorithm, row);
        }
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
        .column("algorithm", Kind::Text)
        .column("implementation", Kind::Text)
        .column("time", Kind::Text)
        .column("beside a sector", Kind::number("bytes"));
    for (sealing, subject) in &columns {
        table = table.column(format!("{} {subject}", sealing.word()), Kind::number(unit.to_owned()));
    }
    for (algorithm, name) in pairs(report, ledger, &Sealing::BOTH.map(Sealing::word)) {
        let implementation = Some(name);
        let time = Which {
            algorithm,
            operation: Operation::ConstantTime.word(),
            implementation,
            ..Which::default()
        };
        let beside = Which {
            algorithm,
            operation: Operation::Overhead.word(),
            subject: Some(BESIDE_A_SECTOR),
            ..Which::default()
        };
        let mut row = vec![
            algorithm.into(),
            report.code(name),
            ledger.take(time).map(timing).into(),
            // It is of the algorithm, and stands beside each implementation.
            ledger.take(beside).or_else(|| ledger.find(beside)).map(cell).into(),
        ];
        for (sealing, subject) in &columns {
            let (operation, subject) = (sealing.word(), Some(subject.as_str()));
            row.push(
                ledger
                    .take(Which { algorithm, operation, subject, implementation, unit: Some(unit) })
                    .map(cell)
                    .into(),
            );
        }
        if row.iter().any(|cell| cell.number().is_some()) {
            table.keyed_row(algorithm, row);
        }
    }
    table.note(
        "Per page of 4096 bytes, copied and then sealed or opened where it lies, each sector with its number and nonce beside it and \
         a tag of 16 bytes, as dm-crypt has it. That costs room: a disk has to store nonce and tag of every sector.",
    );
    table.without_empty_columns()
}

/// Whether an implementation's time is independent of its secrets.
fn timing(record: &Record) -> Cell {
    let mark = if record.value > 0.0 { mark::CONSTANT_TIME } else { mark::TABLES };
    Cell::from(mark.word.to_string()).with_mark(Some(mark)).with_detail(record.notes.join(", "))
}
