//! What a MAC does to TCP-AO: the segment, the option space, the keys.

use fieldtest_measure::record::Record;

use super::cell;
use super::ledger::{Ledger, Which, implementation};
use super::primitives::pairs;
use crate::mark;
use crate::report::Report;
use crate::table::{Cell, Kind, Mark, Table, Tone};

/// Bytes that all TCP options of a segment may have together (RFC 9293, section 3.1).
const OPTION_SPACE: f64 = 40.0;
/// The operation of published figures.
const PUBLISHED: &str = "segment-published";

/// The tables of the study: the overview, then each part in full.
pub(super) fn tables(report: &Report, ledger: &mut Ledger) -> Vec<Table> {
    vec![
        overview(report, ledger),
        segments(report, ledger, "single", "A segment at a time"),
        segments(report, ledger, "batched", "Segments in batches"),
        keys(report, ledger),
        space(report, ledger),
    ]
}

/// Splits `144 single` into the length and the way.
pub(crate) fn split(subject: &str) -> Option<(u32, &str)> {
    let (length, rest) = subject.split_once(' ')?;
    Some((length.parse().ok()?, rest))
}

/// The lengths of MAC input that segments were measured with, ascending.
pub(crate) fn lengths<'a>(records: impl Iterator<Item = &'a Record>) -> Vec<u32> {
    let of_segments = records.filter(|record| record.operation == "segment");
    let mut lengths: Vec<u32> = of_segments.filter_map(|record| Some(split(&record.subject)?.0)).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// The length that stands for short segments: the one of the published figures, else the first.
pub(crate) fn usual<'a>(records: impl Iterator<Item = &'a Record> + Clone) -> Option<u32> {
    let published = records.clone().find(|record| record.operation == PUBLISHED);
    published.and_then(|record| Some(split(&record.subject)?.0)).or_else(|| lengths(records).first().copied())
}

/// One row per algorithm with the figures that most often decide.
fn overview(report: &Report, ledger: &Ledger) -> Table {
    let unit = ledger.unit_of("segment", None).unwrap_or("cycles");
    let lengths = lengths(ledger.all());
    let usual = usual(ledger.all().collect::<Vec<_>>().into_iter());
    let mut table = Table::new("What decides")
        .column("algorithm", Kind::Text)
        .column("status", Kind::Text)
        .column("tag", Kind::number("bytes"))
        .column("full SYN", Kind::number("bytes"))
        .column("SACK blocks", Kind::number("count"))
        .column("payload", Kind::number("bytes"));
    let mut columns: Vec<(u32, &str)> = Vec::new();
    for length in [usual, lengths.last().copied()].into_iter().flatten() {
        for way in ["single", "batched"] {
            if !columns.contains(&(length, way)) {
                columns.push((length, way));
                table = table.column(format!("{length} {way}"), Kind::number(unit.to_owned()));
            }
        }
    }
    table =
        table.column("derive a key", Kind::number(ledger.unit_of("derive", None).unwrap_or(unit).to_owned()));
    for algorithm in report.measured() {
        if !ledger.all().any(|record| record.algorithm == algorithm) {
            continue;
        }
        let status = mark::status(report.status(algorithm));
        let find =
            |operation, subject| ledger.find(Which { algorithm, operation, subject, ..Which::default() });
        let least = |operation: &str, subject: &str| -> Cell {
            let own = ledger.all().filter(|record| {
                record.algorithm == algorithm && record.operation == operation && record.subject == subject
            });
            own.min_by(|a, b| a.value.total_cmp(&b.value)).map(cell).into()
        };
        let tag = report.candidate(algorithm).and_then(|it| it.sizes.iter().find(|(name, _)| name == "tag"));
        let syn = find("options-of-full-syn", None);
        let mut row: Vec<Cell> = vec![
            algorithm.into(),
            Cell::from(status.word.to_string()).with_mark(Some(status)),
            tag.map(|(_, bytes)| *bytes).into(),
            syn.map(|record| cell(record).with_mark(Some(fit(record.value)))).into(),
            find("sack-blocks", Some("with timestamps")).map(cell).into(),
            find("payload", None).map(cell).into(),
        ];
        row.extend(columns.iter().map(|(length, way)| least("segment", &format!("{length} {way}"))));
        row.push(least("derive", ""));
        table.keyed_row(algorithm, row.into_iter().map(|cell| cell.with_interval(None)));
    }
    table.note(
        "Times are for the whole receive path of one segment: parse, find option and key, assemble the message, compute the \
         MAC, compare; of several implementations the fastest is shown. `144 batched` is a segment of 144 bytes of MAC \
         input among others of several connections.",
    );
    table.note(
        "Full SYN is what MSS, window scale, SACK permitted, timestamps and the authentication option take of the 40 \
         bytes; SACK blocks and payload are those of a data segment with timestamps on a path with an MTU of 1500. ● does not fit.",
    );
    table.without_empty_columns()
}

