//! Rolls: what each step of replacing keys weighs, what clients see of it, and a picture of the time that it takes.

use fieldtest_dns_internet::rekey::roll::{Procedure, Roll, Step, Wrong};
use fieldtest_measure::record::Record;
use fieldtest_report::number::{full, grouped};
use fieldtest_report::once::each_once;
use fieldtest_report::plot::svg::{Anchor, Svg};
use fieldtest_report::plot::{Plot, WIDTH, outline};
use fieldtest_report::tables::ledger::{Ledger, Which};
use fieldtest_report::{Cell, Kind, Report, Table};

use crate::words::{Denial, Operation, Stage};

/// A column of the tables: its heading, and where its results are from.
const COLUMNS: [(&str, Operation, &str); 10] = [
    ("begins", Operation::RekeyBegins, "s"),
    ("DNSKEY set", Operation::RekeyKeys, "bytes"),
    ("AXFR", Operation::RekeyWhole, "bytes"),
    ("IXFR", Operation::RekeyDifference, "bytes"),
    ("signatures", Operation::RekeySignatures, "count"),
    ("truncated up", Operation::RekeyTruncated, "share"),
    ("queries up", Operation::RekeyUpstream, "count"),
    ("secure", Operation::RekeySecure, "share"),
    ("SERVFAIL", Operation::RekeyFailed, "share"),
    ("no answer", Operation::RekeyLost, "share"),
];

pub(super) fn is_of_roll(record: &Record) -> bool {
    let is_one = |(_, operation, _): &(&str, Operation, &str)| record.operation == operation.word();
    COLUMNS.iter().any(is_one) || record.operation == Operation::RekeyUnanswered.word()
}

/// What was rolled: an algorithm's keys in one way, in a zone that denies in one way, on one input.
#[derive(Clone, Copy, PartialEq)]
struct Rolled<'a> {
    algorithm: &'a str,
    procedure: Procedure,
    denial: Denial,
    input: &'a str,
}

impl Rolled<'_> {
    /// What it does at a step, in all of its time.
    fn stage(&self, step: usize, of: Step) -> String {
        let Rolled { procedure, denial, .. } = *self;
        Stage { procedure, step, phase: of.phase, denial, at: None }.to_string()
    }
}

fn rolled(record: &Record) -> Option<(Rolled<'_>, Stage)> {
    let stage = Stage::read(&record.subject).filter(|_| is_of_roll(record))?;
    let input = record.input.as_ref().map_or("", |input| input.name.as_str());
    let Stage { procedure, denial, .. } = stage;
    Some((Rolled { algorithm: &record.algorithm, procedure, denial, input }, stage))
}

/// Everything that was rolled, in the records' order.
fn all<'a>(records: impl Iterator<Item = &'a Record>) -> Vec<Rolled<'a>> {
    each_once(records.filter_map(rolled).map(|(one, _)| one))
}

/// A table for each way, whose rows are the steps.
pub(super) fn tables(report: &Report, ledger: &mut Ledger<'_>) -> Vec<Table> {
    let found = all(ledger.all());
    let mut procedures: Vec<Procedure> = found.iter().map(|one| one.procedure).collect();
    procedures.sort_unstable();
    procedures.dedup();
    let tables = procedures.into_iter().map(|procedure| {
        let own: Vec<Rolled<'_>> = found.iter().filter(|one| one.procedure == procedure).copied().collect();
        table(report, ledger, procedure, &own)
    });
    let mut tables: Vec<Table> = tables.collect();
    tables.push(failures(ledger, &found));
    // What stands in the picture, second by second.
    let seconds: Vec<&Record> =
        ledger.all().filter(|record| rolled(record).is_some_and(|(_, stage)| stage.at.is_some())).collect();
    for record in seconds {
        let (algorithm, operation) = (record.algorithm.as_str(), record.operation.as_str());
        ledger.take(Which::of(algorithm, operation).on(&record.subject));
    }
    tables.retain(|table| !table.is_empty());
    tables
}

