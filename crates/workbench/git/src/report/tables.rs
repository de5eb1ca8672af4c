//! What a hash function does to Git: messages, the whole repository, the room that longer names take, and where the
//! function is to be had.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::Time;
use fieldtest_report::Report;
use fieldtest_report::number::grouped;
use fieldtest_report::once::{by_key, each_once};
use fieldtest_report::tables::availability::{self, Places, known_places};
use fieldtest_report::tables::lead::{self, Leads};
use fieldtest_report::tables::ledger::cell;
use fieldtest_report::tables::ledger::{Ledger, Which, fastest, remark_on_rounds};
use fieldtest_report::tables::primitives::pairs;
use fieldtest_report::tables::security::{named, status, verdicts};
use fieldtest_report::{Cell, Kind, Table};

use crate::words::{Messages, Operation, Published, Size, Storage, Way};

/// The ways messages are hashed, as the records and as people call them.
pub(crate) const WAYS: [(&str, &str); 2] =
    [(Way::Single.word(), Way::Single.in_words()), (Way::Many.word(), Way::Many.in_words())];

/// The operations on the whole repository, with what people call them.
const WHOLE: [(Operation, &str); 2] = [(Operation::Rehash, "hash"), (Operation::Map, "map")];

/// The tables of the study: the overview, then each part in full.
pub(super) fn tables(report: &Report, ledger: &mut Ledger) -> Vec<Table> {
    let mut tables = vec![overview(report, ledger)];
    for way in Way::ALL {
        tables.push(messages(report, ledger, way, &format!("Messages {}", way.in_words())));
    }
    for way in &WAYS {
        let leads = leads(ledger, way);
        tables.push(lead::table(report, ledger, &leads));
    }
    tables.push(repository(report, ledger));
    tables.push(storage(report, ledger));
    tables.push(availability::table(report, ledger, Places::Known, "Deployed support"));
    tables.push(availability::table(report, ledger, Places::Here, "What this host has"));
    tables.push(published(report, ledger));
    tables
}

/// What the leads are told of, for one way of hashing: with both, the table would be too wide.
fn leads<'a>(ledger: &Ledger, way: &'a (&'a str, &'a str)) -> Leads<'a> {
    let sizes = sizes(ledger.all()).into_iter().map(|size| (size.to_string(), size.heading()));
    Leads {
        title: format!("{}, {}", lead::TITLE, way.1),
        operation: Operation::Hash.word(),
        things: "messages",
        ways: std::slice::from_ref(way),
        sizes: sizes.collect(),
    }
}

/// The sizes that messages were hashed in, ascending; the repository's own come last.
pub(crate) fn sizes<'a>(records: impl Iterator<Item = &'a Record>) -> Vec<Size> {
    let hashed = records.filter(|record| record.operation == Operation::Hash);
    let mut sizes: Vec<Size> =
        hashed.filter_map(|record| Some(Messages::read(&record.subject)?.size)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The record of decoding the repository without hashing it, in this time; its algorithm is the repository's own.
pub(crate) fn decoding<'a>(mut records: impl Iterator<Item = &'a Record>, time: Time) -> Option<&'a Record> {
    records
        .find(|record| record.operation == Operation::Decode && record.subject == time && record.unit == "s")
}

