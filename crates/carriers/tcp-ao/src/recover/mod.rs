//! What a capture does not say at once: initial sequence numbers of connections that began before it, those that stand
//! in a SYN behind the segments they are needed for, and the sequence number extensions of long sessions.
//!
//! [`hints`] looks at the segments that one pass over a capture could not verify; a second pass with what it found
//! verifies them. Every hint is proved by MACs. A MAC of *b* bits is hit by chance once in 2^*b* trials, so that after
//! 2^*t* trials a match of *b* bits altogether is worth *b* − *t*; less than [`MARGIN`] is no proof. One MAC of 96 bits
//! suffices after any search here, of 32 bits it takes two or three, of different segments.

mod engine;
mod search;

use std::collections::{BTreeMap, HashMap};

use crate::flows::{Connection, Ends, Origin, Side, canonical};
use crate::ip::Packet;
use crate::option::{self, AoOption};
use crate::pair::SocketPair;
use crate::sne::Sne;
use crate::verify::{EXTENSIONS, Key, Report, Sample, extension_of};
pub use crate::verify::{Hint, Hints};

pub(crate) use engine::Signing;
pub(crate) use search::{Bases, Search, walk};

/// Bits that must agree beyond those that the number of trials gives away: chance is left one in 2^40.
pub const MARGIN: u32 = 40;

/// Passes over a capture, each with what those before have found, after which nobody waits for another.
pub const MOST_PASSES: usize = 6;

/// Connections on the same ports whose numbers are tried on a segment.
const MOST_OTHERS: usize = 64;

/// How much to search.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// MACs to compute at most for one connection; the square of twice the distance that is searched.
    pub each: u64,
    /// MACs to compute at most for all of them.
    pub all: u64,
}

impl Default for Effort {
    /// Up to some 2900 bytes sent before the capture by both ends together, or 128 KiB by one of them: a second or two
    /// for one connection.
    fn default() -> Self {
        Self { each: 4_500_000, all: 6_000_000 }
    }
}

#[derive(Clone)]
pub(crate) struct Failing<'a> {
    pub(crate) sample: &'a Sample,
    pub(crate) packet: Packet<'a>,
    pub(crate) ao: AoOption<'a>,
}

impl<'a> Failing<'a> {
    pub(crate) fn new(sample: &'a Sample) -> Option<Self> {
        let packet = Packet::parse(&sample.packet).ok()??;
        let ao = option::find(packet.segment()).ok()?.filter(|ao| !ao.mac.is_empty())?;
        Some(Self { sample, packet, ao })
    }

    fn is_syn(&self) -> bool {
        self.packet.segment().flags().syn()
    }

    fn keys<'k>(&self, keys: &'k [Key]) -> impl Iterator<Item = &'k Key> {
        let pair = SocketPair::of_sender(&self.packet);
        let (id, length) = (self.ao.key_id, self.ao.mac.len());
        keys.iter().filter(move |key| key.id() == id && key.mac_len() == length && key.is_for(&pair))
    }

    /// Whether it verifies with a key, these numbers (its sender's first) and this extension.
    fn verifies(&self, key: &Key, isns: (u32, u32), extensions: impl Iterator<Item = u32>) -> Option<u32> {
        extension_of(&self.packet, &self.ao, key, isns, extensions)
    }
}

