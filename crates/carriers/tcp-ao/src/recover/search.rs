//! The search for initial sequence numbers that no SYN shows.
//!
//! They lie before the lowest numbers that were captured, by what both ends had sent until then. So pairs of distances
//! are tried in the order of their sum, which finds early captures at once; then long distances of one end alone, for
//! sessions in which one end has said little. What is beyond (a session that carried megabytes both ways) cannot be
//! found by trying, since that would be 2^64 trials: such numbers are given with `--isns`.

use super::engine::{Engine, Signing};
use super::{Failing, Hint, MARGIN};
use crate::flows::{Connection, Ends, Origin, Side};
use crate::pair::SocketPair;
use crate::verify::Key;

/// How far one end's number alone is searched.
const ALONE: u32 = 1 << 17;

/// The sum of both distances that is searched before that.
const NEAR: u32 = 512;

/// Numbers that are further apart may be on either side of a gap of gigabytes.
const SAME_PART: u32 = 1 << 26;

/// The numbers to search before: of the sender and of its peer, each known or the lowest that was seen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bases {
    pub(crate) own: Base,
    pub(crate) peer: Base,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Base {
    Known(u32),
    Below(u32),
}

impl Bases {
    /// Those of a segment in its connection, with the lowest numbers of either end.
    pub(crate) fn of(failing: &Failing<'_>, isns: Ends<Option<u32>>, lowest: Ends<Option<u32>>) -> Self {
        let (side, other) = (failing.sample.sender, failing.sample.sender.other());
        let segment = failing.packet.segment();
        let base = |known: Option<u32>, lowest: Option<u32>, number| {
            known.map_or(Base::Below(lowest.unwrap_or(number)), Base::Known)
        };
        Self {
            own: base(*isns.of(side), *lowest.of(side), segment.sequence()),
            peer: base(*isns.of(other), *lowest.of(other), segment.acknowledgement()),
        }
    }

    fn pair(self, own: u32, peer: u32) -> (u32, u32) {
        let at = |base, distance: u32| match base {
            Base::Known(isn) => isn,
            Base::Below(number) => number.wrapping_sub(1).wrapping_sub(distance),
        };
        (at(self.own, own), at(self.peer, peer))
    }
}

pub(crate) struct Search {
    /// MACs that may still be computed.
    pub(crate) left: u64,
    pub(crate) spent: u64,
}

/// Tries pairs of distances until `found` is content with numbers that the segment verifies with.
pub(crate) fn walk(
    search: &mut Search,
    signing: &Signing,
    failing: &Failing<'_>,
    bases: Bases,
    mut found: impl FnMut((u32, u32)) -> bool,
) -> Option<(u32, u32)> {
    let engine = Engine::new(signing, &failing.packet, &failing.ao)?;
    let mut batch = Vec::with_capacity(Engine::LANES);
    let mut distances = distances(bases);
    loop {
        batch.clear();
        let room = search.left.min(Engine::LANES as u64) as usize;
        batch.extend(distances.by_ref().take(room).map(|(own, peer)| bases.pair(own, peer)));
        if batch.is_empty() {
            return None;
        }
        search.left -= batch.len() as u64;
        search.spent += batch.len() as u64;
        for isns in engine.matching(&batch) {
            if found(isns) {
                return Some(isns);
            }
        }
    }
}

/// Pairs of distances, the likelier ones first.
fn distances(bases: Bases) -> Box<dyn Iterator<Item = (u32, u32)>> {
    match (bases.own, bases.peer) {
        (Base::Known(_), Base::Known(_)) => Box::new(std::iter::once((0, 0))),
        (Base::Below(_), Base::Known(_)) => Box::new((0..u32::MAX).map(|own| (own, 0))),
        (Base::Known(_), Base::Below(_)) => Box::new((0..u32::MAX).map(|peer| (0, peer))),
        (Base::Below(_), Base::Below(_)) => {
            let triangle =
                |sums: std::ops::Range<u32>| sums.flat_map(|sum| (0..=sum).map(move |own| (own, sum - own)));
            let alone = (NEAR..ALONE).flat_map(|far| [(far, 0), (0, far)]);
            Box::new(triangle(0..NEAR).chain(alone).chain(triangle(NEAR..u32::MAX)))
        }
    }
}

