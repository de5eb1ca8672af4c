//! What an algorithm does to DNSSEC: the zone, the answers, the servers.

use fieldtest_measure::record::Record;
use fieldtest_measure::words::{KeyOperation, Time};
use fieldtest_report::Report;
use fieldtest_report::once::each_once;
use fieldtest_report::symbols;
use fieldtest_report::tables::availability::{self, Places};
use fieldtest_report::tables::elapsed;
use fieldtest_report::tables::ledger::{Ledger, Which, remark_on_rounds};
use fieldtest_report::tables::ledger::{cell, cell_of_any_code};
use fieldtest_report::tables::primitives::{self, pairs};
use fieldtest_report::{Cell, Kind, Table};

use super::fit::fit;
use super::is_of_servers;
use super::server_signer::{self, fastest_in, fastest_signer};
use crate::words::{Answer, Denial, Form, Larger, Message, Operation};

/// What the marks of message sizes mean.
const FITS: &str = "▁ fits 512 bytes, ▃ fits 1232, ▅ fits 1452 only, █ is over 1452 and so truncated and asked again \
                    over TCP.";

/// What is told with a mean and a standard deviation: what presentations on post-quantum DNSSEC have.
const ELAPSED: [elapsed::Timed<'_>; 5] = [
    ("keygen", KeyOperation::Keygen.word(), None),
    ("sign", KeyOperation::Sign.word(), None),
    ("sign zone", Operation::SignZone.word(), Some(Time::Wall.word())),
    ("verify", KeyOperation::Verify.word(), None),
    ("validate zone", Operation::ValidateZone.word(), Some(Time::Wall.word())),
];

/// The messages in the order of a resolver's day; others follow in the records' order.
const MESSAGES: [Answer; 16] = [
    Answer::Soa,
    Answer::OwnMedian,
    Answer::OwnP99,
    Answer::OwnMax,
    Answer::Nodata,
    Answer::NxdomainBest,
    Answer::NxdomainTypical,
    Answer::NxdomainWorst,
    Answer::ReferralMedian,
    Answer::ReferralMax,
    Answer::DsMax,
    Answer::DnskeySteady,
    Answer::DnskeyRoll,
    Answer::DnskeyDoubleSigned,
    Answer::Priming,
    Answer::ApexNs,
];

/// The messages that `records` know, each with the subject that stands for it: the plain one, or else that of
/// the first way of denial.
pub(crate) fn message_subjects<'a>(records: impl Iterator<Item = &'a Record>) -> Vec<(&'a str, &'a str)> {
    let sizes = records.filter(|record| record.operation == Operation::MessageSize);
    let subjects = each_once(sizes.map(|record| record.subject.as_str()));
    let others = subjects.iter().map(|subject| Message::split(subject).0);
    let messages = each_once(MESSAGES.map(Answer::word).into_iter().chain(others));
    let place = |denial| Denial::ALL.iter().position(|it| *it == denial).unwrap_or(0);
    let rank = |denial: Option<Denial>| denial.map_or(0, |denial| 1 + place(denial));
    messages
        .iter()
        .filter_map(|message| {
            let own = subjects.iter().filter(|subject| Message::split(subject).0 == *message);
            let best = own.min_by_key(|subject| rank(Message::split(subject).1))?;
            Some((Message::split(best).0, *best))
        })
        .collect()
}

pub(super) fn tables(report: &Report, ledger: &mut Ledger) -> Vec<Table> {
    vec![
        overview(report, ledger),
        messages(report, ledger),
        denials(report, ledger),
        projection(report, ledger),
        zone_work(report, ledger),
        elapsed::table(report, ledger, &ELAPSED),
        server_signer::table(report, ledger),
        zone_sizes(report, ledger),
        primitives::table(report, ledger),
        availability::table(report, ledger, Places::Known, "Deployed support"),
    ]
}

