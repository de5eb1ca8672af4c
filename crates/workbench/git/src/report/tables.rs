//! What a hash function does to Git: messages, the whole repository, the room that longer names take, and where the
//! function is to be had.

use fieldtest_measure::record::Record;
use fieldtest_report::Report;
use fieldtest_report::number::grouped;
use fieldtest_report::tables::availability::{self, Places, known_places};
use fieldtest_report::tables::lead::{self, Leads};
use fieldtest_report::tables::ledger::cell;
use fieldtest_report::tables::ledger::{Ledger, Which, fastest};
use fieldtest_report::tables::primitives::pairs;
use fieldtest_report::tables::security::{named, status, verdicts};
use fieldtest_report::{Cell, Kind, Table};

/// The ways messages are hashed, as the records and as people call them.
pub(crate) const WAYS: [(&str, &str); 2] = [("single", "one at a time"), ("many", "many at once")];
/// The operation of how far this project's code is ahead for messages of one size.
pub(crate) const LEAD: &str = "hash-lead";
/// What stands for the sizes of the repository's own objects where others say bytes.
pub(crate) const REPOSITORY: &str = "repository";
/// The bytes that an object more takes in trees and in the index of its pack.
pub(crate) const MORE: &str = "more for each object";

/// The operation of published figures.
const PUBLISHED: &str = "hash-published";
/// The operations on the whole repository, with what people call them.
const WHOLE: [(&str, &str); 2] = [("rehash", "hash"), ("map", "map")];
/// The storage that is told, with the names of its columns.
const STORAGE: [(&str, &str); 4] = [
    ("trees", "trees"),
    ("pack index", "pack index"),
    ("both names", "both names"),
    (MORE, "more per object"),
];

/// The tables of the study: the overview, then each part in full.
pub(super) fn tables(report: &Report, ledger: &mut Ledger) -> Vec<Table> {
    let mut tables = vec![overview(report, ledger)];
    for (way, words) in WAYS {
        tables.push(messages(report, ledger, way, &format!("Messages {words}")));
    }
    for way in &WAYS {
        let leads = leads(ledger, way);
        tables.push(lead::table(report, ledger, &leads));
    }
    tables.push(repository(report, ledger));
    tables.push(storage(report, ledger));
    tables.push(availability::table(report, ledger, Places::Known, "Where it is available"));
    tables.push(availability::table(report, ledger, Places::Here, "What this host has"));
    tables.push(published(report, ledger));
    tables
}

/// What the leads are told of, for one way of hashing: with both, the table would be too wide.
fn leads<'a>(ledger: &Ledger, way: &'a (&'a str, &'a str)) -> Leads<'a> {
    let sizes = sizes(ledger.all()).into_iter().map(|size| (size.to_owned(), heading(size)));
    Leads {
        title: format!("{}, {}", lead::TITLE, way.1),
        operation: LEAD,
        things: "messages",
        ways: std::slice::from_ref(way),
        sizes: sizes.collect(),
    }
}

/// Splits `64 single` or `repository many` into the size and the way.
pub(crate) fn split(subject: &str) -> Option<(&str, &str)> {
    subject.rsplit_once(' ').filter(|(_, way)| WAYS.iter().any(|(known, _)| known == way))
}

/// The sizes that messages were hashed in, ascending; the repository's own come last.
pub(crate) fn sizes<'a>(records: impl Iterator<Item = &'a Record>) -> Vec<&'a str> {
    let hashed = records.filter(|record| record.operation == "hash");
    let mut sizes: Vec<&str> = hashed.filter_map(|record| Some(split(&record.subject)?.0)).collect();
    sizes.sort_by_key(|size| (size.parse::<u64>().unwrap_or(u64::MAX), *size));
    sizes.dedup();
    sizes
}

/// The name of the column of a size.
pub(super) fn heading(size: &str) -> String {
    if size.parse::<u64>().is_ok() { format!("{size} bytes") } else { size.to_owned() }
}

/// A size within a sentence.
pub(crate) fn in_words(size: &str) -> String {
    if size == REPOSITORY { "the repository's sizes".to_owned() } else { heading(size) }
}

/// The record of decoding the repository without hashing it, `wall` or `cpu`; its algorithm is the repository's own.
pub(crate) fn decoding<'a>(mut records: impl Iterator<Item = &'a Record>, time: &str) -> Option<&'a Record> {
    records.find(|record| record.operation == "decode" && record.subject == time && record.unit == "s")
}

