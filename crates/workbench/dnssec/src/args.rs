//! What is typed after `fieldtest dnssec`.

mod internet;
mod load;
mod transition;

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs, Subcommand, ValueEnum, value_parser};
use fieldtest_frame::arguments::{StudyRun, Threads};
pub(crate) use internet::{Internet, KeyTrap, Project, Resolver, World};
pub(crate) use load::{Load, Spacing, Transport, Truncated};
pub(crate) use transition::{Downgrade, Rekey};

#[derive(Debug, Subcommand)]
pub(crate) enum Dnssec {
    /// Generate a key pair in BIND's file format
    ///
    /// Write K*.key and K*.private.
    Keygen(Keygen),
    /// Sign a zone
    Sign(Sign),
    /// Validate a whole zone
    ///
    /// Check that all signatures and denials are valid, and that none is missing or superfluous.
    Verify(Verify),
    /// Alter a signed zone and compare validators
    Torture(Torture),
    /// Compute a zone's response sizes for every algorithm
    ///
    /// Sign nothing.
    Sizes(Sizes),
    /// Time signing and validation of one zone with every algorithm
    Study(DnssecStudy),
    /// Load-test a name server
    ///
    /// Send queries on schedule, whatever the answers take (open loop).
    Load(Box<Load>),
    /// Run a small signed internet with a validating resolver
    ///
    /// Sign zones from the root down, and start their servers.
    Internet(Box<Internet>),
    /// Load-test a resolver in a small internet per algorithm
    Resolver(Box<Resolver>),
    /// Strip one of two algorithms, and show how resolvers react
    ///
    /// Sign the zones with both.
    Downgrade(Box<Downgrade>),
    /// Roll keys and algorithms while clients query a resolver
    Rekey(Box<Rekey>),
    /// Measure the most expensive single query
    ///
    /// Measure KeyTrap and NSEC3 iterations.
    #[command(name = "keytrap")]
    KeyTrap(Box<KeyTrap>),
    /// Project a resolver's records to many clients
    ///
    /// Project them to a million clients, to a root server, or to your own rates.
    Project(Project),
    /// Generate a zone shaped like the root zone
    Generate(Generate),
}

/// Which number stands for which algorithm.
#[derive(Debug, ClapArgs)]
pub(crate) struct CodePoints {
    /// Table of DNSSEC algorithm numbers
    #[arg(long, value_name = "TABLE", value_enum, default_value_t)]
    pub(crate) code_points: CodePointTable,
    /// Set one number, such as `hawk-512=200` [can be repeated]
    #[arg(long = "code-point", value_name = "ALGORITHM=NUMBER")]
    pub(crate) code_point: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum CodePointTable {
    /// IANA's if assigned, else private ones
    #[default]
    Iana,
    /// Those of the OQS fork of BIND, else IANA's
    Oqs,
    /// Those of the PATAD test bed of SIDN Labs, else IANA's
    Patad,
}

/// Where a zone comes from.
#[derive(Debug, ClapArgs)]
pub(crate) struct ZoneFile {
    /// Zone in presentation format or BIND's raw format; `-` for standard input. Included files are relative to the file
    /// that includes them
    #[arg(value_name = "ZONE")]
    pub(crate) zone: PathBuf,
    /// Origin of relative names until the file sets $ORIGIN
    #[arg(long, value_name = "NAME")]
    pub(crate) origin: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Keygen {
    /// Name of the zone; the trailing dot is optional
    #[arg(value_name = "ZONE")]
    pub(crate) name: String,
    /// Algorithm, as in `fieldtest list`
    #[arg(long, short, value_name = "NAME")]
    pub(crate) algorithm: String,
    /// Implementation that generates the key [default: the first in `fieldtest show`]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// Generate a key-signing key (flags 257), which can sign a zone on its own, instead of a zone-signing key (256)
    #[arg(long)]
    pub(crate) ksk: bool,
    /// Existing directory for the key files
    #[arg(
        long = "key-directory",
        alias = "directory",
        short = 'K',
        value_name = "DIRECTORY",
        default_value = "."
    )]
    pub(crate) directory: PathBuf,
    #[command(flatten)]
    pub(crate) code_points: CodePoints,
}

