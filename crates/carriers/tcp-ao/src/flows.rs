//! The connections of a capture: which segment belongs to which, with what initial sequence numbers and in which
//! stretch of the sequence number space.
//!
//! A capture shows neither sockets nor states, only segments, and some of them may be forged. So a connection is
//! what began with one SYN or SYN-ACK: the next ones with other initial sequence numbers begin another connection on
//! the same ports, and the older one is remembered in case it was not over.

use std::collections::HashMap;

use crate::ip::Packet;
use crate::pair::SocketPair;
use crate::sne::Sne;
use crate::tcp::Segment;

/// One of the two ends of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The end that sent the SYN; in a connection whose beginning was not captured, the one that was heard first.
    Opener,
    /// The end that answered.
    Answerer,
}

impl Side {
    /// The other end.
    pub fn other(self) -> Self {
        match self {
            Self::Opener => Self::Answerer,
            Self::Answerer => Self::Opener,
        }
    }
}

/// One value for each end of a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ends<T> {
    /// The opener's.
    pub opener: T,
    /// The answerer's.
    pub answerer: T,
}

impl<T> Ends<T> {
    /// That end's value.
    pub fn of(&self, side: Side) -> &T {
        match side {
            Side::Opener => &self.opener,
            Side::Answerer => &self.answerer,
        }
    }

    /// That end's value, to be changed.
    pub fn of_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Opener => &mut self.opener,
            Side::Answerer => &mut self.answerer,
        }
    }
}

/// How the initial sequence numbers of a connection came to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The SYN or SYN-ACK is in the capture.
    Captured,
    /// The user said them.
    Given,
    /// Guessed from the first segments or searched for, and segments verify with them.
    Recovered,
}

/// A connection of the capture.
#[derive(Debug, Clone)]
pub struct Connection {
    /// Its ends; the opener is the local one.
    pub pair: SocketPair,
    /// The initial sequence numbers, as far as they are known.
    pub isns: Ends<Option<u32>>,
    /// How those came to be known.
    pub origin: Origin,
    /// The lowest sequence number that each end used, as far as its segments and the other end's acknowledgments show.
    pub lowest: Ends<Option<u32>>,
    /// Whether each end sent anything at all.
    pub spoke: Ends<bool>,
    /// Whether each end sent anything but SYN and SYN-ACK.
    pub went_on: Ends<bool>,
    /// Whether it was seen to end: a RST, or a FIN from both ends.
    pub closed: bool,
    /// An earlier connection of the same ends, left out those of which only SYNs were seen.
    pub previous: Option<usize>,
    sne: Ends<Option<Sne>>,
    /// Extensions of the first captured numbers, where the user says them.
    started: Ends<Option<u32>>,
    finished: Ends<bool>,
    /// Whether anything but SYNs without ACK was seen.
    past_syn: bool,
}

impl Connection {
    fn new(pair: SocketPair, previous: Option<usize>) -> Self {
        Self {
            pair,
            isns: Ends::default(),
            origin: Origin::Captured,
            lowest: Ends::default(),
            spoke: Ends::default(),
            went_on: Ends::default(),
            closed: false,
            previous,
            sne: Ends::default(),
            started: Ends::default(),
            finished: Ends::default(),
            past_syn: false,
        }
    }

    /// Both initial sequence numbers, the one of `sender` first, if both are known.
    pub fn isns_from(&self, sender: Side) -> Option<(u32, u32)> {
        Some(((*self.isns.of(sender))?, (*self.isns.of(sender.other()))?))
    }

    /// The initial sequence numbers that the traffic key of a segment depends on, the one of `sender` first, if they are
    /// known: a SYN without ACK has its own number and 0 (RFC 5926, section 3.1).
    pub(crate) fn isns_for(&self, sender: Side, packet: &Packet<'_>) -> Option<(u32, u32)> {
        if is_first_syn(packet) { Some((packet.segment().sequence(), 0)) } else { self.isns_from(sender) }
    }

