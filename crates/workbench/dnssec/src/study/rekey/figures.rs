//! From what was seen of a roll to records: figures of each step, and of each second. All of them are counts of one roll.

use fieldtest_dns_internet::rekey::roll::Procedure;
use fieldtest_measure::record::{Implementation, Input, Record};
use fieldtest_study::Book;

use super::timeline::{Seen, Tick};
use crate::words::{Operation, Stage};

/// What is said of a difference that the name server did not send.
const RECKONED: &str = "reckoned from both versions of the zone, each record that changed once and no name compressed, as the name server sends \
                        no differences";

/// What the figures are of.
pub(super) struct Of<'a> {
    pub(super) algorithm: &'a str,
    pub(super) procedure: Procedure,
    pub(super) input: Input,
    pub(super) resolver: &'a Implementation,
    pub(super) notes: &'a [String],
}

/// Enters all of them.
pub(super) fn enter(book: &mut Book, of: &Of<'_>, seen: &[Seen]) {
    for (at, seen) in seen.iter().enumerate() {
        let stage = Stage { procedure: of.procedure, step: at, phase: seen.step.phase, at: None };
        let mut tell = |operation: Operation, stage: Stage, value: Option<f64>, unit: &str| {
            let Some(value) = value else { return };
            let reckoned = operation == Operation::RekeyDifference && seen.difference.is_none();
            let notes = reckoned.then(|| RECKONED.to_owned()).into_iter().chain(of.notes.iter().cloned());
            book.record(Record {
                estimator: if reckoned { "estimated" } else { "exact" }.to_owned(),
                implementation: Some(of.resolver.clone()),
                input: Some(of.input.clone()),
                notes: notes.collect(),
                ..book.figure(of.algorithm, operation.word(), &stage.to_string(), value, unit)
            });
        };
        tell(Operation::RekeyBegins, stage, seen.ticks.first().map(|tick| tenths(tick.at)), "s");
        tell(Operation::RekeyKeys, stage, Some(f64::from(seen.keys)), "bytes");
        tell(Operation::RekeyWhole, stage, Some(seen.whole as f64), "bytes");
        let difference = seen.difference.or(seen.reckoned);
        tell(Operation::RekeyDifference, stage, difference.map(|octets| octets as f64), "bytes");
        tell(Operation::RekeySignatures, stage, Some(seen.signatures as f64), "count");
        let sent: u64 = sum(&seen.ticks, |tick| tick.sent);
        let share =
            |count: fn(&Tick) -> u64| (sent > 0).then(|| sum(&seen.ticks, count) as f64 / sent as f64);
        tell(Operation::RekeySecure, stage, share(|tick| tick.secure), "share");
        tell(Operation::RekeyFailed, stage, share(|tick| tick.failed), "share");
        tell(Operation::RekeyLost, stage, share(|tick| tick.lost), "share");
        let is_counted = seen.ticks.iter().all(|tick| tick.wire.is_some());
        let up = share(|tick| tick.wire.map_or(0, |wire| wire.up.datagrams));
        tell(Operation::RekeyUpstream, stage, up.filter(|_| is_counted), "count");
        let answers = sum(&seen.ticks, |tick| tick.wire.map_or(0, |wire| wire.down.datagrams));
        let truncated = sum(&seen.ticks, |tick| tick.wire.map_or(0, |wire| wire.down.truncated));
        let truncated = (answers > 0).then(|| truncated as f64 / answers as f64);
        tell(Operation::RekeyTruncated, stage, truncated, "share");
        for tick in seen.ticks.iter().filter(|tick| tick.sent > 0) {
            let stage = Stage { at: Some(tenths(tick.at)), ..stage };
            let of_sent = |count: u64| Some(count as f64 / tick.sent as f64);
            tell(Operation::RekeyUnanswered, stage, of_sent(tick.failed + tick.lost), "share");
            let up = tick.wire.and_then(|wire| of_sent(wire.up.datagrams));
            tell(Operation::RekeyUpstream, stage, up, "count");
        }
    }
}

/// Of a second.
fn tenths(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}

fn sum(ticks: &[Tick], count: impl Fn(&Tick) -> u64) -> u64 {
    ticks.iter().map(count).sum()
}
