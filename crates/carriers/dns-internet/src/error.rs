//! What can go wrong between a plan and servers that answer.

use std::io;
use std::path::PathBuf;

use fieldtest_dnssec::ReadError;
use fieldtest_dnssec::keys::KeyError;
use fieldtest_dnssec::sign::SignError;
use fieldtest_dnssec::zone::ZoneError;
use thiserror::Error;

/// How to come to a resolver that knows an algorithm.
pub const KNOWING: &str =
    "lab/resolvers/build.sh builds an Unbound and a BIND that support all; select one with --resolver";

/// Why there is no such internet.
#[derive(Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum InternetError {
    /// A number that no plan can have.
    #[error("{0}")]
    Shape(String),
    /// A zone that was made up or given is none.
    #[error("the zone {zone}: {source}")]
    Zone { zone: String, source: ZoneError },
    #[error("cannot make a key for {zone}: {source}")]
    Key { zone: String, source: KeyError },
    #[error("cannot sign {zone}: {source}")]
    Sign { zone: String, source: SignError },
    /// The system refused a file.
    #[error("cannot use {}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("cannot start {}: {source}; {remedy}", program.display())]
    Start { program: PathBuf, source: io::Error, remedy: &'static str },
    /// A server that ended, or never answered.
    #[error("{server} {what}; its log ends with: {log}")]
    Server {
        /// Which one, in words.
        server: String,
        what: String,
        log: String,
    },
    /// A resolver that does not begin with a root key of an algorithm which it does not know, as Knot Resolver.
    #[error("cannot start {}: it does not know the root's algorithm {number}; {KNOWING}", program.display())]
    UnknownAlgorithm { program: PathBuf, number: u8 },
    #[error("the file of {0} has no signature over the DNSKEY RRset; sign the zone first")]
    NothingToFlip(String),
    #[error("cannot read a version of {zone}: {source}")]
    Version { zone: String, source: Box<ReadError> },
    #[error(
        "the name server of {zone} does not serve version {serial}, which is in its file; retry, or select another server"
    )]
    NotTaken { zone: String, serial: u32 },
    /// No signature over a host's A records is in this zone's file.
    #[error("the file of {0} has no signature over the A records of www; sign the zone first")]
    NothingToReplace(String),
    /// No wrong signature could be made.
    #[error("cannot make an invalid signature for {zone}: {what}")]
    Forge { zone: String, what: String },
    /// No certificate for TLS can be made.
    #[error("cannot make a certificate: {0}")]
    Certificate(#[source] rcgen::Error),
    /// The system does not do what is needed.
    #[error("{what}: {source}")]
    System { what: &'static str, source: io::Error },
    /// Somebody asked for the end.
    #[error("interrupted")]
    Interrupted,
}
