//! What a MAC does to TCP-AO: the segment, the option space, the keys.

use fieldtest_measure::record::{OWN, Record};
use fieldtest_measure::words::of_lead;
use fieldtest_report::Report;
use fieldtest_report::symbols;
use fieldtest_report::tables::availability::{self, Places};
use fieldtest_report::tables::lead::{self, Leads};
use fieldtest_report::tables::ledger::cell;
use fieldtest_report::tables::ledger::{Ledger, Which, fastest};
use fieldtest_report::tables::primitives::pairs;
use fieldtest_report::tables::security::{named, status, verdicts};
use fieldtest_report::{Cell, Kind, Mark, Table, Tone};

use super::capture;
use crate::words::{Operation, Published, Segments, Timestamps, Way};

/// The ways segments are worked on, as the records and as people call them.
pub(crate) const WAYS: [(&str, &str); 2] =
    [(Way::Single.word(), Way::Single.in_words()), (Way::Batched.word(), Way::Batched.in_words())];

pub(super) fn tables(report: &Report, ledger: &mut Ledger) -> Vec<Table> {
    let leads = segment_leads(ledger);
    vec![
        overview(report, ledger),
        capture::table(report, ledger),
        lead::table(report, ledger, &leads),
        segments(report, ledger, Way::Single, "A segment at a time"),
        segments(report, ledger, Way::Batched, "Segments in batches"),
        keys(report, ledger),
        space(report, ledger),
        availability::table(report, ledger, Places::Known, "Deployed support"),
    ]
}

/// The lengths of MAC input that segments were measured with, ascending.
fn lengths<'a>(records: impl Iterator<Item = &'a Record>) -> Vec<u32> {
    let of_segments = records.filter(|record| record.operation == Operation::Segment);
    let mut lengths: Vec<u32> =
        of_segments.filter_map(|record| Some(Segments::read(&record.subject)?.length)).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// The lengths that stand for short and for full segments: that of the published results, or else the shortest, and
/// the longest.
pub(crate) fn short_and_full<'a>(records: impl Iterator<Item = &'a Record> + Clone) -> Vec<u32> {
    let lengths = lengths(records.clone());
    let published = records.filter(|record| record.operation == Operation::SegmentPublished);
    let short = published
        .filter_map(|record| Some(Published::read(&record.subject)?.length))
        .find(|it| lengths.contains(it));
    let mut ends: Vec<u32> =
        [short.or(lengths.first().copied()), lengths.last().copied()].into_iter().flatten().collect();
    ends.dedup();
    ends
}

fn unit_of<'a>(ledger: &Ledger<'a>, operation: Operation) -> &'a str {
    ledger.unit_of(operation.word(), None).unwrap_or("cycles")
}

/// A name for columns of segments with so many bytes of MAC input.
fn bytes(length: u32) -> String {
    format!("{length} bytes")
}

/// One row per algorithm that code runs, with the results that most often decide.
fn overview(report: &Report, ledger: &Ledger) -> Table {
    let (segment, derive) = (unit_of(ledger, Operation::Segment), unit_of(ledger, Operation::Derive));
    let ends = short_and_full(ledger.all().collect::<Vec<_>>().into_iter());
    let single = |length: &u32| Segments { length: *length, way: Way::Single }.to_string();
    let columns: Vec<String> = ends.iter().map(single).collect();
    let mut table = Table::new("Key results")
        .texts(["algorithm", "status"])
        .numbers(["tag", "full SYN"], "bytes")
        .column("SACK blocks", Kind::number("count"))
        .column("payload", Kind::number("bytes"))
        .numbers(&columns, segment)
        .column("derive a key", Kind::number(derive.to_owned()));
    let mut shown: Vec<&str> = Vec::new();
    for algorithm in report.measured() {
        let find = |operation: Operation, subject| {
            ledger.find(Which { subject, ..Which::of(algorithm, operation.word()) })
        };
        if find(Operation::Segment, None).is_none() {
            continue;
        }
        let mut row: Vec<Cell> = vec![
            named(report, algorithm),
            status(report, algorithm),
            report.size(algorithm, "tag").into(),
            find(Operation::OptionsOfFullSyn, None).map(fit).into(),
            find(Operation::SackBlocks, Some(Timestamps::With.word())).map(cell).into(),
            find(Operation::Payload, None).map(cell).into(),
        ];
        let least = |operation: Operation, subject: &str, unit| -> Cell {
            fastest(ledger.all(), algorithm, operation.word(), subject, unit).map(cell).into()
        };
        row.extend(columns.iter().map(|subject| least(Operation::Segment, subject, segment)));
        row.push(least(Operation::Derive, "", derive));
        table.keyed_row(algorithm, row);
        shown.push(algorithm);
    }
    table.notes_of(verdicts(report, &shown));
    if let Some(column) = columns.first() {
        table.note(format!(
            "`{column}`: the whole receive path of a segment with the given bytes of MAC input: parse, find option and key, \
             assemble the message, compute the MAC, compare. Batches hold segments of several connections. The fastest \
             implementation is shown."
        ));
    }
    table.note(
        "A full SYN carries MSS, window scale, SACK permitted, timestamps and the authentication option, in 40 bytes at \
         most (▁ fits, █ does not). SACK blocks are what a data segment with timestamps has room for; payload is for an MTU \
         of 1500.",
    );
    table.without_empty_columns()
}

