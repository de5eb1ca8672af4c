//! What is typed after `fieldtest dnssec internet` and `fieldtest dnssec resolver`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, value_parser};
use fieldtest_frame::arguments::{StudyRun, defaulting, in_rounds};

use super::CodePoints;
use super::load::Transport;

/// Which zones there are, and who serves them.
#[derive(Debug, ClapArgs)]
pub(crate) struct World {
    /// Root zone, signed or not, to take TLDs from [default: generate the root]
    #[arg(long, value_name = "ZONE", help_heading = "Zones")]
    pub(crate) root: Option<PathBuf>,
    /// Number of top-level domains
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = value_parser!(u32).range(1..=100_000), help_heading = "Zones")]
    pub(crate) tlds: u32,
    /// Number of second-level domains per top-level domain
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = value_parser!(u32).range(1..=100_000), help_heading = "Zones")]
    pub(crate) domains: u32,
    /// Number of hosts per second-level domain
    #[arg(long, value_name = "NUMBER", default_value_t = 2, value_parser = value_parser!(u32).range(1..=10_000), help_heading = "Zones")]
    pub(crate) hosts: u32,
    /// Sign a level (`root`, `tld`, `domain`) with this algorithm, whatever the others have [can be repeated]
    #[arg(long = "level", value_name = "LEVEL=ALGORITHM", help_heading = "Zones")]
    pub(crate) levels: Vec<String>,
    /// Denial of existence of a level: `nsec`, `nsec3`, `nsec3-opt-out`, or `compact`, for which Knot signs answers online (RSA, ECDSA,
    /// EdDSA) [default: nsec] [can be repeated]
    #[arg(long = "denial", value_name = "LEVEL=WAY", help_heading = "Zones")]
    pub(crate) denials: Vec<String>,
    /// Keys of a level's zones: `ksk-zsk`, a key-signing and a zone-signing key, or `csk`, one for everything [default: ksk-zsk]
    /// [can be repeated]
    #[arg(long = "keys", value_name = "LEVEL=KEYS", help_heading = "Zones")]
    pub(crate) keys: Vec<String>,
    /// Sign a level with a second algorithm, and list both in its parent [can be repeated]
    #[arg(long = "double-sign", alias = "beside", value_name = "LEVEL=ALGORITHM", help_heading = "Zones")]
    pub(crate) beside: Vec<String>,
    /// Validating resolver, a path or a name: `unbound`, `named`, `kresd` or `pdns_recursor`; builds of lab/resolvers/build.sh have
    /// priority over installed ones [default: unbound]
    #[arg(long, value_name = "PROGRAM", help_heading = "Servers")]
    pub(crate) resolver: Option<PathBuf>,
    /// Disable aggressive use of cached NSEC and NSEC3 records (RFC 8198): the resolver asks for every name
    #[arg(long, help_heading = "Servers")]
    pub(crate) no_aggressive_use: bool,
    /// Number of the resolver's threads
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
    /// Delay in milliseconds of each packet between resolver and name servers, by netem
    #[arg(long, value_name = "MS", conflicts_with = "shared_network", help_heading = "Network")]
    pub(crate) delay: Option<f64>,
    /// Loss of these packets in percent
    #[arg(long, value_name = "PERCENT", conflicts_with = "shared_network", help_heading = "Network")]
    pub(crate) loss: Option<f64>,
}