#[derive(Debug, ClapArgs)]
#[command(group(ArgGroup::new("signer").required(true)))]
pub(crate) struct Sign {
    #[command(flatten)]
    pub(crate) zone: ZoneFile,
    /// Generate new keys of this algorithm, and store them next to the signed zone
    #[arg(long, short, value_name = "NAME", group = "signer")]
    pub(crate) algorithm: Option<String>,
    /// Store the new keys in this directory instead
    #[arg(long, short = 'K', value_name = "DIRECTORY", requires = "algorithm")]
    pub(crate) key_directory: Option<PathBuf>,
    /// Sign with this key, given by its K*.key or K*.private file [can be repeated]
    #[arg(long = "key", short = 'k', value_name = "FILE", group = "signer")]
    pub(crate) keys: Vec<PathBuf>,
    /// Implementation that signs [default: the first in `fieldtest show`]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// File for the signed zone; `-` is standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Format of the signed zone: presentation format or BIND's raw format
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    pub(crate) output_format: ZoneForm,
    /// Generate one combined signing key instead of a key-signing and a zone-signing key
    #[arg(long, requires = "algorithm")]
    pub(crate) csk: bool,
    /// Sign the DNSKEY RRset with every key, not only the key-signing ones
    #[arg(long)]
    pub(crate) all_keys_sign_dnskey: bool,
    /// Use NSEC for denial of existence [default: NSEC3 with its parameters if the zone has NSEC3PARAM, else NSEC]
    #[arg(long, conflicts_with = "nsec3")]
    pub(crate) nsec: bool,
    /// Use NSEC3 for denial of existence with the three options below, and ignore the zone's NSEC3PARAM
    #[arg(long)]
    pub(crate) nsec3: bool,
    /// With --nsec3: exclude insecure delegations from the NSEC3 chain
    #[arg(long, requires = "nsec3")]
    pub(crate) opt_out: bool,
    /// With --nsec3: salt in hexadecimal; RFC 9276 recommends none [default: none]
    #[arg(long, value_name = "HEX", requires = "nsec3", default_value = "", hide_default_value = true)]
    pub(crate) salt: String,
    /// With --nsec3: additional iterations; RFC 9276 recommends 0
    #[arg(long, value_name = "NUMBER", requires = "nsec3", default_value_t = 0)]
    pub(crate) iterations: u16,
    /// Start of validity, YYYYMMDD[HHmmSS] or seconds since 1970 [default: one hour ago]
    #[arg(long, value_name = "TIME")]
    pub(crate) inception: Option<String>,
    /// End of validity [default: in 30 days]
    #[arg(long, value_name = "TIME")]
    pub(crate) expiration: Option<String>,
    /// Handling of the zone's digest, the ZONEMD record (RFC 8976)
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub(crate) zonemd: Zonemd,
    /// Handling of DNSKEY records of other keys: another signer's, standby keys (RFC 8901)
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub(crate) dnskey: Dnskey,
    /// Handling of the requests to the parent, the CDS and CDNSKEY records (RFC 7344)
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub(crate) cds: Cds,
    #[command(flatten)]
    pub(crate) threads: Threads,
    #[command(flatten)]
    pub(crate) code_points: CodePoints,
}

