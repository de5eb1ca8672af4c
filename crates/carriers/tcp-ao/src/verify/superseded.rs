//! Segments of a connection that their receiver has left: their MACs are right under traffic keys that it has no more.
//!
//! Traffic keys hang on both initial sequence numbers (RFC 5925, section 5.2), so that nothing of one connection can be
//! played again in another. Where a newer handshake is complete, both ends are in that connection.

use super::attempts::EARLIER_CONNECTIONS;
use super::stretch::Mark;
use super::{Outcome, State, Verdict, Verifier};
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
        if let Some(newer) = self.superseding(place, mark, packet) {
            return Outcome {
                number,
                connection: Some(newer),
                verdict: Verdict::EarlierConnection { key, of: place.connection },
            };
        }
        self.accept(mark, place, packet, ao, key, astray);
        Outcome { number, connection: Some(place.connection), verdict: Verdict::Verified { key } }
    }

    /// The connection in which both ends were by then, if it is a newer one than that whose keys made a segment's MAC.
    /// A SYN alone is never refused: it depends on no number of the receiver's.
    #[inline]
    fn superseding(&self, place: Place, mark: Mark, packet: &Packet<'_>) -> Option<usize> {
        if !self.tracker.has_successors() || is_first_syn(packet) {
            return None;
        }
        self.newer(place, Moment::of(mark), &SocketPair::of_sender(packet))
    }

    #[cold]
    fn newer(&self, place: Place, moment: Moment, pair: &SocketPair) -> Option<usize> {
        let same_ports = self.possible(place, pair, EARLIER_CONNECTIONS);
        // A handshake that is played again is listed as a connection of its own.
        let isns = |index: usize| {
            let connection = self.tracker.connections().get(index)?;
            connection.isns_from(if connection.pair == *pair { Side::Opener } else { Side::Answerer })
        };
        let here = isns(place.connection);
        let opened = |index: &usize| self.states.get(*index).and_then(|state| state.opened_both);
        let began = same_ports.iter().filter(|index| isns(**index) == here).filter_map(opened).min()?;
        let is_newer = |index: &usize| opened(index).is_some_and(|other| began < other && other <= moment);
        // Half of a handshake shows nothing: it may be played again.
        let is_complete = |state: &State| {
            state.openings.answerer > 0 && (state.openings.opener > 0 || state.opener_went_on)
        };
        same_ports.iter().copied().find(|index| {
            isns(*index) != here && is_newer(index) && self.states.get(*index).is_some_and(is_complete)
        })
    }
}