    /// The ends as `sender` sees them.
    pub fn pair_from(&self, sender: Side) -> SocketPair {
        match sender {
            Side::Opener => self.pair,
            Side::Answerer => self.pair.reversed(),
        }
    }

    fn sender(&self, pair: &SocketPair) -> Side {
        if self.pair == *pair { Side::Opener } else { Side::Answerer }
    }

    fn extension(&mut self, sender: Side, segment: &Segment<'_>) -> u32 {
        // Its number is the initial one, wherever in the file it stands.
        if segment.flags().syn() {
            return 0;
        }
        let sequence = segment.sequence();
        if let Some(extension) = self.started.of_mut(sender).take() {
            *self.sne.of_mut(sender) = Some(Sne::at(u64::from(extension) << 32 | u64::from(sequence)));
        }
        let start = self.isns.of(sender).unwrap_or(sequence);
        let sne = self.sne.of_mut(sender).get_or_insert_with(|| Sne::new(start));
        let extension = sne.of(sequence);
        sne.advance(sequence);
        extension
    }

    fn learn(&mut self, side: Side, isn: u32) {
        if self.isns.of(side).is_none() {
            *self.isns.of_mut(side) = Some(isn);
            *self.sne.of_mut(side) = Some(Sne::new(isn));
        }
    }

    /// Notes the numbers of a segment that may be lower than those before it. Resets may have any number, and a forged
    /// number far away is none of this connection.
    fn lower(&mut self, sender: Side, segment: &Segment<'_>) {
        const NEAR: i32 = 1 << 30;
        let flags = segment.flags();
        if flags.rst() {
            return;
        }
        let acknowledged = (flags.ack()).then(|| (sender.other(), segment.acknowledgement()));
        for (side, number) in [Some((sender, segment.sequence())), acknowledged].into_iter().flatten() {
            let lowest = self.lowest.of_mut(side).get_or_insert(number);
            let below = number.wrapping_sub(*lowest) as i32;
            if below < 0 && below > -NEAR {
                *lowest = number;
            }
        }
    }

    /// Takes what the user knows, unless the SYN or SYN-ACK says everything or something else.
    fn learn_known(&mut self, known: &KnownIsns) {
        let opener = self.sender(&known.pair);
        let given = [(opener, known.local), (opener.other(), known.remote)];
        let missing = given.iter().any(|(side, _)| self.isns.of(*side).is_none());
        if missing && given.iter().all(|(side, isn)| self.isns.of(*side).is_none_or(|own| own == *isn)) {
            given.into_iter().for_each(|(side, isn)| self.learn(side, isn));
            if let Some((local, remote)) = known.extensions {
                // The extension is that of the first captured number, whichever that will be.
                (*self.started.of_mut(opener), *self.started.of_mut(opener.other())) =
                    (Some(local), Some(remote));
            }
            self.origin = Origin::Given;
        }
    }

    /// Whether the segment answers the peer's SYN with a reset. Its end never had an initial sequence number, and the
    /// traffic key has the reset's own number in its place.
    fn is_refused_by(&self, sender: Side, segment: &Segment<'_>) -> bool {
        let (own, peer) = (self.isns.of(sender), self.isns.of(sender.other()));
        let answers = segment.refuses_syn() && peer.is_some_and(|peer| segment.acknowledges_syn(peer));
        !self.past_syn && own.is_none() && answers
    }
}

/// Initial sequence numbers that the user knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownIsns {
    /// The ends of the connection, either way round.
    pub pair: SocketPair,
    /// The initial sequence number of the pair's local end.
    pub local: u32,
    /// The one of its remote end.
    pub remote: u32,
    /// The sequence number extensions of the first segments that were captured, the local end's first; counted from
    /// the initial sequence numbers if absent.
    pub extensions: Option<(u32, u32)>,
}

/// Where a segment belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The connection's index in [`Tracker::connections`].
    pub connection: usize,
    /// Which end sent the segment.
    pub sender: Side,
    /// The sequence number extension of its sequence number (RFC 5925, section 6.2).
    pub sne: u32,
}

