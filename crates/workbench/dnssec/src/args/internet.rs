//! What is typed after `fieldtest dnssec internet` and `fieldtest dnssec resolver`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, value_parser};
use fieldtest_frame::arguments::StudyRun;

use super::CodePoints;
use super::load::Transport;

/// Which zones there are, and who serves them.
#[derive(Debug, ClapArgs)]
pub(crate) struct World {
    /// A root zone, signed or not, of which TLDs are taken; without it the root has only those that are made up
    #[arg(long, value_name = "ZONE", help_heading = "Zones")]
    pub(crate) root: Option<PathBuf>,
    /// Top-level domains that are served
    #[arg(long, value_name = "NUMBER", default_value_t = 10, help_heading = "Zones")]
    pub(crate) tlds: u32,
    /// Second-level domains in each of them
    #[arg(long, value_name = "NUMBER", default_value_t = 10, help_heading = "Zones")]
    pub(crate) domains: u32,
    /// Hosts in each of these
    #[arg(long, value_name = "NUMBER", default_value_t = 2, help_heading = "Zones")]
    pub(crate) hosts: u32,
    /// Sign a level (`root`, `tld`, `domain`) with this algorithm whatever the others have; may be repeated
    #[arg(long = "level", value_name = "LEVEL=ALGORITHM", help_heading = "Zones")]
    pub(crate) levels: Vec<String>,
    /// How a level denies existence: `nsec`, `nsec3`, `nsec3-opt-out`, or `compact`, for which Knot signs answers as it gives them (RSA, ECDSA,
    /// EdDSA); NSEC if absent; may be repeated
    #[arg(long = "denial", value_name = "LEVEL=WAY", help_heading = "Zones")]
    pub(crate) denials: Vec<String>,
    /// The keys of a level's zones: `ksk-zsk`, one that signs the keys and one for all else, or `csk`, one for everything; two if absent; may be
    /// repeated
    #[arg(long = "keys", value_name = "LEVEL=KEYS", help_heading = "Zones")]
    pub(crate) keys: Vec<String>,
    /// Sign a level by this algorithm too, and name both in its parent; may be repeated
    #[arg(long, value_name = "LEVEL=ALGORITHM", help_heading = "Zones")]
    pub(crate) beside: Vec<String>,
    /// The validating resolver, a path or a name: `unbound`, `named`, `kresd` or `pdns_recursor`; one that lab/resolvers/build.sh makes if
    /// it is there, or the one that is installed; Unbound if absent
    #[arg(long, value_name = "PROGRAM", help_heading = "Servers")]
    pub(crate) resolver: Option<PathBuf>,
    /// Forbid the resolver to deny names by NSEC and NSEC3 records that it has cached (RFC 8198): it asks for every name
    #[arg(long, help_heading = "Servers")]
    pub(crate) no_aggressive_use: bool,
    /// Threads of the resolver
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 1,
        value_parser = value_parser!(u16).range(1..=1024),
        help_heading = "Servers"
    )]
    pub(crate) resolver_threads: u16,
    #[command(flatten)]
    pub(crate) servers: Servers,
    /// Milliseconds that each packet between resolver and name servers takes, by netem
    #[arg(long, value_name = "MS", conflicts_with = "shared_network", help_heading = "Network")]
    pub(crate) delay: Option<f64>,
    /// Percent of these packets that are lost
    #[arg(long, value_name = "PERCENT", conflicts_with = "shared_network", help_heading = "Network")]
    pub(crate) loss: Option<f64>,
}

/// Name servers, where they are, and the numbers of algorithms in their zones.
#[derive(Debug, ClapArgs)]
pub(crate) struct Servers {
    /// The name servers: NSD; the one that is installed if absent
    #[arg(long, value_name = "PROGRAM", help_heading = "Servers")]
    pub(crate) nsd: Option<PathBuf>,
    /// Use high ports of 127.53.0.0/16 and not a network namespace: others on this machine can ask then, packets are not counted, and
    /// of several resolvers Unbound alone can be asked
    #[arg(long, help_heading = "Network")]
    pub(crate) shared_network: bool,
    #[command(flatten)]
    pub(crate) code_points: CodePoints,
}

