//! What a run found: tables, one JSON document, and JSON Lines (`docs/load.md` has the form).

use anyhow::Result;
use fieldtest_dns_load::Outcome;
use fieldtest_dns_load::outcome::{self, LARGEST_LAG, SIZE_BIN};
use fieldtest_report::{Cell, Kind, Table};
use serde_json::{Value, json};

use super::plan::{Plan, Recorded};
use crate::output::{self, Format};

/// Shares of the answers that are told, and their names.
const QUANTILES: [(f64, &str); 5] =
    [(0.5, "p50"), (0.9, "p90"), (0.99, "p99"), (0.999, "p99.9"), (1.0, "max")];
/// The points of a latency curve in the file: shares of the slowest, five to a decade.
const PER_DECADE: i32 = 5;
/// Names of response codes (RFC 6895, section 2.3).
const RCODES: [&str; 11] = [
    "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED", "YXDOMAIN", "YXRRSET", "NXRRSET",
    "NOTAUTH", "NOTZONE",
];

/// Lines of the first table that stand there whatever they count: to that of the answered.
const ALWAYS: usize = 2;

/// Answers, and what got none.
pub(super) const WAITING: &str = "all, unanswered too";

type Histogram = outcome::Histogram<u64>;

/// How long everybody waited, where that is not how long answers took: empty if everything was answered.
pub(super) fn waiting(outcome: &Outcome) -> Histogram {
    if outcome.given_up.is_empty() { Histogram::clone(&outcome.given_up) } else { outcome.waiting() }
}