/// One row per algorithm, with the figures that most often decide.
fn overview(report: &Report, ledger: &mut Ledger) -> Table {
    let unit = unit_of(ledger);
    let size = sizes(ledger.all()).last().copied().unwrap_or(REPOSITORY);
    let mut table = Table::new("What decides")
        .column("algorithm", Kind::Text)
        .column("status", Kind::Text)
        .column("digest", Kind::number("bytes"))
        .column("collision", Kind::number("bits"));
    for (_, words) in WAYS {
        table = table.column(words, Kind::number(unit.to_owned()));
    }
    table = table
        .column("whole map", Kind::number("s"))
        .column("more per object", Kind::number("bytes"))
        .column("available in", Kind::number("places"));
    let algorithms: Vec<&str> = report
        .measured()
        .into_iter()
        .filter(|it| ledger.all().any(|record| record.algorithm == *it))
        .collect();
    for algorithm in &algorithms {
        let sizes = report.candidate(algorithm).map_or(&[][..], |candidate| &candidate.sizes);
        let digest = sizes.iter().find(|(name, _)| name == "digest").map(|(_, bytes)| *bytes);
        let collision = Which { algorithm, operation: "collision", unit: Some("bits"), ..Which::default() };
        let mut row: Vec<Cell> = vec![
            named(report, algorithm),
            status(report, algorithm),
            digest.into(),
            ledger.take(collision).map(cell).into(),
        ];
        let least = |operation, subject: &str, unit| -> Cell {
            fastest(ledger.all(), algorithm, operation, subject, unit).map(cell).into()
        };
        row.extend(WAYS.map(|(way, _)| least("hash", &format!("{size} {way}"), unit)));
        row.push(least("map", "wall", "s"));
        row.push(least("storage", MORE, "bytes"));
        let places = known_places(ledger.all(), algorithm);
        row.push(places.map(|(having, _)| Cell::from(having.len()).with_detail(having.join(", "))).into());
        // The intervals stand with the same figures further down; here they would hide the others.
        table.keyed_row(*algorithm, row.into_iter().map(|cell| cell.with_interval(None)));
    }
    for verdict in verdicts(report, &algorithms) {
        table.note(verdict);
    }
    table.note(format!(
        "One at a time and many at once are of messages of {}. Whole map is the wall time from the pack to the new name of \
         every object. Of several implementations the fastest is shown.",
        in_words(size)
    ));
    table.note(
        "More per object is what trees and the pack's index grow by, against the names that the repository has; available \
         is in how many of the places that were looked up.",
    );
    table.without_empty_columns()
}

/// The unit of the messages' figures.
fn unit_of<'a>(ledger: &Ledger<'a>) -> &'a str {
    ledger.unit_of("hash", None).unwrap_or("cycles/byte")
}

/// A row per implementation, a column per size.
fn messages(report: &Report, ledger: &mut Ledger, way: &str, title: &str) -> Table {
    let unit = unit_of(ledger);
    let sizes = sizes(ledger.all());
    let mut table = Table::new(title).column("algorithm", Kind::Text).column("implementation", Kind::Text);
    for size in &sizes {
        table = table.column(heading(size), Kind::number(unit.to_owned()));
    }
    for (algorithm, name) in pairs(report, ledger, &["hash"]) {
        let mut row = vec![named(report, algorithm), name.into()];
        for size in &sizes {
            let subject = format!("{size} {way}");
            let which = Which {
                algorithm,
                operation: "hash",
                subject: Some(&subject),
                implementation: Some(name),
                unit: Some(unit),
            };
            row.push(ledger.take(which).map(cell).into());
        }
        if row.iter().any(|cell| cell.number().is_some()) {
            table.keyed_row(algorithm, row);
        }
    }
    table.note(
        "Columns are bytes of content, to which Git's header of the object comes; repository is a mixture of the sizes of \
         the repository's objects.",
    );
    table.without_empty_columns()
}

/// What it takes to hash every object and to name them all anew, beside what decoding takes.
fn repository(report: &Report, ledger: &mut Ledger) -> Table {
    let mut table = Table::new("The whole repository")
        .column("algorithm", Kind::Text)
        .column("implementation", Kind::Text);
    for (_, words) in WHOLE {
        table = table
            .column(format!("{words}, wall"), Kind::number("s"))
            .column(format!("{words}, processor"), Kind::number("s"));
    }
    table = table.column("hashing is", Kind::number("share"));
    let [decode_wall, decode] = ["wall", "cpu"].map(|time| {
        let which = Which { operation: "decode", subject: Some(time), unit: Some("s"), ..Which::default() };
        ledger.take(which)
    });
    if let Some(record) = decode_wall.or(decode) {
        let row: [Cell; 4] =
            ["decoding alone".into(), "".into(), decode_wall.map(cell).into(), decode.map(cell).into()];
        table.keyed_row(record.algorithm.as_str(), row);
    }
    for (algorithm, name) in pairs(report, ledger, &WHOLE.map(|(operation, _)| operation)) {
        let mut row = vec![named(report, algorithm), name.into()];
        for (operation, _) in WHOLE {
            for time in ["wall", "cpu"] {
                let which = Which {
                    algorithm,
                    operation,
                    subject: Some(time),
                    implementation: Some(name),
                    unit: Some("s"),
                };
                row.push(ledger.take(which).map(cell).into());
            }
        }
        let hashing = row.get(3).and_then(Cell::number).filter(|seconds| *seconds > 0.0).zip(decode);
        row.push(hashing.map(|(all, decode)| (1.0 - decode.value / all).max(0.0)).into());
        if row.iter().any(|cell| cell.number().is_some()) {
            table.keyed_row(algorithm, row);
        }
    }
    if let Some(note) = repository_note(ledger) {
        table.note(note);
    }
    table.note(
        "Hash decodes every object and hashes it; hashing is the share of the processor's time that is not decoding. Map \
         computes the new name of every object, with trees, commits and tags rewritten, by the implementation that was \
         fastest for many messages. Nothing is written.",
    );
    table.without_empty_columns()
}

