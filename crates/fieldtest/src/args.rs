//! What is typed. What it means is the commands' business.

mod advise;
mod kcmvp;
mod kind;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{
    Arg, ArgAction, ArgMatches, Args as ClapArgs, CommandFactory as _, Parser, Subcommand, value_parser,
};
use clap_complete::Shell;
use fieldtest_catalog::host::extensions::Level;
use fieldtest_frame::arguments::{
    EVERYWHERE, Everywhere, Measure, Select, StudyRun, defaulting, with_examples,
};
use fieldtest_frame::carrier::{Carrier, Input};
use fieldtest_frame::output::Format;

pub(crate) use self::advise::{Advise, constraints};
pub(crate) use self::kcmvp::{Kcmvp, KcmvpAnswer};
pub(crate) use self::kind::AlgorithmKind;
use crate::carriers::CARRIERS;

/// Measure algorithms in the systems that use them
#[derive(Debug, Parser)]
#[command(name = "fieldtest", version, long_version = VERSION, about, max_term_width = 100)]
#[command(after_help = CODES)]
pub(crate) struct Args {
    /// Output format
    #[arg(long, global = true, value_enum, default_value_t, help_heading = EVERYWHERE)]
    pub(crate) format: Format,

    #[command(flatten)]
    pub(crate) everywhere: Everywhere,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to tell whoever looks into a bug.
const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit: ",
    env!("FIELDTEST_COMMIT"),
    "\nfeatures: ",
    env!("FIELDTEST_FEATURES"),
    "\ntarget: ",
    env!("FIELDTEST_TARGET"),
    "\ncompiler: ",
    env!("FIELDTEST_RUSTC"),
);

/// How the program ends, where defaults come from, and what a bug report needs.
const CODES: &str = "Exit codes: 0 fine, 1 failed, 2 wrong usage, 3 known answers not reproduced, 4 worse than a threshold \
                 allows, 5 undecided (compare, gate) or a noisy machine (doctor), 6 an unfit machine, 130 interrupted.\n\n\
                 Numbers take units: --budget 2min, --target 0.5%, --size 4KiB (docs/cli.md).\n\n\
                 Defaults of options: ~/.config/fieldtest/config.toml (docs/configuration.md).\n\n\
                 Bug reports: an issue in the project's repository, with the output of fieldtest --version and fieldtest doctor.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List algorithms with sizes, status and implementations
    List {
        /// Only algorithms of this kind
        kind: Option<AlgorithmKind>,
    },
    /// Show all facts about one algorithm
    Show {
        /// Name, as in `fieldtest list`
        algorithm: String,
    },
    /// Run official known-answer tests with every implementation
    Prove(Select),
    /// Check whether this machine is fit for measuring
    ///
    /// Exit code 0: quiet, 5: noisy, 6: unfit.
    Doctor,
    /// Find out which differences are significant on this machine
    ///
    /// Check also that intervals cover repeated results as often as stated.
    Calibrate(Calibrate),
    /// Time algorithms of any kind without a carrier
    Speed(Speed),
    /// Run a study and write a report
    Study(Study),
    /// Write a report of records
    Report(Report),
    /// Compare runs, and show which differences are significant
    Compare(Compare),
    /// Decide by a policy whether a run may replace another, for CI
    Gate(Gate),
    /// Merge records of several hosts into one file
    Merge(Merge),
    /// Show what a job has done, failed at or rejected, and why
    Ledger(Ledger),
    /// Recommend an algorithm that meets your constraints
    ///
    /// List also why the others do not.
    #[command(after_help = advise::decided())]
    Advise(Advise),
    /// Write half a page with the recommendation and its cost
    ///
    /// Compare the cost with that of today's algorithm, and add a date and a picture.
    Memo(Memo),
    /// Write a CycloneDX 1.7 inventory of all algorithms
    ///
    /// For each algorithm, write its facts, and its results if records are given.
    Cbom(Cbom),
    /// Answer KCMVP requests for block ciphers
    ///
    /// KCMVP is the Korean validation programme.
    #[command(subcommand)]
    Kcmvp(Kcmvp),
    /// Time what a study asks for on standard input
    #[command(hide = true)]
    Worker,
    /// Do what requests on standard input ask of a library
    #[command(hide = true, name = fieldtest_engine::library::COMMAND)]
    EngineLibrary {
        /// Its file, the prefix of its functions, and sizes
        words: Vec<String>,
    },
    /// Print a completion script for a shell
    #[command(display_order = LAST)]
    Completions {
        /// Shell
        shell: Shell,
    },
    /// Write a manual page for every command
    #[command(display_order = LAST)]
    Man {
        /// Directory, such as ~/.local/share/man/man1
        directory: PathBuf,
    },
}