/// Presentation format or BIND's raw format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ZoneForm {
    #[default]
    Text,
    Raw,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Zonemd {
    /// Recompute it if the zone has one
    #[default]
    Auto,
    /// Compute a digest for every zone
    Compute,
    /// Remove the digest
    Remove,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Dnskey {
    /// Publish them without signing, except revoked ones and those of an algorithm without a signing key
    #[default]
    Keep,
    /// Remove them
    Remove,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Cds {
    /// Keep records that match one of the keys, and RFC 8078 deletion requests; remove all others
    #[default]
    Auto,
    /// Compute them from the keys that sign the DNSKEY RRset
    Compute,
    /// Remove them
    Remove,
    /// Keep all of them
    Keep,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) zone: ZoneFile,
    /// Validation time, YYYYMMDD[HHmmSS] or seconds since 1970 [default: now]
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
    /// File with DS or DNSKEY records that the zone's keys must match: a K*.key file, a dsset, the parent zone
    #[arg(long, value_name = "FILE")]
    pub(crate) anchor: Option<PathBuf>,
    /// Implementation that verifies, for algorithms that have it [default: the first in `fieldtest show`]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// Maximum number of findings to print [default: 50; JSON: all]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) show: Option<usize>,
    #[command(flatten)]
    pub(crate) threads: Threads,
    #[command(flatten)]
    pub(crate) code_points: CodePoints,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Torture {
    #[command(flatten)]
    pub(crate) zone: ZoneFile,
    /// Algorithm to sign an unsigned zone with [default: ed25519]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) algorithm: Option<String>,
    /// Number of mutants to try, drawn at random [default: all]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..=1_000_000_000))]
    pub(crate) count: Option<u32>,
    /// Seed for the selection and its order
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Time limit in seconds, after which no further mutant is started
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 300,
        value_parser = value_parser!(u64).range(1..=1_000_000_000)
    )]
    pub(crate) budget: u64,
    /// Existing directory for the mutants on which validators disagree, as zone files
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) keep: Option<PathBuf>,
}

/// A zone, or the one that is made where none is named, and the algorithms to try on it.
#[derive(Debug, ClapArgs)]
pub(crate) struct ZoneAndAlgorithms {
    /// Zone [default: a generated one, shaped like the root zone]
    #[arg(value_name = "ZONE")]
    pub(crate) zone: Option<PathBuf>,
    /// Origin of relative names until the file sets $ORIGIN
    #[arg(long, value_name = "NAME", requires = "zone")]
    pub(crate) origin: Option<String>,
    /// Only these algorithms [can be repeated]
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Sizes {
    #[command(flatten)]
    pub(crate) what: ZoneAndAlgorithms,
    /// Sign with this algorithm too (double signing)
    #[arg(long = "double-sign", alias = "beside", value_name = "NAME")]
    pub(crate) beside: Option<String>,
    /// Denial of existence [default: NSEC3 if the zone has an NSEC3PARAM record, else NSEC]
    #[arg(long, value_name = "WAY", value_enum)]
    pub(crate) denial: Option<DenialKind>,
    /// RSSAC002 files for the projection of truncation, traffic-sizes and traffic-volume of one day
    /// [default: a day of a.root-servers.net]
    #[arg(long, value_name = "FILE.yaml")]
    pub(crate) rssac: Vec<PathBuf>,
    /// Reproduce the published table of sizes of nine algorithms, cell by cell
    #[arg(long, conflicts_with_all = ["zone", "algorithms", "beside", "rssac"])]
    pub(crate) published: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DenialKind {
    /// RFC 4034
    Nsec,
    /// RFC 5155
    Nsec3,
    /// RFC 5155, without insecure delegations
    Nsec3OptOut,
    /// Compact denial of existence, RFC 9824
    Compact,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DnssecStudy {
    #[command(flatten)]
    pub(crate) what: ZoneAndAlgorithms,
    /// Sign the zone with BIND's dnssec-signzone too, given by name (of lab/resolvers or installed) or by path
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) signer: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Generate {
    /// Number of delegations below the apex [default: as many as the root has]
    #[arg(
        long,
        short = 'n',
        value_name = "NUMBER",
        value_parser = value_parser!(u32).range(1..=1_000_000_000)
    )]
    pub(crate) delegations: Option<u32>,
    /// Shape of the zone
    #[arg(long = "shape", alias = "form", value_name = "SHAPE", value_enum, default_value_t)]
    pub(crate) form: SampleForm,
    /// Seed for all random choices
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Zone file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum SampleForm {
    /// The root zone, with its name server and DS statistics
    #[default]
    Root,
    /// The zone of a top-level domain, `test.`
    Tld,
}