/// What the repository is that the figures are of.
fn repository_note(ledger: &Ledger) -> Option<String> {
    let of = |operation: &str| ledger.find(Which { operation, ..Which::default() });
    let record = of("decode").or_else(|| of(WHOLE[0].0)).or_else(|| of(WHOLE[1].0))?;
    let input = record.input.as_ref()?;
    let [objects, bytes] = [input.items, input.bytes].map(|count| grouped(&count.to_string(), ' '));
    let mut note = format!("On {}: {objects} objects of {bytes} bytes together", input.name);
    if !record.notes.is_empty() {
        note.push_str(&format!(", {}", record.notes.join(", ")));
    }
    Some(note + ".")
}

/// What names of the function's length take; the repository's own function is what they are compared with.
fn storage(report: &Report, ledger: &mut Ledger) -> Table {
    let mut table = Table::new("Room for names").column("algorithm", Kind::Text);
    for (_, name) in STORAGE {
        table = table.column(name, Kind::number("bytes"));
        if name != "more per object" {
            table = table.ratio_of(name);
        }
    }
    let own = decoding(ledger.all(), "wall").map(|record| record.algorithm.as_str());
    for algorithm in report.measured() {
        let mut row = vec![named(report, algorithm)];
        for (subject, _) in STORAGE {
            let which = Which {
                algorithm,
                operation: "storage",
                subject: Some(subject),
                unit: Some("bytes"),
                ..Which::default()
            };
            row.push(ledger.take(which).map(cell).into());
        }
        if row.iter().any(|cell| cell.number().is_some()) {
            if own == Some(algorithm) {
                table.baseline(table.len());
            }
            table.keyed_row(algorithm, row);
        }
    }
    if let Some(own) = own.filter(|_| !table.is_empty()) {
        table.note(format!("Ratios refer to {own}, which names the repository's objects now."));
    }
    table.note(
        "Bytes before compression, which does little to digests. Pack index is of version 2; both names is a list of every \
         object's old and new one.",
    );
    table.without_empty_columns()
}

/// What others published, each in its own unit and with what it counts.
fn published(report: &Report, ledger: &mut Ledger) -> Table {
    let mut rows: Vec<(&str, &str)> = Vec::new();
    let mut columns: Vec<(&str, &str)> = Vec::new();
    let all: Vec<&Record> = ledger.all().filter(|record| record.operation == PUBLISHED).collect();
    for algorithm in report.measured() {
        for record in all.iter().filter(|record| record.algorithm == algorithm) {
            let Some((size, who)) = record.subject.split_once(' ') else { continue };
            if !rows.contains(&(algorithm, who)) {
                rows.push((algorithm, who));
            }
            if !columns.contains(&(size, &record.unit)) {
                columns.push((size, &record.unit));
            }
        }
    }
    columns.sort_by_key(|(size, unit)| (size.parse::<u64>().unwrap_or(u64::MAX), *size, *unit));
    let mut table =
        Table::new("Published elsewhere").column("algorithm", Kind::Text).column("by", Kind::Text);
    for (size, unit) in &columns {
        table = table.column(heading(size), Kind::number((*unit).to_owned()));
    }
    let mut notes: Vec<(String, Vec<&str>)> = Vec::new();
    for (algorithm, who) in rows {
        let mut row = vec![named(report, algorithm), who.into()];
        for (size, unit) in &columns {
            let subject = format!("{size} {who}");
            let which = Which {
                algorithm,
                operation: PUBLISHED,
                subject: Some(&subject),
                unit: Some(unit),
                ..Which::default()
            };
            let record = ledger.take(which);
            if let Some(record) = record.filter(|record| !record.notes.is_empty()) {
                let text = record.notes.join(", ");
                match notes.iter_mut().find(|(known, _)| *known == text) {
                    Some((_, by)) if by.contains(&who) => {}
                    Some((_, by)) => by.push(who),
                    None => notes.push((text, vec![who])),
                }
            }
            row.push(record.map(cell).into());
        }
        table.keyed_row(algorithm, row);
    }
    table.note("Of other machines: to look at, not to compare by.");
    for (text, by) in notes {
        table.note(format!("{}: {text}.", by.join("; ")));
    }
    table.without_empty_columns()
}
