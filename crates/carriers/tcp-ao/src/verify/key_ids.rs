//! Which keys the ends sign with and ask for (RFC 5925, section 6.1).

use super::report::MOST_KEPT;
use super::rollover::{Change, Ignored, Rollover, TwoKeys};
use super::stretch::Mark;
use super::{Key, State, Verifier};
use crate::flows::{Ends, Place, Side};
use crate::option::AoOption;
use crate::tcp::Segment;

/// Nanoseconds in which a wish reaches the peer, and segments of the peer behind that which must not ignore it.
const ON_THE_WAY: u64 = 1_000_000_000;
const ENOUGH: u64 = 3;

#[derive(Clone, Copy)]
pub(super) struct KeyIds {
    key_id: u8,
    rnext_key_id: u8,
}

/// The key that an end asks for, and what its peer makes of that.
#[derive(Clone, Copy)]
pub(super) struct Wish {
    id: u8,
    number: u64,
    time: u64,
    /// The peer's segments under another key since it must know, the identifier and time of the latest.
    ignored: u64,
    instead: u8,
    until: u64,
    /// The number that acknowledges the first byte that came with it, and whether the peer acknowledged that.
    end: Option<u32>,
    acknowledged: bool,
}

impl State {
    /// The identifiers that each end's verified segments name.
    pub(super) fn key_ids_of(&self, keys: &[Key]) -> Ends<Vec<u8>> {
        let ids = |used: &[usize]| used.iter().filter_map(|key| keys.get(*key).map(Key::id)).collect();
        Ends { opener: ids(&self.signed_with.opener), answerer: ids(&self.signed_with.answerer) }
    }
}

impl Verifier {
    /// Notes that an end signs with another key than before.
    #[cold]
    pub(super) fn note_key(&mut self, place: Place, key: usize) {
        let Some(state) = self.states.get_mut(place.connection) else { return };
        let used = state.signed_with.of_mut(place.sender);
        if used.contains(&key) {
            return;
        }
        let id = |key: usize| self.keys.get(key).map(Key::id);
        if let Some(&other) = used.iter().find(|other| id(**other) == id(key))
            && self.report.two_keys.len() < MOST_KEPT
        {
            let (connection, side) = (place.connection, place.sender);
            self.report.two_keys.push(TwoKeys { connection, side, keys: [other, key] });
        }
        used.push(key);
    }

    /// Notes changes of keys that a verified segment shows, and whether its sender does what the peer asks for.
    pub(super) fn note_key_ids(
        &mut self,
        mark: Mark,
        place: Place,
        segment: &Segment<'_>,
        ao: &AoOption<'_>,
    ) {
        let Some(state) = self.states.get_mut(place.connection) else { return };
        if let Some(wish) = state.wishes.of_mut(place.sender.other()) {
            let is_behind = |end| segment.acknowledgement().wrapping_sub(end) as i32 >= 0;
            wish.acknowledged |= segment.flags().ack() && wish.end.is_some_and(is_behind);
            if wish.id == ao.key_id {
                wish.ignored = 0;
            } else if mark.time >= wish.time.saturating_add(ON_THE_WAY) {
                (wish.instead, wish.until) = (ao.key_id, mark.time);
                wish.ignored += 1;
            }
        }
        let wish = state.wishes.of_mut(place.sender);
        if wish.is_none_or(|wish| wish.id != ao.rnext_key_id) {
            let (id, number, time) = (ao.rnext_key_id, mark.number, mark.time);
            let (ignored, end, acknowledged) = (0, None, false);
            *wish = Some(Wish { id, number, time, ignored, instead: id, until: time, end, acknowledged });
        }
        if let Some(wish) = wish {
            wish.end = wish.end.or(mark.acknowledged_by());
        }
        let ids = state.key_ids.of_mut(place.sender);
        let before = ids.replace(KeyIds { key_id: ao.key_id, rnext_key_id: ao.rnext_key_id });
        let Some(before) = before else { return };
        let changes =
            [(Change::Asks, before.rnext_key_id, ao.rnext_key_id), (Change::Signs, before.key_id, ao.key_id)];
        for (change, from, to) in changes {
            if from != to && self.report.rollovers.len() < MOST_KEPT {
                let (connection, side) = (place.connection, place.sender);
                self.report.rollovers.push(Rollover {
                    number: mark.number,
                    connection,
                    side,
                    change,
                    from,
                    to,
                });
            }
        }
    }

    pub(super) fn note_ignored(&mut self) {
        let ends = [Side::Opener, Side::Answerer];
        let all = self.states.iter().enumerate();
        let wishes =
            all.flat_map(|(connection, state)| ends.map(|side| (connection, side, state.wishes.of(side))));
        let ignored = wishes.filter_map(|(connection, side, wish)| {
            let wish = wish.filter(|wish| wish.ignored >= ENOUGH)?;
            Some(Ignored {
                number: wish.number,
                connection,
                side,
                id: wish.id,
                instead: wish.instead,
                segments: wish.ignored,
                lasted: wish.until.saturating_sub(wish.time),
                acknowledged: wish.acknowledged,
            })
        });
        self.report.ignored = ignored.take(MOST_KEPT).collect();
    }
}
