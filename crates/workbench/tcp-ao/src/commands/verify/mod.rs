//! `fieldtest tcp-ao verify`: every segment of a capture, judged; and where it fails, why.

mod json;
mod packets;
mod source;

use std::sync::Arc;

use anyhow::{Context, Result};
use fieldtest_catalog::{Wanted, mac};
use fieldtest_frame::text;
use fieldtest_tcp_ao::diagnose::{Alternative, Diagnosis, Fault, Finding, Search, diagnose};
use fieldtest_tcp_ao::flows::{KnownIsns, Origin, Side};
use fieldtest_tcp_ao::recover::{self, Effort, Hints, MOST_PASSES};
use fieldtest_tcp_ao::verify::{Change, Key, Report, Verifier, verify};
use packets::Packets;
use source::Source;

use super::keys;
use crate::args::VerifyCapture;
use crate::outcome::Outcome;
use crate::output::{self, Format};

pub(crate) fn run(args: &VerifyCapture, format: Format) -> Result<Outcome> {
    let keys = keys::keys(&args.keys)?;
    let known = keys::isns(&args.isns)?;
    let (report, packets) = in_passes(args, &keys, &known)?;
    let failing = !report.samples.is_empty() && !args.no_diagnosis;
    let explanation = failing.then(|| explain(args, &keys, &known, &report));

    let table = packets.table(&args.capture, &report);
    if format == Format::Json {
        output::data(&json::document(&table, &report, &keys, explanation.as_ref()))?;
    } else if !table.is_empty() || packets.hidden > 0 || format != Format::Human {
        output::table(&table, format)?;
    }
    say_connections(args, &report);
    for problem in report.problems.iter().take(args.show()) {
        output::message(&format!("{}: {problem}", text::path(&args.capture)));
    }
    output::message(&format!("{}: {}", args.capture.display(), report.counts));
    if report.connections.is_empty() && report.problems.is_empty() {
        output::message(&super::no_tcp("verify", &args.capture));
    }
    for text in explanation.iter().flat_map(|explanation| &explanation.texts) {
        output::message(text);
    }
    Ok(if report.is_good() { Outcome::Fine } else { Outcome::Failed })
}

