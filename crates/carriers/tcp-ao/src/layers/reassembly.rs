//! Fragments (RFC 791, section 3.2; RFC 8200, section 4.5), put together again in bounded memory.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;

use super::ip::{self, Fragment};
use super::tunnel;

/// Packets whose fragments are remembered, and bytes of all these; beyond, the oldest are given up.
const MOST_PACKETS: usize = 4096;
const MOST_BYTES: usize = 32 << 20;

/// The longest payload of an IP packet.
const LONGEST: usize = 65_535;

/// Bytes that a fragment takes besides its payload and header: its places in a map and a list. A packet may come in as many
/// as IP allows, 8,191 of eight bytes.
const OVERHEAD: usize = 128;

/// Nanoseconds after which a fragment belongs to another packet (RFC 8200, section 4.5: 60 seconds).
const PATIENCE: u64 = 60_000_000_000;

pub(super) enum Arrival {
    /// It holds nothing that is or could carry TCP.
    Irrelevant,
    Waits,
    /// The packet was completed before, and this is a piece of it once more.
    Repeated,
    /// It says other bytes than another for the same place, or the packet had such a pair before.
    Contradicts,
    /// Its end is not in the capture, or it leads behind the longest packet.
    Cut,
    Whole(Vec<u8>),
}

/// A fragment whose packet was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost {
    /// Its number in the capture.
    pub number: u64,
    /// Whether the packet may have carried TCP, as far as its fragments tell.
    pub matters: bool,
    /// Whether it was given up because too many fragments wait at once; others may come later.
    pub crowded: bool,
}

#[derive(Debug, Default)]
pub(super) struct Reassembly {
    waiting: HashMap<Vec<u8>, Waiting>,
    /// The keys in the order they came, with serial numbers; some are gone.
    order: VecDeque<(Vec<u8>, u64)>,
    bytes: usize,
    lost: Vec<Lost>,
    begun: u64,
}

#[derive(Debug, Default)]
struct Waiting {
    /// Tells it from another packet with the same key.
    serial: u64,
    /// When its first fragment was captured.
    time: Option<u64>,
    /// By offset. They do not overlap: of a fragment that says more than is known, the rest is a piece.
    pieces: BTreeMap<usize, Vec<u8>>,
    /// Bytes of all pieces.
    known: usize,
    /// The fragments whose outcome is still to be told.
    numbers: Vec<u64>,
    /// The length of the payload, known from the last fragment.
    length: Option<usize>,
    /// Header, place of the next header's number, and protocol of the first fragment.
    first: Option<(Vec<u8>, Option<usize>, u8)>,
    state: State,
    bytes: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// Whether it matters depends on the first fragment, which is missing.
    #[default]
    Unknown,
    Matters,
    Irrelevant,
    Refused,
    Complete,
}

impl Reassembly {
    /// Adds a fragment. `joined` gets the numbers of the others where the packet is whole.
    pub(super) fn add(
        &mut self,
        number: u64,
        time: Option<u64>,
        fragment: &Fragment<'_>,
        joined: &mut Vec<u64>,
    ) -> Arrival {
        let first = (fragment.offset == 0).then_some(fragment.payload);
        // In IPv6 only the first fragment says for sure what is behind (RFC 8200, section 4.5).
        let told = fragment.next_at.is_none() || first.is_some();
        let state = match tunnel::may_carry_tcp(fragment.protocol, first) {
            Some(true) => State::Matters,
            Some(false) if told => State::Irrelevant,
            _ => State::Unknown,
        };
        if state == State::Irrelevant && fragment.next_at.is_none() && first.is_none() {
            return Arrival::Irrelevant;
        }
        let known = self.waiting.get(&fragment.key);
        if known.is_some_and(|waiting| waiting.is_other(time, fragment, state)) {
            let serial = known.map(|waiting| waiting.serial).unwrap_or_default();
            self.drop_waiting(&fragment.key, serial, false);
        }
        if !self.waiting.contains_key(&fragment.key) {
            self.begun += 1;
            self.order.push_back((fragment.key.clone(), self.begun));
            self.waiting
                .insert(fragment.key.clone(), Waiting { serial: self.begun, time, ..Waiting::default() });
        }
        let Some(waiting) = self.waiting.get_mut(&fragment.key) else { return Arrival::Waits };
        let before = waiting.bytes;
        let arrival = waiting.add(number, fragment, state);
        self.bytes = self.bytes + waiting.bytes - before;
        if matches!(arrival, Arrival::Whole(_)) {
            joined.extend(waiting.numbers.drain(..).filter(|other| *other != number));
        }
        if matches!(arrival, Arrival::Irrelevant) {
            let irrelevant =
                waiting.numbers.drain(..).map(|number| Lost { number, matters: false, crowded: false });
            self.lost.extend(irrelevant);
        }
        self.make_room();
        arrival
    }

    fn make_room(&mut self) {
        while self.waiting.len() > MOST_PACKETS || self.bytes > MOST_BYTES {
            let Some((key, serial)) = self.order.pop_front() else { break };
            self.drop_waiting(&key, serial, true);
        }
        // Keys of packets that are gone must not pile up.
        if self.order.len() > 4 * MOST_PACKETS {
            self.order.retain(|(key, serial)| self.waiting.get(key).is_some_and(|it| it.serial == *serial));
        }
    }