fn table(report: &Report, ledger: &mut Ledger<'_>, procedure: Procedure, rolled: &[Rolled<'_>]) -> Table {
    let mut table = Table::new(title(procedure)).column("algorithm", Kind::Text);
    let others = rolled.iter().any(|one| one.denial != Denial::Nsec);
    if others {
        table = table.column("denial", Kind::Text);
    }
    table = table.column("step", Kind::Text);
    table = COLUMNS.iter().fold(table, |table, (name, _, unit)| table.column(*name, Kind::number(*unit)));
    let steps = procedure.steps();
    for one in rolled {
        for (at, step) in steps.iter().enumerate() {
            let subject = one.stage(at, *step);
            let mut row: Vec<Cell> = vec![one.algorithm.into()];
            row.extend(others.then(|| one.denial.in_words().into()));
            row.push(named(at, *step).into());
            for (_, operation, unit) in COLUMNS {
                let which = Which::of(one.algorithm, operation.word()).on(&subject).in_unit(unit);
                row.push(ledger.show(which));
            }
            table.row_of_results(one.algorithm, row);
        }
    }
    let mut inputs: Vec<&str> =
        rolled.iter().map(|one| one.input).filter(|input| !input.is_empty()).collect();
    inputs.dedup();
    for input in inputs {
        let titles: Vec<&str> =
            rolled.iter().filter(|one| one.input == input).map(|one| report.title(one.algorithm)).collect();
        table.note(format!("{}: {input}.", titles.join(", ")));
    }
    let waits =
        steps.iter().enumerate().map(|(at, step)| format!("{}, {}", named(at, *step), step.waits.in_words()));
    table.note(format!("What a step waits for: {}.", waits.collect::<Vec<_>>().join("; ")));
    table.note(
        "IXFR: the bytes sent to secondaries for the step, ≈ if estimated; if missing, the zone itself did not change. Truncated and queries \
         up: between the resolver and the name server of the zone, the queries for each query of a client. Secure, SERVFAIL, no answer: \
         of the clients' queries.",
    );
    table.without_empty_columns()
}

/// The seconds in which somebody failed. All others are in the picture.
fn failures(ledger: &Ledger<'_>, found: &[Rolled<'_>]) -> Table {
    let mut table = Table::new("Seconds without proper answers")
        .texts(["algorithm", "way", "denial", "step"])
        .column("second", Kind::number("s"))
        .column("SERVFAIL or none", Kind::number("share"))
        .column("queries up", Kind::number("count"));
    let records: Vec<&Record> = ledger.all().collect();
    for one in found {
        let steps = one.procedure.steps();
        for second in seconds(&records, *one).into_iter().filter(|second| second.unanswered > 0.0) {
            let step = steps.get(second.step).map(|step| named(second.step, *step)).unwrap_or_default();
            let up = second.up.map_or_else(Cell::default, Cell::from);
            let results = [Cell::from(second.at), second.unanswered.into(), up];
            let denial = one.denial.in_words();
            let words = [one.algorithm.into(), one.procedure.to_string().into(), denial.into(), step.into()];
            table.keyed_row(one.algorithm, words.into_iter().chain(results));
        }
    }
    table.note(
        "The share of the clients' queries of a second whose answer was SERVFAIL, or that had none in time.",
    );
    table
}

/// A step as it is called in tables and pictures.
fn named(at: usize, step: Step) -> String {
    format!("{at} {}", step.phase.word())
}

fn title(procedure: Procedure) -> String {
    let roll = match procedure.roll {
        Roll::ZskPrePublication => "A zone-signing key, pre-published",
        Roll::ZskDoubleSignature => "A zone-signing key, signatures doubled",
        Roll::KskDoubleSignature => "A key-signing key, signatures doubled",
        Roll::AlgorithmConservative => "An algorithm, the conservative way",
        Roll::AlgorithmLiberal => "An algorithm, the liberal way",
    };
    match procedure.wrong {
        None => format!("{roll}, step by step"),
        Some(Wrong::Unpublished) => format!("{roll}, wrongly: used before it is published"),
        Some(Wrong::Removed) => format!("{roll}, wrongly: the old one removed too early"),
        Some(Wrong::Hasty) => format!("{roll}, wrongly: without waiting"),
    }
}

struct Second {
    at: f64,
    step: usize,
    unanswered: f64,
    /// Queries to the zone's name server for each query of a client.
    up: Option<f64>,
}

fn seconds(records: &[&Record], one: Rolled<'_>) -> Vec<Second> {
    let own = |operation: Operation| {
        records.iter().filter_map(move |record| {
            let (found, stage) = rolled(record).filter(|_| record.operation == operation.word())?;
            (found == one).then_some((stage.at?, stage.step, record.value))
        })
    };
    let up: Vec<(f64, usize, f64)> = own(Operation::RekeyUpstream).collect();
    let mut seconds: Vec<Second> = own(Operation::RekeyUnanswered)
        .map(|(at, step, unanswered)| {
            let up = up.iter().find(|(other, _, _)| *other == at).map(|(_, _, value)| *value);
            Second { at, step, unanswered, up }
        })
        .collect();
    seconds.sort_by(|one, other| one.at.total_cmp(&other.at));
    seconds
}