/// Finds what verifies segments that failed, for another pass over the same capture.
pub fn hints(report: &Report, keys: &[Key], effort: Effort) -> Hints {
    let mut hints = Hints::default();
    for number in &report.refuted {
        hints.refute(*number);
    }
    // Captures can have very many connections; each is looked at once.
    let mut failing: BTreeMap<usize, Vec<Failing<'_>>> = BTreeMap::new();
    for it in report.samples.iter().filter_map(Failing::new).filter(|it| !it.is_syn()) {
        failing.entry(it.sample.connection).or_default().push(it);
    }
    let mut of_pair: HashMap<SocketPair, Vec<&Connection>> = HashMap::new();
    for connection in failing.keys().filter_map(|index| report.connections.get(*index)) {
        of_pair.entry(canonical(&connection.connection.pair)).or_default();
    }
    for it in &report.connections {
        if let Some(same) = of_pair.get_mut(&canonical(&it.connection.pair)) {
            same.push(&it.connection);
        }
    }
    let mut unknown = Vec::new();
    // Extensions are searched for within a bound, too: each connection has its share of what is left.
    let (mut extensions, mut connections) = (effort.all, failing.len() as u64);
    for (index, mut left) in failing {
        let mut share = extensions / connections.max(1);
        (extensions, connections) = (extensions - share, connections - 1);
        let Some(connection) = report.connections.get(index) else { continue };
        let same = of_pair.get(&canonical(&connection.connection.pair)).map_or(&[][..], Vec::as_slice);
        for (isns, origin) in others(&connection.connection, same) {
            if let Some(hint) = explains(&connection.connection, isns, origin, &left, keys, &mut share) {
                left.retain(|it| !it.verifies_under(&hint, keys));
                hints.add(hint);
            }
            if left.is_empty() {
                break;
            }
        }
        extensions += share;
        if !left.is_empty() {
            unknown.push((index, left));
        }
    }
    // A little for each connection, then what is left for those that were not found.
    let mut budget = effort.all;
    for share in [1 << 16, effort.each] {
        let each = share.min(budget / (unknown.len().max(1) as u64));
        unknown.retain(|(index, left)| {
            let Some(connection) = report.connections.get(*index) else { return false };
            // Segments with numbers like those of a captured handshake fail for another reason.
            if share > 1 << 16 && search::continues(&connection.connection, left) {
                return false;
            }
            let (found, spent) = search::isns(&connection.connection, left, keys, each);
            budget = budget.saturating_sub(spent);
            let missing = found.is_none();
            if let Some(hint) = found {
                hints.add(hint);
            }
            missing
        });
    }
    hints
}

impl Failing<'_> {
    fn verifies_under(&self, hint: &Hint, keys: &[Key]) -> bool {
        let side = hint.sender(&SocketPair::of_sender(&self.packet));
        let extension = hint.sequence(side).of(self.packet.segment().sequence());
        self.keys(keys).any(|key| self.verifies(key, hint.isns_from(side), [extension].into_iter()).is_some())
    }
}

/// The numbers of all connections between the same sockets, this one's own first; the opener's of this one first.
fn others(connection: &Connection, same: &[&Connection]) -> Vec<((u32, u32), Origin)> {
    let mut found: Vec<((u32, u32), Origin)> = Vec::new();
    for other in std::iter::once(connection).chain(same.iter().copied()) {
        let side = match other.pair {
            pair if pair == connection.pair => Side::Opener,
            pair if pair == connection.pair.reversed() => Side::Answerer,
            _ => continue,
        };
        if let Some(isns) = other.isns_from(side)
            && found.len() < MOST_OTHERS
            && !found.iter().any(|(known, _)| *known == isns)
        {
            found.push((isns, other.origin));
        }
    }
    found
}

/// Whether these numbers, with some extension in each direction, explain failing segments.
fn explains(
    connection: &Connection,
    isns: (u32, u32),
    origin: Origin,
    failing: &[Failing<'_>],
    keys: &[Key],
    budget: &mut u64,
) -> Option<Hint> {
    // In its own connection, the extension of a segment may follow from those before it.
    let own = connection.isns_from(Side::Opener) == Some(isns);
    let isns = Ends { opener: isns.0, answerer: isns.1 };
    let mut hint = Hint { pair: connection.pair, isns, extended: Ends::default(), origin };
    let mut bits = 0;
    let mut seen: Vec<&[u8]> = Vec::new();
    for side in [Side::Opener, Side::Answerer] {
        for it in failing.iter().filter(|it| it.sample.sender == side && !(own && it.sample.joins)) {
            if hint.extended.of(side).is_none() {
                let sequence = it.packet.segment().sequence();
                let natural = Sne::new(*isns.of(side)).of(sequence);
                // No number is below the initial one.
                let least = u32::from(sequence < *isns.of(side));
                let found = it.keys(keys).find_map(|key| {
                    let all = std::iter::once(natural).filter(|it| *it != u32::MAX).chain(least..EXTENSIONS);
                    let affordable =
                        all.take_while(|_| budget.checked_sub(1).map(|left| *budget = left).is_some());
                    it.verifies(key, hint.isns_from(side), affordable)
                });
                let Some(extension) = found else { continue };
                *hint.extended.of_mut(side) = Some(u64::from(extension) << 32 | u64::from(sequence));
            } else if !it.verifies_under(&hint, keys) {
                continue;
            }
            // A segment that was sent twice says nothing new.
            if !seen.contains(&it.ao.mac) {
                seen.push(it.ao.mac);
                bits += it.ao.mac.len() as u32 * 8;
            }
        }
    }
    let trials = u64::from(EXTENSIONS) * 2 * (MOST_OTHERS * keys.len().max(1)) as u64;
    (bits >= MARGIN + trials.ilog2()).then_some(hint)
}