/// Sorts segments into connections. Its memory grows with their number alone.
#[derive(Debug, Default)]
pub struct Tracker {
    connections: Vec<Connection>,
    /// The newest connection of each pair of ends, by the smaller way to write the pair.
    current: HashMap<SocketPair, usize>,
    known: HashMap<SocketPair, KnownIsns>,
}

impl Tracker {
    /// A tracker that knows these initial sequence numbers. They hold for a connection whose SYN or SYN-ACK is not in
    /// the capture, if they agree with what is.
    pub fn new(known: &[KnownIsns]) -> Self {
        let known = known.iter().map(|known| (canonical(&known.pair), *known)).collect();
        Self { known, ..Self::default() }
    }

    /// The connections seen up to now, in the order they appeared.
    pub fn connections(&self) -> &[Connection] {
        &self.connections
    }

    /// Whether any two sockets had more than one connection.
    #[inline]
    pub(crate) fn has_successors(&self) -> bool {
        self.connections.len() > self.current.len()
    }

    /// The connection between two sockets that the next segment is taken for.
    pub(crate) fn newest(&self, pair: &SocketPair) -> Option<usize> {
        self.current.get(&canonical(pair)).copied()
    }

    /// Says where a segment belongs; each is to be told once, in the order of the capture.
    pub fn observe(&mut self, packet: &Packet<'_>) -> Place {
        let pair = SocketPair::of_sender(packet);
        let key = canonical(&pair);
        let segment = packet.segment();
        let flags = segment.flags();
        let current =
            self.current.get(&key).copied().map(|index| self.earlier_if_meant(index, &pair, packet));
        let (index, sender) =
            match current.and_then(|index| Some((index, self.continues(index, &pair, packet)?))) {
                Some(found) => found,
                None => self.begin(key, pair, packet, current),
            };
        let sequence = segment.sequence();
        let mut place = Place { connection: index, sender, sne: 0 };
        let Some(connection) = self.connections.get_mut(index) else { return place };
        if flags.syn() {
            connection.learn(sender, sequence);
            if flags.ack() {
                connection.learn(sender.other(), segment.acknowledgement().wrapping_sub(1));
            }
        } else if connection.is_refused_by(sender, segment) {
            connection.learn(sender, sequence);
        } else if let Some(known) = self.known.get(&key) {
            connection.learn_known(known);
        }
        connection.past_syn |= !flags.syn() || flags.ack();
        *connection.spoke.of_mut(sender) = true;
        *connection.went_on.of_mut(sender) |= !flags.syn();
        connection.lower(sender, segment);
        *connection.finished.of_mut(sender) |= flags.fin();
        connection.closed |= flags.rst() || (connection.finished.opener && connection.finished.answerer);
        place.sne = connection.extension(sender, segment);
        place
    }

    /// The connection before, where the newest is only SYNs that a segment does not refer to.
    fn earlier_if_meant(&self, index: usize, pair: &SocketPair, packet: &Packet<'_>) -> usize {
        let Some((connection, previous)) =
            self.connections.get(index).and_then(|it| Some((it, it.previous?)))
        else {
            return index;
        };
        let segment = packet.segment();
        let next = connection.isns.opener.map(|isn| isn.wrapping_add(1));
        let number = match connection.sender(pair) {
            Side::Opener => segment.sequence(),
            Side::Answerer => segment.acknowledgement(),
        };
        let refers = segment.flags().syn() || next == Some(number);
        if connection.past_syn || refers { index } else { previous }
    }

