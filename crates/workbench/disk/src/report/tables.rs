//! What a cipher does to an encrypted disk: sectors, a real container, unlocking, and where the cipher is available.

use fieldtest_catalog::OWN_PORTABLE;
use fieldtest_measure::record::{OWN, Record};
use fieldtest_measure::words::UNMEASURED;
use fieldtest_report::Report;
use fieldtest_report::mark::{self, UNSAFE};
use fieldtest_report::tables::availability::{self, Places};
use fieldtest_report::tables::lead;
use fieldtest_report::tables::ledger::cell;
use fieldtest_report::tables::ledger::{Ledger, Which, fastest, remark_on_rounds};
use fieldtest_report::tables::primitives::pairs;
use fieldtest_report::tables::security::{status, verdicts};
use fieldtest_report::{Cell, Kind, Table};

use super::disk;
use crate::words::{
    BESIDE, BESIDE_A_SECTOR, Container, Direction, Operation, Published, Sealing, Sectors, Way,
};

/// What is told of a container, with the names of its columns.
const CONTAINER: [(Container, &str); 5] = [
    (Container::Format, "format"),
    (Container::Fill, "fill"),
    (Container::Read, "read"),
    (Container::Wall, "in all"),
    (Container::Cpu, "processor"),
];

/// What is done to sectors.
const OF_SECTORS: [Operation; 4] = [Operation::Encrypt, Operation::Decrypt, Operation::Seal, Operation::Open];

/// How the note begins that says whose a key derivation is.
const KEY_SLOT: &str = "key slot ";

/// The tables of the study: the overview, then each part in full.
pub(super) fn tables(report: &Report, ledger: &mut Ledger) -> Vec<Table> {
    vec![
        overview(report, ledger),
        disk::table(report, ledger),
        leads(report, ledger),
        sectors(report, ledger, Direction::Encrypt, "Encrypting"),
        sectors(report, ledger, Direction::Decrypt, "Decrypting"),
        sealed(report, ledger),
        containers(report, ledger),
        unlocking(ledger),
        availability::table(report, ledger, Places::Known, "Where it is available"),
        availability::table(report, ledger, Places::Here, "What this host has"),
        published(report, ledger),
    ]
}

/// The sizes of sectors that were measured, ascending.
pub(crate) fn sizes<'a>(records: impl Iterator<Item = &'a Record>) -> Vec<u32> {
    let of_sectors = records.filter(|record| OF_SECTORS.iter().any(|it| record.operation == *it));
    let mut sizes: Vec<u32> =
        of_sectors.filter_map(|record| Some(Sectors::read(&record.subject)?.size)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Why an algorithm is no choice for a disk, in words, if it is none: it is ruled out, or dm-crypt's specification of
/// it does not protect.
pub(crate) fn refusal<'a>(
    report: &'a Report,
    mut records: impl Iterator<Item = &'a Record>,
    algorithm: &str,
) -> Option<&'a str> {
    let refused = records
        .find(|it| it.algorithm == algorithm && it.operation == Operation::DmCrypt && it.value <= 0.0)
        .map(|record| record.notes.first().map_or("does not protect a disk", String::as_str));
    let ruled_out = report.ruled_out_by(algorithm).map(|note| note.text.as_str());
    let broken = (report.status(algorithm) == "broken").then_some("broken");
    ruled_out.or(refused).or(broken)
}

/// The algorithm's name, marked where it is no choice for a disk.
pub(super) fn named(report: &Report, ledger: &Ledger, algorithm: &str) -> Cell {
    let refusal = refusal(report, ledger.all(), algorithm);
    Cell::from(algorithm).with_mark(refusal.map(|_| UNSAFE))
}

/// The unit of an operation's figures.
fn unit_of<'a>(ledger: &Ledger<'a>, operation: Operation) -> &'a str {
    ledger.unit_of(operation.word(), None).unwrap_or("cycles")
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

