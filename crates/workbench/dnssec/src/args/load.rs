//! What is typed after `fieldtest dnssec load`.

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs, ValueEnum, value_parser};
use fieldtest_dns_load::query;
use fieldtest_dns_load::read::capture::Server;

#[derive(Debug, ClapArgs)]
#[command(group(ArgGroup::new("what").required(true)))]
pub(crate) struct Load {
    /// The server: ADDRESS or ADDRESS:PORT, [ADDRESS]:PORT with IPv6; an address of this machine
    #[arg(value_name = "SERVER")]
    pub(crate) server: String,
    /// Ask these questions in turn, a name and a type on each line as dnsperf reads them; `-` for standard input
    #[arg(long, value_name = "FILE", group = "what", help_heading = "Queries")]
    pub(crate) questions: Option<PathBuf>,
    /// Make up questions for the names of this zone
    #[arg(long, value_name = "FILE", group = "what", help_heading = "Queries")]
    pub(crate) zone: Option<PathBuf>,
    /// Replay a table: time,client,name,type
    #[arg(long, value_name = "FILE", group = "what", help_heading = "Queries")]
    pub(crate) csv: Option<PathBuf>,
    /// Replay the queries of a capture (pcap, pcapng, dnstap or C-DNS, may be compressed), clients told apart by source address
    #[arg(long, value_name = "FILE", group = "what", help_heading = "Queries")]
    pub(crate) capture: Option<PathBuf>,
    /// With --capture: replay only what was asked of this server, ADDRESS or ADDRESS:PORT; may be repeated
    #[arg(long, value_name = "SERVER", help_heading = "Queries")]
    pub(crate) capture_server: Vec<Server>,
    /// With --zone: percent of the questions that are for names which do not exist; 45 if absent, as at a root server
    #[arg(long, value_name = "PERCENT", help_heading = "Queries")]
    pub(crate) missing: Option<f64>,
    /// With --zone: exponent of Zipf's law, by which names are popular; 0 makes them alike, 1 if absent
    #[arg(long, value_name = "EXPONENT", help_heading = "Queries")]
    pub(crate) zipf: Option<f64>,
    /// With --zone: types of questions with their weights; `A:60,AAAA:25,NS:5,DS:5,HTTPS:5` if absent
    #[arg(long, value_name = "TYPE:WEIGHT,…", help_heading = "Queries")]
    pub(crate) types: Option<String>,

    /// With --questions or --zone: queries a second; FROM:TO rises or falls over the whole time; 1000 if absent
    #[arg(long, value_name = "RATE", help_heading = "When")]
    pub(crate) rate: Option<String>,
    /// With --questions or --zone: gaps between queries; poisson if absent
    #[arg(long, value_enum, help_heading = "When")]
    pub(crate) spacing: Option<Spacing>,
    /// How long; 10 if absent, and to the end of what is replayed
    #[arg(long, value_name = "SECONDS", help_heading = "When")]
    pub(crate) seconds: Option<f64>,
    /// With --csv or --capture: replay so many times as fast; 1 if absent
    #[arg(long, value_name = "FACTOR", help_heading = "When")]
    pub(crate) speed: Option<f64>,
    /// Decides every random choice
    #[arg(long, value_name = "NUMBER", default_value_t = 1, help_heading = "When")]
    pub(crate) seed: u64,

    /// With --questions or --zone: how many there are; 1000 if absent
    #[arg(long, value_name = "NUMBER", help_heading = "Clients")]
    pub(crate) clients: Option<u32>,
    /// EDNS sizes with the weights of their clients, `none` for no EDNS: 1232:70,4096:20,none:10; 1232, or as captured, if absent
    #[arg(long, value_name = "SIZE:WEIGHT,…", help_heading = "Clients")]
    pub(crate) edns: Option<String>,
    /// Percent of the clients with EDNS that set DO; 100, or as captured, if absent
    #[arg(long, value_name = "PERCENT", help_heading = "Clients")]
    pub(crate) dnssec_ok: Option<f64>,
    /// Set RD in every query, as a resolver's clients do
    #[arg(long, help_heading = "Clients")]
    pub(crate) rd: bool,
    /// Set AD in every query: the answer's AD bit is wanted without signatures
    #[arg(long, help_heading = "Clients")]
    pub(crate) ad: bool,
    /// Set CD in every query: answers that do not validate are wanted
    #[arg(long, help_heading = "Clients")]
    pub(crate) cd: bool,

    /// Over what queries are sent; UDP if absent, and what a capture shows
    #[arg(long, value_enum, help_heading = "How")]
    pub(crate) transport: Option<Transport>,
    /// What becomes of truncated answers over UDP; fresh if absent
    #[arg(long, value_enum, help_heading = "How")]
    pub(crate) truncated: Option<Truncated>,
    /// Make a connection for every query over TCP or TLS instead of one for each client
    #[arg(long, help_heading = "How")]
    pub(crate) fresh_connections: bool,
    /// Resume sessions of TLS, as clients do that come again; every handshake is a full one if absent
    #[arg(long, help_heading = "How")]
    pub(crate) resume_sessions: bool,
    /// How long an answer is waited for
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, help_heading = "How")]
    pub(crate) timeout: f64,
    /// UDP sockets, each a source port; as many as clients, up to 1000, if absent
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..=60_000), help_heading = "How")]
    pub(crate) sockets: Option<u32>,
    /// Threads that send
    #[arg(
        long,
        short = 'j',
        value_name = "NUMBER",
        default_value_t = 1,
        value_parser = value_parser!(u16).range(1..=1024),
        help_heading = "How"
    )]
    pub(crate) threads: u16,
    /// Send to a server that is not on this machine, once its address was typed again; 10000 queries a second and ten minutes
    /// at most
    #[arg(long, help_heading = "How")]
    pub(crate) beyond_this_machine: bool,

    /// File for all counts, every second and the latencies, as JSON Lines; `-` for standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// File for a picture: latency against the slowest percentiles, both logarithmic (SVG)
    #[arg(long, value_name = "FILE")]
    pub(crate) picture: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Spacing {
    /// All alike
    Even,
    /// Random, as of clients that do not know each other
    Poisson,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Transport {
    /// UDP
    Udp,
    /// TCP
    Tcp,
    /// TLS (DoT, RFC 7858), at port 853 if none is named; certificates are not verified
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
    /// Asked again over a connection of its own
    Fresh,
    /// Asked again over its client's connection, which is kept
    Kept,
    /// Counted as answered
    Ignore,
}