impl World {
    /// One TLD with so many domains of so many hosts, for commands that make zones of their own of these.
    pub(crate) fn of_one_tld(
        [domains, hosts]: [u32; 2],
        resolver: Option<PathBuf>,
        servers: Servers,
    ) -> World {
        World {
            root: None,
            tlds: 1,
            domains,
            hosts,
            levels: Vec::new(),
            denials: Vec::new(),
            keys: Vec::new(),
            beside: Vec::new(),
            resolver,
            no_aggressive_use: false,
            resolver_threads: 1,
            servers,
            delay: None,
            loss: None,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Internet {
    /// The algorithm that signs every level
    #[arg(long, short, value_name = "NAME", default_value = "ecdsa-p256")]
    pub(crate) algorithm: String,
    #[command(flatten)]
    pub(crate) world: World,
    /// Ask the resolver for every name, then once more after a bit of the signatures over a TLD's keys was turned, and end
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Resolver {
    /// Only these algorithms; may be repeated. Ten of them if none is named
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
    #[command(flatten)]
    pub(crate) world: World,
    /// Queries a second once the caches are warm
    #[arg(long, value_name = "RATE", default_value_t = 1000.0, help_heading = "Load")]
    pub(crate) rate: f64,
    /// How long that takes; asking for every host once before takes twice that time
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, help_heading = "Load")]
    pub(crate) seconds: f64,
    /// Look for the rate that the resolver holds after that, up to this one: at twice the rate until it does not, then between both
    #[arg(long, value_name = "RATE", help_heading = "Load")]
    pub(crate) ramp: Option<f64>,
    /// Clients
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 200,
        value_parser = value_parser!(u32).range(1..=100_000),
        help_heading = "Load"
    )]
    pub(crate) clients: u32,
    /// Threads of the load generator; the queries are the same for any number
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 1,
        value_parser = value_parser!(u16).range(1..=64),
        help_heading = "Load"
    )]
    pub(crate) threads: u16,
    /// Over what clients ask; UDP if absent, and truncated answers again over TCP
    #[arg(long, value_enum, help_heading = "Load")]
    pub(crate) transport: Option<Transport>,
    /// Make a connection for every query over TCP or TLS instead of one for each client
    #[arg(long, help_heading = "Load")]
    pub(crate) fresh_connections: bool,
    /// Resume sessions of TLS, as clients do that come again; every handshake is a full one if absent
    #[arg(long, help_heading = "Load")]
    pub(crate) resume_sessions: bool,
    /// Percent of the clients that set DO, and so get signatures
    #[arg(long, value_name = "PERCENT", default_value_t = 100.0, help_heading = "Load")]
    pub(crate) dnssec_ok: f64,
    /// Percent of the questions, once the caches are warm, for names that do not exist
    #[arg(long, value_name = "PERCENT", default_value_t = 20.0, help_heading = "Load")]
    pub(crate) missing: f64,
    /// Where these would be: below `root`, `tld` or `domain`; each time another random label below one of that level's zones
    #[arg(long, value_name = "LEVEL", default_value = "domain", help_heading = "Load")]
    pub(crate) missing_below: String,
    /// Sign one level at a time with each algorithm, all others with the baseline, and tell what each level adds with caches cold
    #[arg(long, conflicts_with_all = ["levels", "ramp"], help_heading = "Levels")]
    pub(crate) by_level: bool,
    /// The algorithm of the other levels
    #[arg(
        long,
        value_name = "NAME",
        requires = "by_level",
        default_value = "ecdsa-p256",
        help_heading = "Levels"
    )]
    pub(crate) baseline: String,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Project {
    /// Records of `fieldtest dnssec resolver`
    #[arg(value_name = "RECORDS.jsonl")]
    pub(crate) records: PathBuf,
    /// Queries a second of a resolver's clients; those of a million clients if absent
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    pub(crate) rate: Option<f64>,
    /// Queries a second of a root server; the average of a day of a.root-servers.net if absent
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    pub(crate) root_rate: Option<f64>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct KeyTrap {
    /// Only these algorithms; may be repeated. Six of them if none is named
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
    /// Keys of the zone that have one tag
    #[arg(long, value_name = "NUMBER", default_value_t = 8, value_parser = value_parser!(u8).range(1..=64), help_heading = "Trap")]
    pub(crate) keys: u8,
    /// Signatures over one record by none of them
    #[arg(long, value_name = "NUMBER", default_value_t = 8, value_parser = value_parser!(u8).range(1..=64), help_heading = "Trap")]
    pub(crate) signatures: u8,
    /// Additional iterations of NSEC3
    #[arg(long, value_name = "NUMBER", default_value_t = 150, help_heading = "Trap")]
    pub(crate) iterations: u16,
    /// Seconds for which keys of an algorithm are drawn until so many tags collide; then unused bits of the flags make them
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 10.0,
        allow_negative_numbers = true,
        help_heading = "Trap"
    )]
    pub(crate) draw: f64,
    /// Only this resolver, a path or a name as of `fieldtest dnssec internet`; may be repeated. Every one that is here if absent
    #[arg(long = "resolver", value_name = "PROGRAM", help_heading = "Servers")]
    pub(crate) resolvers: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) servers: Servers,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}