fn histograms(outcome: &Outcome) -> [(&'static str, Histogram); 9] {
    [
        ("over UDP", Histogram::clone(&outcome.udp)),
        ("over TCP", Histogram::clone(&outcome.tcp)),
        ("over TLS", Histogram::clone(&outcome.tls)),
        ("over UDP, then TCP", Histogram::clone(&outcome.fallback)),
        ("all", outcome.latency()),
        (WAITING, waiting(outcome)),
        ("all, from sending", Histogram::clone(&outcome.service)),
        ("sent late by", Histogram::clone(&outcome.lag)),
        ("connecting", Histogram::clone(&outcome.connect)),
    ]
}

/// What became of the queries that were due, each of them at most once in every line.
fn of_queries(outcome: &Outcome) -> Vec<(String, u64)> {
    let counts = [
        ("due", due(outcome)),
        ("sent", outcome.sent),
        ("answered", outcome.answered),
        ("timed out", outcome.timed_out),
        ("connection failed", outcome.connection_failed),
        ("local failures", outcome.refused_here),
        ("unfinished", outcome.unfinished),
        ("not sent", outcome.unsent),
        ("too late to be sent", outcome.too_late),
        ("truncated", outcome.truncated),
        ("asked again over TCP", outcome.asked_again),
        ("with AD", outcome.authentic),
    ];
    let rcodes = outcome.rcodes.iter().enumerate().map(|(number, count)| {
        let name = RCODES.get(number).map_or_else(|| format!("RCODE {number}"), |name| (*name).to_owned());
        (name, *count)
    });
    counts.map(|(name, count)| (name.to_owned(), count)).into_iter().chain(rcodes).collect()
}

fn due(outcome: &Outcome) -> u64 {
    outcome.sent + outcome.unsent + outcome.too_late
}

/// What else came, and was made.
fn beside(outcome: &Outcome) -> Vec<(String, u64)> {
    let counts = [
        ("late answers", outcome.late),
        ("second answers", outcome.duplicates),
        ("answers to another question", outcome.mismatched),
        ("answers to no query", outcome.unexpected),
        ("server's port closed", outcome.unreachable),
        ("connections", outcome.connections),
        ("sessions of TLS resumed", outcome.resumed),
        ("sent again over a new connection", outcome.resent),
    ];
    let errors = outcome.connection_errors.iter();
    let errors = errors.map(|(words, count)| (format!("connections: {words}"), *count));
    counts.map(|(name, count)| (name.to_owned(), count)).into_iter().chain(errors).collect()
}

fn recorded(recorded: &Recorded) -> Table {
    let mut table = Table::new("What the capture holds")
        .column("what", Kind::Text)
        .column("number", Kind::number("count"));
    table.row(["queries, replayed".into(), (recorded.queries as f64).into()]);
    for (why, count) in recorded.left_out.by_reason() {
        table.row([why.to_string().into(), (count as f64).into()]);
    }
    table
}

pub(super) fn tables(plan: &Plan, outcome: &Outcome, format: Format) -> Result<()> {
    if let Some(held) = plan.recorded.as_ref().filter(|held| !held.left_out.is_empty()) {
        output::table(&recorded(held), format)?;
    }
    output::table(&became(outcome), format)?;
    output::table(&latencies(outcome), format)
}

fn became(outcome: &Outcome) -> Table {
    let title = format!(
        "Queries and answers, {} sent in {:.1} s including the wait for the last answers",
        outcome.sent,
        seconds(outcome.took)
    );
    let mut table = Table::new(title)
        .column("what", Kind::Text)
        .column("number", Kind::number("count"))
        .column("of all", Kind::number("share"));
    let all = due(outcome).max(1) as f64;
    for (at, (name, count)) in of_queries(outcome).into_iter().enumerate() {
        if at <= ALWAYS || count > 0 {
            table.row([name.into(), (count as f64).into(), (count as f64 / all).into()]);
        }
    }
    for (name, count) in beside(outcome).into_iter().filter(|(_, count)| *count > 0) {
        table.row([name.into(), (count as f64).into(), Cell::default()]);
    }
    table
}

fn latencies(outcome: &Outcome) -> Table {
    let mut table = Table::new("Latency, from the time at which a query was due")
        .column("way", Kind::Text)
        .column("answers", Kind::number("count"))
        .numbers(QUANTILES.into_iter().map(|(_, name)| name), "ns");
    for (name, histogram) in histograms(outcome).into_iter().filter(|(_, histogram)| !histogram.is_empty()) {
        let values = QUANTILES.map(|(quantile, _)| (histogram.value_at_quantile(quantile) as f64).into());
        table.row([name.into(), (histogram.len() as f64).into()].into_iter().chain(values));
    }
    table
}

/// What a reader should know before he believes the results.
pub(super) fn remarks(outcome: &Outcome) -> Vec<String> {
    let mut remarks = Vec::new();
    if outcome.is_late() {
        let lag = outcome.lag.value_at_quantile(0.99) as f64 / 1e6;
        remarks.push(format!(
            "warning: the load generator itself was late, 1% of the queries by {lag:.1} ms or more (limit: {} ms): \
             latencies are partly its own; lower the rate, add threads, or give it a separate core",
            LARGEST_LAG / 1_000_000
        ));
    }
    if outcome.too_late > 0 {
        remarks.push(format!(
            "warning: queries not sent because the generator fell behind by more than --timeout: {}; lower the rate, or add \
             threads",
            outcome.too_late
        ));
    }
    if outcome.unsent > 0 {
        remarks.push(format!(
            "warning: queries not sent: {}, mostly because every ID of a socket waited for its answer; raise --sockets or \
             --clients",
            outcome.unsent
        ));
    }
    let unanswered = outcome.timed_out + outcome.connection_failed;
    if outcome.answered > 0 && unanswered > 0 {
        remarks.push(format!(
            "no answer in time for {} of {} queries: only the line '{WAITING}' and the picture include them",
            output::grouped(&unanswered.to_string()),
            output::grouped(&outcome.sent.to_string())
        ));
    }
    if outcome.connection_failed > 0 {
        let errors = outcome.connection_errors.iter().map(|(words, count)| format!("{words} ({count})"));
        remarks.push(format!(
            "warning: queries whose connection failed: {} of {}: {}",
            outcome.connection_failed,
            outcome.sent,
            errors.collect::<Vec<_>>().join(", ")
        ));
    }
    if outcome.refused_here > 0 {
        remarks.push(format!(
            "warning: {} of these failed because this machine had no file or port left, which is not the server's fault: the result does \
             not describe the server",
            outcome.refused_here
        ));
    }
    if due(outcome) == 0 && !outcome.interrupted {
        remarks.push("no query was due within the time budget; raise --rate or --seconds".to_owned());
    } else if outcome.answered == 0 && !outcome.interrupted {
        remarks.push("no query was answered; check that the server listens there".to_owned());
    }
    remarks
}

pub(super) fn document(plan: &Plan, outcome: &Outcome) -> Value {
    let counts: serde_json::Map<String, Value> = of_queries(outcome)
        .into_iter()
        .chain(beside(outcome))
        .map(|(name, count)| (name, count.into()))
        .collect();
    let recorded = plan.recorded.as_ref().map(|held| {
        let left_out = held.left_out.by_reason().map(|(why, count)| (why.to_string(), count.into()));
        json!({
            "replayed": held.queries,
            "out of order": held.out_of_order,
            "of resolvers": held.resolvers.iter().map(|(_, queries)| queries).sum::<u64>(),
            "not replayed": left_out.collect::<serde_json::Map<String, Value>>(),
        })
    });
    let latencies: serde_json::Map<String, Value> = histograms(outcome)
        .into_iter()
        .filter(|(_, histogram)| !histogram.is_empty())
        .map(|(name, histogram)| (name.to_owned(), summary(&histogram)))
        .collect();
    let sizes: Vec<Value> = outcome
        .sizes
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(bin, count)| json!([bin * SIZE_BIN, count]))
        .collect();
    json!({
        "server": plan.options.target.address().to_string(),
        "plan": plan.told,
        "capture": recorded,
        "timeout": plan.options.timeout.as_secs_f64(),
        "sockets": plan.options.sockets,
        "threads": plan.options.threads,
        "seconds": seconds(outcome.took),
        "processor seconds": seconds(outcome.processor),
        "interrupted": outcome.interrupted,
        "late itself": outcome.is_late(),
        "counts": counts,
        "bytes": {
            "sent over UDP": outcome.up[0],
            "sent over TCP": outcome.up[1],
            "sent over TLS": outcome.up[2],
            "received over UDP": outcome.down[0],
            "received over TCP": outcome.down[1],
            "received over TLS": outcome.down[2],
        },
        "answer sizes": sizes,
        "latency": latencies,
    })
}