/// Each roll along its time: failures, queries to the name server, and how large the DNSKEY answer is in each step.
pub(super) fn timeline(report: &Report, records: &[&Record]) -> Option<Plot> {
    const HEIGHT: f64 = 132.0;
    const LEFT: f64 = 46.0;
    const TOP: f64 = 44.0;
    const RIGHT: f64 = WIDTH - 16.0;
    const LETTER: f64 = 7.0;
    const TICKS: [f64; 8] = [1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 3_600.0];
    let found: Vec<(Rolled<'_>, Vec<Second>)> = all(records.iter().copied())
        .into_iter()
        .map(|one| (one, seconds(records, one)))
        .filter(|(_, seconds)| !seconds.is_empty())
        .collect();
    if found.is_empty() {
        return None;
    }
    let longest = found.iter().filter_map(|(_, seconds)| Some(seconds.last()?.at + 1.0)).fold(1.0, f64::max);
    let most_up =
        found.iter().flat_map(|(_, seconds)| seconds).filter_map(|second| second.up).fold(0.1, f64::max);
    let apart = TICKS.into_iter().find(|apart| longest / apart <= 10.0).unwrap_or(longest);
    let x = |at: f64| LEFT + (RIGHT - LEFT) * at / longest;
    let mut svg = Svg::new(WIDTH, HEIGHT * found.len() as f64 + 24.0);
    for (number, (one, seconds)) in found.iter().enumerate() {
        let top = HEIGHT * number as f64;
        let (high, low) = (top + TOP, top + HEIGHT - 22.0);
        let y = |share: f64| low - (low - high) * share.clamp(0.0, 1.0);
        svg.open_item(one.algorithm, report.title(one.algorithm));
        let heading =
            format!("{}: {}, {}", report.title(one.algorithm), one.procedure, one.denial.in_words());
        svg.text((LEFT, top + 16.0), Anchor::Start, "name", &heading);
        for (share, label) in [(0.0, "0%"), (1.0, "100%")] {
            svg.line((LEFT, y(share)), (RIGHT, y(share)), "grid");
            svg.text((LEFT - 6.0, y(share) + 4.0), Anchor::End, "tick", label);
        }
        let mut free = 0.0;
        for (at, step) in one.procedure.steps().iter().enumerate() {
            let Some(first) = seconds.iter().find(|second| second.step == at) else { continue };
            let subject = one.stage(at, *step);
            let is_own = |record: &&&Record| {
                record.operation == Operation::RekeyKeys.word()
                    && record.subject == subject
                    && rolled(record).is_some_and(|(other, _)| other == *one)
            };
            let keys = records.iter().find(is_own);
            let octets = keys.map(|record| grouped(&full(record.value)));
            let octets = octets.map_or(String::new(), |octets| format!(", {octets} bytes"));
            let label = format!("{}{octets}", step.phase.word());
            svg.open(&format!("{at} {label} of DNSKEY answer\nwaits {}", step.waits.in_words()));
            svg.line((x(first.at), high), (x(first.at), low), "rule");
            // Steps that follow at once leave no room for all of their names.
            if x(first.at) >= free {
                svg.text((x(first.at) + 3.0, high - 8.0), Anchor::Start, "tick", &label);
                free = x(first.at) + LETTER * label.chars().count() as f64;
            }
            svg.close();
        }
        let (_, class) = outline(report.status(one.algorithm));
        for pair in seconds.windows(2) {
            if let [Some(one), Some(other)] = [pair[0].up, pair[1].up] {
                let place = |at: f64, up: f64| (x(at), y(up / most_up));
                svg.line(place(pair[0].at, one), place(pair[1].at, other), "curve other");
            }
            let place = |second: &Second| (x(second.at), y(second.unanswered));
            svg.line(place(&pair[0]), place(&pair[1]), &format!("curve {class}"));
        }
        for tick in 0..=(longest / apart) as u32 {
            let at = f64::from(tick) * apart;
            svg.text((x(at), low + 15.0), Anchor::Middle, "tick", &full(at));
        }
        svg.close();
    }
    let bottom = HEIGHT * found.len() as f64 + 14.0;
    svg.text((f64::midpoint(LEFT, RIGHT), bottom), Anchor::Middle, "axis", "seconds");
    let sample = |class: &str| {
        let mut svg = Svg::new(26.0, 14.0);
        svg.line((1.0, 7.0), (25.0, 7.0), class);
        svg.finish("").svg
    };
    let most = full((most_up * 100.0).round() / 100.0);
    Some(Plot {
        title: "Keys replaced, second by second".to_owned(),
        caption: "The share of the clients' queries that had no proper answer, SERVFAIL or none at all, in each second of a roll. A \
                  broken line is the beginning of a step, with the bytes of the DNSKEY answer in it."
            .to_owned(),
        legend: vec![
            (sample("curve p standard"), "without a proper answer".to_owned()),
            (sample("curve other"), format!("queries to the name server per client query, 100% is {most}")),
        ],
        svg: svg.finish("Failures over the time of each roll; the tables below list the results of each step"),
    })
}
