//! What is typed after `fieldtest dnssec downgrade` and `fieldtest dnssec rekey`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, value_parser};
use fieldtest_frame::arguments::StudyRun;

use super::internet::Servers;

#[derive(Debug, ClapArgs)]
pub(crate) struct Downgrade {
    /// The algorithm that is to protect, and that is stripped
    #[arg(long, value_name = "NAME", default_value = "ml-dsa-44")]
    pub(crate) strong: String,
    /// The algorithm beside it, which the attacker may have broken
    #[arg(long, value_name = "NAME", default_value = "ecdsa-p256")]
    pub(crate) weak: String,
    /// What the root and the TLD above are signed with; the weak algorithm if absent, which every resolver should know
    #[arg(long, value_name = "NAME")]
    pub(crate) parents: Option<String>,
    /// A validating resolver, a path or a name: `unbound`, `named`, `kresd` or `pdns_recursor`; may be repeated. All that are here if absent
    #[arg(long = "resolver", value_name = "PROGRAM", help_heading = "Servers")]
    pub(crate) resolvers: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) servers: Servers,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Rekey {
    /// The algorithm of the new keys; may be repeated. ML-DSA-44 if none is named
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
    /// The algorithm that is replaced, where the algorithm is
    #[arg(long, value_name = "NAME", default_value = "ecdsa-p256")]
    pub(crate) from: String,
    /// A way: `zsk-pre-publication`, `zsk-double-signature`, `ksk-double-signature`, `algorithm-conservative` or `algorithm-liberal`; may be
    /// repeated. All of them if none is named
    #[arg(long = "roll", value_name = "WAY")]
    pub(crate) rolls: Vec<String>,
    /// Make a mistake: `unpublished` (the new key is used before it is published), `removed` (the old key is removed while it is needed) or
    /// `hasty` (nothing is waited for)
    #[arg(long, value_name = "MISTAKE")]
    pub(crate) wrong: Option<String>,
    /// The zone whose keys are replaced: `tld` or `domain`
    #[arg(long, value_name = "LEVEL", default_value = "domain", help_heading = "Zones")]
    pub(crate) zone: String,
    /// How that zone denies existence: `nsec`, `nsec3` or `nsec3-opt-out`; may be repeated. NSEC if none is named
    #[arg(long = "denial", value_name = "WAY", help_heading = "Zones")]
    pub(crate) denials: Vec<String>,
    /// Hosts of the domain, or domains of the TLD
    #[arg(long, value_name = "NUMBER", default_value_t = 20, help_heading = "Zones")]
    pub(crate) names: u32,
    /// Seconds for which resolvers may keep records of the zone and its delegation
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 3,
        value_parser = value_parser!(u32).range(1..=3600),
        help_heading = "Zones"
    )]
    pub(crate) ttl: u32,
    /// The algorithm of all other zones
    #[arg(long, value_name = "NAME", default_value = "ecdsa-p256", help_heading = "Zones")]
    pub(crate) others: String,
    /// How often each roll is made; figures have intervals from three on
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = value_parser!(u32).range(1..=1000), help_heading = "Load")]
    pub(crate) visits: u32,
    /// Queries a second
    #[arg(long, value_name = "RATE", default_value_t = 100.0, help_heading = "Load")]
    pub(crate) rate: f64,
    /// The validating resolver, a path or a name: `unbound`, `named`, `kresd` or `pdns_recursor`; Unbound if absent
    #[arg(long, value_name = "PROGRAM", help_heading = "Servers")]
    pub(crate) resolver: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) servers: Servers,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}