/// One row per algorithm, with the results that most often decide.
fn overview(report: &Report, ledger: &mut Ledger) -> Table {
    let unit = unit_of(ledger);
    let size = sizes(ledger.all()).last().copied().unwrap_or(Size::Repository);
    let mut table = Table::new("Key results")
        .texts(["algorithm", "status"])
        .column("digest", Kind::number("bytes"))
        .column("collision", Kind::number("bits"))
        .numbers(Way::ALL.into_iter().map(|way| way.in_words()), unit)
        .column("whole map", Kind::number("s"))
        .column("more per object", Kind::number("bytes"))
        .column("available in", Kind::number("libraries and systems"));
    let algorithms: Vec<&str> = report
        .measured()
        .into_iter()
        .filter(|it| ledger.all().any(|record| record.algorithm == *it))
        .collect();
    for algorithm in &algorithms {
        let operation = Operation::Collision.word();
        let collision = Which::of(algorithm, operation).in_unit("bits");
        let mut row: Vec<Cell> = vec![
            named(report, algorithm),
            status(report, algorithm),
            report.size(algorithm, "digest").into(),
            ledger.cell(collision),
        ];
        let least = |operation: Operation, subject: &str, unit| -> Cell {
            fastest(ledger.all(), algorithm, operation.word(), subject, unit).map(cell).into()
        };
        row.extend(Way::ALL.map(|way| least(Operation::Hash, &Messages { size, way }.to_string(), unit)));
        row.push(least(Operation::Map, Time::Wall.word(), "s"));
        row.push(least(Operation::Storage, Storage::MoreForEachObject.word(), "bytes"));
        let places = known_places(ledger.all(), algorithm);
        row.push(places.map(|(having, _)| Cell::from(having.len()).with_detail(having.join(", "))).into());
        table.keyed_row(*algorithm, row);
    }
    table.notes_of(verdicts(report, &algorithms));
    table.note(format!(
        "One at a time and many at once: for messages of {}. Whole map: the wall time from the pack to the new name of \
         every object. The fastest implementation is shown.",
        size.in_words()
    ));
    table.note(
        "More per object is what trees and the pack's index grow by, against the names that the repository has; available \
         is in how many of the places that were looked up.",
    );
    table.without_empty_columns()
}

fn unit_of<'a>(ledger: &Ledger<'a>) -> &'a str {
    ledger.unit_of(Operation::Hash.word(), None).unwrap_or("cycles/byte")
}

/// A row per implementation, a column per size.
fn messages(report: &Report, ledger: &mut Ledger, way: Way, title: &str) -> Table {
    let unit = unit_of(ledger);
    let sizes = sizes(ledger.all());
    let mut table = Table::new(title)
        .texts(["algorithm", "implementation"])
        .numbers(sizes.iter().map(|size| size.heading()), unit);
    for (algorithm, name) in pairs(report, ledger, &[Operation::Hash.word()]) {
        let mut row = vec![named(report, algorithm), report.code(name)];
        for size in &sizes {
            let subject = Messages { size: *size, way }.to_string();
            let which = Which::of(algorithm, Operation::Hash.word()).on(&subject).by(name).in_unit(unit);
            row.push(ledger.cell(which));
        }
        table.row_of_results(algorithm, row);
    }
    table.note(
        "Columns are bytes of content, to which Git's header of the object comes; repository is a mixture of the sizes of \
         the repository's objects.",
    );
    table.without_empty_columns()
}

/// What it takes to hash every object and to name them all anew, beside what decoding takes.
fn repository(report: &Report, ledger: &mut Ledger) -> Table {
    let mut table = Table::new("The whole repository").texts(["algorithm", "implementation"]);
    for (_, words) in WHOLE {
        table = table
            .column(format!("{words}, wall"), Kind::number("s"))
            .column(format!("{words}, processor"), Kind::number("s"));
    }
    table = table.column("hashing is", Kind::number("share"));
    let [decode_wall, decode] = Time::ALL.map(|time| {
        let operation = Operation::Decode.word();
        let which = Which::of("", operation).on(time.word()).in_unit("s");
        ledger.take(which)
    });
    if let Some(record) = decode_wall.or(decode) {
        let row: [Cell; 4] =
            ["decoding only".into(), "".into(), decode_wall.map(cell).into(), decode.map(cell).into()];
        table.keyed_row(record.algorithm.as_str(), row);
    }
    for (algorithm, name) in pairs(report, ledger, &WHOLE.map(|(operation, _)| operation.word())) {
        let mut row = vec![named(report, algorithm), report.code(name)];
        for (operation, _) in WHOLE {
            for time in Time::ALL {
                let which = Which::of(algorithm, operation.word()).on(time.word()).by(name).in_unit("s");
                row.push(ledger.show(which));
            }
        }
        row.push(ledger.cell(Which::of(algorithm, Operation::Hashing.word()).by(name)));
        if row.iter().any(|cell| cell.number().is_some() || cell.mark.is_some()) {
            table.keyed_row(algorithm, row);
        }
    }
    if let Some(note) = repository_note(ledger) {
        table.note(note);
    }
    let of_whole = [Operation::Decode, Operation::Rehash, Operation::Map].map(Operation::word);
    table.notes_of(remark_on_rounds(ledger, &of_whole));
    table.note(
        "Hash decodes every object and hashes it; hashing is the share of the processor's time that is not decoding. Map \
         computes the new name of every object, with trees, commits and tags rewritten, by the implementation that was \
         fastest for many messages. Nothing is written.",
    );
    table.without_empty_columns()
}