/// The document as the first line, then every second, then the latencies as curves.
pub(super) fn lines(plan: &Plan, outcome: &Outcome) -> Vec<Value> {
    let tagged = |kind: &str, mut value: Value| {
        value["kind"] = kind.into();
        value
    };
    let mut lines = vec![tagged("load", document(plan, outcome))];
    for (number, second) in outcome.seconds.iter().enumerate() {
        let value = json!({
            "second": number,
            "due": second.due,
            "answered": second.answered,
            "timed out": second.timed_out,
            "connection failed": second.connection_failed,
            "latency": if second.latency.is_empty() { Value::Null } else { summary(&second.latency) },
        });
        lines.push(tagged("second", value));
    }
    for (name, histogram) in histograms(outcome).into_iter().filter(|(_, histogram)| !histogram.is_empty()) {
        let points: Vec<Value> =
            curve(&histogram).into_iter().map(|(slowest, ns)| json!([slowest, ns])).collect();
        lines.push(tagged("curve", json!({ "way": name, "answers": histogram.len(), "points": points })));
    }
    lines
}

fn summary(histogram: &Histogram) -> Value {
    let mut value: serde_json::Map<String, Value> = QUANTILES
        .iter()
        .map(|(quantile, name)| ((*name).to_owned(), histogram.value_at_quantile(*quantile).into()))
        .collect();
    value.insert("answers".to_owned(), histogram.len().into());
    value.insert("min".to_owned(), histogram.min().into());
    value.into()
}

/// Shares of the slowest answers, from all of them to the slowest one, with the least latency among them.
pub(super) fn curve(histogram: &Histogram) -> Vec<(f64, u64)> {
    let least = 1.0 / histogram.len().max(1) as f64;
    let shares = (0..).map(|step| 10_f64.powf(-f64::from(step) / f64::from(PER_DECADE)));
    let shares = shares.take_while(|share| *share > least).chain([least]);
    shares.map(|share| (share, histogram.value_at_quantile(1.0 - share))).collect()
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A generator that falls far behind: what it did not send is a share of what was due, and no share is above all of it.
    #[test]
    fn shares_are_of_what_was_due() {
        let mut outcome = Outcome::default();
        (outcome.sent, outcome.answered, outcome.too_late, outcome.unsent) = (100, 60, 1_800, 100);
        (outcome.late, outcome.rcodes[0]) = (7_000, 60);
        let shown = became(&outcome).render(fieldtest_report::Format::Csv);
        for part in ["due,2000,1", ",1800,0.9", "answered,60,0.03", "late answers,7000,\n"] {
            assert!(shown.contains(part), "{shown}");
        }
        assert!(of_queries(&outcome).iter().all(|(_, count)| *count <= due(&outcome)));
    }
}