/// Where the carriers stand among the commands in the help, and where the commands behind them.
const CARRIERS_FROM: usize = 100;
const LAST: usize = 500;

/// Everything that can be typed: the general commands and those of the carriers.
pub(crate) fn command() -> clap::Command {
    let mut all = Args::command();
    for (place, carrier) in CARRIERS.iter().enumerate() {
        all = all.subcommand(carrier.command().display_order(CARRIERS_FROM + place));
    }
    let all = advise::with_properties(all);
    let all = all.mut_subcommand(STUDY, |study| {
        CARRIERS.iter().filter_map(|carrier| carrier.input).fold(study, |study, input| {
            study.arg(
                Arg::new(input.option)
                    .long(input.option)
                    .value_name(input.value)
                    .help(input.help)
                    .value_parser(value_parser!(PathBuf)),
            )
        })
    });
    with_engines(with_examples(restrictable(all), include_str!("examples.txt")))
}

/// What is typed to attach algorithms.
const ENGINE: &str = "engine";

/// A command and all below it with the option that attaches algorithms. No global one: of its places clap has the last alone count.
fn with_engines(command: clap::Command) -> clap::Command {
    let engine = Arg::new(ENGINE)
        .long(ENGINE)
        .value_name("PATH")
        .help("Add your own algorithm, described by a file.toml or a directory (docs/engines.md) [can be repeated]")
        .action(ArgAction::Append)
        .help_heading(EVERYWHERE)
        .value_parser(value_parser!(PathBuf));
    command.arg(engine).mut_subcommands(with_engines)
}

/// What is typed to run as on a smaller machine.
const EXTENSIONS: &str = "extensions";

/// The commands that prove and time code, with the option that restricts the processor's extensions.
fn restrictable(command: clap::Command) -> clap::Command {
    if ![PROVE, SPEED, STUDY].contains(&command.get_name()) {
        return command.mut_subcommands(restrictable);
    }
    let levels = Level::ALL.iter().rev().map(|level| level.word());
    command.arg(
        Arg::new(EXTENSIONS)
            .long(EXTENSIONS)
            .value_name("LEVEL")
            .help(
                "Use no more than these instruction sets, as on a smaller machine: none (what every processor has), sse (also \
                 AES-NI, PCLMULQDQ and SHA-NI on 128 bits), avx2 (also BMI, GFNI, VAES and VPCLMULQDQ on 256). Code that \
                 cannot be restricted is marked [default: all] [env: FIELDTEST_EXTENSIONS]",
            )
            .value_parser(PossibleValuesParser::new(levels)),
    )
}

/// The level of extensions, wherever it was typed.
pub(crate) fn extensions(typed: &ArgMatches) -> Option<&str> {
    let here = typed.try_get_one::<String>(EXTENSIONS).ok().flatten().map(String::as_str);
    here.or_else(|| extensions(typed.subcommand()?.1))
}

/// What is to be attached, wherever it was typed.
pub(crate) fn engines(typed: &ArgMatches) -> Vec<PathBuf> {
    let here = typed.try_get_many(ENGINE).ok().flatten().into_iter().flatten().cloned();
    let below = typed.subcommand().map(|(_, below)| engines(below));
    here.chain(below.into_iter().flatten()).collect()
}

/// Commands that prove and time code; studies have this name in carriers, too.
const PROVE: &str = "prove";
const SPEED: &str = "speed";
const STUDY: &str = "study";

