//! The whole outcome for programs: the table of packets, and beside it all that people are told in messages.

use fieldtest_report::{Format, Table};
use fieldtest_tcp_ao::flows::{Ends, Origin, Side};
use fieldtest_tcp_ao::verify::{Change, Key, Report};
use serde_json::{Map, Value, json};

use super::{Explanation, sender};

/// One object: `rows` are the packets that are shown.
pub(super) fn document(
    table: &Table,
    report: &Report,
    keys: &[Key],
    explanation: Option<&Explanation>,
) -> String {
    let mut document: Map<String, Value> =
        serde_json::from_str(&table.render(Format::Json)).unwrap_or_default();
    let mut add = |name: &str, value: Value| document.insert(name.to_owned(), value);
    add("good", report.is_good().into());
    add("counts", counts(report.counts.named()));
    let by_key = keys.iter().zip(&report.by_key);
    let by_key = by_key.map(
        |(key, verified)| json!({ "key_id": key.id(), "algorithm": key.algorithm(), "verified": verified }),
    );
    add("keys", by_key.collect());
    let connections = report.connections.iter().map(|it| {
        let origin = match it.connection.origin {
            Origin::Captured => "captured",
            Origin::Given => "given",
            Origin::Recovered => "found",
        };
        let Ends { opener, answerer } = it.connection.isns;
        json!({
            "opener": it.connection.pair.local().to_string(),
            "answerer": it.connection.pair.remote().to_string(),
            "isns": { "opener": opener, "answerer": answerer, "origin": origin, "typed": it.numbers() },
            "extensions": { "opener": it.extensions.opener, "answerer": it.extensions.answerer },
            "counts": counts(it.counts.named()),
        })
    });
    add("connections", connections.collect());
    let rollovers = report.rollovers.iter().map(|it| {
        let change = match it.change {
            Change::Asks => "asks",
            Change::Signs => "signs",
        };
        let end = sender(report, it.connection, it.side);
        json!({
            "packet": it.number, "connection": it.connection, "end": end, "change": change,
            "from": it.from, "to": it.to,
        })
    });
    add("rollovers", rollovers.collect());
    let unanswered = report.unanswered.iter().map(|it| {
        let what = match it.waiting {
            Side::Opener => "SYN",
            Side::Answerer => "SYN-ACK",
        };
        json!({
            "connection": it.connection, "what": what, "sent": it.sent,
            "silence_ns": it.silence, "fault": it.had_time(),
        })
    });
    add("unanswered", unanswered.collect());
    let ignored = report.ignored.iter().map(|it| {
        json!({
            "packet": it.number, "connection": it.connection, "end": sender(report, it.connection, it.side),
            "asks_for": it.id, "peer_signs_with": it.instead, "segments": it.segments, "lasted_ns": it.lasted,
            "acknowledged": it.acknowledged,
        })
    });
    add("ignored_requests", ignored.collect());
    let two_keys = report.two_keys.iter().map(|it| {
        json!({ "connection": it.connection, "end": sender(report, it.connection, it.side), "keys": it.keys })
    });
    add("two_keys", two_keys.collect());
    let problems = report.problems.iter().map(|it| {
        json!({
            "record": it.number, "byte": it.offset, "fault": it.fault.to_string(),
            "warning": it.fault.is_warning(),
        })
    });
    add("problems", problems.collect());
    add("problem_count", report.problem_count.into());
    let findings = explanation.map(|it| {
        let findings = it.diagnosis.findings.iter().map(|finding| {
            json!({ "text": finding.to_string(), "remedy": super::remedy(finding), "packets": finding.agree })
        });
        let unexplained = it.diagnosis.unexplained.iter();
        let unexplained = unexplained.map(|it| json!({ "packet": it.number, "key_verifies": it.key_verifies }));
        json!({
            "samples": it.diagnosis.samples, "unexplained": unexplained.collect::<Vec<_>>(), "complete": it.diagnosis.complete,
            "found": findings.collect::<Vec<_>>(), "texts": it.texts,
        })
    });
    add("diagnosis", findings.into());
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

/// Every count with its name, zero or not.
fn counts<const N: usize>(named: [(u64, &str, &str); N]) -> Value {
    named
        .into_iter()
        .map(|(count, name, _)| (name.to_owned(), Value::from(count)))
        .collect::<Map<_, _>>()
        .into()
}
