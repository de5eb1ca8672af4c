//! Projections: what a query was measured to cost, times how many there are. Nothing here was measured at that rate, and every table says so.

use std::collections::BTreeSet;
use std::fmt;

use fieldtest_measure::record::Record;
use fieldtest_report::number::{full, grouped};
use fieldtest_report::{Cell, Kind, Report, Table};

use crate::words::{Counted, Flow, Operation, PerQuery, Phase, note};

const DAY: f64 = 86_400.0;
const SECOND: f64 = 1e9;
/// Octets a second to Mbit/s.
const MEGABIT: f64 = 8e-6;

/// Whose day the volume of a root server is of, from the statistics that Verisign publishes by RSSAC002
/// (`rssac-caucus/RSSAC002-data`, `2025/06/traffic-volume`).
const ROOT_SERVER: &str = "a.root-servers.net, 2025-06-10 (RSSAC002)";
/// The `dns-udp-queries-received-ipv4` and `-ipv6` of that day.
const UDP_QUERIES: [u64; 2] = [8_157_720_008, 1_983_977_624];

/// How many queries there are, and who says so.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Volume {
    /// Queries a second, on average.
    pub(crate) rate: f64,
    pub(crate) of: String,
}

impl Volume {
    /// A resolver's clients. What a client asks is ours to assume, as no operator publishes clients and queries together.
    pub(crate) fn of_a_million_clients() -> Volume {
        const CLIENTS: f64 = 1e6;
        const EACH: f64 = 0.1;
        let of = "a million clients, each with a query every ten seconds (our assumption: there are no published numbers)";
        Volume { rate: CLIENTS * EACH, of: of.to_owned() }
    }

    /// The UDP queries of a root server's day.
    pub(crate) fn of_a_root_server() -> Volume {
        let queries = UDP_QUERIES.iter().sum::<u64>() as f64;
        Volume {
            rate: queries / DAY,
            of: format!("{ROOT_SERVER}: {} queries over UDP in a day", number(queries)),
        }
    }
}

impl fmt::Display for Volume {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} queries a second: {}", number(self.rate), self.of)
    }
}

/// What a result of a record becomes.
struct Column {
    heading: &'static str,
    unit: &'static str,
    operation: Operation,
    /// Behind the load or the level in the record's subject.
    of: &'static str,
    /// What one in a second makes of the record's unit.
    factor: f64,
}

