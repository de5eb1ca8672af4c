//! What is typed. What it means is the commands' business.

mod advise;
mod kcmvp;
mod kind;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{
    Arg, ArgAction, ArgMatches, Args as ClapArgs, CommandFactory as _, Parser, Subcommand, value_parser,
};
use clap_complete::Shell;
use fieldtest_frame::arguments::{Measure, Select, StudyRun, with_examples};
use fieldtest_frame::carrier::{Carrier, Input};
use fieldtest_frame::output::Format;

pub(crate) use self::advise::{Advise, constraints};
pub(crate) use self::kcmvp::{Kcmvp, KcmvpAnswer};
pub(crate) use self::kind::AlgorithmKind;
use crate::carriers::CARRIERS;

/// Measures a cryptographic algorithm inside the system that has to carry it.
#[derive(Debug, Parser)]
#[command(name = "fieldtest", version, about, max_term_width = 100)]
#[command(after_help = CODES)]
pub(crate) struct Args {
    /// Form of what goes to standard output
    #[arg(long, global = true, value_enum, default_value_t)]
    pub(crate) format: Format,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How the program ends.
const CODES: &str = "Exit codes: 0 fine, 1 failed, 2 wrong usage, 3 known answers not reproduced, 4 slower than a threshold \
                 allows, 5 undecided (compare) or a noisy machine (doctor), 6 an unfit machine, 130 interrupted.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List every algorithm: sizes, status, implementations
    List {
        /// Only algorithms of this kind
        kind: Option<AlgorithmKind>,
    },
    /// Show all that is known of one algorithm
    Show {
        /// Its name, as `fieldtest list` shows it
        algorithm: String,
    },
    /// Reproduce the official known answers with every implementation
    Prove(Select),
    /// Judge whether this machine is fit for measuring: exit code 0 if quiet, 5 if noisy, 6 if unfit
    Doctor,
    /// Find out which differences this machine can tell, and whether its intervals hold
    Calibrate(Calibrate),
    /// Time key generation, signing and verification without a carrier
    Speed(Speed),
    /// Run a study and leave a report
    Study(Study),
    /// Make a report of records
    Report(Report),
    /// Hold runs against each other: what changed, and what cannot be told
    Compare(Compare),
    /// Join records of several hosts in one file
    Merge(Merge),
    /// Say what became of a job: what is done, what failed or was refused, and why
    Ledger(Ledger),
    /// Say which algorithm to take: who has what is asked, in order, and why the others have not
    #[command(after_help = advise::decided())]
    Advise(Advise),
    /// Write an inventory in CycloneDX 1.7: what is known of each algorithm, and what was measured
    Cbom(Cbom),
    /// Answer what the Korean validation programme (KCMVP) asks of block ciphers
    #[command(subcommand)]
    Kcmvp(Kcmvp),
    /// Time what a study asks for on standard input
    #[command(hide = true)]
    Visit,
    /// Do what requests on standard input ask of a library
    #[command(hide = true, name = fieldtest_engine::library::COMMAND)]
    EngineLibrary {
        /// Its file, the prefix of its functions, and sizes
        words: Vec<String>,
    },
    /// Print a completion script for a shell
    #[command(display_order = LAST)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write a manual page for every command
    #[command(display_order = LAST)]
    Man {
        /// Where to, such as ~/.local/share/man/man1
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
    with_engines(with_examples(all, include_str!("examples.txt")))
}

/// What is typed to attach algorithms.
const ENGINE: &str = "engine";

/// A command and all below it with the option that attaches algorithms. No global one: of its places clap has the last alone count.
fn with_engines(command: clap::Command) -> clap::Command {
    let engine = Arg::new(ENGINE)
        .long(ENGINE)
        .value_name("FILE.toml")
        .help("Add your own algorithm, described in FILE or a folder (docs/engines.md) [can be repeated]")
        .action(ArgAction::Append)
        .value_parser(value_parser!(PathBuf));
    command.arg(engine).mut_subcommands(with_engines)
}

/// What is to be attached, wherever it was typed.
pub(crate) fn engines(typed: &ArgMatches) -> Vec<PathBuf> {
    let here = typed.try_get_many(ENGINE).ok().flatten().into_iter().flatten().cloned();
    let below = typed.subcommand().map(|(_, below)| engines(below));
    here.chain(below.into_iter().flatten()).collect()
}

/// The command that makes studies of several carriers.
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
    /// Records of runs of one command on one machine: count how often their figures hold, and measure nothing
    #[arg(value_name = "FILE.jsonl")]
    pub(crate) records: Vec<PathBuf>,
    /// Runs to hold against each other
    #[arg(long, value_name = "NUMBER", default_value_t = 6)]
    pub(crate) runs: usize,
    /// Seconds of each run
    #[arg(long, value_name = "SECONDS", default_value_t = 12.0, allow_negative_numbers = true)]
    pub(crate) seconds: f64,
    /// Decides order and resamples
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
}