/// Whether the options fit.
pub(crate) fn fit(bytes: f64) -> Mark {
    if bytes <= OPTION_SPACE {
        Mark { symbol: "○", word: "fits".into(), tone: Tone::Good }
    } else {
        Mark { symbol: "●", word: "does not fit 40 bytes".into(), tone: Tone::Bad }
    }
}

/// A row per implementation, a column per length; published figures as rows of their own.
fn segments(report: &Report, ledger: &mut Ledger, way: &str, title: &str) -> Table {
    let unit = ledger.unit_of("segment", None).unwrap_or("cycles");
    let lengths = lengths(ledger.all());
    let mut table = Table::new(title).column("algorithm", Kind::Text).column("implementation", Kind::Text);
    for length in &lengths {
        table = table
            .column(length.to_string(), Kind::number(unit.to_owned()))
            .column(format!("{length} lead"), Kind::number("ratio"));
    }
    table = table.column("known answers", Kind::number("count"));
    let mut previous = "";
    for (algorithm, name) in pairs(report, ledger, &["segment"]) {
        if way == "single" && algorithm != previous {
            published(ledger, &mut table, algorithm, &lengths);
            previous = algorithm;
        }
        let mut row: Vec<Cell> = vec![algorithm.into(), name.into()];
        let mut proof = None;
        for length in &lengths {
            let subject = format!("{length} {way}");
            let which = Which {
                algorithm,
                operation: "segment",
                subject: Some(&subject),
                implementation: Some(name),
                unit: Some(unit),
            };
            let record = ledger.take(which);
            proof = proof.or(record.and_then(|record| record.proof.as_ref()));
            row.push(record.map(cell).into());
            row.push(lead(ledger, algorithm, name, &subject));
        }
        row.push(proof.map(|proof| Cell::from(proof.vectors).with_detail(proof.origins.join("; "))).into());
        table.keyed_row(algorithm, row);
    }
    table.note(
        "Columns are bytes of MAC input. Lead is how many times as long the best other implementation takes, round by \
         round in the same rounds.",
    );
    if way == "single" {
        table.note(
            "Linux rows are published figures, of another machine and inside a kernel: to look at, not to compare by.",
        );
    }
    table.without_empty_columns()
}

/// How far `name` is ahead of the best other at this length.
fn lead(ledger: &mut Ledger, algorithm: &str, name: &str, subject: &str) -> Cell {
    let against = ledger.all().find(|record| {
        record.operation == "segment-lead"
            && record.algorithm == algorithm
            && implementation(record) == name
            && record.subject.starts_with(subject)
    });
    let Some(against) = against else { return Cell::default() };
    let which = Which {
        algorithm,
        operation: "segment-lead",
        subject: Some(&against.subject),
        implementation: Some(name),
        unit: Some("ratio"),
    };
    let rival = against.subject[subject.len()..].trim();
    ledger.take(which).map(|record| cell(record).with_detail(rival)).into()
}

