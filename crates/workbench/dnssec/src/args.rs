//! What is typed after `fieldtest dnssec`.

mod internet;
mod load;
mod transition;

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs, Subcommand, ValueEnum};
use fieldtest_frame::arguments::{StudyRun, Threads};
pub(crate) use internet::{Internet, KeyTrap, Project, Resolver, World};
pub(crate) use load::{Load, Spacing, Transport, Truncated};
pub(crate) use transition::{Downgrade, Rekey};

#[derive(Debug, Subcommand)]
pub(crate) enum Dnssec {
    /// Make a key pair in BIND's file form (K*.key and K*.private)
    Keygen(Keygen),
    /// Sign a zone
    Sign(Sign),
    /// Validate a whole zone: every signature, every denial, nothing missing, nothing extra
    Verify(Verify),
    /// Alter a signed zone in one place after the other and compare what validators say
    Torture(Torture),
    /// Size the answers of a zone for every algorithm, without signing
    Sizes(Sizes),
    /// Time signing and validation of one zone with every algorithm
    Study(DnssecStudy),
    /// Load a name server with queries at moments of their own, and count what comes back
    Load(Box<Load>),
    /// Run a small internet: signed zones from the root down, servers, a validating resolver
    Internet(Box<Internet>),
    /// Load a validating resolver in such an internet, with every algorithm in turn
    Resolver(Box<Resolver>),
    /// Strip one of two algorithms from zones signed by both, and see what resolvers say
    Downgrade(Box<Downgrade>),
    /// Replace keys and algorithms of a zone while a resolver is asked for it, second by second
    Rekey(Box<Rekey>),
    /// Make one query cost a resolver the most: colliding key tags, NSEC3 iterations
    #[command(name = "keytrap")]
    KeyTrap(Box<KeyTrap>),
    /// Project a resolver's records to a million clients, a root server, or your own rates
    Project(Project),
    /// Generate a zone with the shape of the root's
    Generate(Generate),
}