fn repository_note(ledger: &Ledger) -> Option<String> {
    let of = |operation: Operation| ledger.find(Which::of("", operation.word()));
    let record = of(Operation::Decode).or_else(|| of(Operation::Rehash)).or_else(|| of(Operation::Map))?;
    let input = record.input.as_ref()?;
    let [objects, bytes] = [input.items, input.bytes].map(|count| grouped(&count.to_string()));
    let mut note = format!("On {}: {objects} objects of {bytes} bytes together", input.name);
    if let Some(how) = record.notes.first() {
        note.push_str(&format!(", {how}"));
    }
    Some(note + ".")
}

/// What names of the function's length take; the repository's own function is what they are compared with.
fn storage(report: &Report, ledger: &mut Ledger) -> Table {
    let mut table = Table::new("Room for names").column("algorithm", Kind::Text);
    for storage in Storage::ALL {
        table = match storage {
            Storage::MoreForEachObject => table.column("more per object", Kind::number("bytes")),
            _ => table.column(storage.word(), Kind::number("bytes")).ratio_of(storage.word()),
        };
    }
    let own = decoding(ledger.all(), Time::Wall).map(|record| record.algorithm.as_str());
    for algorithm in report.measured() {
        let mut row = vec![named(report, algorithm)];
        for storage in Storage::ALL {
            let which = Which::of(algorithm, Operation::Storage.word()).on(storage.word()).in_unit("bytes");
            row.push(ledger.cell(which));
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
    let all: Vec<&Record> =
        ledger.all().filter(|record| record.operation == Operation::HashPublished).collect();
    let told = || {
        report.measured().into_iter().flat_map(|algorithm| {
            let own = all.iter().filter(move |record| record.algorithm == algorithm);
            own.filter_map(move |it| Some((algorithm, Published::read(&it.subject)?, it.unit.as_str())))
        })
    };
    let rows = each_once(told().map(|(algorithm, published, _)| (algorithm, published.by)));
    let mut columns = each_once(told().map(|(_, published, unit)| (published.bytes, unit)));
    columns.sort_by_key(|(bytes, unit)| (bytes.unwrap_or(u64::MAX), *unit));
    let mut table = Table::new("Published elsewhere").texts(["algorithm", "by"]);
    for (bytes, unit) in &columns {
        table = table.column(Published::heading(*bytes), Kind::number((*unit).to_owned()));
    }
    let mut notes: Vec<(String, &str)> = Vec::new();
    for (algorithm, who) in rows {
        let mut row = vec![named(report, algorithm), who.into()];
        for (bytes, unit) in &columns {
            let subject = Published { bytes: *bytes, by: who }.to_string();
            let which = Which::of(algorithm, Operation::HashPublished.word()).on(&subject).in_unit(unit);
            let record = ledger.take(which);
            if let Some(record) = record.filter(|record| !record.notes.is_empty()) {
                notes.push((record.notes.join(", "), who));
            }
            row.push(record.map(cell).into());
        }
        table.keyed_row(algorithm, row);
    }
    table.note("Of other machines: for orientation, not for comparison.");
    for (text, by) in by_key(each_once(notes)) {
        table.note(format!("{}: {text}.", by.join("; ")));
    }
    table.without_empty_columns()
}
