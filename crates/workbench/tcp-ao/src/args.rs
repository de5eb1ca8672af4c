//! What is typed after `fieldtest tcp-ao`.

#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "the help texts are shown as they are, and not as Markdown"
)]

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs, Subcommand, ValueEnum, value_parser};
use fieldtest_frame::arguments::StudyRun;

/// Whose the keys of `sign` are.
const SIGNERS: &str = "One key applies to both ends. With two, the first is for the ends that open connections, the second \
                       for those that answer.";

#[derive(Debug, Subcommand)]
pub(crate) enum TcpAo {
    /// Time every MAC in real segments
    Study(TcpAoStudy),
    /// Verify every segment of a capture, and explain failures
    Verify(VerifyCapture),
    /// Sign the TCP segments of a capture
    #[command(after_help = SIGNERS)]
    Sign(SignCapture),
    /// Generate a key chain in the syntax of a system
    Keys(KeyChain),
    /// Add TCP-AO to the packets of a host that lacks it
    Gateway(Gateway),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct TcpAoStudy {
    /// Capture to measure on, pcap or pcapng, also compressed; read only [default: generated segments]
    #[arg(value_name = "CAPTURE")]
    pub(crate) capture: Option<PathBuf>,
    // Its name in `fieldtest study`, and once here.
    #[arg(long = "capture", value_name = "CAPTURE", conflicts_with = "capture", hide = true)]
    pub(crate) named: Option<PathBuf>,
    /// Only these algorithms [can be repeated]
    #[arg(long = "algorithm", short, value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,
    /// Only this implementation, `all` for all [can be repeated] [default: each algorithm's fastest in a trial; with
    /// --thorough all]
    #[arg(long = "implementation", short, value_name = "NAME")]
    pub(crate) implementations: Vec<String>,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}

/// Keys that are typed or in a file.
#[derive(Debug, ClapArgs)]
#[command(group(ArgGroup::new("keying").required(true).multiple(true)))]
pub(crate) struct Keys {
    /// Key, ID:ALGORITHM:HEX[:exclude-options][:maclen=N][:ADDRESS[/PREFIX],…]. ID: KeyID, or SendID/RecvID of either end if
    /// they differ; text:SECRET instead of HEX for a text without a colon; maclen: bytes of the MAC; ADDRESS: only for
    /// connections with one of these ends; `sign` ignores it [can be repeated]
    #[arg(long = "key", short = 'k', value_name = "KEY", group = "keying")]
    pub(crate) keys: Vec<String>,
    /// File with more such keys, one a line; lines that begin with # are ignored
    #[arg(long = "keys", value_name = "FILE", group = "keying")]
    pub(crate) file: Option<PathBuf>,
    /// Implementation that computes the MACs, for algorithms that have it [default: the first in `fieldtest show`]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
}

/// Initial sequence numbers of connections whose beginning was not captured.
#[derive(Debug, ClapArgs)]
pub(crate) struct Isns {
    /// Initial sequence numbers of a connection that begins before the capture,
    /// ADDRESS:PORT=ISN,ADDRESS:PORT=ISN with the ISNs in decimal or as 0x…, and +N after one
    /// if its numbers passed 2^32 N times before the capture [can be repeated]
    #[arg(long = "isns", value_name = "END=ISN,END=ISN")]
    pub(crate) isns: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct VerifyCapture {
    /// Capture, pcap or pcapng, also compressed (gzip, xz, zstd); - for standard input
    #[arg(value_name = "CAPTURE")]
    pub(crate) capture: PathBuf,
    #[command(flatten)]
    pub(crate) keys: Keys,
    #[command(flatten)]
    pub(crate) isns: Isns,
    /// If nothing verifies, try this address as the original of a translated end [can be repeated]
    #[arg(long = "nat", value_name = "ADDRESS", conflicts_with = "no_diagnosis")]
    pub(crate) addresses: Vec<IpAddr>,
    /// Do not search for the cause of failing segments
    #[arg(long)]
    pub(crate) no_diagnosis: bool,
    /// Show the result of every packet, including those that verify
    #[arg(long)]
    pub(crate) all: bool,
    /// Maximum number of packets to show [default: 50; with --all: no limit]
    #[arg(long, value_name = "NUMBER")]
    show: Option<usize>,
}

impl VerifyCapture {
    /// How many packets, and findings of each kind, are shown.
    pub(crate) fn show(&self) -> usize {
        self.show.unwrap_or(if self.all { usize::MAX } else { 50 })
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SignCapture {
    /// Capture, pcap or pcapng, also compressed (gzip, xz, zstd)
    #[arg(value_name = "CAPTURE")]
    pub(crate) capture: PathBuf,
    #[command(flatten)]
    pub(crate) keys: Keys,
    #[command(flatten)]
    pub(crate) isns: Isns,
    /// Remove existing TCP-AO and TCP-MD5 options
    #[arg(long)]
    pub(crate) replace: bool,
    /// Signed capture, in the format of the input but not compressed
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// What a chain is called where nobody names it.
pub(crate) const CHAIN: &str = "tcp-ao";

#[derive(Debug, ClapArgs)]
pub(crate) struct KeyChain {
    /// Algorithm, as in `fieldtest list mac`
    #[arg(long, short, value_name = "NAME", default_value = "aes-128-cmac-96")]
    pub(crate) algorithm: String,
    /// Number of keys
    #[arg(long, short = 'n', value_name = "NUMBER", default_value_t = 3, value_parser = value_parser!(u8).range(1..=64))]
    pub(crate) count: u8,
    /// First identifier; each key has one, for both ends and both directions
    #[arg(long, value_name = "ID", default_value_t = 1)]
    pub(crate) first_id: u8,
    /// Start of the first key, such as 2026-12-31T23:59:59Z [default: now]
    #[arg(long, value_name = "TIME")]
    pub(crate) start: Option<String>,
    /// Days for which each key is used for sending
    #[arg(long, value_name = "DAYS", default_value_t = 90, value_parser = value_parser!(u32).range(1..))]
    pub(crate) lifetime: u32,
    /// Additional days before and after in which a key is accepted, since clocks differ
    #[arg(long, value_name = "DAYS", default_value_t = 1)]
    pub(crate) overlap: u32,
    /// Address of the other end [default: every address]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) peer: Option<IpAddr>,
    /// Exclude the other TCP options from the MAC
    #[arg(long)]
    pub(crate) exclude_options: bool,
    /// Bytes of the MAC in a segment [default: the algorithm's usual length; BIRD supports only 12]
    #[arg(long, value_name = "BYTES", value_parser = value_parser!(u8).range(1..))]
    pub(crate) mac_length: Option<u8>,
    /// Random bytes of each key [default: 32, or the length of the algorithm's traffic keys if longer]
    #[arg(long, value_name = "BYTES", value_parser = value_parser!(u8).range(16..))]
    pub(crate) key_bytes: Option<u8>,
    /// Name of the key chain, for systems that name them
    #[arg(long, value_name = "NAME", default_value = CHAIN)]
    pub(crate) name: String,
    /// System whose configuration to write
    #[arg(long = "for", value_name = "SYSTEM", value_enum, default_value_t)]
    pub(crate) system: System,
    /// Write to FILE, readable only by its owner [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum System {
    /// Keys of `fieldtest tcp-ao verify` and `sign`
    #[default]
    Fieldtest,
    /// Keys file of `fieldtest tcp-ao gateway`
    Gateway,
    /// C for a program on Linux: setsockopt with TCP_AO_ADD_KEY
    Linux,
    /// BIRD 2.17 or 3.1 and later: a file to include in a BGP protocol
    Bird,
    /// GoBGP: the keychain in TOML
    Gobgp,
    /// Key chain in the model of RFC 8177, in JSON
    Rfc8177,
}

/// The two sides of a gateway.
#[derive(Debug, ClapArgs)]
pub(crate) struct Sides {
    /// TUN interface towards the host without TCP-AO, created if missing
    #[arg(long, value_name = "INTERFACE", value_parser = interface)]
    pub(crate) inner: String,
    /// TUN interface towards the network, created if missing
    #[arg(long, value_name = "INTERFACE", value_parser = interface)]
    pub(crate) outer: String,
    /// Network namespace of the inner interface, such as /run/netns/bgp
    #[arg(long, value_name = "FILE")]
    pub(crate) inner_namespace: Option<PathBuf>,
    /// Report the counters at this interval in seconds [default: on SIGUSR1 and at the end]
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u64).range(1..))]
    pub(crate) report_every: Option<u64>,
}

/// A name that Linux gives interfaces: `dev_valid_name`, in 16 bytes with a terminating zero (linux/if.h).
fn interface(typed: &str) -> Result<String, &'static str> {
    // Linux gives an interface without a name one of its own.
    let is_name =
        (1..16).contains(&typed.len()) && !typed.contains(['/', ':', ' ']) && !matches!(typed, "." | "..");
    if is_name { Ok(typed.to_owned()) } else { Err("expected 1 to 15 bytes without '/', ':' and spaces") }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Gateway {
    #[command(flatten)]
    pub(crate) sides: Sides,
    /// File with the keys, one a line: SendID/RecvID:ALGORITHM:HEX[:exclude-options][:maclen=N][:ADDRESS[/PREFIX],…];
    /// maclen: bytes of the MAC; ADDRESS: only for these peers; read again on SIGHUP
    #[arg(long, value_name = "FILE")]
    pub(crate) keys: PathBuf,
    /// Handling of TCP connections without a key
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub(crate) unprotected: Unprotected,
    /// Allow ICMP errors to end protected connections (RFC 5925, section 7.8)
    #[arg(long)]
    pub(crate) accept_icmp_errors: bool,
    /// Do not change the time to live, for sessions that check it (RFC 5082)
    #[arg(long)]
    pub(crate) keep_ttl: bool,
    /// Implementation that computes the MACs, for algorithms that have it [default: the first in `fieldtest show`]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Unprotected {
    /// Drop them
    #[default]
    Drop,
    /// Forward them unchanged
    Pass,
}