/// A result of option space with the limit it keeps.
fn fit(record: &Record) -> Cell {
    cell(record).with_mark(Some(options(record.value)))
}

fn segment_leads(ledger: &Ledger) -> Leads<'static> {
    let sizes = lengths(ledger.all()).into_iter().map(|length| (length.to_string(), bytes(length)));
    Leads {
        title: lead::TITLE.to_owned(),
        operation: Operation::Segment.word(),
        things: "segments",
        ways: &WAYS,
        sizes: sizes.collect(),
    }
}

/// A row per implementation, a column per length; published results as rows of their own.
fn segments(report: &Report, ledger: &mut Ledger, way: Way, title: &str) -> Table {
    let unit = unit_of(ledger, Operation::Segment);
    let lengths = lengths(ledger.all());
    let mut table = Table::new(title)
        .texts(["algorithm", "implementation"])
        .numbers(lengths.iter().map(|length| bytes(*length)), unit);
    let pairs = pairs(report, ledger, &[Operation::Segment.word()]);
    let mut published = false;
    for (at, &(algorithm, name)) in pairs.iter().enumerate() {
        let mut row = vec![named(report, algorithm), report.code(name)];
        for length in &lengths {
            let subject = Segments { length: *length, way }.to_string();
            let which = Which::of(algorithm, Operation::Segment.word()).on(&subject).by(name).in_unit(unit);
            row.push(ledger.cell(which));
        }
        table.row_of_results(algorithm, row);
        let is_last = pairs.get(at + 1).is_none_or(|(next, _)| *next != algorithm);
        if way == Way::Single && is_last {
            published |= add_published(report, ledger, &mut table, algorithm, &lengths);
        }
    }
    table.note("Columns are bytes of MAC input.");
    if published {
        table.note(
            "Published results are from another machine: for orientation, not for comparison; the records contain the sources.",
        );
    }
    table.without_empty_columns()
}

/// Adds rows for the published results of an algorithm, each in the column of its length; says whether there were any.
fn add_published(
    report: &Report,
    ledger: &mut Ledger,
    table: &mut Table,
    algorithm: &str,
    lengths: &[u32],
) -> bool {
    let unit = unit_of(ledger, Operation::Segment);
    let known = |record: &&Record| {
        record.algorithm == algorithm
            && record.operation == Operation::SegmentPublished
            && record.unit == unit
    };
    let subjects: Vec<&str> = ledger.all().filter(known).map(|record| record.subject.as_str()).collect();
    let mut any = false;
    for subject in subjects {
        let Some(Published { length, code }) =
            Published::read(subject).filter(|it| lengths.contains(&it.length))
        else {
            continue;
        };
        let which = Which::of(algorithm, Operation::SegmentPublished.word()).on(subject).in_unit(unit);
        let Some(record) = ledger.take(which) else { continue };
        let mut row = vec![named(report, algorithm), format!("{code}, published").into()];
        row.extend(lengths.iter().map(|column| match *column == length {
            true => cell(record),
            false => Cell::default(),
        }));
        table.keyed_row(algorithm, row);
        any = true;
    }
    any
}