/// Which number stands for which algorithm.
#[derive(Debug, ClapArgs)]
pub(crate) struct CodePoints {
    /// Table of DNSSEC algorithm numbers
    #[arg(long, value_name = "TABLE", value_enum, default_value_t)]
    pub(crate) code_points: CodePointTable,
    /// Set one number, `hawk-512=200`; may be repeated
    #[arg(long = "code-point", value_name = "ALGORITHM=NUMBER")]
    pub(crate) code_point: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum CodePointTable {
    /// IANA's where assigned, private ones elsewhere
    #[default]
    Iana,
    /// Those of the OQS fork of BIND, IANA's elsewhere
    Oqs,
    /// Those of the PATAD test bed of SIDN Labs, IANA's elsewhere
    Patad,
}

/// Where a zone comes from.
#[derive(Debug, ClapArgs)]
pub(crate) struct ZoneFile {
    /// The zone, in presentation format or BIND's raw format; `-` for standard input. What it includes is looked for beside
    /// the file that includes it
    #[arg(value_name = "ZONE")]
    pub(crate) zone: PathBuf,
    /// Completes relative names until the file sets $ORIGIN
    #[arg(long, value_name = "NAME")]
    pub(crate) origin: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Keygen {
    /// The zone's name; the trailing dot may be left out
    #[arg(value_name = "ZONE")]
    pub(crate) name: String,
    /// The algorithm, as `fieldtest list` shows it
    #[arg(long, short, value_name = "NAME")]
    pub(crate) algorithm: String,
    /// The implementation that makes the key; the first of the algorithm's if none is named
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// Make a key-signing key (flags 257), which can sign a zone alone, instead of a zone-signing key (256)
    #[arg(long)]
    pub(crate) ksk: bool,
    /// Directory for the key files, which must be there
    #[arg(long, short = 'K', value_name = "DIRECTORY", default_value = ".")]
    pub(crate) directory: PathBuf,
    #[command(flatten)]
    pub(crate) code_points: CodePoints,
}

#[derive(Debug, ClapArgs)]
#[command(group(ArgGroup::new("signer").required(true)))]
pub(crate) struct Sign {
    #[command(flatten)]
    pub(crate) zone: ZoneFile,
    /// Make new keys of this algorithm and leave them beside the signed zone
    #[arg(long, short, value_name = "NAME", group = "signer")]
    pub(crate) algorithm: Option<String>,
    /// Directory for the new keys instead
    #[arg(long, short = 'K', value_name = "DIRECTORY", requires = "algorithm")]
    pub(crate) key_directory: Option<PathBuf>,
    /// Sign with this key, named by its K*.key or K*.private file; may be repeated
    #[arg(long = "key", short = 'k', value_name = "FILE", group = "signer")]
    pub(crate) keys: Vec<PathBuf>,
    /// The implementation that signs; the first of the algorithm's if none is named
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// File for the signed zone; `-` for standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Form of the signed zone: presentation format or BIND's raw format
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    pub(crate) output_format: ZoneForm,
    /// Make one combined signing key instead of a key-signing and a zone-signing key
    #[arg(long, requires = "algorithm")]
    pub(crate) csk: bool,
    /// Let every key sign the DNSKEY RRset, not only the key-signing ones
    #[arg(long)]
    pub(crate) all_keys_sign_dnskey: bool,
    /// Deny with NSEC, also where the zone has an NSEC3PARAM record
    #[arg(long, conflicts_with = "nsec3")]
    pub(crate) nsec: bool,
    /// Deny with NSEC3, also where the zone has no NSEC3PARAM record
    #[arg(long)]
    pub(crate) nsec3: bool,
    /// Leave insecure delegations out of the NSEC3 chain
    #[arg(long, requires = "nsec3")]
    pub(crate) opt_out: bool,
    /// Salt of NSEC3 in hexadecimal; none is best (RFC 9276)
    #[arg(long, value_name = "HEX", requires = "nsec3", default_value = "", hide_default_value = true)]
    pub(crate) salt: String,
    /// Additional iterations of NSEC3; 0 is best (RFC 9276)
    #[arg(long, value_name = "NUMBER", requires = "nsec3", default_value_t = 0)]
    pub(crate) iterations: u16,
    /// First second of validity, YYYYMMDD[HHmmSS] or seconds since 1970; an hour ago if absent
    #[arg(long, value_name = "TIME")]
    pub(crate) inception: Option<String>,
    /// Last second of validity; 30 days after now if absent
    #[arg(long, value_name = "TIME")]
    pub(crate) expiration: Option<String>,
    /// What becomes of the zone's digest, the ZONEMD record (RFC 8976)
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub(crate) zonemd: Zonemd,
    /// What becomes of DNSKEY records of other keys: another signer's, standby keys (RFC 8901)
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub(crate) dnskey: Dnskey,
    /// What becomes of the requests to the parent, the CDS and CDNSKEY records (RFC 7344)
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
    /// Recompute it where the zone has one
    #[default]
    Auto,
    /// Compute it for every zone
    Compute,
    /// Remove it
    Remove,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Dnskey {
    /// Publish them without signing, but for revoked ones and those of an algorithm that no key signs with
    #[default]
    Keep,
    /// Leave them out
    Remove,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Cds {
    /// Those that name one of the keys stay, and requests to delete; the others are left out
    #[default]
    Auto,
    /// Compute them from the keys that sign the DNSKEY RRset
    Compute,
    /// Remove them
    Remove,
    /// Keep them whatever they name
    Keep,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) zone: ZoneFile,
    /// The moment to validate at, YYYYMMDD[HHmmSS] or seconds since 1970; now if absent
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
    /// A file with DS or DNSKEY records that the zone's keys must match: a K*.key file, a dsset, the parent zone
    #[arg(long, value_name = "FILE")]
    pub(crate) anchor: Option<PathBuf>,
    /// The implementation that verifies, where the algorithm has it
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// Findings to print at most; if absent 50, and all of them as JSON
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
    /// Algorithm to sign with, where the zone is not signed
    #[arg(long, short, value_name = "NAME", default_value = "ed25519")]
    pub(crate) algorithm: String,
    /// Mutants to try, drawn from all [default: all]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) count: Option<usize>,
    /// Seed that decides which are drawn, and their order
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Seconds after which no further mutant is tried
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub(crate) budget: u64,
    /// Directory for the mutants that validators disagree on, as zone files; it must exist
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) keep: Option<PathBuf>,
}

/// A zone, or the one that is made where none is named, and the algorithms to try on it.
#[derive(Debug, ClapArgs)]
pub(crate) struct ZoneAndAlgorithms {
    /// The zone; a generated one with the root's shape if none is named
    #[arg(value_name = "ZONE")]
    pub(crate) zone: Option<PathBuf>,
    /// Completes relative names until the file sets $ORIGIN
    #[arg(long, value_name = "NAME")]
    pub(crate) origin: Option<String>,
    /// Only these algorithms; may be repeated
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Sizes {
    #[command(flatten)]
    pub(crate) what: ZoneAndAlgorithms,
    /// Sign with this classic algorithm too (double signing)
    #[arg(long, value_name = "NAME")]
    pub(crate) beside: Option<String>,
    /// How it is proved that a name or type does not exist; if absent NSEC3 where the zone has an NSEC3PARAM record, and
    /// NSEC elsewhere
    #[arg(long, value_name = "WAY", value_enum)]
    pub(crate) denial: Option<DenialKind>,
    /// RSSAC002 files to project truncation on, traffic-sizes and traffic-volume of one day; a day of
    /// a.root-servers.net if none are named
    #[arg(long, value_name = "FILE.yaml")]
    pub(crate) rssac: Vec<PathBuf>,
    /// Rebuild the table of sizes published for nine algorithms, cell by cell
    #[arg(long, conflicts_with_all = ["zone", "algorithms", "beside", "rssac"])]
    pub(crate) published: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DenialKind {
    /// RFC 4034
    Nsec,
    /// RFC 5155
    Nsec3,
    /// RFC 5155, insecure delegations left out
    Nsec3OptOut,
    /// Compact denial of existence, RFC 9824
    Compact,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DnssecStudy {
    #[command(flatten)]
    pub(crate) what: ZoneAndAlgorithms,
    /// Have BIND's dnssec-signzone sign the zone too: by its name, that of lab/resolvers or the one that is installed, or by a path
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) signer: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Generate {
    /// Delegations below the apex; as many as the root has if absent
    #[arg(long, short = 'n', value_name = "NUMBER")]
    pub(crate) delegations: Option<u32>,
    /// The shape of the zone
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    pub(crate) form: SampleForm,
    /// Decides every random choice
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The zone file
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
