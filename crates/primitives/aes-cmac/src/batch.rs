//! A part of the caller's messages, longest first.
//!
//! `fieldtest-many` has such windows for hash functions, and this is not made over it: segments are short and often few. Its window
//! by itself takes as long as two segments of 144 bytes take here from beginning to end, and half as long as sixteen do (an AMD EPYC
//! with VAES, time stamps). A sort by counting, in units of one block, and room for no more than there are cost less.

use core::cmp::Reverse;

use crate::key::Cmac;
use crate::lane::{Lane, TagTooLong};

/// From so many blocks on, the counting sort takes lengths for equal.
const LONG: usize = 127;

/// A message and whether it has been taken.
pub(crate) type Slot<'a, const ROUNDS: usize> = Option<Lane<'a, Cmac<ROUNDS>>>;

/// Messages in the order in which lanes take them.
pub(crate) struct Batch<'s, 'a, const ROUNDS: usize> {
    slots: &'s mut [Slot<'a, ROUNDS>],
    /// The numbers of the slots, those with the longest messages first.
    order: &'s mut [u8],
    count: usize,
    taken: usize,
    blocks: usize,
    longest: usize,
}

/// The blocks of a message; an empty one is padded to one.
#[inline(always)]
fn blocks(message: &[u8]) -> usize {
    message.len().div_ceil(16).max(1)
}

impl<'s, 'a, const ROUNDS: usize> Batch<'s, 'a, ROUNDS> {
    /// An empty batch over slots, at most 255, and as many places for their numbers.
    pub(crate) fn new(slots: &'s mut [Slot<'a, ROUNDS>], order: &'s mut [u8]) -> Self {
        Self { slots, order, count: 0, taken: 0, blocks: 0, longest: 0 }
    }

    /// Takes as many messages as there is room for, and orders them.
    #[inline]
    pub(crate) fn fill(
        &mut self,
        source: impl Iterator<Item = Lane<'a, Cmac<ROUNDS>>>,
    ) -> Result<(), TagTooLong> {
        let mut shortest = usize::MAX;
        (self.count, self.taken, self.blocks, self.longest) = (0, 0, 0, 0);
        for (slot, lane) in self.slots.iter_mut().zip(source) {
            TagTooLong::check(lane.tag)?;
            let blocks = blocks(lane.message);
            shortest = shortest.min(blocks);
            self.longest = self.longest.max(blocks);
            self.blocks = self.blocks.saturating_add(blocks);
            self.count += 1;
            *slot = Some(lane);
        }
        if shortest < self.longest {
            self.sort();
        } else {
            self.order.iter_mut().zip(0..).for_each(|(place, number)| *place = number);
        }
        Ok(())
    }

    /// A counting sort: how many messages there are of each length, then where the first of each length goes.
    fn sort(&mut self) {
        let slots = &self.slots[..self.count];
        let length = |slot: &Slot<'_, ROUNDS>| slot.as_ref().map_or(0, |lane| blocks(lane.message));
        let mut places = [0u8; LONG + 1];
        for slot in slots {
            places[length(slot).min(LONG)] += 1;
        }
        let long = usize::from(places[LONG]);
        let mut before = 0;
        for place in places.iter_mut().rev() {
            (*place, before) = (before, before + *place);
        }
        for (index, slot) in slots.iter().enumerate() {
            let place = &mut places[length(slot).min(LONG)];
            self.order[usize::from(*place)] = index as u8;
            *place += 1;
        }
        self.order[..long].sort_unstable_by_key(|index| Reverse(length(&slots[usize::from(*index)])));
    }

    #[inline(always)]
    pub(crate) fn take(&mut self) -> Option<Lane<'a, Cmac<ROUNDS>>> {
        let index = *self.order[..self.count].get(self.taken)?;
        self.taken += 1;
        self.slots[usize::from(index)].take()
    }

    #[cfg(target_arch = "x86_64")] // The one path that chooses by it is there.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.taken == self.count
    }

    /// The blocks of all messages but the longest: what can be done while that one is.
    pub(crate) fn blocks_beside_the_longest(&self) -> usize {
        self.blocks - self.longest
    }
}
