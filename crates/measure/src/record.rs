//! The record: one measured or derived result with everything needed to believe it, as one line of JSON.
//!
//! A records file is JSON Lines. Each line is a [`Line`]: the run's host comes first, then the candidates (so that a
//! report needs nothing but this file), then the records. `docs/FORMAT.md` is the schema in words.

use serde::{Deserialize, Serialize};

use crate::words::GEOMETRIC_MEAN;

pub use fieldtest_text::own::OWN;

/// The version of the format that this crate writes; readers refuse another major version.
pub const SCHEMA: &str = "fieldtest.records/2";

/// The words that a field may have, as `docs/records.schema.json` lists them. The field is named by its place in a line.
pub const WORDS: [(&str, &[&str]); 6] = [
    ("verdict", &["quiet", "noisy", "unfit"]),
    ("host.counter", &["cycles", "ns"]),
    ("kind", &["signature", "hash", "mac", "cipher", "aead"]),
    ("status", &["standard", "provisional", "candidate", "superseded", "withdrawn", "broken", "research"]),
    ("notes.severity", &["info", "warning", "broken"]),
    (
        "estimator",
        &[
            "exact",
            "mean",
            GEOMETRIC_MEAN,
            "median",
            "minimum",
            "estimated",
            "extrapolated",
            "projected",
            "published",
        ],
    ),
];

/// One line of a records file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
pub enum Line {
    /// The program, the machine and its condition; always the first line.
    Run(Run),
    /// An algorithm with its facts, whether or not anything was measured of it.
    Candidate(Candidate),
    /// One result.
    Record(Record),
}

impl Line {
    /// The first field that has to name something, and is blank.
    pub fn nameless(&self) -> Option<&'static str> {
        let names = match self {
            Line::Run(_) => return None,
            Line::Candidate(it) => vec![("algorithm", &it.algorithm), ("title", &it.title)],
            Line::Record(Record { study, algorithm, operation, unit, .. }) => {
                vec![("study", study), ("algorithm", algorithm), ("operation", operation), ("unit", unit)]
            }
        };
        names.into_iter().find(|(_, name)| name.trim().is_empty()).map(|(field, _)| field)
    }

    /// The first field whose word is none of those that it may have ([`WORDS`]), with the word.
    pub fn unknown_word(&self) -> Option<(&'static str, &str)> {
        let mut words: Vec<(&str, &str)> = match self {
            Line::Run(run) => vec![("verdict", &run.verdict), ("host.counter", &run.host.counter)],
            Line::Candidate(candidate) => vec![("kind", &candidate.kind), ("status", &candidate.status)],
            Line::Record(record) => vec![("estimator", &record.estimator)],
        };
        if let Line::Candidate(candidate) = self {
            words.extend(candidate.notes.iter().map(|note| ("notes.severity", note.severity.as_str())));
        }
        words.into_iter().find_map(|(field, word)| {
            let (field, known) = WORDS.into_iter().find(|(name, _)| *name == field)?;
            (!known.contains(&word)).then_some((field, word))
        })
    }
}

/// Who measured where, when and in which condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// [`SCHEMA`].
    pub schema: String,
    /// The program's version.
    pub version: String,
    /// Start of the run, RFC 3339, UTC.
    pub started: String,
    /// What was asked, as it would be typed.
    pub command: String,
    /// The seed of every random choice in the run.
    pub seed: u64,
    /// The machine.
    pub host: Host,
    /// `quiet`, `noisy` or `unfit`, as `fieldtest doctor` judges.
    pub verdict: String,
    /// What led to the verdict, a sentence each, with the remedy.
    pub findings: Vec<String>,
    /// What `fieldtest calibrate` found on this machine; absent where it was not calibrated.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub calibration: Option<Calibrated>,
}

/// What a machine can tell, as far as a report needs to know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibrated {
    /// When it was found out, RFC 3339.
    pub made: String,
    /// The share of ratios that lay in the interval of another run.
    pub coverage: f64,
    /// How many times as wide the intervals of this run were made.
    pub widening: f64,
    /// What the same source at another place makes of a result, as a share: less than this is no difference of algorithms.
    pub layout: f64,
}

/// The machine a run was made on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// A stable identifier: the first 12 hex digits of a digest over the fields below that do not change by the hour.
    pub id: String,
    /// The processor's own name.
    pub cpu: String,
    /// Logical processors this process may use.
    pub cores: usize,
    /// Instruction set extensions that implementations dispatch on, as Rust names them.
    pub features: Vec<String>,
    /// Kernel name and release.
    pub kernel: String,
    /// Distribution, as `/etc/os-release` names it.
    pub system: String,
    /// The compiler that built this program.
    pub compiler: String,
    /// The unit of the primary counter: `cycles`, or `ns` where the machine shows no cycle counter.
    pub counter: String,
    /// What implementations were restricted to (`--extensions`); absent where they were not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub extensions: Option<String>,
}

impl Host {
    /// The processor, and what is used of it.
    pub fn processor(&self) -> String {
        match &self.extensions {
            Some(level) => format!("{} restricted to {level}", self.cpu),
            None => self.cpu.clone(),
        }
    }
}