/// The numbers of a connection, as far as they can be found and proved; and the MACs that it took.
pub(super) fn isns(
    connection: &Connection,
    failing: &[Failing<'_>],
    keys: &[Key],
    most: u64,
) -> (Option<Hint>, u64) {
    let mut search = Search { left: most, spent: 0 };
    // Known numbers were tried before; where they explain nothing, the segments are another connection's, and only they
    // tell its numbers. Otherwise they are tried too: what else was seen may be another's.
    let among = lowest(failing);
    let starts = match connection.isns_from(Side::Opener) {
        Some(_) => vec![(Ends::default(), among)],
        None if among == connection.lowest => vec![(connection.isns, among)],
        None => vec![(connection.isns, connection.lowest), (connection.isns, among)],
    };
    // The shortest segment costs least; one of each end, since only one of them may have its key here.
    for side in [Side::Opener, Side::Answerer] {
        let of_side = failing.iter().filter(|it| it.sample.sender == side);
        let Some(probe) = of_side.min_by_key(|it| it.packet.segment().bytes().len()) else { continue };
        let share = search.left / if side == Side::Opener { 2 } else { 1 };
        let candidates: Vec<&Key> = probe.keys(keys).collect();
        let ways = candidates.iter().flat_map(|key| starts.iter().map(move |start| (*key, *start)));
        for (key, (isns, lowest)) in ways {
            let bases = Bases::of(probe, isns, lowest);
            let signing = Signing::with(key);
            let mut part = Search { left: share / (candidates.len() * starts.len()) as u64, spent: 0 };
            let hint = |found: (u32, u32)| {
                let mut isns = Ends::default();
                *isns.of_mut(side) = found.0;
                *isns.of_mut(side.other()) = found.1;
                let (extended, origin) = (Ends::default(), Origin::Recovered);
                Hint { pair: connection.pair, isns, extended, origin }
            };
            let found =
                walk(&mut part, &signing, probe, bases, |found| is_proved(&hint(found), failing, keys, most));
            search.left = search.left.saturating_sub(part.spent);
            search.spent += part.spent;
            if let Some(found) = found {
                return (Some(hint(found)), search.spent);
            }
        }
    }
    (None, search.spent)
}

/// Whether the segments that verify under a hint are more than chance gives.
fn is_proved(hint: &Hint, failing: &[Failing<'_>], keys: &[Key], trials: u64) -> bool {
    let mut seen: Vec<&[u8]> = Vec::new();
    let mut bits = 0;
    for it in failing {
        let sender = SocketPair::of_sender(&it.packet);
        if (hint.pair == sender || hint.pair.reversed() == sender)
            && !seen.contains(&it.ao.mac)
            && it.verifies_under(hint, keys)
        {
            seen.push(it.ao.mac);
            bits += it.ao.mac.len() as u32 * 8;
        }
    }
    bits > MARGIN + trials.max(1).ilog2()
}

/// Whether segments have numbers that follow the known initial ones of a connection.
pub(super) fn continues(connection: &Connection, failing: &[Failing<'_>]) -> bool {
    let lowest = lowest(failing);
    let follows = |side: Side| {
        let distance = |(isn, number): (u32, u32)| number.wrapping_sub(isn);
        connection
            .isns
            .of(side)
            .zip(*lowest.of(side))
            .map(distance)
            .is_some_and(|distance| distance < SAME_PART)
    };
    follows(Side::Opener) && follows(Side::Answerer)
}

/// The lowest numbers of either end that segments show. What is far from the first is behind a gap of gigabytes, whether
/// it seems to be lower or not.
fn lowest(failing: &[Failing<'_>]) -> Ends<Option<u32>> {
    let mut lowest: Ends<Option<u32>> = Ends::default();
    for it in failing {
        let segment = it.packet.segment();
        let side = it.sample.sender;
        let acknowledged = segment.flags().ack().then(|| (side.other(), segment.acknowledgement()));
        for (side, number) in [Some((side, segment.sequence())), acknowledged].into_iter().flatten() {
            let lowest = lowest.of_mut(side).get_or_insert(number);
            if lowest.wrapping_sub(number) < SAME_PART {
                *lowest = number;
            }
        }
    }
    lowest
}