/// One row per algorithm with the results that most often decide; every one of them stands in full further down.
fn overview(report: &Report, ledger: &Ledger) -> Table {
    let keygen_unit = ledger.unit_of(KeyOperation::Keygen.word(), None).unwrap_or("cycles");
    let mut table = Table::new("Key results")
        .texts(["algorithm", "status", "signed by"])
        .column("keygen", Kind::number(keygen_unit.to_owned()))
        .column("signing rate", Kind::number("per-second"))
        .numbers(["sign zone", "validate zone"], "s")
        .column("validated by", Kind::Text)
        .column("signed zone", Kind::number("bytes"))
        .ratio_of("signed zone")
        .numbers(["DNSKEY", "NXDOMAIN"], "bytes")
        .column("truncated", Kind::number("share"))
        .column("over TCP", Kind::number("per-day"));
    let measured = report.measured();
    let subjects = message_subjects(ledger.all());
    let size = |algorithm, answer: Answer| -> Cell {
        let subject = subjects.iter().find(|(known, _)| **known == answer).map(|(_, subject)| *subject);
        let operation = Operation::MessageSize.word();
        let which = Which { subject, ..Which::of(algorithm, operation).in_unit("bytes") };
        subject.and(ledger.find(which)).map(|record| cell(record).with_mark(Some(fit(record.value)))).into()
    };
    let mut rows: Vec<&str> = Vec::new();
    for &algorithm in &measured {
        // Where a resolver alone was measured, nothing is known of zones.
        let is_of_zone = |record: &Record| record.algorithm == algorithm && !is_of_servers(record);
        if !ledger.all().any(is_of_zone) {
            continue;
        }
        let fastest = fastest_signer(ledger, algorithm);
        let validator = fastest_in(ledger, algorithm, Operation::ValidateZone).or(fastest);
        let find = |operation, subject, unit, implementation| -> Cell {
            let which = Which { subject, implementation, ..Which::of(algorithm, operation).in_unit(unit) };
            ledger.find(which).map_or_else(|| ledger.missing(which), cell_of_any_code)
        };
        let status = symbols::status(report.status(algorithm));
        let row: [Cell; 13] = [
            algorithm.into(),
            Cell::from(status.word.to_string()).with_mark(Some(status)),
            fastest.map(|name| report.code(name)).into(),
            find(KeyOperation::Keygen.word(), None, keygen_unit, fastest),
            rate(ledger, algorithm, fastest),
            find(Operation::SignZone.word(), Some(Time::Wall.word()), "s", fastest),
            find(Operation::ValidateZone.word(), Some(Time::Wall.word()), "s", validator),
            validator.map(|name| report.code(name)).into(),
            find(Operation::ZoneSize.word(), Some(Form::Raw.word()), "bytes", None),
            size(algorithm, Answer::DnskeySteady),
            size(algorithm, Answer::NxdomainTypical),
            find(Operation::TruncatedShare.word(), None, "share", None),
            find(Operation::TcpQueries.word(), None, "per-day", None),
        ];
        table.keyed_row(algorithm, row);
        rows.push(algorithm);
    }
    if let Some(row) = rows.iter().position(|algorithm| Some(*algorithm) == report.baseline()) {
        table.baseline(row);
        if ledger.all().any(|record| record.operation == Operation::ZoneSize) {
            table.note(format!("× is the size divided by that with {}.", report.title(rows[row])));
        }
    }
    table.note(
        "Times are wall time with all cores; signing rate is for one core: signatures per processor time to sign \
         the zone, zone handling included. Signing and validation are each by the fastest implementation; key generation \
         is the signer's.",
    );
    table.note(FITS);
    table.without_empty_columns()
}

