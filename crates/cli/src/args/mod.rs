//! What is typed. What it means is the commands' business.

mod disk;
mod dnssec;
mod git;
mod ima;
mod tcp_ao;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use fieldtest_catalog::kind::{self, Kind};

pub(crate) use disk::*;
pub(crate) use dnssec::*;
pub(crate) use git::*;
pub(crate) use ima::*;
pub(crate) use tcp_ao::*;

use crate::output::Format;

/// Measures a cryptographic algorithm inside the system that has to carry it.
#[derive(Debug, Parser)]
#[command(name = "fieldtest", version, about, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 fine, 1 failed, 2 wrong usage, 3 known answers not reproduced, 130 interrupted."
)]
pub(crate) struct Args {
    /// Form of what goes to standard output
    #[arg(long, global = true, value_enum, default_value_t)]
    pub(crate) format: Format,

    #[command(subcommand)]
    pub(crate) command: Command,
}

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
    /// Judge whether this machine is fit for measuring
    Doctor,
    /// Time key generation, signing and verification without a carrier
    Speed(Speed),
    /// Run a study and leave a report
    Study(Study),
    /// Make a report of records
    Report(Report),
    /// DNSSEC: keys, signed zones, validation, message sizes
    #[command(subcommand)]
    Dnssec(Dnssec),
    /// TCP-AO: captures verified and signed, keys, a gateway
    #[command(subcommand)]
    TcpAo(TcpAo),
    /// IMA: file signatures planned, made and verified
    #[command(subcommand)]
    Ima(Ima),
    /// Git: repositories verified, mapped and converted to other hash functions
    #[command(subcommand)]
    Git(Git),
    /// Disk encryption: LUKS2 containers with any cipher made, opened, copied and served
    #[command(subcommand)]
    Disk(Disk),
    /// Print what makes a shell complete these commands and options
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write a manual page for every command
    Man {
        /// Where to, such as ~/.local/share/man/man1
        directory: PathBuf,
    },
}

/// The kinds of algorithm in the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AlgorithmKind {
    /// Digital signatures
    Signature,
    /// Message authentication codes with their key derivation
    Mac,
    /// Hash functions
    Hash,
    /// Ciphers of storage, each with its mode
    Cipher,
}

impl AlgorithmKind {
    /// The catalog's word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            AlgorithmKind::Signature => kind::Signature::WORD,
            AlgorithmKind::Mac => kind::Mac::WORD,
            AlgorithmKind::Hash => kind::Hash::WORD,
            AlgorithmKind::Cipher => kind::Cipher::WORD,
        }
    }

    /// The heading over a list of them.
    pub(crate) fn title(self) -> &'static str {
        match self {
            AlgorithmKind::Signature => kind::Signature::TITLE,
            AlgorithmKind::Mac => kind::Mac::TITLE,
            AlgorithmKind::Hash => kind::Hash::TITLE,
            AlgorithmKind::Cipher => kind::Cipher::TITLE,
        }
    }
}

/// Which algorithms and implementations.
#[derive(Debug, ClapArgs)]
pub(crate) struct Select {
    /// Algorithms by name; all of them if none is named
    #[arg(value_name = "ALGORITHM")]
    pub(crate) algorithms: Vec<String>,
    /// Only implementations of this name; may be repeated
    #[arg(long = "implementation", short = 'i', value_name = "NAME")]
    pub(crate) implementations: Vec<String>,
}

/// How to measure.
#[derive(Debug, ClapArgs)]
pub(crate) struct Measure {
    /// Seconds for the whole measurement; what the study says, or 100, if absent
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) budget: Option<f64>,
    /// Stop before that once each ratio's 95 % interval is within ± this share; what the study says, or 0.005, if
    /// absent
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(crate) target: Option<f64>,
    /// Decides order and resamples; what the study says, or 1, if absent
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
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
}

/// How a study runs, and where its results go.
#[derive(Debug, ClapArgs)]
pub(crate) struct StudyRun {
    #[command(flatten)]
    pub(crate) measure: Measure,
    /// Directory for records.jsonl and report.html
    #[arg(long, short, value_name = "DIRECTORY", default_value = "fieldtest-report")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Study {
    /// A study file; the built-in study, on sample data, if none is named
    #[arg(value_name = "STUDY.toml")]
    pub(crate) study: Option<PathBuf>,
    /// Measure on this zone instead of the study's
    #[arg(long, value_name = "ZONE")]
    pub(crate) zone: Option<PathBuf>,
    /// Only these algorithms; may be repeated
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Report {
    /// Records files, as studies leave them, all from one machine
    #[arg(required = true, value_name = "FILE.jsonl")]
    pub(crate) records: Vec<PathBuf>,
    /// The algorithm that ratios refer to; the one of the study if absent
    #[arg(long, value_name = "ALGORITHM")]
    pub(crate) baseline: Option<String>,
    /// Write a self-contained HTML page to this file instead of tables to standard output
    #[arg(long, short, value_name = "FILE.html")]
    pub(crate) output: Option<PathBuf>,
}