impl Calibrate {
    /// As other commands have it.
    pub(crate) fn measure(&self) -> Measure {
        Measure { seed: self.seed, ..Measure::default() }
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Speed {
    #[command(flatten)]
    pub(crate) select: Select,
    #[command(flatten)]
    pub(crate) measure: Measure,
    /// The algorithm that ratios refer to; ecdsa-p256 where it takes part, else the first, if absent
    #[arg(long, value_name = "ALGORITHM")]
    pub(crate) baseline: Option<String>,
    /// Also write the records to this file
    #[arg(long, short, value_name = "FILE.jsonl")]
    pub(crate) output: Option<PathBuf>,
    /// Also write every timed window to this file, as docs/FORMAT.md describes it
    #[arg(long, value_name = "FILE.csv.gz")]
    pub(crate) windows: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Study {
    /// A study file; if none is named the built-in study, on sample data, or of those carriers alone for which an input is
    /// named below
    #[arg(value_name = "STUDY.toml")]
    pub(crate) study: Option<PathBuf>,
    /// Only these algorithms; may be repeated
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Report {
    /// Records files, as studies leave them, all from one machine; - is standard input
    #[arg(required = true, value_name = "FILE.jsonl")]
    pub(crate) records: Vec<PathBuf>,
    /// The algorithm that ratios refer to; the one of the study if absent
    #[arg(long, value_name = "ALGORITHM")]
    pub(crate) baseline: Option<String>,
    /// Write a self-contained HTML page to this file instead of tables to standard output
    #[arg(long, short, value_name = "FILE.html")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Compare {
    /// Records files, as studies leave them, with names to show them by; the others are held against the first; - is standard
    /// input
    #[arg(required = true, value_name = "[LABEL=]FILE.jsonl")]
    pub(crate) records: Vec<OsString>,
    /// The algorithm that figures of different machines are held against; ecdsa-p256, or else the first that both have, if absent
    #[arg(long, value_name = "ALGORITHM")]
    pub(crate) baseline: Option<String>,
    /// End with exit code 4 where something is slower by more than this, and 5 where that cannot be decided
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pub(crate) threshold: Option<f64>,
    /// Show every figure, not only what changed; JSON and CSV always have all
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Merge {
    /// Records files, as studies leave them, each figure of a host in one of them, all of one version; - is standard input
    #[arg(required = true, value_name = "FILE.jsonl")]
    pub(crate) records: Vec<PathBuf>,
    /// File for all of them; `-` for standard output
    #[arg(long, short, value_name = "FILE.jsonl", default_value = "-")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Ledger {
    /// The folder of a job, as --job named it
    #[arg(value_name = "FOLDER")]
    pub(crate) job: PathBuf,
    /// Name those that are done, too
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Cbom {
    /// Records files, as studies leave them; without any, the catalog; - is standard input
    #[arg(value_name = "FILE.jsonl")]
    pub(crate) records: Vec<PathBuf>,
    /// Write to this file instead of standard output
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