/// What was typed for each carrier's study to be measured on.
pub(crate) fn inputs(typed: &ArgMatches) -> Vec<(&'static Carrier, Input, PathBuf)> {
    let study = typed.subcommand_matches(STUDY);
    let of = |carrier: &'static Carrier| {
        let input = carrier.input?;
        Some((carrier, input, study?.get_one::<PathBuf>(input.option)?.clone()))
    };
    CARRIERS.iter().copied().filter_map(of).collect()
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Calibrate {
    /// Records of runs of one command on one machine: count how often their intervals hold, without measuring
    #[arg(value_name = "FILE.jsonl")]
    pub(crate) records: Vec<PathBuf>,
    /// Number of runs to compare
    #[arg(long, conflicts_with = "records", value_name = "NUMBER", default_value_t = 6, value_parser = value_parser!(u16).range(2..=1000))]
    pub(crate) runs: u16,
    /// Time of each run
    #[arg(long, conflicts_with = "records", value_name = "SECONDS", default_value_t = 12.0)]
    pub(crate) seconds: f64,
    /// Seed for order and resampling [default: 1]
    #[arg(long, conflicts_with = "records", value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
}

impl Calibrate {
    /// As other commands have it.
    pub(crate) fn measure(&self) -> Measure {
        Measure { seed: self.seed, ..Measure::default() }
    }
}

