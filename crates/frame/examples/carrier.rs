//! A whole workbench in one file, for whoever adds a carrier: signed tokens (JWS, RFC 7515), which need one signature each.
//!
//! `cargo run --release -p fieldtest-frame --example carrier -- study --budget 5`
//!
//! A real one has a library of its own for the protocol (here it is [`signing_input`] and [`size`]) and a file for each
//! of the parts below, as CONTRIBUTING says; the program lists it in `crates/fieldtest/src/carriers.rs` and needs to know
//! nothing more of it.

use anyhow::Result;
use clap::{ArgMatches, Args, FromArgMatches as _, Subcommand};
use fieldtest_catalog::kind::{Kind as _, Signature};
use fieldtest_frame::arguments::StudyRun;
use fieldtest_frame::carrier::Carrier;
use fieldtest_frame::measuring::carry_out;
use fieldtest_frame::outcome::Outcome;
use fieldtest_frame::output::Format;
use fieldtest_report::tables::ledger::{Ledger, Which, cell};
use fieldtest_report::tables::primitives;
use fieldtest_report::{Cell, Kind, Report, StudySection, Table};
use fieldtest_study::operations::Operation;
use fieldtest_study::part::settle;
use fieldtest_study::speed::{input, measure_operations};
use fieldtest_study::{About, Bench, Choice, Part, Plan, RecordWriter, Studied, StudyError, selection};
use serde::Deserialize;

/// The carrier's name: of its commands, of its table in a study file, and of its study in records.
const NAME: &str = "token";

fieldtest_measure::words! {
    /// What this carrier's records tell, beside the operations of keys, which all carriers of signatures share.
    enum Told {
        /// How long a token is.
        Size = "token-size",
    }
}

// The protocol.

/// What is signed (section 5.1). Base64url is left to the library that a real carrier would take.
fn signing_input(algorithm: &str, payload: &str) -> String {
    format!("{{\"alg\":\"{algorithm}\"}}.{payload}")
}

/// Bytes of a token: header, payload and signature in base64url, with dots between them (section 7.1).
fn size(algorithm: &str, payload: usize, signature: usize) -> usize {
    let header = signing_input(algorithm, "").len() - 1;
    [header, payload, signature].iter().map(|bytes| (4 * bytes).div_ceil(3)).sum::<usize>() + 2
}

// What a study measures.

/// The table `[token]` of a study file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct TokenPart {
    /// Bytes of a payload.
    payload: usize,
    /// The algorithms; empty for all.
    algorithms: Vec<String>,
}

impl Default for TokenPart {
    fn default() -> Self {
        TokenPart { payload: 200, algorithms: Vec::new() }
    }
}

impl Part for TokenPart {
    fn about(&self) -> &'static About {
        const { &About::of(NAME, &[Signature::WORD]) }
    }

    fn restrict(&mut self, algorithms: Vec<String>) {
        self.algorithms = algorithms;
    }

    fn settle(&mut self) -> Result<(), StudyError> {
        settle::<Signature>(&mut self.algorithms)
    }

    fn run(&self, bench: &mut Bench<'_>, writer: &mut RecordWriter) -> Result<(), StudyError> {
        writer.open(NAME);
        let mut algorithms = selection::algorithms::<Signature>(&self.algorithms)?;
        for algorithm in &algorithms {
            let facts = algorithm.facts;
            let size = size(&facts.name, self.payload, facts.kind.signature) as f64;
            writer.candidate(facts);
            writer.record(writer.result(&facts.name, Told::Size.word(), "", size, "bytes"));
        }
        algorithms.retain(|algorithm| !algorithm.implementations.is_empty());
        if algorithms.is_empty() {
            return Ok(());
        }
        let subjects = bench.prove(&algorithms, &Choice::All)?;
        let payload = "x".repeat(self.payload);
        let messages: Vec<Vec<u8>> =
            (0..16).map(|number| signing_input(&number.to_string(), &payload).into_bytes()).collect();
        let input = input(format!("tokens of {} bytes", self.payload), messages.concat(), messages.len());
        // Operations that no other carrier has would be a `Stage` of its own and `fieldtest_study::timed`.
        let (operations, budget) = ([Operation::Sign, Operation::Verify], bench.budget);
        measure_operations(bench, writer, &subjects, &messages, "ecdsa-p256", &input, (&operations, budget))
    }
}

// What a report says of it.

const STUDY_SECTION: StudySection = StudySection {
    title: "Tokens",
    lead: "How long a signature makes a token, and what making and verifying it costs.",
    ..StudySection::of(NAME, tables)
};

fn tables(report: &Report, ledger: &mut Ledger<'_>) -> Vec<Table> {
    let mut sizes = Table::new("Size").column("algorithm", Kind::Text).column("token", Kind::number("bytes"));
    while let Some(record) = ledger.take(Which::of("", Told::Size.word())) {
        sizes.row([Cell::from(report.title(&record.algorithm)), cell(record)]);
    }
    vec![sizes, primitives::table(report, ledger)]
}

// Its commands, and what the program lists.

#[derive(Debug, Subcommand)]
enum Typed {
    /// Time all algorithms over tokens, and show how long each makes them
    Study(TokenStudy),
}

#[derive(Debug, Args)]
struct TokenStudy {
    /// Only these algorithms [can be repeated]
    #[arg(long = "algorithm", short, value_name = "NAME")]
    algorithms: Vec<String>,
    #[command(flatten)]
    run: StudyRun,
}

static CARRIER: Carrier = Carrier {
    study: Studied::of::<TokenPart>(NAME),
    about: "Tokens: what a signature costs in each",
    commands: Typed::augment_subcommands,
    examples: "",
    run,
    study_section: &STUDY_SECTION,
    input: None,
};

fn run(typed: &ArgMatches, format: Format) -> Result<Outcome> {
    let Typed::Study(args) = Typed::from_arg_matches(typed)?;
    let part = TokenPart { algorithms: args.algorithms, ..TokenPart::default() };
    carry_out(Plan::of(part), &[&STUDY_SECTION], &args.run, format)
}

fn main() -> Result<()> {
    let typed = CARRIER.command().get_matches();
    run(&typed, Format::Human).map(drop)
}