    /// The sender, if a packet belongs to the newest connection of its pair.
    fn continues(&self, index: usize, pair: &SocketPair, packet: &Packet<'_>) -> Option<Side> {
        let connection = self.connections.get(index)?;
        let sender = connection.sender(pair);
        let segment = packet.segment();
        let (own, peer) = (*connection.isns.of(sender), *connection.isns.of(sender.other()));
        let same = match (segment.flags().syn(), segment.flags().ack()) {
            (false, _) => true,
            // The other end's SYN while the first is under way: both open at once (RFC 9293, section 3.5).
            (true, false) if own.is_none() => peer.is_some() && !connection.past_syn,
            (true, false) => own == Some(segment.sequence()),
            (true, true) => {
                own.is_none_or(|own| own == segment.sequence())
                    && peer.is_some_and(|peer| segment.acknowledges_syn(peer))
            }
        };
        same.then_some(sender)
    }

    fn begin(
        &mut self,
        key: SocketPair,
        pair: SocketPair,
        packet: &Packet<'_>,
        previous: Option<usize>,
    ) -> (usize, Side) {
        let flags = packet.segment().flags();
        let sender = if flags.syn() && flags.ack() { Side::Answerer } else { Side::Opener };
        let opener = if sender == Side::Opener { pair } else { pair.reversed() };
        // A flood of forged SYNs must not bury the connection that goes on.
        let previous = previous.and_then(|index| {
            let newest = self.connections.get(index)?;
            if newest.past_syn { Some(index) } else { newest.previous }
        });
        let index = self.connections.len();
        self.connections.push(Connection::new(opener, previous));
        self.current.insert(key, index);
        (index, sender)
    }

    /// Settles the initial sequence numbers of a connection that began before the capture; `own` is the one of
    /// `sender`. What the SYN or SYN-ACK said stays.
    pub fn recover(&mut self, index: usize, sender: Side, own: u32, peer: u32, origin: Origin) {
        if let Some(connection) = self.connections.get_mut(index) {
            connection.isns.of_mut(sender).get_or_insert(own);
            connection.isns.of_mut(sender.other()).get_or_insert(peer);
            connection.origin = origin;
        }
    }

    /// The connection of these ends (the local one is the opener) with these initial sequence numbers, and which side of
    /// it that opener is; it is added if there is none.
    pub(crate) fn with_isns(&mut self, pair: &SocketPair, isns: Ends<u32>, origin: Origin) -> (usize, Side) {
        let newest = self.newest(pair);
        let mut next = newest;
        while let Some((index, connection)) = next.and_then(|it| Some((it, self.connections.get(it)?))) {
            let side = connection.sender(pair);
            if connection.isns_from(side) == Some((isns.opener, isns.answerer)) {
                return (index, side);
            }
            next = connection.previous;
        }
        let mut connection = Connection::new(*pair, newest);
        connection.isns = Ends { opener: Some(isns.opener), answerer: Some(isns.answerer) };
        connection.origin = origin;
        connection.past_syn = true;
        self.connections.push(connection);
        (self.connections.len() - 1, Side::Opener)
    }

    /// Says that a segment that was taken for another connection's is one of `sender` in this.
    pub(crate) fn found(&mut self, index: usize, sender: Side, packet: &Packet<'_>) {
        let Some(connection) = self.connections.get_mut(index) else { return };
        *connection.spoke.of_mut(sender) = true;
        *connection.went_on.of_mut(sender) |= !packet.segment().flags().syn();
    }

    /// Says that a segment of `sender` is genuine: its sequence number and extension are what the next ones are
    /// counted from, whatever forged segments made of it.
    pub fn settle(&mut self, index: usize, sender: Side, state: Sne) {
        let Some(connection) = self.connections.get_mut(index) else { return };
        *connection.sne.of_mut(sender) = Some(state);
        let key = canonical(&connection.pair);
        self.current.insert(key, index);
    }
}

/// Whether a segment is a SYN without ACK, whose traffic key knows no other end's initial sequence number.
pub(crate) fn is_first_syn(packet: &Packet<'_>) -> bool {
    let flags = packet.segment().flags();
    flags.syn() && !flags.ack()
}

/// The smaller of the two ways to write a pair of ends.
pub(crate) fn canonical(pair: &SocketPair) -> SocketPair {
    (*pair).min(pair.reversed())
}
