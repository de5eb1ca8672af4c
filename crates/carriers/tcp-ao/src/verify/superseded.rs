//! Segments of a connection that their receiver has left: their MACs are right under traffic keys that it has no more.
//!
//! Traffic keys hang on both initial sequence numbers (RFC 5925, section 5.2), so that nothing of one connection can be
//! played again in another. Where segments verify with the numbers of a newer handshake, captured or not, both ends are
//! in that connection.

use super::attempts::EARLIER_CONNECTIONS;
use super::stretch::Mark;
use super::{Outcome, Verdict, Verifier};
use crate::flows::{Place, Side, is_first_syn};
use crate::ip::Packet;
use crate::option::AoOption;
use crate::pair::SocketPair;

/// When something was captured: by its time, and in the order of the file where that is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment {
    time: u64,
    number: u64,
}

impl Moment {
    #[inline]
    pub(super) fn of(mark: Mark) -> Self {
        Self { time: mark.time, number: mark.number }
    }
}

impl Verifier {
    /// Accepts a segment whose MAC is right in this place, if its receiver does.
    pub(super) fn conclude(
        &mut self,
        mark: Mark,
        place: Place,
        packet: &Packet<'_>,
        ao: &AoOption<'_>,
        key: usize,
        astray: bool,
    ) -> Outcome {
        let number = mark.number;
        if let Some((newer, of)) = self.superseding(place, mark, packet) {
            let verdict = Verdict::EarlierConnection { key, of };
            return Outcome { number, connection: Some(newer), verdict };
        }
        self.accept(mark, place, packet, ao, key, astray);
        Outcome { number, connection: Some(place.connection), verdict: Verdict::Verified { key } }
    }

    /// The connection in which both ends were by then, if it is a newer one than that whose keys made a segment's MAC,
    /// and the first with these keys. A SYN alone is never refused: it depends on no number of the receiver's.
    #[inline]
    fn superseding(&self, place: Place, mark: Mark, packet: &Packet<'_>) -> Option<(usize, usize)> {
        if !self.tracker.has_successors() || is_first_syn(packet) {
            return None;
        }
        self.newer(place, Moment::of(mark), &SocketPair::of_sender(packet))
    }

    #[cold]
    fn newer(&self, place: Place, moment: Moment, pair: &SocketPair) -> Option<(usize, usize)> {
        let same_ports = self.possible(place, pair, EARLIER_CONNECTIONS);
        // By the first connection with these keys: a handshake that is played again is listed as one of its
        // own, and would make old segments current.
        let isns = |index: usize| {
            let connection = self.tracker.connections().get(index)?;
            connection.isns_from(if connection.pair == *pair { Side::Opener } else { Side::Answerer })
        };
        let here = isns(place.connection);
        let opened = |index: &usize| self.states.get(*index).and_then(|state| state.opened_both);
        let with_these_keys = || same_ports.iter().copied().filter(|index| isns(*index) == here);
        let began = with_these_keys().filter_map(|index| opened(&index)).min()?;
        let is_newer = |index: &usize| opened(index).is_some_and(|other| began < other && other <= moment);
        // The key of any segment but a SYN shows that each end had the other's number, wherever the capture has that from.
        // A single one, or a SYN-ACK and its repetitions, show nothing: they may be played again.
        let is_settled = |index: &usize| {
            self.states
                .get(*index)
                .is_some_and(|state| state.counts.verified > u64::from(state.openings.answerer).max(1))
        };
        let newer = same_ports
            .iter()
            .copied()
            .find(|index| isns(*index) != here && is_newer(index) && is_settled(index))?;
        Some((newer, with_these_keys().min()?))
    }
}
