//! A real container of each cipher, and what a passphrase costs.

use fieldtest_measure::words::UNMEASURED;
use fieldtest_report::Report;
use fieldtest_report::tables::ledger::cell;
use fieldtest_report::tables::ledger::{Ledger, Which, remark_on_rounds};
use fieldtest_report::{Cell, Kind, Table};

use super::asked::{named, specification_mark};
use crate::words::{BESIDE, Container, Operation};

/// What is told of a container, with the names of its columns.
const CONTAINER: [(Container, &str); 5] = [
    (Container::Format, "format"),
    (Container::Fill, "fill"),
    (Container::Read, "read"),
    (Container::Wall, "in all"),
    (Container::Cpu, "processor"),
];

/// How the note begins that says whose a key derivation is.
const KEY_SLOT: &str = "key slot ";

/// A real container of each cipher, and how it is named in the header.
pub(super) fn containers(report: &Report, ledger: &mut Ledger) -> Table {
    let mut table = Table::new("LUKS2 containers")
        .texts(["algorithm", "specification"])
        .column("overhead", Kind::number("bytes"))
        .numbers(CONTAINER.into_iter().map(|(_, name)| name), "s");
    let mut input = None;
    for algorithm in report.measured() {
        let of = |operation: Operation| Which::of(algorithm, operation.word());
        let specification = ledger.take(of(Operation::DmCrypt));
        let mut row = vec![
            named(report, ledger, algorithm),
            specification
                .map(|it| Cell::from(it.subject.as_str()).with_mark(specification_mark(it).mark))
                .map(|cell| cell.with_detail(specification.map_or("".into(), |it| it.notes.join("; "))))
                .into(),
            ledger.cell(of(Operation::Overhead).on(BESIDE).in_unit("bytes")),
        ];
        for (subject, _) in CONTAINER {
            let which = of(Operation::Container).on(subject.word()).in_unit("s");
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
    table.notes_of(remark_on_rounds(ledger, &[Operation::Container.word()]));
    table.note(
        "Each container is formatted with the cheapest keyslot, filled with an image, opened with its passphrase, read back and \
         compared, with the fastest implementation of each cipher that protects a disk.",
    );
    table.without_empty_columns()
}

/// What a passphrase costs, a row per key derivation.
pub(super) fn unlocking(ledger: &mut Ledger) -> Table {
    let mut table = Table::new("Unlocking")
        .column("key derivation", Kind::Text)
        .column("unlock", Kind::number("s"))
        .column("of", Kind::Text);
    let mut how = None;
    let unlock = Which::of("", Operation::Unlock.word()).in_unit("s");
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
    let not = Which::of("", UNMEASURED).on(Operation::Unlock.word());
    while let Some(record) = ledger.take(not) {
        table.note(format!("{}.", capital(&record.notes.join(", "))));
    }
    if let Some(how) = how {
        table.note(format!("{}.", capital(how)));
    }
    table.note(
        "t: passes, m: KiB of memory, p: lanes. The cost is chosen when a passphrase is set, and is the same for every \
         cipher: by default cryptsetup lets Argon2id take two seconds and up to 1 GiB.",
    );
    table.without_empty_columns()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
