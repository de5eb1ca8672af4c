//! Queries that somebody recorded, each client's with the gaps that they had: packets, dnstap or C-DNS, told apart by
//! their first octets.
//!
//! Clients are told apart by source address, as in the captures that DNS Shotgun's tools split; ports are not looked at. A [`Choice`] says
//! whose queries are replayed, and what is changed of them. What is replayed of a query is its question as it stands, transport, EDNS with
//! its flags and options, RD, AD and CD. Whatever is not replayed is [counted](Replay::left_out) by its reason.

mod cbor;
mod cdns;
mod choice;
mod dnstap;
mod frames;
mod ip;
mod packets;
mod streams;

use std::collections::{BTreeMap, HashMap};
use std::io::{BufReader, Cursor, Read};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};

use super::{ReadError, open_again};
pub use crate::left_out::{LeftOut, Why};
use crate::message::Asked;
use crate::query::{Query, Transport};
pub use choice::{Choice, NoServer, Server};

/// The octets by which formats are told apart.
const HEAD: u64 = 10;
const FORMATS: &str = "pcap, pcapng, dnstap in Frame Streams and C-DNS, plain or in gzip, xz or Zstandard";
/// Queries that are put in order at a time. Those of several cards or threads stand in files nearly as they came, and no nearer.
const AHEAD: usize = 1 << 16;

struct Seen {
    /// When, in nanoseconds since 1970.
    time: u64,
    /// Who asked, if that was kept.
    client: Option<IpAddr>,
    /// Who was asked, if that was kept.
    server: Option<IpAddr>,
    transport: Transport,
    asked: Asked,
}

/// What is read of a file, whatever its format is.
struct Notes {
    path: PathBuf,
    choice: Choice,
    /// What was so far not replayed.
    left_out: LeftOut,
    /// The first thing so far that could not be read.
    problem: Option<String>,
}

trait Recording {
    fn next(&mut self, notes: &mut Notes) -> Result<Option<Seen>, ReadError>;
}

/// What an address sends, and what it is sent by others.
#[derive(Default)]
struct Side {
    queries: [u64; 2],
    with_rd: [bool; 2],
    /// The server that it asks first, and whether it asks others too.
    first: Option<IpAddr>,
    asks_several: bool,
}

/// The queries of a capture in the order of their moments.
pub struct Replay<'r> {
    recording: Box<dyn Recording + 'r>,
    notes: Notes,
    sides: BTreeMap<IpAddr, Side>,
    numbers: HashMap<Option<IpAddr>, u32>,
    /// What was read ahead, by its moment and its number. A map and not a heap, which gives out the latest
    /// first and would need a type with a reversed order.
    ahead: BTreeMap<(u64, u64), Seen>,
    read: u64,
    all_read: bool,
    latest: u64,
    out_of_order: u64,
    first: Option<u64>,
    last: u64,
    ended: bool,
}

/// Opens a capture file: pcap, pcapng, dnstap in Frame Streams, or C-DNS, plain or compressed.
///
/// # Errors
/// [`ReadError`] if it cannot be read more than once, or is no capture.
pub fn open(path: &Path, choice: &Choice) -> Result<Replay<'static>, ReadError> {
    Replay::new(open_again(path)?, path, choice)
}

impl<'r> Replay<'r> {
    /// As [`open`], of what is open or in memory and not compressed. `path` names it in errors.
    ///
    /// # Errors
    /// As [`open`].
    pub fn new(mut source: impl Read + 'r, path: &Path, choice: &Choice) -> Result<Replay<'r>, ReadError> {
        let mut head = Vec::new();
        let read = source.by_ref().take(HEAD).read_to_end(&mut head);
        // What is shorter, or damaged so early, is a capture that ends too early.
        read.or_else(|error| if head.is_empty() { Err(error) } else { Ok(0) })
            .map_err(|source| ReadError::Io { path: path.to_path_buf(), source })?;
        let is_dnstap = head.starts_with(&frames::ESCAPE);
        let is_cdns = cdns::is_one(&head);
        let whole = Cursor::new(head).chain(source);
        let recording: Box<dyn Recording + 'r> = if is_dnstap {
            Box::new(dnstap::Dnstap::new(BufReader::new(whole)))
        } else if is_cdns {
            Box::new(cdns::CDns::new(BufReader::new(whole), path)?)
        } else {
            Box::new(packets::Packets::new(whole, path)?)
        };
        let (path, choice) = (path.to_path_buf(), choice.clone());
        Ok(Replay {
            recording,
            notes: Notes { path, choice, left_out: LeftOut::default(), problem: None },
            sides: BTreeMap::new(),
            numbers: HashMap::new(),
            ahead: BTreeMap::new(),
            read: 0,
            all_read: false,
            latest: 0,
            out_of_order: 0,
            first: None,
            last: 0,
            ended: false,
        })
    }

    /// What was so far read and is not replayed.
    pub fn left_out(&self) -> &LeftOut {
        &self.notes.left_out
    }