/// Signatures over the processor time of signing the zone. Per core, as in the recommendation: the rate of
/// all cores in the table and of one in the sentence looked like a contradiction.
fn rate(ledger: &Ledger, algorithm: &str, implementation: Option<&str>) -> Cell {
    let of_cpu = Which {
        implementation,
        ..Which::of(algorithm, Operation::SignZone.word()).on(Time::Cpu.word()).in_unit("s")
    };
    let cpu = ledger.find(of_cpu);
    let count = ledger.find(Which::of(algorithm, Operation::Signatures.word()));
    match (cpu, count) {
        (Some(cpu), Some(count)) if cpu.value > 0.0 => {
            let interval = cpu.interval.filter(|[low, _]| *low > 0.0);
            Cell::from(count.value / cpu.value)
                .with_interval(interval.map(|[low, high]| [count.value / high, count.value / low]))
                .approximately(fieldtest_report::tables::ledger::is_approximate(cpu))
                .with_mark(cell(cpu).mark)
                .with_detail(format!("{} signatures in {} s", count.value, cpu.value))
        }
        _ => ledger.missing(of_cpu),
    }
}

fn zone_work(report: &Report, ledger: &mut Ledger) -> Table {
    let mut table = Table::new("Signing and validating the zone")
        .texts(["algorithm", "implementation"])
        .column("signatures", Kind::number("count"))
        .column("signing rate", Kind::number("per-second"))
        .column("sign, wall", Kind::number("s"))
        .ratio_of("sign, wall")
        .numbers(["sign, processor", "validate, wall"], "s")
        .ratio_of("validate, wall")
        .column("validate, processor", Kind::number("s"));
    const JOBS: [Operation; 2] = [Operation::SignZone, Operation::ValidateZone];
    let pairs = pairs(report, ledger, &JOBS.map(Operation::word));
    for &(algorithm, name) in &pairs {
        let mut row: Vec<Cell> = vec![algorithm.into(), report.code(name)];
        let count = Which::of(algorithm, Operation::Signatures.word());
        row.push(ledger.take(count).or_else(|| ledger.find(count)).map(cell).into());
        row.push(rate(ledger, algorithm, Some(name)));
        for operation in JOBS {
            for time in Time::ALL {
                let which = Which::of(algorithm, operation.word()).on(time.word()).by(name).in_unit("s");
                row.push(ledger.show(which));
            }
        }
        table.keyed_row(algorithm, row);
    }
    table.baseline_of(report.baseline());
    table.note(
        "Wall is elapsed time, processor the CPU time of all cores together. ≈ was extrapolated from a \
         part of the zone.",
    );
    let part = |record: &Record| {
        let is_meant = record.operation == Operation::SignZone && record.subject == Time::Wall;
        record.part.filter(|_| is_meant).map(|part| {
            format!("{} {} of {} signatures", report.title(&record.algorithm), part.measured, part.of)
        })
    };
    let parts = each_once(ledger.all().filter_map(part));
    table.notes_of((!parts.is_empty()).then(|| format!("Parts that were signed: {}.", parts.join(", "))));
    table.notes_of(remark_on_rounds(ledger, &JOBS.map(Operation::word)));
    table.without_empty_columns()
}

fn zone_sizes(report: &Report, ledger: &mut Ledger) -> Table {
    matrix(report, ledger, "Size of the signed zone", &[Operation::ZoneSize], &Form::ALL, Some(Form::Raw))
}

/// What leaves UDP: the share of answers over a limit, of truncated answers, and the queries that come back over TCP.
fn projection(report: &Report, ledger: &mut Ledger) -> Table {
    let mut table = matrix(
        report,
        ledger,
        "What moves to TCP",
        &[Operation::ShareOver, Operation::TruncatedShare, Operation::TcpQueries],
        &[],
        None,
    );
    table.note(
        "`over` columns: the share of those messages that are larger than the given number of bytes. Projections assume \
         unchanged traffic.",
    );
    table
}

