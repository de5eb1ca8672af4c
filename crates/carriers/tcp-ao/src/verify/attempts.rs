//! Further attempts at segments that do not verify as they were first taken.

use fieldtest_cpu::constant_time_eq;

use super::stretch::Mark;
use super::{EXTENSIONS, State, Verifier, VerifyError, extension_of};
use crate::context::Context;
use crate::flows::{Ends, Origin, Place, Side, is_first_syn};
use crate::ip::Packet;
use crate::message;
use crate::option::AoOption;
use crate::pair::SocketPair;
use crate::sne::Sne;

/// Segments without initial sequence numbers for which a connection's are guessed.
const GUESSES: u8 = 16;

/// The same where a SYN verified, so that the key is right, and nothing else does.
const GUESSES_BEHIND_A_SYN: u8 = 128;

/// Bytes of a MAC below which a guess is not kept: some dozens of guesses must not hit it by chance. What is found for
/// shorter ones needs more than one segment ([`recover`](crate::recover)).
const SHORTEST_GUESSED: usize = 8;

/// Bytes of a MAC below which a segment is tried in its own connection alone, or in the only one that is known.
const SHORTEST_ASTRAY: usize = 4;

/// Extensions that are tried of every segment behind a gap, up and down.
const NEXT: u32 = 4;

/// Segments of one direction, and of all, for which all extensions are tried in vain: else each forged
/// segment would cost all of them.
const SEARCHES: u8 = 32;
const ALL_SEARCHES: u32 = 256;

/// Earlier connections on the same ports that a failing segment is tried in.
pub(super) const EARLIER_CONNECTIONS: usize = 8;

pub(super) enum Attempt {
    /// The segment verifies there, with this key.
    Found(Place, usize),
    /// Its MAC is wrong with all that it could have been.
    InVain,
    /// It stands behind a gap, and not all extensions were tried.
    Untried,
}