/// Rows for the published figures of an algorithm, each in the column of its length.
fn published(ledger: &mut Ledger, table: &mut Table, algorithm: &str, lengths: &[u32]) {
    let which = Which { algorithm, operation: PUBLISHED, ..Which::default() };
    while let Some(record) = ledger.take(which) {
        let Some((length, who)) = split(&record.subject) else { continue };
        let mut row: Vec<Cell> = vec![algorithm.into(), format!("{who} (published)").into()];
        for column in lengths {
            row.push(if *column == length { cell(record) } else { Cell::default() });
            row.push(Cell::default());
        }
        row.push(Cell::default());
        table.keyed_row(algorithm, row);
    }
}

/// What keys cost, and what it costs to have none prepared.
fn keys(report: &Report, ledger: &mut Ledger) -> Table {
    const OPERATIONS: [(&str, &str); 3] = [
        ("derive", "derive a traffic key"),
        ("prepare", "prepare it"),
        ("segment-unprepared", "MAC with a key prepared for it"),
    ];
    let units = OPERATIONS.map(|(operation, _)| ledger.unit_of(operation, None).unwrap_or("cycles"));
    let mut table = Table::new("Keys").column("algorithm", Kind::Text).column("implementation", Kind::Text);
    for ((operation, name), unit) in OPERATIONS.iter().zip(units) {
        let length = ledger.all().find(|record| record.operation == *operation).map_or("", |it| &it.subject);
        table = table.column(format!("{name} {length}").trim(), Kind::number(unit.to_owned()));
    }
    for (algorithm, name) in pairs(report, ledger, &OPERATIONS.map(|(operation, _)| operation)) {
        let mut row: Vec<Cell> = vec![algorithm.into(), name.into()];
        for ((operation, _), unit) in OPERATIONS.iter().zip(units) {
            let which = Which {
                algorithm,
                operation,
                implementation: Some(name),
                unit: Some(unit),
                ..Which::default()
            };
            row.push(ledger.take(which).map(cell).into());
        }
        table.keyed_row(algorithm, row);
    }
    // The leads in these are no news, and are ticked so that none is left over.
    for (operation, _) in OPERATIONS {
        let lead = format!("{operation}-lead");
        while ledger.take(Which { operation: &lead, ..Which::default() }).is_some() {}
    }
    table.note(
        "A connection derives four traffic keys at most. The last column assembles the message and computes the MAC with a key \
         prepared from the raw traffic key for this one segment, as Linux does.",
    );
    table
}

/// What the tag leaves of the option space.
fn space(report: &Report, ledger: &mut Ledger) -> Table {
    let mut table = Table::new("Option space")
        .column("algorithm", Kind::Text)
        .column("option", Kind::number("bytes"))
        .column("options of a full SYN", Kind::number("bytes"))
        .column("SACK blocks with timestamps", Kind::number("count"))
        .column("without", Kind::number("count"))
        .column("payload", Kind::number("bytes"));
    for algorithm in report.measured() {
        let mut take =
            |operation, subject| ledger.take(Which { algorithm, operation, subject, ..Which::default() });
        let row: [Cell; 6] = [
            algorithm.into(),
            take("option", None).map(cell).into(),
            take("options-of-full-syn", None).map(|it| cell(it).with_mark(Some(fit(it.value)))).into(),
            take("sack-blocks", Some("with timestamps")).map(cell).into(),
            take("sack-blocks", Some("without timestamps")).map(cell).into(),
            take("payload", None).map(cell).into(),
        ];
        if row.iter().any(|cell| cell.number().is_some()) {
            table.keyed_row(algorithm, row);
        }
    }
    table.note(
        "Payload is that of the longest segment over IPv4 with timestamps on a path with an MTU of 1500.",
    );
    table
}
