//! From what was seen of a roll to records: results of each step, means of all repetitions, and of each second, counts of the first.

use fieldtest_dns_internet::rekey::roll::Procedure;
use fieldtest_measure::record::{Implementation, Input, Record};
use fieldtest_study::whole_job::estimate::Mean;
use fieldtest_study::{Bench, RecordWriter};

use super::timeline::{Seen, Tick};
use crate::words::{Denial, Operation, Stage};

/// What is said of a difference that the name server did not send.
const RECKONED: &str = "computed from both versions of the zone, each changed record once and without name compression, since the name server \
                        does not send differences";

pub(super) struct Of<'a> {
    pub(super) algorithm: &'a str,
    pub(super) procedure: Procedure,
    pub(super) denial: Denial,
    pub(super) input: Input,
    pub(super) resolver: &'a Implementation,
    pub(super) notes: &'a [String],
}

/// A result of a step, its unit, and how a repetition shows it.
type Estimate = (Operation, &'static str, fn(&Seen) -> Option<f64>);

const OF_STEP: [Estimate; 10] = [
    (Operation::RekeyBegins, "s", |seen| seen.ticks.first().map(|tick| tenths(tick.at))),
    (Operation::RekeyKeys, "bytes", |seen| Some(f64::from(seen.keys))),
    (Operation::RekeyWhole, "bytes", |seen| Some(seen.whole as f64)),
    (Operation::RekeyDifference, "bytes", |seen| {
        seen.difference.or(seen.reckoned).map(|octets| octets as f64)
    }),
    (Operation::RekeySignatures, "count", |seen| Some(seen.signatures as f64)),
    (Operation::RekeySecure, "share", |seen| share(seen, |tick| tick.secure)),
    (Operation::RekeyFailed, "share", |seen| share(seen, |tick| tick.failed)),
    (Operation::RekeyLost, "share", |seen| share(seen, |tick| tick.lost)),
    (Operation::RekeyUpstream, "count", |seen| {
        let is_counted = seen.ticks.iter().all(|tick| tick.wire.is_some());
        share(seen, |tick| tick.wire.map_or(0, |wire| wire.up.datagrams)).filter(|_| is_counted)
    }),
    (Operation::RekeyTruncated, "share", |seen| {
        let answers = sum(&seen.ticks, |tick| tick.wire.map_or(0, |wire| wire.down.datagrams));
        let truncated = sum(&seen.ticks, |tick| tick.wire.map_or(0, |wire| wire.down.truncated));
        (answers > 0).then(|| truncated as f64 / answers as f64)
    }),
];

pub(super) fn enter(bench: &Bench<'_>, writer: &mut RecordWriter, of: &Of<'_>, repetitions: &[Vec<Seen>]) {
    let record = |writer: &RecordWriter, operation: Operation, stage: Stage, unit: &str| Record {
        implementation: Some(of.resolver.clone()),
        input: Some(of.input.clone()),
        notes: of.notes.to_vec(),
        ..writer.result(of.algorithm, operation.word(), &stage.to_string(), 0.0, unit)
    };
    let Some(first) = repetitions.first() else { return };
    for (at, seen) in first.iter().enumerate() {
        let Of { procedure, denial, .. } = *of;
        let stage = Stage { procedure, step: at, phase: seen.step.phase, denial, at: None };
        for (operation, unit, result) in OF_STEP {
            let values: Option<Vec<f64>> =
                repetitions.iter().map(|repetition| result(repetition.get(at)?)).collect();
            let Some(values) = values else { continue };
            let mut record = record(writer, operation, stage, unit);
            let is_reckoned = operation == Operation::RekeyDifference && seen.difference.is_none();
            if is_reckoned {
                record.notes.insert(0, RECKONED.to_owned());
            }
            let estimator = if is_reckoned { "estimated" } else { "exact" };
            match &values[..] {
                // What is the same in every repetition has no interval: it is a count and no measurement.
                [value, others @ ..] if others.iter().all(|other| other == value) => {
                    writer.record(Record { value: *value, estimator: estimator.to_owned(), ..record });
                }
                values => {
                    let most = if unit == "share" { 1.0 } else { f64::INFINITY };
                    if let Some(mean) = Mean::of(values, bench.surroundings) {
                        writer.record(mean.told_in(record, [0.0, most]));
                    }
                }
            }
        }
        for tick in seen.ticks.iter().filter(|tick| tick.sent > 0) {
            let stage = Stage { at: Some(tenths(tick.at)), ..stage };
            let of_sent = |count: u64| count as f64 / tick.sent as f64;
            let unanswered = Some((Operation::RekeyUnanswered, "share", of_sent(tick.failed + tick.lost)));
            let up = tick.wire.map(|wire| (Operation::RekeyUpstream, "count", of_sent(wire.up.datagrams)));
            for (operation, unit, value) in [unanswered, up].into_iter().flatten() {
                let record = record(writer, operation, stage, unit);
                writer.record(Record { value, estimator: "exact".to_owned(), ..record });
            }
        }
    }
}

/// What a step's queries have of something, as a share of them.
fn share(seen: &Seen, count: fn(&Tick) -> u64) -> Option<f64> {
    let sent = sum(&seen.ticks, |tick| tick.sent);
    (sent > 0).then(|| sum(&seen.ticks, count) as f64 / sent as f64)
}

/// Of a second.
fn tenths(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}

fn sum(ticks: &[Tick], count: impl Fn(&Tick) -> u64) -> u64 {
    ticks.iter().map(count).sum()
}