/// What keys cost, and what it costs to have none prepared.
fn keys(report: &Report, ledger: &mut Ledger) -> Table {
    const OPERATIONS: [(Operation, &str); 3] = [
        (Operation::Derive, "derive"),
        (Operation::Prepare, "prepare"),
        (Operation::SegmentUnprepared, "unprepared"),
    ];
    let units = OPERATIONS.map(|(operation, _)| unit_of(ledger, operation));
    let mut table = Table::new("Keys").texts(["algorithm", "implementation"]);
    for ((_, name), unit) in OPERATIONS.iter().zip(units) {
        table = table
            .column(*name, Kind::number(unit.to_owned()))
            .column(format!("{name} vs library"), Kind::number("ratio"));
    }
    for (algorithm, name) in pairs(report, ledger, &OPERATIONS.map(|(operation, _)| operation.word())) {
        let mut row = vec![named(report, algorithm), report.code(name)];
        for ((operation, _), unit) in OPERATIONS.iter().zip(units) {
            let operation = operation.word();
            let record = ledger.take(Which::of(algorithm, operation).by(name).in_unit(unit));
            row.push(record.map(cell).into());
            let ahead = record
                .filter(|_| name == OWN)
                .and_then(|record| lead::take(ledger, algorithm, operation, &record.subject));
            row.push(ahead.map(|(lead, rival)| lead::cell(report, lead, rival)).into());
        }
        table.keyed_row(algorithm, row);
    }
    table.note(
        "Derive makes a traffic key of the master key, four times per connection at most; prepare turns it into what \
         computes MACs.",
    );
    if ledger.all().any(|record| of_lead(&record.operation).is_some()) {
        table.note("Lead is how many times as long the best library takes.");
    }
    let unprepared = Operation::SegmentUnprepared.word();
    if let Some(length) = ledger.find(Which::of("", unprepared)) {
        table.note(format!(
            "Unprepared: one MAC of {} bytes with a key prepared only for it, as in Linux for every segment.",
            length.subject
        ));
    }
    table.without_empty_columns()
}

fn space(report: &Report, ledger: &mut Ledger) -> Table {
    let mut table = Table::new("Option space")
        .column("algorithm", Kind::Text)
        .numbers(["option", "options of a full SYN"], "bytes")
        .numbers(["SACK blocks with timestamps", "SACK blocks without"], "count")
        .column("payload", Kind::number("bytes"));
    let mut without_code = Vec::new();
    for algorithm in report.measured() {
        let mut take = |operation: Operation, subject| {
            ledger.take(Which { subject, ..Which::of(algorithm, operation.word()) })
        };
        let row: [Cell; 6] = [
            named(report, algorithm),
            take(Operation::Option, None).map(cell).into(),
            take(Operation::OptionsOfFullSyn, None).map(fit).into(),
            take(Operation::SackBlocks, Some(Timestamps::With.word())).map(cell).into(),
            take(Operation::SackBlocks, Some(Timestamps::Without.word())).map(cell).into(),
            take(Operation::Payload, None).map(cell).into(),
        ];
        if row.iter().any(|cell| cell.number().is_some()) {
            table.keyed_row(algorithm, row);
            if ledger.find(Which::of(algorithm, Operation::Segment.word())).is_none() {
                without_code.push(algorithm);
            }
        }
    }
    table.note(
        "Payload is that of the longest segment over IPv4 with timestamps on a path with an MTU of 1500.",
    );
    if !without_code.is_empty() {
        table.note(format!("No code ran for {}: only their space is shown.", without_code.join(", ")));
    }
    table.without_empty_columns()
}

/// Bytes that all options of a TCP segment may have together (RFC 9293, section 3.1).
const OPTION_SPACE: f64 = 40.0;

/// Whether TCP options of `bytes` fit a segment.
pub(super) fn options(bytes: f64) -> Mark {
    if bytes <= OPTION_SPACE {
        symbols::mark("▁", "fits 40 bytes", Tone::Good)
    } else {
        symbols::mark("█", "over the 40 bytes for options", Tone::Bad)
    }
}