/// Whether a specification protects a disk, with what is to be known of it.
fn specification_mark(record: &Record) -> Cell {
    let mark = if record.value > 0.0 { mark::available(true) } else { UNSAFE };
    let detail: Vec<&str> =
        std::iter::once(&record.subject).chain(&record.notes).map(String::as_str).collect();
    Cell::default().with_mark(Some(mark)).with_detail(detail.join("; "))
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

/// A real container of each cipher, and how it is named in the header.
fn containers(report: &Report, ledger: &mut Ledger) -> Table {
    let mut table = Table::new("LUKS2 containers")
        .column("algorithm", Kind::Text)
        .column("specification", Kind::Text)
        .column("beside the data", Kind::number("bytes"));
    for (_, name) in CONTAINER {
        table = table.column(name, Kind::number("s"));
    }
    let mut input = None;
    for algorithm in report.measured() {
        let of = |operation: Operation| Which { algorithm, operation: operation.word(), ..Which::default() };
        let specification = ledger.take(of(Operation::DmCrypt));
        let mut row = vec![
            named(report, ledger, algorithm),
            specification
                .map(|it| Cell::from(it.subject.as_str()).with_mark(specification_mark(it).mark))
                .map(|cell| cell.with_detail(specification.map_or("".into(), |it| it.notes.join("; "))))
                .into(),
            ledger
                .take(Which { subject: Some(BESIDE), unit: Some("bytes"), ..of(Operation::Overhead) })
                .map(cell)
                .into(),
        ];
        for (subject, _) in CONTAINER {
            let which = Which { subject: Some(subject.word()), unit: Some("s"), ..of(Operation::Container) };
            let record = ledger.take(which);
            input = input.or(record.and_then(|record| record.input.as_ref().zip(record.notes.first())));
            row.push(record.map(cell).into());
        }
        if specification.is_some() || row.iter().any(|cell| cell.number().is_some()) {
            table.keyed_row(algorithm, row);
        }
    }
    if let Some((input, how)) = input {
        table.note(format!("Filled with {}, {how}.", input.name));
    }
    if let Some(remark) = remark_on_rounds(ledger, &[Operation::Container.word()]) {
        table.note(remark);
    }
    table.note(
        "A container is formatted with the cheapest key slot, filled with an image, opened with its passphrase, read back and \
         compared, by the fastest implementation of each cipher that protects a disk.",
    );
    table.without_empty_columns()
}

/// What a passphrase costs, a row per key derivation.
fn unlocking(ledger: &mut Ledger) -> Table {
    let mut table = Table::new("Unlocking")
        .column("key derivation", Kind::Text)
        .column("unlock", Kind::number("s"))
        .column("of", Kind::Text);
    let mut how = None;
    let unlock = Which { operation: Operation::Unlock.word(), unit: Some("s"), ..Which::default() };
    while let Some(record) = ledger.take(unlock) {
        table.keyed_row(
            record.algorithm.as_str(),
            [
                record.subject.as_str().into(),
                cell(record),
                record.notes.iter().find(|note| note.starts_with(KEY_SLOT)).map_or("", String::as_str).into(),
            ],
        );
        how = how.or(record.notes.first());
    }
    let not = Which { operation: UNMEASURED, subject: Some(Operation::Unlock.word()), ..Which::default() };
    while let Some(record) = ledger.take(not) {
        table.note(format!("{}.", capital(&record.notes.join(", "))));
    }
    if let Some(how) = how {
        table.note(format!("{}.", capital(how)));
    }
    table.note(
        "t are passes, m is KiB of memory, p are lanes. The cost is chosen when a passphrase is set, and is the same for every \
         cipher: by default cryptsetup lets Argon2id take two seconds and up to 1 GiB.",
    );
    table.without_empty_columns()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// What others published, with what it counts.
fn published(report: &Report, ledger: &mut Ledger) -> Table {
    let unit = unit_of(ledger, Operation::EncryptPublished);
    let mut table =
        Table::new("Published elsewhere").column("algorithm", Kind::Text).column("by", Kind::Text);
    for direction in Direction::BOTH {
        table = table.column(direction.word(), Kind::number(unit.to_owned()));
    }
    let here = unit_of(ledger, Operation::Encrypt);
    table = table.column("converted", Kind::number("cycles/byte"));
    for direction in Direction::BOTH {
        table = table.column(format!("{} here", direction.word()), Kind::number(here.to_owned()));
    }
    let mut sources: Vec<String> = Vec::new();
    for algorithm in report.measured() {
        let mut subjects: Vec<&str> = Vec::new();
        for record in ledger.all().filter(|it| it.algorithm == algorithm) {
            let is_published = Direction::BOTH.iter().any(|it| record.operation == it.published());
            if is_published && !subjects.contains(&record.subject.as_str()) {
                subjects.push(&record.subject);
            }
        }
        for subject in subjects {
            let figures = Direction::BOTH.map(|direction| {
                let which = Which {
                    algorithm,
                    operation: direction.published().word(),
                    subject: Some(subject),
                    unit: Some(unit),
                    ..Which::default()
                };
                ledger.take(which)
            });
            for record in figures.into_iter().flatten().filter(|record| !record.notes.is_empty()) {
                let source = record.notes.join("; ");
                if !sources.contains(&source) {
                    sources.push(source);
                }
            }
            if figures.iter().any(Option::is_some) {
                let converted = Published::read(subject)
                    .zip(figures[0])
                    .and_then(|(published, record)| published.cycles_per_byte(record.value));
                let mut row = vec![named(report, ledger, algorithm), subject.into()];
                row.extend(figures.map(|it| it.map(cell).into()));
                row.push(converted.map(Cell::from).into());
                row.extend(
                    Direction::BOTH
                        .map(|it| measured_here(ledger, algorithm, subject, it, here).map(cell).into()),
                );
                table.keyed_row(algorithm, row);
            }
        }
    }
    for source in sources {
        table.note(format!("{source}."));
    }
    table.note(
        "Of other machines, in the kernel: for orientation, not for comparison. Before each stand the bytes of a call. Converted \
         are ticks of encryption of a Ryzen 9 5950X into core cycles, at 4.9 / 3.4 = 1.44 a tick, which is inferred from its clocks. \
         Here are this machine's figures of a page: beside generic code our portable one where it took part (-i all), \
         beside all other the fastest.",
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
