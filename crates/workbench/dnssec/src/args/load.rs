//! What is typed after `fieldtest dnssec load`.

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs, ValueEnum, value_parser};
use fieldtest_dns_load::query;
use fieldtest_dns_load::read::capture::Server;

#[derive(Debug, ClapArgs)]
#[command(group(ArgGroup::new("what").required(true)))]
pub(crate) struct Load {
    /// Server: ADDRESS or ADDRESS:PORT, [ADDRESS]:PORT with IPv6; an address of this machine
    #[arg(value_name = "SERVER")]
    pub(crate) server: String,
    /// Send these queries in turn, a name and a type on each line as in dnsperf; `-` for standard input
    #[arg(long, value_name = "FILE", group = "what", help_heading = "Queries")]
    pub(crate) questions: Option<PathBuf>,
    /// Generate queries for the names of this zone
    #[arg(long, value_name = "FILE", group = "what", help_heading = "Queries")]
    pub(crate) zone: Option<PathBuf>,
    /// Replay a table with the columns time,client,name,type
    #[arg(long, value_name = "FILE", group = "what", help_heading = "Queries")]
    pub(crate) csv: Option<PathBuf>,
    /// Replay the queries of a capture (pcap, pcapng, dnstap or C-DNS, also compressed), clients identified by source address
    #[arg(long, value_name = "FILE", group = "what", help_heading = "Queries")]
    pub(crate) capture: Option<PathBuf>,
    /// With --capture: replay only queries to this server, ADDRESS or ADDRESS:PORT [can be repeated]
    #[arg(long, value_name = "SERVER", help_heading = "Queries")]
    pub(crate) capture_server: Vec<Server>,
    /// With --zone: percentage of queries for names that do not exist [default: 45, as at a root server]
    #[arg(long, value_name = "PERCENT", help_heading = "Queries")]
    pub(crate) missing: Option<f64>,
    /// With --zone: Zipf exponent of the names' popularity; 0: all alike [default: 1]
    #[arg(long, value_name = "EXPONENT", help_heading = "Queries")]
    pub(crate) zipf: Option<f64>,
    /// With --zone: query types with weights [default: A:60,AAAA:25,NS:5,DS:5,HTTPS:5]
    #[arg(long, value_name = "TYPE:WEIGHT,…", help_heading = "Queries")]
    pub(crate) types: Option<String>,

    /// With --questions or --zone: queries per second, or FROM:TO for a rising or falling rate [default: 1000]
    #[arg(long, value_name = "RATE", help_heading = "When")]
    pub(crate) rate: Option<String>,
    /// With --questions or --zone: gaps between queries [default: poisson]
    #[arg(long, value_enum, help_heading = "When")]
    pub(crate) spacing: Option<Spacing>,
    /// Duration in seconds [default: 10, or the whole replay]
    #[arg(long, value_name = "SECONDS", help_heading = "When")]
    pub(crate) seconds: Option<f64>,
    /// With --csv or --capture: speed-up of the replay [default: 1]
    #[arg(long, value_name = "FACTOR", help_heading = "When")]
    pub(crate) speed: Option<f64>,
    /// Seed for all random choices
    #[arg(long, value_name = "NUMBER", default_value_t = 1, help_heading = "When")]
    pub(crate) seed: u64,

    /// With --questions or --zone: number of clients [default: 1000]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..=10_000_000), help_heading = "Clients")]
    pub(crate) clients: Option<u32>,
    /// EDNS sizes with their clients' weights, `none` for no EDNS, such as 1232:70,4096:20,none:10 [default: 1232, or as captured]
    #[arg(long, value_name = "SIZE:WEIGHT,…", help_heading = "Clients")]
    pub(crate) edns: Option<String>,
    /// Percentage of clients with EDNS that set DO [default: 100, or as captured]
    #[arg(long, value_name = "PERCENT", help_heading = "Clients")]
    pub(crate) dnssec_ok: Option<f64>,
    /// Set RD in every query, as clients of a resolver do
    #[arg(long, help_heading = "Clients")]
    pub(crate) rd: bool,
    /// Set AD in every query, to request the AD bit without signatures
    #[arg(long, help_heading = "Clients")]
    pub(crate) ad: bool,
    /// Set CD in every query, to request answers that do not validate too
    #[arg(long, help_heading = "Clients")]
    pub(crate) cd: bool,

    /// Transport of the queries [default: UDP, or as captured]
    #[arg(long, value_enum, help_heading = "How")]
    pub(crate) transport: Option<Transport>,
    /// Handling of truncated answers over UDP [default: fresh]
    #[arg(long, value_enum, help_heading = "How")]
    pub(crate) truncated: Option<Truncated>,
    /// Open a connection for every TCP or TLS query instead of one for each client
    #[arg(long, help_heading = "How")]
    pub(crate) fresh_connections: bool,
    /// Resume TLS sessions, as returning clients do [default: full handshakes]
    #[arg(long, help_heading = "How")]
    pub(crate) resume_sessions: bool,
    /// Time limit for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, help_heading = "How")]
    pub(crate) timeout: f64,
    /// Number of UDP sockets, each with a source port [default: as many as clients, at most 1000]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..=60_000), help_heading = "How")]
    pub(crate) sockets: Option<u32>,
    /// Sending threads
    #[arg(
        long,
        short = 'j',
        value_name = "NUMBER",
        default_value_t = 1,
        value_parser = value_parser!(u16).range(1..=1024),
        help_heading = "How"
    )]
    pub(crate) threads: u16,
    /// Allow a server that is not on this machine, after you type its address again; at most 10000 queries per second and
    /// ten minutes
    #[arg(long, help_heading = "How")]
    pub(crate) beyond_this_machine: bool,

    /// Write all counts, every second and the latencies to FILE as JSON Lines; `-` for standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write a picture (SVG) to FILE: latency over the slowest percentiles, both logarithmic
    #[arg(long, value_name = "FILE")]
    pub(crate) picture: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Spacing {
    /// All equal
    Even,
    /// Random, as from independent clients
    Poisson,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Transport {
    /// UDP
    Udp,
    /// TCP
    Tcp,
    /// TLS (DoT, RFC 7858) [default port: 853]; certificates are not verified
    Tls,
}

impl From<Transport> for query::Transport {
    fn from(typed: Transport) -> query::Transport {
        match typed {
            Transport::Udp => query::Transport::Udp,
            Transport::Tcp => query::Transport::Tcp,
            Transport::Tls => query::Transport::Tls,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Truncated {
    /// Retry over a separate connection
    Fresh,
    /// Retry over the client's persistent connection
    Kept,
    /// Count as answered
    Ignore,
}