/// Name servers, where they are, and the numbers of algorithms in their zones.
#[derive(Debug, ClapArgs)]
pub(crate) struct Servers {
    /// NSD, for the name servers [default: the installed one]
    #[arg(long, value_name = "PROGRAM", help_heading = "Servers")]
    pub(crate) nsd: Option<PathBuf>,
    /// Use high ports of 127.53.0.0/16 instead of a network namespace: other users of this machine can send queries, packets are not
    /// counted, and only Unbound works
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
    /// Algorithm that signs every level
    #[arg(long, short, value_name = "NAME", default_value = "ecdsa-p256")]
    pub(crate) algorithm: String,
    #[command(flatten)]
    pub(crate) world: World,
    /// Query every name, then again with a flipped bit in the signatures over a TLD's keys, and stop
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, ClapArgs)]
#[command(mut_args(defaulting("budget", "900")), mut_args(in_rounds))]
pub(crate) struct Resolver {
    /// Only these algorithms [can be repeated] [default: rsa-2048, ecdsa-p256, ed25519, ml-dsa-44, falcon-512, hawk-256, hawk-512, mayo-1,
    /// antrag-512, sqisign-1]
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
    #[command(flatten)]
    pub(crate) world: World,
    /// Queries per second once the caches are warm
    #[arg(long, value_name = "RATE", default_value_t = 1000.0, help_heading = "Load")]
    pub(crate) rate: f64,
    /// Duration at that rate in seconds; the first queries, one for every host, take twice that
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, help_heading = "Load")]
    pub(crate) seconds: f64,
    /// Then search for the highest sustained rate, up to this one in queries per second: double it until it fails, then bisect [default: no
    /// search]
    #[arg(long, value_name = "RATE", help_heading = "Load")]
    pub(crate) ramp: Option<f64>,
    /// Number of clients
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 200,
        value_parser = value_parser!(u32).range(1..=100_000),
        help_heading = "Load"
    )]
    pub(crate) clients: u32,
    /// Threads of the load generator; the queries do not depend on it
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 1,
        value_parser = value_parser!(u16).range(1..=64),
        help_heading = "Load"
    )]
    pub(crate) threads: u16,
    /// Transport of the clients [default: UDP, truncated answers again over TCP]
    #[arg(long, value_enum, help_heading = "Load")]
    pub(crate) transport: Option<Transport>,
    /// Open a connection for every TCP or TLS query instead of one for each client
    #[arg(long, help_heading = "Load")]
    pub(crate) fresh_connections: bool,
    /// Resume TLS sessions, as returning clients do [default: full handshakes]
    #[arg(long, help_heading = "Load")]
    pub(crate) resume_sessions: bool,
    /// Percentage of clients that set DO, and so get signatures
    #[arg(long, value_name = "PERCENT", default_value_t = 100.0, help_heading = "Load")]
    pub(crate) dnssec_ok: f64,
    /// Percentage of queries, once the caches are warm, for names that do not exist
    #[arg(long, value_name = "PERCENT", default_value_t = 20.0, help_heading = "Load")]
    pub(crate) missing: f64,
    /// Parents of these names: `root`, `tld` or `domain`; each query has a new random label below one of that level's zones
    #[arg(long, value_name = "LEVEL", default_value = "domain", help_heading = "Load")]
    pub(crate) missing_below: String,
    /// Sign one level at a time with each algorithm, all others with the baseline, and show what each level adds with cold caches
    #[arg(long, conflicts_with_all = ["levels", "ramp"], help_heading = "Levels")]
    pub(crate) by_level: bool,
    /// Algorithm of the other levels
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
    /// Records from `fieldtest dnssec resolver`
    #[arg(value_name = "RECORDS.jsonl")]
    pub(crate) records: PathBuf,
    /// Queries per second of a resolver's clients [default: those of a million clients]
    #[arg(long, value_name = "RATE")]
    pub(crate) rate: Option<f64>,
    /// Queries per second of a root server [default: the average of a day of a.root-servers.net]
    #[arg(long, value_name = "RATE")]
    pub(crate) root_rate: Option<f64>,
}

#[derive(Debug, ClapArgs)]
#[command(mut_args(defaulting("budget", "300")), mut_args(in_rounds))]
pub(crate) struct KeyTrap {
    /// Only these algorithms [can be repeated] [default: rsa-2048, ecdsa-p256, ed25519, ml-dsa-44, falcon-512, sqisign-1]
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
    /// Number of keys in the zone that share one key tag
    #[arg(long, value_name = "NUMBER", default_value_t = 8, value_parser = value_parser!(u8).range(1..=64), help_heading = "Trap")]
    pub(crate) keys: u8,
    /// Number of forged signatures over one record; a resolver tries each with every key
    #[arg(long, value_name = "NUMBER", default_value_t = 8, value_parser = value_parser!(u8).range(1..=64), help_heading = "Trap")]
    pub(crate) signatures: u8,
    /// Additional NSEC3 iterations
    #[arg(long, value_name = "NUMBER", default_value_t = 150, help_heading = "Trap")]
    pub(crate) iterations: u16,
    /// Time limit for generating keys until enough tags are equal; after it, unused flag bits make them equal
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, help_heading = "Trap")]
    pub(crate) draw: f64,
    /// Only this resolver, a path or a name as in `fieldtest dnssec internet` [can be repeated] [default: all that are installed]
    #[arg(long = "resolver", value_name = "PROGRAM", help_heading = "Servers")]
    pub(crate) resolvers: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) servers: Servers,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}
