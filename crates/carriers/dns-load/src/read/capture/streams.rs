//! Queries over TCP (RFC 7766): messages with their lengths before them, wherever segments begin and end.
//!
//! A connection is followed from its first segment with data on. What was sent again is recognized by its sequence numbers; behind a gap,
//! the next segment is taken to begin with a message.

use std::collections::HashMap;
use std::net::IpAddr;

use crate::left_out::Why;
use crate::message::{Asked, field, query};

/// Both ends of a connection, the client's first.
pub(super) type Ends = [(IpAddr, u16); 2];

/// Octets of the longest query that is waited for: one with a name of 255, and options of EDNS.
const LONGEST: usize = 4_096;
/// Connections of which is known where they stand; those that were quiet for as many others are forgotten.
const MOST: usize = 1 << 16;
const SYN: u8 = 0x02;
/// Octets of a connection that are under way at most; further apart are two connections of one port.
const WINDOW: u32 = 1 << 20;

#[derive(Debug, Default)]
struct Stream {
    /// The sequence number that comes next; nothing before the first data.
    next: Option<u32>,
    begun: Vec<u8>,
}

#[derive(Debug, Default)]
pub(super) struct Streams {
    recent: HashMap<Ends, Stream>,
    earlier: HashMap<Ends, Stream>,
    /// Connections that are followed no more and had begun a message.
    broken: usize,
}

impl Streams {
    /// What a segment, TCP's header first, brings to an end. `length` is what it had on the wire, of which the capture may have less;
    /// `cut` is what is said of that.
    pub(super) fn segment(
        &mut self,
        ends: Ends,
        segment: &[u8],
        (length, cut): (usize, Why),
    ) -> Vec<Result<Asked, Why>> {
        let Some(&[.., offset, flags]) = segment.first_chunk::<14>() else { return vec![Err(cut)] };
        let begins = usize::from(offset >> 4) * 4;
        if flags & SYN != 0 {
            self.forget(&ends);
        }
        if begins == length {
            return vec![Err(Why::NoData)];
        }
        let Some(data) = segment.get(begins..length) else {
            // The next segment begins anew.
            self.forget(&ends);
            return vec![Err(if begins < length { cut } else { Why::NoMessage })];
        };
        let sequence = segment.get(4..).and_then(<[u8]>::first_chunk).map_or(0, |it| u32::from_be_bytes(*it));
        // SYN has a number of its own before the data (RFC 9293, section 3.4).
        self.of(ends).take(sequence.wrapping_add((flags & SYN != 0).into()), data)
    }

    fn forget(&mut self, ends: &Ends) {
        let known = [self.recent.remove(ends), self.earlier.remove(ends)];
        self.broken += known.iter().flatten().filter(|stream| stream.is_within()).count();
    }

    fn of(&mut self, ends: Ends) -> &mut Stream {
        if self.recent.len() >= MOST && !self.recent.contains_key(&ends) {
            let recent = std::mem::take(&mut self.recent);
            let forgotten = std::mem::replace(&mut self.earlier, recent);
            self.broken += forgotten.values().filter(|stream| stream.is_within()).count();
        }
        let known = self.earlier.remove(&ends);
        self.recent.entry(ends).or_insert_with(|| known.unwrap_or_default())
    }

    /// How many connections ended within a message.
    pub(super) fn unfinished(&self) -> usize {
        let known = self.recent.values().chain(self.earlier.values());
        self.broken + known.filter(|stream| stream.is_within()).count()
    }
}

impl Stream {
    /// Whether a message has begun and did not end.
    fn is_within(&self) -> bool {
        !self.begun.is_empty()
    }

    fn take(&mut self, sequence: u32, mut data: &[u8]) -> Vec<Result<Asked, Why>> {
        let mut found = Vec::new();
        if let Some(next) = self.next {
            // Sequence numbers are compared modulo 2^32 (RFC 9293, section 3.4).
            let ahead = sequence.wrapping_sub(next) as i32;
            let is_new = ahead > 0 || ahead.unsigned_abs() > WINDOW;
            if is_new {
                found.extend(self.is_within().then_some(Err(Why::Piece)));
                self.begun.clear();
            } else if let Some(fresh) =
                data.get(ahead.unsigned_abs() as usize..).filter(|fresh| !fresh.is_empty())
            {
                data = fresh;
            } else {
                return vec![Err(Why::Again)];
            }
            self.next = Some(if is_new { sequence } else { next });
        }
        let begins = self.next.unwrap_or(sequence);
        self.next = Some(begins.wrapping_add(data.len() as u32));
        self.begun.extend_from_slice(data);
        let mut rest = &self.begun[..];
        while let Some(length) = field(rest, 0) {
            let Some(message) = rest.get(2..2 + usize::from(length)) else { break };
            found.push(query(message));
            rest = &rest[2 + usize::from(length)..];
        }
        self.begun = rest.to_vec();
        if self.begun.len() > LONGEST
            || field(&self.begun, 0).is_some_and(|length| usize::from(length) > LONGEST)
        {
            self.begun.clear();
            found.push(Err(Why::Piece));
        }
        found
    }
}