#[derive(Debug, ClapArgs)]
#[command(mut_args(defaulting(
    "implementations",
    "the linked libraries and the host's OpenSSL; with --thorough all"
)))]
pub(crate) struct Speed {
    #[command(flatten)]
    pub(crate) select: Select,
    /// Time all algorithms of this kind [default: signature]
    #[arg(long, value_enum)]
    pub(crate) kind: Option<AlgorithmKind>,
    /// Bytes of a message of hash functions, MACs and ciphers [can be repeated] [default: 256, 1024, 8192, 16384 for hash
    /// functions; 64, 128, 512, 1480 for MACs; 512, 4096 for ciphers; 64, 512, 1408, 4096 for AEADs]
    #[arg(long = "size", value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub(crate) sizes: Vec<u32>,
    #[command(flatten)]
    pub(crate) measure: Measure,
    /// Algorithm that ratios refer to [default: ecdsa-p256 if it takes part, else the first of its kind]
    #[arg(long, value_name = "ALGORITHM")]
    pub(crate) baseline: Option<String>,
    /// Also write the records to FILE; `-` prints them instead of the tables
    #[arg(long, short, value_name = "FILE.jsonl")]
    pub(crate) output: Option<PathBuf>,
    /// Write every timed window to FILE too, in the format of docs/FORMAT.md
    #[arg(long, value_name = "FILE.csv.gz")]
    pub(crate) windows: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
#[command(mut_args(defaulting("budget", "135; with a study file its value, or 100")))]
#[command(mut_args(defaulting("target", "the study file's, or 0.005")))]
#[command(mut_args(defaulting("seed", "the study file's, or 1")))]
pub(crate) struct Study {
    /// Study file [default: the built-in study on sample data; with --zone, --capture, --tree, --repository or --disk only
    /// those carriers, on that data]
    #[arg(value_name = "STUDY.toml")]
    pub(crate) study: Option<PathBuf>,
    /// Only these algorithms [can be repeated]
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Report {
    /// Records of studies, all from one machine; - for standard input
    #[arg(required = true, value_name = "FILE.jsonl")]
    pub(crate) records: Vec<PathBuf>,
    /// Algorithm that ratios refer to [default: that of the study]
    #[arg(long, value_name = "ALGORITHM")]
    pub(crate) baseline: Option<String>,
    /// Write a self-contained HTML page to FILE instead of tables to standard output
    #[arg(long, short, value_name = "FILE.html")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Memo {
    /// Records of one machine; - for standard input
    #[arg(required = true, value_name = "FILE.jsonl")]
    pub(crate) records: Vec<PathBuf>,
    /// Carrier [default: that of the records, if there is only one]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) carrier: Option<String>,
    /// Require at least the strength of this algorithm
    #[arg(long, value_name = "ALGORITHM")]
    pub(crate) replaces: Option<String>,
    /// Rank by this property, an option below that takes a number [default: see docs/advise.md]
    #[arg(long, value_name = "PROPERTY")]
    pub(crate) by: Option<String>,
    /// Write HTML that prints on one page to FILE instead of Markdown to standard output
    #[arg(long, short, value_name = "FILE.html")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Compare {
    /// Records of studies with optional labels; the first is the reference; - for standard input
    #[arg(required = true, value_name = "[LABEL=]FILE.jsonl")]
    pub(crate) records: Vec<OsString>,
    /// Algorithm to divide by where machines differ [default: ecdsa-p256, else the first that both have]
    #[arg(long, value_name = "ALGORITHM")]
    pub(crate) baseline: Option<String>,
    /// Exit with code 4 if anything is worse by more than this, and 5 if undecided
    #[arg(long, value_name = "PERCENT")]
    pub(crate) threshold: Option<f64>,
    /// Show unchanged results too (JSON and CSV always contain them)
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Gate {
    /// Records of the base run, with an optional label
    #[arg(value_name = "[LABEL=]BASE.jsonl")]
    pub(crate) base: OsString,
    /// Records of the new run; - for standard input
    #[arg(value_name = "[LABEL=]NEW.jsonl")]
    pub(crate) new: OsString,
    /// Policy: how much worse results may get [default: exact results 0%, counts 1%, times 10%]
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) policy: Option<PathBuf>,
    /// Write JUnit XML to FILE
    #[arg(long, value_name = "FILE.xml")]
    pub(crate) junit: Option<PathBuf>,
    /// Write SARIF 2.1.0 to FILE
    #[arg(long, value_name = "FILE.sarif")]
    pub(crate) sarif: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Merge {
    /// Records of studies, all by one version; no result of a host may appear twice; - for standard input
    #[arg(required = true, value_name = "FILE.jsonl")]
    pub(crate) records: Vec<PathBuf>,
    /// Write all of them to FILE; `-` for standard output
    #[arg(long, short, value_name = "FILE.jsonl", default_value = "-")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Ledger {
    /// Directory of a job, as given to --job
    #[arg(value_name = "DIRECTORY")]
    pub(crate) job: PathBuf,
    /// List finished items too
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Cbom {
    /// Records of studies; - for standard input [default: the catalog only]
    #[arg(value_name = "FILE.jsonl")]
    pub(crate) records: Vec<PathBuf>,
    /// Write to FILE instead of standard output
    #[arg(long, short, value_name = "FILE.json")]
    pub(crate) output: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use fieldtest_frame::arguments::read;

    use super::*;

    /// What Rust's parsers of numbers say.
    const PARSERS: [&str; 6] = [
        "invalid digit found in string",
        "invalid float literal",
        "cannot parse integer from empty string",
        "number too large to fit in target type",
        "number too small to fit in target type",
        "number would be zero for non-zero type",
    ];

    /// Every option of every command with what is no number: those that take numbers say what is expected.
    fn walk(root: &clap::Command, command: &clap::Command, path: &[OsString], refused: &mut usize) {
        for option in command.get_arguments().filter_map(Arg::get_long) {
            for value in ["5x", "99999999999999999999999999"] {
                let typed = [path, &[format!("--{option}={value}").into()]].concat();
                let Err(error) = read(root, &typed) else { continue };
                let said = error.render().to_string();
                *refused += usize::from(said.contains(": expected a"));
                assert!(!PARSERS.iter().any(|words| said.contains(words)), "{said}");
            }
        }
        for below in command.get_subcommands() {
            walk(root, below, &[path, &[below.get_name().into()]].concat(), refused);
        }
    }

    #[test]
    fn no_parser_of_numbers_speaks_to_people() {
        let (root, mut refused) = (command(), 0);
        walk(&root, &root, &["fieldtest".into()], &mut refused);
        assert!(refused > 50, "{refused} options take numbers");
    }
}