impl Verifier {
    /// Guesses the initial sequence numbers of a connection that began before the capture: the numbers before the
    /// first that were seen or are acknowledged. Keeps them if the segment verifies.
    pub(super) fn guess_isns(
        &mut self,
        place: &mut Place,
        packet: &Packet<'_>,
        ao: &AoOption<'_>,
    ) -> Result<bool, VerifyError> {
        if self.take_hint(place, packet, ao)? {
            return Ok(true);
        }
        let Some(state) = self.states.get_mut(place.connection) else { return Ok(false) };
        if ao.mac.len() < SHORTEST_GUESSED || state.guesses >= GUESSES {
            return Ok(false);
        }
        state.guesses += 1;
        let Some(connection) = self.tracker.connections().get(place.connection) else { return Ok(false) };
        let segment = packet.segment();
        let before = |number: u32| number.wrapping_sub(1);
        let acknowledged = segment.flags().ack().then_some(segment.acknowledgement());
        let (sender, peer) = (place.sender, place.sender.other());
        let guesses = |known: Option<u32>, seen: Option<u32>, first: Option<u32>| match known {
            Some(isn) => [Some(isn), None],
            None => [seen.map(before), first.filter(|first| Some(*first) != seen).map(before)],
        };
        let own =
            guesses(*connection.isns.of(sender), Some(segment.sequence()), *connection.lowest.of(sender));
        let other = guesses(*connection.isns.of(peer), acknowledged, *connection.lowest.of(peer));
        let pair = connection.pair_from(sender);
        for own in own.into_iter().flatten() {
            for other in other.into_iter().flatten() {
                let sne = Sne::new(own).of(segment.sequence());
                let context = Context::new(&pair, own, other);
                if self.fitting(&context, packet, ao, sne, None)?.is_some() {
                    self.tracker.recover(place.connection, sender, own, other, Origin::Recovered);
                    let next = after(Sne::new(own), segment.sequence());
                    self.tracker.settle(place.connection, sender, next);
                    place.sne = sne;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Looks for the numbers of a connection among those that an earlier pass has found.
    fn take_hint(
        &mut self,
        place: &mut Place,
        packet: &Packet<'_>,
        ao: &AoOption<'_>,
    ) -> Result<bool, VerifyError> {
        let pair = SocketPair::of_sender(packet);
        let sequence = packet.segment().sequence();
        for hint in self.hints.of(&pair).iter().take(most_hints(ao)) {
            let side = hint.sender(&pair);
            let (own, peer) = hint.isns_from(side);
            let Some(connection) = self.tracker.connections().get(place.connection) else { break };
            let agrees = |known: Option<u32>, isn| known.is_none_or(|known| known == isn);
            if !agrees(*connection.isns.of(place.sender), own)
                || !agrees(*connection.isns.of(place.sender.other()), peer)
            {
                continue;
            }
            let state = hint.sequence(side);
            let context = Context::new(&pair, own, peer);
            if self.fitting(&context, packet, ao, state.of(sequence), None)?.is_some() {
                let other = hint.sequence(side.other());
                self.tracker.recover(place.connection, place.sender, own, peer, hint.origin);
                self.tracker.settle(place.connection, place.sender, after(state, sequence));
                self.tracker.settle(place.connection, place.sender.other(), other);
                place.sne = state.of(sequence);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Looks for a connection that an earlier pass has found on the ports of a segment that fails in all others.
    fn hinted(
        &mut self,
        place: Place,
        mark: Mark,
        packet: &Packet<'_>,
        ao: &AoOption<'_>,
    ) -> Result<Option<(Place, usize)>, VerifyError> {
        let pair = SocketPair::of_sender(packet);
        let sequence = packet.segment().sequence();
        for hint in self.hints.of(&pair).iter().take(most_hints(ao)) {
            let side = hint.sender(&pair);
            let (own, peer) = hint.isns_from(side);
            let sne = hint.sequence(side).of(sequence);
            // In its own connection a segment is bound to those before it.
            let same = self
                .tracker
                .connections()
                .get(place.connection)
                .is_some_and(|connection| connection.isns_from(place.sender) == Some((own, peer)));
            if same && !self.can_be(Place { sne, ..place }, mark) {
                continue;
            }
            let context = Context::new(&pair, own, peer);
            if let Some(key) = self.fitting(&context, packet, ao, sne, None)? {
                let (connection, opener) = self.tracker.with_isns(&hint.pair, hint.isns, hint.origin);
                let sender = if side == Side::Opener { opener } else { opener.other() };
                self.states.resize_with(self.tracker.connections().len(), Default::default);
                return Ok(Some((Place { connection, sender, sne }, key)));
            }
        }
        Ok(None)
    }

    /// Tries what else a receiver might have made of a segment whose tag is wrong.
    pub(super) fn second_look(
        &mut self,
        place: Place,
        tried: Option<usize>,
        mark: Mark,
        packet: &Packet<'_>,
        ao: &AoOption<'_>,
    ) -> Result<Attempt, VerifyError> {
        let sequence = packet.segment().sequence();
        let connections = self.tracker.connections();
        let pair = SocketPair::of_sender(packet);
        let others = if ao.mac.len() < SHORTEST_ASTRAY { 0 } else { EARLIER_CONNECTIONS };
        let possible = self.possible(place, &pair, others);
        for (step, index) in possible.iter().copied().enumerate() {
            let (Some(connection), Some(state)) = (connections.get(index), self.states.get(index)) else {
                break;
            };
            let sender = if connection.pair == pair { Side::Opener } else { Side::Answerer };
            let Some((own, peer)) = connection.isns_for(sender, packet) else { continue };
            let context = Context::new(&pair, own, peer);
            let stretches = state.stretches.of(sender);
            let implied = stretches.natural(mark).unwrap_or_else(|| Sne::new(own).of(sequence));
            let assigned = (step == 0 && implied != place.sne).then_some(place.sne);
            let likely = [Some(implied), assigned].into_iter().flatten().chain(stretches.earlier(mark));
            for sne in likely.filter(|sne| stretches.allow(mark, *sne, own, self.hints.refutes(mark.number)))
            {
                let tried = tried.filter(|_| step == 0 && sne == place.sne);
                if let Some(key) = self.fitting(&context, packet, ao, sne, tried)? {
                    return Ok(Attempt::Found(Place { connection: index, sender, sne }, key));
                }
            }
        }
        if is_first_syn(packet) {
            return Ok(Attempt::InVain);
        }
        if let Some((place, key)) = self.guess_other_isns(place, mark, packet, ao)? {
            return Ok(Attempt::Found(place, key));
        }
        match self.behind_a_gap(&possible, mark, packet, ao) {
            found @ Attempt::Found(..) => Ok(found),
            vain => {
                let hinted = self.hinted(place, mark, packet, ao)?;
                Ok(hinted.map_or(vain, |(place, key)| Attempt::Found(place, key)))
            }
        }
    }

    /// Whether the place that a segment was given, with which its MAC is right, can be.
    #[inline]
    pub(super) fn can_be(&self, place: Place, mark: Mark) -> bool {
        let (Some(state), Some(connection)) =
            (self.states.get(place.connection), self.tracker.connections().get(place.connection))
        else {
            return true;
        };
        let isn = connection.isns.of(place.sender).unwrap_or_default();
        state.stretches.of(place.sender).allow(mark, place.sne, isn, self.hints.refutes(mark.number))
    }

    /// The connections that a segment may be of: the one that it was taken for; the one on its ports in which something
    /// verified last, which may have been found since then; and those before them.
    pub(super) fn possible(&self, place: Place, pair: &SocketPair, others: usize) -> Vec<usize> {
        let mut found = vec![place.connection];
        for start in [self.tracker.newest(pair), Some(place.connection)] {
            let mut next = start;
            while let Some(index) = next
                && found.len() <= others
            {
                if !found.contains(&index) {
                    found.push(index);
                }
                next = self.tracker.connections().get(index).and_then(|it| it.previous);
            }
        }
        found
    }

    /// Guesses the initial sequence numbers where nothing proves those of the connection: a forged SYN or SYN-ACK may have
    /// said them.
    fn guess_other_isns(
        &mut self,
        place: Place,
        mark: Mark,
        packet: &Packet<'_>,
        ao: &AoOption<'_>,
    ) -> Result<Option<(Place, usize)>, VerifyError> {
        let (Some(connection), Some(state)) =
            (self.tracker.connections().get(place.connection), self.states.get_mut(place.connection))
        else {
            return Ok(None);
        };
        let flags = packet.segment().flags();
        let Some(known) = connection.isns_from(place.sender).filter(|_| flags.ack()) else { return Ok(None) };
        let most = if state.counts.verified > 0 { GUESSES_BEHIND_A_SYN } else { GUESSES };
        if is_proved(state) || ao.mac.len() < SHORTEST_GUESSED || state.guesses >= most {
            return Ok(None);
        }
        state.guesses += 1;
        let (sequence, pair) = (packet.segment().sequence(), connection.pair);
        let (sender, sender_pair) = (place.sender, connection.pair_from(place.sender));
        let own = if flags.syn() { sequence } else { sequence.wrapping_sub(1) };
        let peer = packet.segment().acknowledgement().wrapping_sub(1);
        let others = [(own, peer), (known.0, peer), (own, known.1)].into_iter().filter(|isns| *isns != known);
        for (own, peer) in others {
            let (sne, context) = (Sne::new(own).of(sequence), Context::new(&sender_pair, own, peer));
            let Some(key) = self.fitting(&context, packet, ao, sne, None)? else { continue };
            let mut isns = Ends { opener: own, answerer: peer };
            if sender == Side::Answerer {
                isns = Ends { opener: peer, answerer: own };
            }
            let (connection, opener) = self.tracker.with_isns(&pair, isns, Origin::Recovered);
            self.states.resize_with(self.tracker.connections().len(), Default::default);
            let sender = if sender == Side::Opener { opener } else { opener.other() };
            let found = Place { connection, sender, sne };
            return Ok(self.can_be(found, mark).then_some((found, key)));
        }
        Ok(None)
    }

    /// Looks for the extension of a segment that does not join those before it: gigabytes may be missing between them, or
    /// the parts of the file not be in order. Connections whose numbers are proved come first.
    fn behind_a_gap(
        &mut self,
        possible: &[usize],
        mark: Mark,
        packet: &Packet<'_>,
        ao: &AoOption<'_>,
    ) -> Attempt {
        let joins = |state: &State, sender| state.stretches.of(sender).joins(mark);
        let mut vain = Attempt::InVain;
        let pair = SocketPair::of_sender(packet);
        for proved in [true, false] {
            for (step, index) in possible.iter().copied().enumerate() {
                let (Some(connection), Some(state)) =
                    (self.tracker.connections().get(index), self.states.get(index))
                else {
                    continue;
                };
                if is_proved(state) != proved {
                    continue;
                }
                let sender = if connection.pair == pair { Side::Opener } else { Side::Answerer };
                // It joins what verified before, so no extension is missing: the MAC is wrong.
                if step == 0 && proved && joins(state, sender) {
                    return Attempt::InVain;
                }
                match self.behind_a_gap_of(Place { connection: index, sender, sne: 0 }, mark, packet, ao) {
                    found @ Attempt::Found(..) => return found,
                    Attempt::Untried => vain = Attempt::Untried,
                    Attempt::InVain => {}
                }
            }
        }
        vain
    }

    /// The first key, but for one that was `tried`, with which a segment verifies in this context.
    fn fitting(
        &self,
        context: &Context,
        packet: &Packet<'_>,
        ao: &AoOption<'_>,
        sne: u32,
        tried: Option<usize>,
    ) -> Result<Option<usize>, VerifyError> {
        for at in Self::candidates(&self.keys, packet, ao).filter(|at| tried != Some(*at)) {
            let Some(key) = self.keys.get(at) else { continue };
            let mut input = Vec::new();
            message::append(packet, ao, sne, key.coverage(), &mut input);
            let mut tag = vec![0; ao.mac.len()];
            let traffic_key = key.traffic_key(context).map_err(VerifyError::Mac)?;
            traffic_key.tag(&input, &mut tag).map_err(VerifyError::Mac)?;
            if constant_time_eq(&tag, ao.mac) {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    fn behind_a_gap_of(
        &mut self,
        place: Place,
        mark: Mark,
        packet: &Packet<'_>,
        ao: &AoOption<'_>,
    ) -> Attempt {
        let (Some(connection), Some(state)) =
            (self.tracker.connections().get(place.connection), self.states.get_mut(place.connection))
        else {
            return Attempt::InVain;
        };
        let Some((own, peer)) = connection.isns_for(place.sender, packet) else { return Attempt::InVain };
        let stretches = state.stretches.of_mut(place.sender);
        let refuted = self.hints.refutes(mark.number);
        let Some(natural) = stretches.natural(mark) else { return Attempt::InVain };
        let searched = stretches.searches < SEARCHES && self.searches < ALL_SEARCHES;
        if packet.segment().flags().syn() || refuted || stretches.joins(mark) {
            return Attempt::InVain;
        }
        if ao.mac.len() < SHORTEST_GUESSED {
            return Attempt::Untried;
        }
        // Numbers below the initial one are none.
        let next = if natural > u32::MAX / 2 { 0 } else { natural + 1 };
        let (most, least) = (next + NEXT, next.saturating_sub(NEXT));
        let (later, earlier) = if searched {
            (next..EXTENSIONS.max(most), 0..next.min(EXTENSIONS))
        } else {
            (next..most, least..next)
        };
        for key in Self::candidates(&self.keys, packet, ao) {
            let Some(found) = self.keys.get(key) else { continue };
            let extensions = later.clone().chain(earlier.clone().rev());
            let extensions = extensions.filter(|extension| stretches.allow(mark, *extension, own, false));
            if let Some(sne) = extension_of(packet, ao, found, (own, peer), extensions) {
                return Attempt::Found(Place { sne, ..place }, key);
            }
        }
        if !searched {
            return Attempt::Untried;
        }
        stretches.searches += 1;
        self.searches += 1;
        Attempt::InVain
    }
}

/// Whether anything verified with both initial sequence numbers of a connection, which all do but an opener's SYN.
fn is_proved(state: &State) -> bool {
    state.counts.verified > u64::from(state.openings.opener)
}

/// Connections of an earlier pass that a segment is tried in.
fn most_hints(ao: &AoOption<'_>) -> usize {
    if ao.mac.len() < SHORTEST_ASTRAY { 1 } else { usize::MAX }
}

/// What becomes of a direction's numbers with this one.
pub(super) fn after(mut sne: Sne, sequence: u32) -> Sne {
    sne.advance(sequence);
    sne
}