/// Verifies the capture, and again as long as a pass shows something that verifies more: where the numbers of a
/// connection come late in the file, or have to be searched for.
fn in_passes<'k>(
    args: &VerifyCapture,
    keys: &'k [Key],
    known: &[KnownIsns],
) -> Result<(Report, Packets<'k>)> {
    let name = || args.capture.display().to_string();
    let mut source = Source::new(&args.capture);
    let mut hints = Hints::default();
    let mut last: Option<(Report, Packets<'k>)> = None;
    for _ in 0..MOST_PASSES {
        let Some(mut reader) = source.open()? else {
            output::message(
                "cannot store the capture, which came through a pipe, to read it again; save it first",
            );
            break;
        };
        let verifier = Verifier::new(keys.to_vec(), known).with_hints(hints.clone());
        let mut packets = Packets::new(keys, args.all, args.show());
        let report = verify(&mut reader, verifier, |judged| packets.add(judged)).with_context(name)?;
        let new = hints.extend(recover::hints(&report, keys, Effort::default()));
        last = Some((report, packets));
        if !new {
            break;
        }
    }
    Ok(last.unwrap_or_else(|| (Report::default(), Packets::new(keys, args.all, args.show()))))
}

fn say_connections(args: &VerifyCapture, report: &Report) {
    for (number, connection) in report.connections.iter().enumerate().take(args.show()) {
        output::message(&format!(
            "connection {}, {}: {}",
            number + 1,
            ends(report, number),
            connection.counts
        ));
        let started = [connection.extensions.opener, connection.extensions.answerer];
        let late = started.into_iter().flatten().any(|extension| extension > 0);
        if let Some(numbers) = connection.numbers()
            && connection.counts.verified > 0
            && (connection.connection.origin == Origin::Recovered || late)
        {
            output::message(&format!(
                "connection {}: its initial sequence numbers were found: --isns {numbers}",
                number + 1
            ));
        }
    }
    for rollover in &report.rollovers {
        let what = match rollover.change {
            Change::Asks => "asks for key",
            Change::Signs => "signs with key",
        };
        let end = sender(report, rollover.connection, rollover.side);
        output::message(&format!(
            "packet {}: {end} {what} {} instead of {}",
            rollover.number, rollover.to, rollover.from
        ));
    }
    for ignored in report.ignored.iter().take(args.show()) {
        let cause = if ignored.acknowledged { "" } else { "the request did not reach the peer, or " };
        output::message(&format!(
            "packet {}: {} asks for key {}, and its peer continues with key {} for {} and {} s: {cause}it has no key with the \
             SendID {}; add it there",
            ignored.number,
            sender(report, ignored.connection, ignored.side),
            ignored.id,
            ignored.instead,
            output::count(ignored.segments as usize, "segment"),
            ignored.lasted / 1_000_000_000,
            ignored.id,
        ));
    }
    for two in report.two_keys.iter().take(args.show()) {
        output::message(&format!(
            "connection {}: segments of {} verify with two keys of one KeyID, but a receiver can have only one of them; remove \
             the other",
            two.connection + 1,
            sender(report, two.connection, two.side),
        ));
    }
    let refused = report.counts.earlier_connection;
    if refused > 0 {
        output::message(&format!(
            "{} with the MAC of an earlier connection on the same ports: the receiver rejects that, since its traffic keys \
             depend on the initial sequence numbers; either the sender keeps its keys over a reconnect, or the segments \
             were replayed",
            output::count(refused as usize, "segment"),
        ));
    }
    for unanswered in report.unanswered.iter().take(args.show()) {
        let what = match unanswered.waiting {
            Side::Opener => "SYN",
            Side::Answerer => "SYN-ACK",
        };
        output::message(&format!(
            "connection {}: the {what} of {} verifies and is never answered (sent {}): the other end drops it if its key \
             or KeyID is another or it has none for this peer, and says nothing; or a filter is in the way",
            unanswered.connection + 1,
            sender(report, unanswered.connection, unanswered.waiting),
            output::count(unanswered.sent as usize, "time"),
        ));
    }
}

/// The ends of a connection: who opened it, and to whom.
fn ends(report: &Report, number: usize) -> String {
    let pair = report.connections.get(number).map(|it| it.connection.pair_from(Side::Opener));
    pair.map_or(String::new(), |pair| format!("{} ↔ {}", pair.local(), pair.remote()))
}

fn sender(report: &Report, connection: usize, side: Side) -> String {
    let pair = report.connections.get(connection).map(|it| it.connection.pair_from(side));
    pair.map_or(String::new(), |pair| pair.local().to_string())
}

const NAMED: usize = 8;

struct Explanation {
    diagnosis: Diagnosis,
    texts: Vec<String>,
}

/// What to do about a finding, with the options that it takes.
fn remedy(finding: &Finding) -> String {
    let remedies = finding.faults.iter().map(|fault| match fault {
        Fault::Isns { .. } => "Give them with --isns, or capture from the SYN on.".to_owned(),
        other => other.remedy(),
    });
    remedies.collect::<Vec<_>>().join(" ")
}

/// Searches for the reason why segments fail.
fn explain(args: &VerifyCapture, keys: &[Key], known: &[KnownIsns], report: &Report) -> Explanation {
    let alternatives = mac::all().iter().filter(|algorithm| !algorithm.facts.kind.is_tcp_md5());
    let alternatives = alternatives.filter_map(|algorithm| {
        let implementation = algorithm.served(Wanted::Any).ok()?;
        Some(Alternative { name: algorithm.facts.name.clone(), mac: Arc::clone(&implementation.code) })
    });
    let given = known.iter().map(|known| (known.pair, Some(known.local), Some(known.remote)));
    let seen = report.connections.iter().map(|it| {
        let isns = it.connection.isns;
        (it.connection.pair_from(Side::Opener), isns.opener, isns.answerer)
    });
    let search = Search {
        alternatives: alternatives.collect(),
        addresses: args.addresses.iter().chain(&report.addresses).copied().collect(),
        numbers: given.chain(seen).collect(),
        ..Search::default()
    };
    let diagnosis = diagnose(report, keys, &search);
    let findings = diagnosis.findings.iter();
    let mut texts: Vec<String> = findings.map(|finding| format!("{finding}. {}", remedy(finding))).collect();
    if let Some(number) = diagnosis.overwritten {
        texts.push(format!(
            "packet {number} has no-operations where timestamps may have been: a device on the path that removes them \
             invalidates the MAC, and the original numbers are unknown"
        ));
    }
    texts.extend(rest(&diagnosis));
    Explanation { diagnosis, texts }
}

/// What is said of the segments that no finding explains.
fn rest(diagnosis: &Diagnosis) -> Vec<String> {
    let extent = if diagnosis.complete { "any combination of" } else { "those combinations of" };
    let (right, open): (Vec<_>, Vec<_>) = diagnosis.unexplained.iter().partition(|it| it.key_verifies);
    let said = [(open, false), (right, true)].map(|(segments, key_is_right)| {
        if segments.is_empty() {
            return None;
        }
        let packets: Vec<String> = segments.iter().take(NAMED).map(|it| it.number.to_string()).collect();
        let more = if segments.len() > NAMED { ", …" } else { "" };
        let opening = if segments.iter().all(|it| it.opens) { ", SYN or SYN-ACK" } else { "" };
        let reason = if key_is_right {
            "the key is right, since other segments of the same end verify with it: these were changed on the path, or \
             signed over other bytes"
        } else if diagnosis.findings.is_empty() {
            "the master key probably differs, or the segments were changed on the path"
        } else {
            "their cause differs from the others'"
        };
        let packet = if segments.len() == 1 { "packet" } else { "packets" };
        Some(format!(
            "{} {} not verify under {extent} the known faults that were tried ({packet} {}{more}{opening}): {reason}",
            output::count(segments.len(), "failing segment"),
            if segments.len() == 1 { "does" } else { "do" },
            packets.join(", "),
        ))
    });
    said.into_iter().flatten().collect()
}