    /// How many queries stood so far behind later ones. They are sent when they came, as all are.
    pub fn out_of_order(&self) -> u64 {
        self.out_of_order
    }

    /// The first thing so far that could not be read; the queries that could are there all the same.
    pub fn problem(&self) -> Option<&str> {
        self.notes.problem.as_deref()
    }

    /// What is replayed, and what there was instead.
    fn nothing(&self) -> String {
        let there = match self.left_out() {
            left_out if left_out.is_empty() => "it is empty".to_owned(),
            left_out => format!("it contains {left_out}"),
        };
        format!(
            "{there}; only these are replayed: queries to port 53, or to the chosen servers, of packets, and those of clients or to \
             authorities of dnstap and C-DNS"
        )
    }

    fn read_ahead(&mut self) -> Result<(), ReadError> {
        while !self.all_read && self.ahead.len() < AHEAD {
            let Some(seen) = self.recording.next(&mut self.notes)? else {
                self.all_read = true;
                break;
            };
            self.look_at_sides(&seen)?;
            self.out_of_order += u64::from(seen.time < self.latest);
            self.latest = self.latest.max(seen.time);
            if !seen.asked.3 {
                self.notes.left_out.count(Why::Bits);
            }
            self.read += 1;
            self.ahead.insert((seen.time, self.read), seen);
        }
        Ok(())
    }

    /// Refuses an address that is asked and asks others, as a resolver does: its own queries would be
    /// replayed among its clients' (90 queries for 30). Not left out by a guess, which is wrong for a capture
    /// with several servers.
    fn look_at_sides(&mut self, seen: &Seen) -> Result<(), ReadError> {
        let (Some(client), Some(server)) = (seen.client, seen.server) else { return Ok(()) };
        // What runs on a server may ask it.
        if client == server || !self.notes.choice.servers.is_empty() {
            return Ok(());
        }
        for (side, address) in [client, server].into_iter().enumerate() {
            let own = self.sides.entry(address).or_default();
            own.queries[side] += 1;
            own.with_rd[side] |= seen.asked.2.recursion_desired;
            own.asks_several |= *own.first.get_or_insert(server) != server;
            if !own.queries.contains(&0) {
                return Err(ReadError::BothSides { path: self.notes.path.clone(), address });
            }
        }
        Ok(())
    }

    /// Addresses from which a resolver seems to ask: without RD, and several servers that nobody asks with
    /// RD, while others are asked with it. Only a warning, and replayed all the same: captures of an
    /// authority have such addresses, too.
    pub fn resolvers(&self) -> Vec<(IpAddr, u64)> {
        let serves_clients = |side: &Side| side.with_rd[1];
        let has_clients = self.sides.values().any(serves_clients);
        let asks = |side: &Side| side.first.and_then(|first| self.sides.get(&first));
        let is_one = |side: &Side| {
            has_clients && side.asks_several && !side.with_rd[0] && !asks(side).is_some_and(serves_clients)
        };
        let found = self.sides.iter().filter(|(_, side)| is_one(side));
        found.map(|(address, side)| (*address, side.queries[0])).collect()
    }

    fn read(&mut self) -> Result<Option<Query>, ReadError> {
        self.read_ahead()?;
        let Some((_, seen)) = self.ahead.pop_first() else { return Ok(None) };
        let Seen { time, client, transport, asked: (question, edns, flags, _), .. } = seen;
        let at = time.checked_sub(*self.first.get_or_insert(time)).filter(|at| *at >= self.last);
        self.last = at.ok_or_else(|| ReadError::Order { path: self.notes.path.clone(), queries: AHEAD })?;
        let next = self.numbers.len() as u32;
        let client = *self.numbers.entry(client).or_insert(next);
        let (edns, flags) = match &self.notes.choice.clients {
            Some(clients) => clients.change(client, edns, flags),
            None => (edns, flags),
        };
        let transport = self.notes.choice.transport.unwrap_or(transport);
        Ok(Some(Query { at: self.last, client, question, transport, edns, flags }))
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
                let path = self.notes.path.clone();
                Some(Err(match self.problem() {
                    Some(problem) => ReadError::Damaged { path, problem: problem.to_owned() },
                    None => ReadError::Empty { path, remedy: self.nothing() },
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

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn replayed<'f>(
        file: &'f [u8],
        choice: &Choice,
    ) -> Result<(Vec<Query>, Replay<'f>), ReadError> {
        let mut replay = Replay::new(file, "c".as_ref(), choice)?;
        let queries = replay.by_ref().collect::<Result<_, _>>()?;
        Ok((queries, replay))
    }

    pub(super) fn read(file: &[u8]) -> Result<Vec<Query>, ReadError> {
        Ok(replayed(file, &Choice::default())?.0)
    }

    /// Reads a file in which one octet is another and the end is missing: nothing may panic.
    pub(super) fn read_damaged(mut file: Vec<u8>, at: usize, to: u8, cut: usize) {
        if let Some(octet) = file.get_mut(at) {
            *octet = to;
        }
        file.truncate(cut);
        let _ = read(&file);
    }
}