/// An algorithm as a report shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The name users type, `ml-dsa-44`.
    pub algorithm: String,
    /// The name people write, `ML-DSA-44`.
    pub title: String,
    /// `signature`, `mac`, `hash`, `cipher`.
    pub kind: String,
    /// NIST security category, where one is claimed.
    pub level: Option<u8>,
    /// Bits of security against classical attacks, where they are stated; absent in records from before it was asked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub strength: Option<u16>,
    /// Whether it is meant to withstand a quantum computer; absent where nobody states it, as of kinds other than
    /// signatures.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub post_quantum: Option<bool>,
    /// The problem it rests on.
    pub hardness: String,
    /// The document that defines it.
    pub standard: String,
    /// `standard`, `provisional`, `candidate`, `superseded`, `withdrawn`, `broken`, `research`.
    pub status: String,
    /// How it stands in what carries it, by the carrier's name, where that is not how it stands in general; absent in records
    /// from before it was asked.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub standings: Vec<(String, String)>,
    /// Sizes by name (`public-key`, `signature`, `secret-key`), in bytes.
    pub sizes: Vec<(String, u64)>,
    /// Dated remarks on its security, newest first.
    pub notes: Vec<SecurityNote>,
}

/// A dated remark with its source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SecurityNote {
    /// ISO date, year and month, or year.
    pub date: String,
    /// `info`, `warning`, `broken`.
    pub severity: String,
    /// One sentence.
    pub text: String,
    /// Where it is published.
    pub source: String,
}

/// One result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The study: `speed`, `dnssec`, ….
    pub study: String,
    /// The algorithm's name in the catalog.
    pub algorithm: String,
    /// The implementation's name, where code ran; absent for a result that follows from sizes alone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub implementation: Option<Implementation>,
    /// What was done: `keygen`, `prepare-sign`, `sign`, `prepare-verify`, `verify`, `sign-zone`, `validate-zone`,
    /// `message-size`, `zone-size`, `tc-share`, ….
    pub operation: String,
    /// Of what: `nxdomain typical`, `dnskey roll`, `raw`; empty where the operation says all.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub subject: String,
    /// The result.
    pub value: f64,
    /// Its unit: `cycles`, `ns`, `s`, `bytes`, `ratio`, `per-second`, `count`, `share`, `per-day`.
    pub unit: String,
    /// The 95 % interval of the result, in the same unit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interval: Option<[f64; 2]>,
    /// How the result comes from its samples: `exact`, `mean`, `median`, `minimum`, `estimated`, `extrapolated`,
    /// `projected`.
    pub estimator: String,
    /// Samples behind it; 0 for an exact result.
    pub samples: u64,
    /// What it takes while another thread uses the core, where that was seen; `value` is uncontended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shared: Option<Shared>,
    /// How many times as long the rulers took as on an uncontended core, 1 to 2: so much too high the value may be. Absent of
    /// uncontended results, and where it is not known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub contention: Option<f64>,
    /// What a clock says of the windows or rounds that the result is of; absent of other results.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub elapsed: Option<Elapsed>,
    /// What proved the implementation before it was timed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub proof: Option<KatResult>,
    /// The data it was measured on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub input: Option<Input>,
    /// Where only a part was measured: how much of how much.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub part: Option<Part>,
    /// Remarks a reader needs: why a run stopped, what disturbed it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notes: Vec<String>,
}

impl Record {
    /// Every number that was measured: the value and the ends of its interval, uncontended and contended.
    pub fn numbers(&self) -> impl Iterator<Item = f64> {
        let shared = self.shared.map(|it| (it.value, it.interval));
        let elapsed = self.elapsed.into_iter().flat_map(|it| std::iter::once(it.mean).chain(it.deviation));
        std::iter::once((self.value, self.interval))
            .chain(shared)
            .flat_map(|(value, interval)| std::iter::once(value).chain(interval.into_iter().flatten()))
            .chain(elapsed)
    }
}

/// What an operation takes next to another thread on the core, in the unit of its record.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Shared {
    /// The result.
    pub value: f64,
    /// Its 95 % interval.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interval: Option<[f64; 2]>,
    /// Samples behind it.
    pub samples: u64,
}

/// Elapsed time in nanoseconds, as papers and presentations have it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Elapsed {
    /// The mean.
    pub mean: f64,
    /// The standard deviation: of windows, of which one of a short operation is the mean of several, or of rounds; absent of
    /// one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub deviation: Option<f64>,
}

/// Which code ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Implementation {
    /// `aws-lc`, `graviola`, `openssl-host`, ….
    pub name: String,
    /// Its version, as it states it.
    pub version: String,
    /// Why it is an experiment and nothing to be installed, with where that is said; absent where it is none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub experiment: Option<String>,
}

impl Implementation {
    /// One that is no experiment.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Implementation {
        Implementation { name: name.into(), version: version.into(), experiment: None }
    }
}

/// The known answers that were reproduced in this process before anything was timed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KatResult {
    /// How many official known answers were reproduced; 0 where none exist.
    pub vectors: u64,
    /// Where they come from; with 0 vectors, what the code was held against.
    pub origins: Vec<String>,
}

/// The data a result was measured on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// A file's name, or how it was generated.
    pub name: String,
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its items, in the carrier's sense (RRsets, files, segments, objects, sectors).
    pub items: u64,
}

/// A part that stands for the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Items measured.
    pub measured: u64,
    /// Items there are.
    pub of: u64,
    /// The smaller number of items, where two were measured to tell set-up and items apart.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub smaller: Option<u64>,
}