/// A row per algorithm, a column per operation and subject; `first` orders the subjects, that of `ratio_of` is also
/// given against the baseline.
fn matrix(
    report: &Report,
    ledger: &mut Ledger,
    title: &str,
    operations: &[Operation],
    first: &[Form],
    ratio_of: Option<Form>,
) -> Table {
    let mut columns: Vec<(Operation, &str, &str)> = Vec::new();
    for operation in operations {
        let records = ledger.all().filter(|record| record.operation == *operation);
        let mut found = each_once(records.map(|it| (*operation, it.subject.as_str(), it.unit.as_str())));
        found.sort_by_key(|(_, subject, _)| {
            first.iter().position(|it| **subject == *it).unwrap_or(first.len())
        });
        columns.extend(found);
    }
    let mut table = Table::new(title).column("algorithm", Kind::Text);
    for (operation, subject, unit) in &columns {
        let name = match (*operation, *subject) {
            (Operation::ZoneSize, subject) => subject.to_owned(),
            (Operation::ShareOver, subject) => match Larger::read(subject) {
                Some(Larger { kind, limit }) => format!("{kind} over {limit}"),
                None => subject.to_owned(),
            },
            (Operation::TruncatedShare, subject) => format!("truncated {subject}").trim().to_owned(),
            (Operation::TcpQueries, subject) => format!("TCP queries {subject}").trim().to_owned(),
            (other, subject) => format!("{other} {subject}").trim().to_owned(),
        };
        table = table.column(name.as_str(), Kind::number((*unit).to_owned()));
        if ratio_of.is_some_and(|form| **subject == form) {
            table = table.ratio_of(&name);
        }
    }
    for algorithm in report.measured() {
        let mut row: Vec<Cell> = vec![algorithm.into()];
        for (operation, subject, unit) in &columns {
            let operation = operation.word();
            let which = Which::of(algorithm, operation).on(subject).in_unit(unit);
            row.push(ledger.cell(which));
        }
        table.row_of_results(algorithm, row);
    }
    table.baseline_of(report.baseline());
    table
}

fn messages(report: &Report, ledger: &mut Ledger) -> Table {
    let subjects = message_subjects(ledger.all());
    let columns: Vec<(String, &str)> =
        subjects.iter().map(|(message, subject)| ((*message).to_owned(), *subject)).collect();
    let mut table = sized(report, ledger, "Size of the answers", &columns, true);
    let denial = subjects.iter().filter_map(|(_, subject)| Message::split(subject).1).next();
    if let Some(denial) = denial {
        table.note(format!("Negative answers with {}.", denial.in_words()));
    }
    table.note(FITS);
    table
}

/// Answers that hold denials by the way of denial, where there is more than one.
fn denials(report: &Report, ledger: &mut Ledger) -> Table {
    let mut columns: Vec<(String, &str)> = Vec::new();
    for (message, _) in message_subjects(ledger.all()) {
        for denial in Denial::ALL {
            let subject = ledger
                .all()
                .map(|record| record.subject.as_str())
                .find(|subject| Message::split(subject) == (message, Some(denial)));
            columns.extend(subject.map(|subject| (format!("{message} {}", denial.in_words()), subject)));
        }
    }
    let kinds = columns.iter().map(|(_, subject)| Message::split(subject).1);
    let several = kinds.clone().any(|kind| Some(kind) != kinds.clone().next());
    if !several {
        return Table::new("");
    }
    sized(report, ledger, "Answers by the way of denial", &columns, false)
}

/// A row per algorithm, a column of message sizes per subject. `take` ticks the records, which a second table of the
/// same records also does, for those that the first has not.
fn sized(report: &Report, ledger: &mut Ledger, title: &str, columns: &[(String, &str)], take: bool) -> Table {
    let mut table = Table::new(title)
        .column("algorithm", Kind::Text)
        .numbers(columns.iter().map(|(name, _)| name.as_str()), "bytes");
    for algorithm in report.measured() {
        let mut row: Vec<Cell> = vec![algorithm.into()];
        for (_, subject) in columns {
            let which = Which::of(algorithm, Operation::MessageSize.word()).on(subject).in_unit("bytes");
            let record = ledger.take(which).or_else(|| if take { None } else { ledger.find(which) });
            row.push(record.map(|record| cell(record).with_mark(Some(fit(record.value)))).into());
        }
        table.row_of_results(algorithm, row);
    }
    table
}
