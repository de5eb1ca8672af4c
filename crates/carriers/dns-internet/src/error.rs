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
pub enum InternetError {
    /// A number that no plan can have.
    #[error("{0}")]
    Shape(String),
    /// A zone that was made up or given is none.
    #[error("the zone {zone}: {source}")]
    Zone {
        /// Its name.
        zone: String,
        /// What is wrong with it.
        source: ZoneError,
    },
    /// A key cannot be made.
    #[error("cannot make a key for {zone}: {source}")]
    Key {
        /// The zone.
        zone: String,
        /// Why.
        source: KeyError,
    },
    /// A zone cannot be signed.
    #[error("cannot sign {zone}: {source}")]
    Sign {
        /// The zone.
        zone: String,
        /// Why.
        source: SignError,
    },
    /// The system refused a file.
    #[error("cannot use {}: {source}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// What it says.
        source: io::Error,
    },
    /// A program that cannot be started.
    #[error("cannot start {}: {source}; {remedy}", program.display())]
    Start {
        /// Which one.
        program: PathBuf,
        /// What the system says.
        source: io::Error,
        /// What to do.
        remedy: &'static str,
    },
    /// A server that ended, or never answered.
    #[error("{server} {what}; its log ends with: {log}")]
    Server {
        /// Which one, in words.
        server: String,
        /// What became of it.
        what: String,
        /// The last lines that it wrote, in one.
        log: String,
    },
    /// A resolver that does not begin with a root key of an algorithm which it does not know, as Knot Resolver.
    #[error("cannot start {}: it does not know the root's algorithm {number}; {KNOWING}", program.display())]
    UnknownAlgorithm {
        /// Its program.
        program: PathBuf,
        /// The algorithm's number.
        number: u8,
    },
    /// No signature over this zone's keys is in its file.
    #[error("the file of {0} has no signature over the DNSKEY RRset; sign the zone first")]
    NothingToFlip(String),
    /// A version of a zone that was written and cannot be read.
    #[error("cannot read a version of {zone}: {source}")]
    Version {
        /// The zone.
        zone: String,
        /// What is wrong with it.
        source: Box<ReadError>,
    },
    /// A name server that does not serve a new version of a zone.
    #[error(
        "the name server of {zone} does not serve version {serial}, which is in its file; retry, or select another server"
    )]
    NotTaken {
        /// The zone.
        zone: String,
        /// The serial of the version.
        serial: u32,
    },
    /// No signature over a host's A records is in this zone's file.
    #[error("the file of {0} has no signature over the A records of www; sign the zone first")]
    NothingToReplace(String),
    /// No wrong signature could be made.
    #[error("cannot make an invalid signature for {zone}: {what}")]
    Forge {
        /// The zone.
        zone: String,
        /// Why.
        what: String,
    },
    /// No certificate for TLS can be made.
    #[error("cannot make a certificate: {0}")]
    Certificate(#[source] rcgen::Error),
    /// The system does not do what is needed.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// Somebody asked for the end.
    #[error("interrupted")]
    Interrupted,
}
