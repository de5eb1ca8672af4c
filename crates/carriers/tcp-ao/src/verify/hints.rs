//! What one pass over a capture found out for the next.

use std::collections::{HashMap, HashSet};

use crate::flows::{Ends, Origin, Side, canonical};
use crate::pair::SocketPair;
use crate::sne::Sne;

/// Connections between two sockets that are remembered; more on the same ports are not told apart.
const MOST_OF_A_PAIR: usize = 64;

/// Packets that are remembered for having no gap before them.
const MOST_REFUTED: usize = 1 << 16;

/// A connection that is known to be in the capture, wherever its segments stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hint {
    /// Its ends; sides are those of this pair, whose local end is the opener.
    pub pair: SocketPair,
    /// The initial sequence numbers.
    pub isns: Ends<u32>,
    /// A sequence number of each end with its extension above it, where that does not follow from the initial ones.
    pub extended: Ends<Option<u64>>,
    /// How the initial sequence numbers came to be known.
    pub origin: Origin,
}

impl Hint {
    /// The side that sends packets of this pair.
    pub(crate) fn sender(&self, pair: &SocketPair) -> Side {
        if self.pair == *pair { Side::Opener } else { Side::Answerer }
    }

    pub(crate) fn isns_from(&self, sender: Side) -> (u32, u32) {
        (*self.isns.of(sender), *self.isns.of(sender.other()))
    }

    /// Where a direction's sequence numbers are.
    pub(crate) fn sequence(&self, sender: Side) -> Sne {
        self.extended.of(sender).map_or(Sne::new(*self.isns.of(sender)), Sne::at)
    }
}

/// All connections that are known.
#[derive(Debug, Clone, Default)]
pub struct Hints {
    by_pair: HashMap<SocketPair, Vec<Hint>>,
    /// Packets before which there is no gap.
    refuted: HashSet<u64>,
}

impl Hints {
    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.by_pair.is_empty() && self.refuted.is_empty()
    }

    /// Adds one; false if it was known, or there are too many on these ports.
    pub fn add(&mut self, hint: Hint) -> bool {
        let known = self.by_pair.entry(canonical(&hint.pair)).or_default();
        let same =
            |other: &&mut Hint| other.isns_from(other.sender(&hint.pair)) == hint.isns_from(Side::Opener);
        if let Some(other) = known.iter_mut().find(same) {
            let (opener, answerer) = (other.sender(&hint.pair), other.sender(&hint.pair).other());
            let before = *other;
            for (to, from) in [(opener, hint.extended.opener), (answerer, hint.extended.answerer)] {
                let place = other.extended.of_mut(to);
                *place = place.or(from);
            }
            return before != *other;
        }
        let room = known.len() < MOST_OF_A_PAIR;
        if room {
            known.push(hint);
        }
        room
    }

    /// Says that no gap is before a packet; false if that was known, or there are too many.
    pub(crate) fn refute(&mut self, number: u64) -> bool {
        self.refuted.len() < MOST_REFUTED && self.refuted.insert(number)
    }

    /// Whether no gap is before a packet.
    #[inline]
    pub(crate) fn refutes(&self, number: u64) -> bool {
        !self.refuted.is_empty() && self.refuted.contains(&number)
    }

    /// Adds those that others found; whether there was anything new.
    pub fn extend(&mut self, others: Hints) -> bool {
        let mut new = false;
        for number in others.refuted {
            new |= self.refute(number);
        }
        for hint in others.by_pair.into_values().flatten() {
            new |= self.add(hint);
        }
        new
    }

    pub(crate) fn of(&self, pair: &SocketPair) -> &[Hint] {
        self.by_pair.get(&canonical(pair)).map_or(&[], Vec::as_slice)
    }
}