    fn drop_waiting(&mut self, key: &[u8], serial: u64, crowded: bool) {
        if self.waiting.get(key).is_none_or(|waiting| waiting.serial != serial) {
            return;
        }
        if let Some(gone) = self.waiting.remove(key) {
            self.bytes -= gone.bytes;
            let matters = matches!(gone.state, State::Matters | State::Refused);
            self.lost.extend(gone.numbers.into_iter().map(|number| Lost { number, matters, crowded }));
        }
    }

    pub(super) fn has_lost(&self) -> bool {
        !self.lost.is_empty()
    }

    pub(super) fn lost(&mut self) -> Vec<Lost> {
        std::mem::take(&mut self.lost)
    }

    pub(super) fn give_up(&mut self) {
        while let Some((key, serial)) = self.order.pop_front() {
            self.drop_waiting(&key, serial, false);
        }
    }
}

impl Waiting {
    /// Whether a fragment with the same key is of another packet: identifications are used again.
    fn is_other(&self, time: Option<u64>, fragment: &Fragment<'_>, state: State) -> bool {
        let late = self.time.zip(time).is_some_and(|(began, now)| now.saturating_sub(began) > PATIENCE);
        late || match self.state {
            State::Complete => !self.has(fragment),
            State::Irrelevant => state == State::Matters,
            _ => false,
        }
    }

    /// Whether all that a fragment says is known.
    fn has(&self, fragment: &Fragment<'_>) -> bool {
        self.compare(fragment).is_some_and(|missing| missing.is_empty())
    }

    fn add(&mut self, number: u64, fragment: &Fragment<'_>, state: State) -> Arrival {
        match self.state {
            State::Complete => return Arrival::Repeated,
            State::Irrelevant => return Arrival::Irrelevant,
            State::Refused => return Arrival::Contradicts,
            State::Unknown | State::Matters => {}
        }
        if state == State::Irrelevant {
            (self.state, self.pieces, self.bytes) = (state, BTreeMap::new(), 0);
            return Arrival::Irrelevant;
        }
        if state == State::Matters {
            self.state = state;
        }
        let (start, end) = (fragment.offset, fragment.offset + fragment.payload.len());
        if fragment.cut || end > LONGEST {
            return Arrival::Cut;
        }
        let missing = self.compare(fragment).filter(|_| self.agrees_on_the_end(fragment));
        let Some(missing) = missing else {
            // RFC 5722: the whole packet is discarded, whatever it would be.
            self.state = State::Refused;
            return Arrival::Contradicts;
        };
        if !fragment.more {
            self.length = Some(end);
        }
        if start == 0 && self.first.is_none() {
            self.first = Some((fragment.header.to_vec(), fragment.next_at, fragment.protocol));
        }
        self.numbers.push(number);
        self.bytes += size_of::<u64>();
        for place in missing {
            let bytes = fragment.payload.get(place.start - start..place.end - start).unwrap_or_default();
            self.bytes += bytes.len() + fragment.header.len() + OVERHEAD;
            self.known += bytes.len();
            self.pieces.insert(place.start, bytes.to_vec());
        }
        match self.join() {
            None => Arrival::Waits,
            Some(packet) => {
                self.state = State::Complete;
                Arrival::Whole(packet)
            }
        }
    }

    /// The places of a fragment that are not known yet; `None` if it cannot be of one packet with those that are there.
    /// IPv6 allows the same piece twice and no other overlap (RFC 5722), IPv4 whatever says the same.
    fn compare(&self, fragment: &Fragment<'_>) -> Option<Vec<Range<usize>>> {
        let (start, payload) = (fragment.offset, fragment.payload);
        let end = start + payload.len();
        let before = self.pieces.range(..start).next_back();
        let (mut missing, mut at) = (Vec::new(), start);
        for (&from, bytes) in before.into_iter().chain(self.pieces.range(start..end)) {
            let to = from + bytes.len();
            let (low, high) = (from.max(start), to.min(end));
            if low >= high {
                continue;
            }
            if bytes.get(low - from..high - from) != payload.get(low - start..high - start) {
                return None;
            }
            if fragment.next_at.is_some() && (from, to) != (start, end) {
                return None;
            }
            if at < low {
                missing.push(at..low);
            }
            at = high;
        }
        if at < end {
            missing.push(at..end);
        }
        Some(missing)
    }

    /// Whether a fragment and those that are there can have the same end of the packet.
    fn agrees_on_the_end(&self, fragment: &Fragment<'_>) -> bool {
        let end = fragment.offset + fragment.payload.len();
        match self.length {
            Some(length) => end <= length && (fragment.more || end == length),
            None => {
                let reach = self.pieces.last_key_value().map_or(0, |(at, bytes)| at + bytes.len());
                fragment.more || reach <= end
            }
        }
    }

    /// The packet, if no piece is missing.
    fn join(&self) -> Option<Vec<u8>> {
        let length = self.length.filter(|length| *length == self.known)?;
        let (header, next_at, protocol) = self.first.as_ref()?;
        let mut payload: Vec<u8> = Vec::with_capacity(length);
        payload.extend(self.pieces.values().flatten());
        ip::join(header, *next_at, *protocol, &payload)
    }
}
