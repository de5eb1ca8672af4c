//! What is typed after `fieldtest dnssec downgrade` and `fieldtest dnssec rekey`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, value_parser};
use fieldtest_frame::arguments::{StudyRun, defaulting, in_rounds};

use super::internet::Servers;

#[derive(Debug, ClapArgs)]
#[command(mut_args(defaulting("budget", "60")), mut_args(in_rounds))]
pub(crate) struct Downgrade {
    /// Strong algorithm, which the attacker strips
    #[arg(long, value_name = "NAME", default_value = "ml-dsa-44")]
    pub(crate) strong: String,
    /// Weak algorithm, which the attacker may have broken
    #[arg(long, value_name = "NAME", default_value = "ecdsa-p256")]
    pub(crate) weak: String,
    /// Algorithm of the root and the TLD [default: the weak algorithm, which every resolver should support]
    #[arg(long, value_name = "NAME")]
    pub(crate) parents: Option<String>,
    /// Validating resolver, a path or a name: `unbound`, `named`, `kresd` or `pdns_recursor` [can be repeated] [default: all that are
    /// installed]
    #[arg(long = "resolver", value_name = "PROGRAM", help_heading = "Servers")]
    pub(crate) resolvers: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) servers: Servers,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}

#[derive(Debug, ClapArgs)]
#[command(mut_args(defaulting("budget", "until all rollovers end, about two minutes")), mut_args(in_rounds))]
pub(crate) struct Rekey {
    /// Algorithm of the new keys [can be repeated] [default: ml-dsa-44]
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
    /// Algorithm to replace, in algorithm rollovers
    #[arg(long, value_name = "NAME", default_value = "ecdsa-p256")]
    pub(crate) from: String,
    /// Procedure: `zsk-pre-publication`, `zsk-double-signature`, `ksk-double-signature`, `algorithm-conservative` or `algorithm-liberal`
    /// [can be repeated] [default: all]
    #[arg(long = "roll", value_name = "WAY")]
    pub(crate) rolls: Vec<String>,
    /// Make a mistake: `unpublished` (use the new key before it is published), `removed` (remove the old key while it is needed) or
    /// `hasty` (do not wait)
    #[arg(long, value_name = "MISTAKE")]
    pub(crate) wrong: Option<String>,
    /// Zone whose keys are replaced: `tld` or `domain`
    #[arg(long, value_name = "LEVEL", default_value = "domain", help_heading = "Zones")]
    pub(crate) zone: String,
    /// Denial of existence of that zone: `nsec`, `nsec3` or `nsec3-opt-out` [can be repeated] [default: nsec]
    #[arg(long = "denial", value_name = "WAY", help_heading = "Zones")]
    pub(crate) denials: Vec<String>,
    /// Number of hosts of the domain, or of domains of the TLD
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = value_parser!(u32).range(1..=100_000), help_heading = "Zones")]
    pub(crate) names: u32,
    /// TTL in seconds of the records of the zone and its delegation
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 3,
        value_parser = value_parser!(u32).range(1..=3600),
        help_heading = "Zones"
    )]
    pub(crate) ttl: u32,
    /// Algorithm of all other zones
    #[arg(long, value_name = "NAME", default_value = "ecdsa-p256", help_heading = "Zones")]
    pub(crate) others: String,
    /// Repetitions of each rollover; results have intervals with at least three
    #[arg(long, alias = "visits", value_name = "NUMBER", default_value_t = 1, value_parser = value_parser!(u32).range(1..=1000), help_heading = "Load")]
    pub(crate) repetitions: u32,
    /// Queries per second
    #[arg(long, value_name = "RATE", default_value_t = 100.0, help_heading = "Load")]
    pub(crate) rate: f64,
    /// Validating resolver, a path or a name: `unbound`, `named`, `kresd` or `pdns_recursor` [default: unbound]
    #[arg(long, value_name = "PROGRAM", help_heading = "Servers")]
    pub(crate) resolver: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) servers: Servers,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}
