//! `fieldtest tcp-ao verify`: every segment of a capture, judged; and where it fails, why.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use fieldtest_catalog::mac;
use fieldtest_report::{Kind, Table};
use fieldtest_tcp_ao::capture::Reader;
use fieldtest_tcp_ao::diagnose::{Alternative, Search, diagnose};
use fieldtest_tcp_ao::flows::Side;
use fieldtest_tcp_ao::verify::{Change, Key, Outcome as Judged, Report, Verdict, Verifier, verify};

use super::keys;
use crate::args::VerifyCapture;
use crate::outcome::Outcome;
use crate::output::{self, Format};

pub(crate) fn run(args: &VerifyCapture, format: Format) -> Result<Outcome> {
    let keys = keys::keys(&args.keys)?;
    let known = keys::isns(&args.isns)?;
    let name = || args.capture.display().to_string();
    let mut reader = Reader::new(open(&args.capture)?).with_context(name)?;
    let verifier = Verifier::new(keys.clone(), &known);
    let mut packets = Packets { keys: &keys, all: args.all, show: args.show, shown: Vec::new(), hidden: 0 };
    let report = verify(&mut reader, verifier, |judged| packets.add(judged)).with_context(name)?;

    let table = packets.table(&args.capture, &report);
    if !table.is_empty() || packets.hidden > 0 || format != Format::Human {
        output::table(&table, format)?;
    }
    for (number, connection) in report.connections.iter().enumerate().take(args.show) {
        output::message(&format!(
            "connection {}, {}: {}",
            number + 1,
            ends(&report, number),
            connection.counts
        ));
    }
    for rollover in &report.rollovers {
        let what = match rollover.change {
            Change::Asks => "asks for key",
            Change::Signs => "signs with key",
        };
        let end = sender(&report, rollover.connection, rollover.side);
        output::message(&format!(
            "packet {}: {end} {what} {} instead of {}",
            rollover.number, rollover.to, rollover.from
        ));
    }
    for problem in report.problems.iter().take(args.show) {
        output::message(&problem.to_string());
    }
    output::message(&format!("{}: {}", args.capture.display(), report.counts));
    if !report.samples.is_empty() {
        explain(args, &keys, &report);
    }
    Ok(if report.is_good() { Outcome::Fine } else { Outcome::Failed })
}

fn open(path: &Path) -> Result<Box<dyn Read>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).with_context(|| format!("cannot read the capture {}", path.display()))?;
    Ok(Box::new(file))
}

/// The packets to be shown, gathered while the capture is read.
struct Packets<'a> {
    keys: &'a [Key],
    all: bool,
    show: usize,
    shown: Vec<Judged>,
    hidden: usize,
}

impl Packets<'_> {
    fn add(&mut self, judged: &Judged) {
        let fine = matches!(judged.verdict, Verdict::Verified { .. } | Verdict::Plain | Verdict::NotTcp);
        if fine && !self.all {
            return;
        }
        if self.shown.len() < self.show {
            self.shown.push(*judged);
        } else {
            self.hidden += 1;
        }
    }

    fn table(&self, capture: &Path, report: &Report) -> Table {
        let title = if self.all { "Packets of" } else { "Packets that do not verify in" };
        let mut table = Table::new(format!("{title} {}", capture.display()))
            .column("packet", Kind::number(""))
            .column("connection", Kind::Text)
            .column("verdict", Kind::Text);
        for judged in &self.shown {
            let connection = judged.connection.map_or(String::new(), |number| ends(report, number));
            table.row([(judged.number as f64).into(), connection.into(), self.words(judged.verdict).into()]);
        }
        if self.hidden > 0 {
            table.note(format!(
                "{} more; see them with --show {}",
                output::count(self.hidden, "packet"),
                self.show + self.hidden
            ));
        }
        table
    }

    fn words(&self, verdict: Verdict) -> String {
        match verdict {
            Verdict::Verified { key } => match self.keys.get(key) {
                Some(key) => format!("verified, {key}"),
                None => "verified".to_owned(),
            },
            Verdict::WrongMac => "wrong MAC".to_owned(),
            Verdict::WrongMacLength { found, expected } => {
                format!("a MAC of {found} bytes where the key's has {expected}")
            }
            Verdict::UnknownKeyId { id } => format!("no key with the KeyID {id}"),
            Verdict::Unsigned => "no TCP-AO option".to_owned(),
            Verdict::Plain => "not protected".to_owned(),
            Verdict::NoIsns => "initial sequence numbers unknown; give them with --isns".to_owned(),
            Verdict::UnknownLink { link } => format!("a frame of {link}, which is not read"),
            Verdict::Malformed => "malformed".to_owned(),
            Verdict::Snapped => "cut off by the capture".to_owned(),
            Verdict::NotTcp => "not TCP".to_owned(),
        }
    }
}

/// The ends of a connection: who opened it, and to whom.
fn ends(report: &Report, number: usize) -> String {
    let pair = report.connections.get(number).map(|it| it.connection.pair_from(Side::Opener));
    pair.map_or(String::new(), |pair| format!("{} > {}", pair.local(), pair.remote()))
}

fn sender(report: &Report, connection: usize, side: Side) -> String {
    let pair = report.connections.get(connection).map(|it| it.connection.pair_from(side));
    pair.map_or(String::new(), |pair| pair.local().to_string())
}

/// Searches for the reason why segments fail, and says what was found.
fn explain(args: &VerifyCapture, keys: &[Key], report: &Report) {
    let alternatives = mac::all().iter().filter(|algorithm| !algorithm.facts.kind.is_tcp_md5());
    let alternatives = alternatives.filter_map(|algorithm| {
        let implementation = algorithm.implementations.first()?;
        Some(Alternative { name: algorithm.facts.name.clone(), mac: Arc::clone(&implementation.code) })
    });
    let search = Search {
        alternatives: alternatives.collect(),
        addresses: args.addresses.clone(),
        ..Search::default()
    };
    let diagnosis = diagnose(&report.samples, keys, &search);
    for finding in &diagnosis.findings {
        output::message(&format!("{finding}. {}", finding.remedy()));
    }
    if diagnosis.findings.is_empty() {
        let extent = if diagnosis.complete { "any combination of" } else { "those combinations of" };
        output::message(&format!(
            "{} do not verify under {extent} the known faults that were tried: the master key is probably another, or \
             the segments were changed on their way",
            output::count(diagnosis.samples, "failing segment")
        ));
    }
}
