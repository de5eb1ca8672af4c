//! Queries that somebody recorded, each client's with the gaps that they had: packets, dnstap or C-DNS, told apart by
//! their first octets.
//!
//! Clients are told apart by source address, as in the captures that DNS Shotgun's tools split; ports are not looked at. What is
//! replayed of a query is its question as it stands, transport, EDNS size, DO, RD, AD and CD. Answers, and what is no query, are
//! passed over.

mod cbor;
mod cdns;
mod dnstap;
mod frames;
mod packets;

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};

use fieldtest_capture::uncompressed;

use super::ReadError;
use crate::message::Asked;
use crate::query::{Query, Transport};

/// The octets by which formats are told apart.
const HEAD: u64 = 10;

/// A query as it was recorded.
struct Seen {
    /// When, in nanoseconds since 1970.
    time: u64,
    /// Who asked, if that was kept.
    client: Option<IpAddr>,
    transport: Transport,
    asked: Asked,
}

/// A file of one of the formats.
trait Recording {
    /// The next query.
    fn next(&mut self) -> Result<Option<Seen>, ReadError>;

    /// The first thing so far that could not be read.
    fn problem(&self) -> Option<&str>;
}

/// The queries of a capture in the order of its records; what was captured a little earlier than the record before it goes
/// with that one.
pub struct Replay<'r> {
    recording: Box<dyn Recording + 'r>,
    path: PathBuf,
    /// What all queries are sent over instead.
    transport: Option<Transport>,
    numbers: HashMap<Option<IpAddr>, u32>,
    first: Option<u64>,
    last: u64,
    ended: bool,
}

/// Opens a capture file: pcap, pcapng, dnstap in Frame Streams, or C-DNS, plain or compressed.
///
/// # Errors
/// [`ReadError`] if it cannot be read or is no capture.
pub fn open(path: &Path, transport: Option<Transport>) -> Result<Replay<'static>, ReadError> {
    let io = |source| ReadError::Io { path: path.to_path_buf(), source };
    let plain: Box<dyn Read> = uncompressed(File::open(path).map_err(io)?).map_err(io)?;
    Replay::new(plain, path, transport)
}

impl<'r> Replay<'r> {
    /// As [`open`], of what is open or in memory and not compressed. `path` names it in errors.
    ///
    /// # Errors
    /// As [`open`].
    pub fn new(
        mut source: impl Read + 'r,
        path: &Path,
        transport: Option<Transport>,
    ) -> Result<Replay<'r>, ReadError> {
        let mut head = Vec::new();
        let read = source.by_ref().take(HEAD).read_to_end(&mut head);
        // What is shorter, or damaged so early, is a capture that ends too early.
        read.or_else(|error| if head.is_empty() { Err(error) } else { Ok(0) })
            .map_err(|source| ReadError::Io { path: path.to_path_buf(), source })?;
        let is_dnstap = head.starts_with(&frames::ESCAPE);
        let is_cdns = cdns::is_one(&head);
        let whole = Cursor::new(head).chain(source);
        let recording: Box<dyn Recording + 'r> = if is_dnstap {
            Box::new(dnstap::Dnstap::new(BufReader::new(whole), path)?)
        } else if is_cdns {
            Box::new(cdns::CDns::new(BufReader::new(whole), path)?)
        } else {
            Box::new(packets::Packets::new(whole, path)?)
        };
        Ok(Replay {
            recording,
            path: path.to_path_buf(),
            transport,
            numbers: HashMap::new(),
            first: None,
            last: 0,
            ended: false,
        })
    }

    /// The first thing so far that could not be read; the queries that could are there all the same.
    pub fn problem(&self) -> Option<&str> {
        self.recording.problem()
    }

    fn read(&mut self) -> Result<Option<Query>, ReadError> {
        let Some(Seen { time, client, transport, asked }) = self.recording.next()? else { return Ok(None) };
        let at = time.saturating_sub(*self.first.get_or_insert(time));
        self.last = self.last.max(at);
        let next = self.numbers.len() as u32;
        let (question, edns, flags) = asked;
        Ok(Some(Query {
            at: self.last,
            client: *self.numbers.entry(client).or_insert(next),
            question,
            transport: self.transport.unwrap_or(transport),
            edns,
            flags,
        }))
    }
}

impl Iterator for Replay<'_> {
    type Item = Result<Query, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let read = match self.read() {
            Ok(None) if self.first.is_none() => {
                let remedy = "what is replayed are queries to port 53 of packets, those of clients or to authorities of dnstap and C-DNS";
                let path = self.path.clone();
                Some(Err(match self.problem() {
                    Some(problem) => ReadError::Damaged { path, problem: problem.to_owned() },
                    None => ReadError::Empty { path, remedy },
                }))
            }
            other => other.transpose(),
        };
        self.ended = !matches!(read, Some(Ok(_)));
        read
    }
}

/// An address as records hold it; what anonymizing cut off (RFC 8618, section 6.2.3) is 0.
fn address(octets: &[u8], is_v6: bool) -> Option<IpAddr> {
    let mut whole = [0; 16];
    whole.get_mut(..octets.len())?.copy_from_slice(octets);
    let v4 = whole.first_chunk::<4>().filter(|_| !is_v6 && octets.len() <= 4);
    Some(v4.map_or_else(|| Ipv6Addr::from(whole).into(), |v4| Ipv4Addr::from(*v4).into()))
}