const fn column(
    heading: &'static str,
    unit: &'static str,
    (operation, of): (Operation, &'static str),
    factor: f64,
) -> Column {
    Column { heading, unit, operation, of, factor }
}

const OF_RESOLVER: [Column; 8] = [
    column("cores", "cores", (Operation::ResolverProcessor, ""), 1.0 / SECOND),
    column("up", "Mbit/s", (Flow::Upstream.operation(), Counted::Bytes.word()), MEGABIT),
    column("packets up", "per-second", (Flow::Upstream.operation(), Counted::Packets.word()), 1.0),
    column("TCP up", "per-second", (Flow::Upstream.operation(), Counted::Connections.word()), 1.0),
    column("down", "Mbit/s", (Flow::Downstream.operation(), Counted::Bytes.word()), MEGABIT),
    column("packets down", "per-second", (Flow::Downstream.operation(), Counted::Packets.word()), 1.0),
    column("TCP down", "per-second", (Flow::Downstream.operation(), Counted::Connections.word()), 1.0),
    column("name servers' cores", "cores", (Operation::AuthorityProcessor, ""), 1.0 / SECOND),
];

/// What the servers of a level need, for each query to them.
const OF_SERVERS: [Column; 4] = [
    column("cores", "cores", (Operation::AuthorityQuery, PerQuery::Processor.word()), 1.0 / SECOND),
    column("both ways", "Mbit/s", (Operation::AuthorityQuery, PerQuery::Bytes.word()), MEGABIT),
    column("packets", "per-second", (Operation::AuthorityQuery, PerQuery::Packets.word()), 1.0),
    column("TCP", "per-second", (Operation::AuthorityQuery, PerQuery::Connections.word()), 1.0),
];

/// The arithmetic, in words.
const HOW: &str = "Projection, not measured at this rate: queries a second × the record's result for each query; cores: × ns ÷ 10⁹, Mbit/s: × bytes × 8 ÷ \
                   10⁶. Intervals are the records', multiplied alike; that costs stay what they are at higher rates is assumed.";

/// What a resolver needs at this volume: as if nothing were cached, and in steady state.
pub(crate) fn of_resolver(report: &Report, volume: &Volume) -> Option<Table> {
    let rows = Phase::LOADS.map(Phase::word);
    let mut table = table(report, "Projection for a resolver", "caches", (&rows, &OF_RESOLVER), volume)?;
    table.note(format!("Of {volume}."));
    table.note(HOW);
    table.note(
        "Cold is the bound above, where every query is the first for its name; steady has this study's mix of names, all of which are cached.",
    );
    let has = |name: &&str, is_steady: bool| {
        let mut of_it = report.records().iter().filter(|record| record.algorithm == **name);
        of_it.any(|record| {
            record.operation == Operation::ResolverProcessor && (!is_steady || is_counted_steady(record))
        })
    };
    let left = report.measured().into_iter().filter(|name| has(name, false) && !has(name, true));
    let left: Vec<&str> = left.map(|name| report.title(name)).collect();
    if !left.is_empty() {
        table.note(format!(
            "Without a steady state, as no record says that it was counted to be one: {}; the load has to be longer, or in a network namespace.",
            left.join(", ")
        ));
    }
    Some(table)
}

/// Whether a record is of a load that was counted to be steady: others are partly of caches that fill, and no rate multiplies that.
fn is_counted_steady(record: &Record) -> bool {
    record.notes.iter().any(|it| it == note::STEADY)
}

/// What the root's servers need at this volume.
pub(crate) fn of_root(report: &Report, volume: &Volume) -> Option<Table> {
    let mut table = table(report, "Projection for a root server", "level", (&["root"], &OF_SERVERS), volume)?;
    table.note(format!("Of {volume}."));
    table.note(HOW);
    table.note(
        "What a query costs is that of this study's root, with its mix of questions by one validating resolver; of a root server's own mix, the \
         share of truncated answers is projected by 'fieldtest dnssec study'.",
    );
    Some(table)
}

/// A row for each algorithm and word that the records' subjects begin with; nothing where no result is there.
fn table(
    report: &Report,
    title: &str,
    what: &str,
    (rows, columns): (&[&str], &[Column]),
    volume: &Volume,
) -> Option<Table> {
    let mut table = Table::new(title).column("algorithm", Kind::Text).column(what, Kind::Text);
    for column in columns {
        table = table.column(column.heading, Kind::number(column.unit));
    }
    table = table.column("projection from", Kind::Text);
    for algorithm in report.measured() {
        for begins in rows {
            let of = |column: &Column| {
                let subject = format!("{begins} {}", column.of);
                let is_one = |record: &&Record| {
                    record.algorithm == algorithm
                        && record.operation == column.operation
                        && record.subject == subject.trim_end()
                        && (*begins != Phase::Steady.word() || is_counted_steady(record))
                };
                report.records().iter().find(is_one)
            };
            let found: Vec<Option<&Record>> = columns.iter().map(of).collect();
            let operations: BTreeSet<&str> = found.iter().flatten().map(|it| it.operation.as_str()).collect();
            if operations.is_empty() {
                continue;
            }
            let names: Vec<&str> = operations.into_iter().collect();
            let cells =
                columns.iter().zip(&found).map(|(column, record)| projected(column, *record, volume.rate));
            let mut row: Vec<Cell> = vec![algorithm.into(), (*begins).into()];
            row.extend(cells);
            row.push(format!("{} of '{begins}' × {}/s", names.join(", "), number(volume.rate)).into());
            table.keyed_row(algorithm, row);
        }
    }
    (!table.is_empty()).then(|| table.without_empty_columns())
}

fn number(value: f64) -> String {
    grouped(&full(value.round()))
}

fn projected(column: &Column, record: Option<&Record>, rate: f64) -> Cell {
    let Some(record) = record else { return Cell::default() };
    let by = rate * column.factor;
    Cell::from(record.value * by)
        .with_interval(record.interval.map(|bounds| bounds.map(|bound| bound * by)))
        .approximately(true)
        .standing_alone(true)
        .with_detail(format!(
            "projection: {} {} of '{}', {} {}, × {}/s",
            record.operation,
            record.subject,
            record.algorithm,
            full(record.value),
            record.unit,
            full(rate)
        ))
}

#[cfg(test)]
mod tests {
    use fieldtest_measure::record::Line;
    use fieldtest_report::Format;
    use fieldtest_testing::synthetic;

    use super::*;
    use crate::STUDY_SECTION;

    fn report(records: Vec<Record>) -> Report {
        let lines = std::iter::once(Line::Run(synthetic::run())).chain(records.into_iter().map(Line::Record));
        Report::from_lines(lines, &[&STUDY_SECTION]).expect("a report")
    }

    #[test]
    fn arithmetic_and_intervals() {
        let record = |operation: Operation, subject: &str, value: f64, unit: &str| Record {
            interval: Some([value / 2.0, value * 2.0]),
            notes: vec![note::STEADY.to_owned()],
            ..synthetic::record("dnssec", "elder-p256", operation.word(), subject, value, unit)
        };
        let all = vec![
            record(Operation::ResolverProcessor, "steady", 50_000.0, "ns"),
            record(Operation::Upstream, "steady bytes", 250.0, "bytes"),
            record(Operation::AuthorityQuery, "root processor", 10_000.0, "ns"),
        ];
        let volume = Volume { rate: 100_000.0, of: "clients".to_owned() };
        // Nobody counted that it was steady, as in records of earlier versions.
        let uncounted = all.iter().map(|it| Record { notes: Vec::new(), ..it.clone() }).collect();
        assert!(of_resolver(&self::report(uncounted), &volume).is_none());
        let report = report(all);
        let table = of_resolver(&report, &volume).expect("a table");
        let json = table.render(Format::Json);
        let document: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let row = &document["rows"][0];
        let is = |found: &serde_json::Value, value: f64| {
            found.as_f64().is_some_and(|found| (found / value - 1.0).abs() < 1e-9)
        };
        // 100,000/s × 50 µs, and × 250 × 8 bits; half and twice of it.
        assert!(is(&row["cores"], 5.0) && is(&row["up"], 200.0), "{json}");
        assert!(is(&row["cores interval"][0], 2.5) && is(&row["cores interval"][1], 10.0), "{json}");
        assert!(row["cores approximate"] == true && json.contains("projection from"), "{json}");
        let root = of_root(&report, &Volume::of_a_root_server()).expect("a table");
        assert!(root.render(Format::Csv).contains("authority-query of 'root' × 117,"));
        assert!(of_root(&self::report(vec![]), &volume).is_none());
    }

    #[test]
    fn volumes_are_those_of_their_sources() {
        let root = Volume::of_a_root_server();
        // 10,142 million queries, of which 9,963 million were answered.
        assert!((117_000.0..118_000.0).contains(&root.rate), "{root}");
        assert!(root.of.contains("2025-06-10"));
        assert!((Volume::of_a_million_clients().rate - 1e5).abs() < 1e-6);
    }
}
