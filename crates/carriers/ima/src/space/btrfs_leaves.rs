//! The leaves of a B-tree that moves items to its neighbours before it splits: how full btrfs keeps its leaves.
//!
//! Only what decides on fullness is here: sizes of items and the order in which they come. Parents, transactions and
//! contents are not. The behaviour is that of btrfs (Linux 6.18, `fs/btrfs/ctree.c`): an item that does not fit first
//! makes the leaf pass items to its right neighbour, then to its left one, each only as far as the leaf and its
//! neighbour even out; then the leaf splits in the middle, or at the new item where the middle does not help.

/// Where an item stands: the file and the kind of item within the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) file: u32,
    pub(super) kind: u32,
}

#[derive(Debug, Clone, Copy)]
struct Item {
    key: Key,
    size: u64,
}

#[derive(Debug, Default)]
struct Leaf {
    items: Vec<Item>,
    used: u64,
}

impl Leaf {
    fn of(items: Vec<Item>) -> Leaf {
        let used = items.iter().map(|item| item.size).sum();
        Leaf { items, used }
    }
}

/// Leaves in the order of their keys.
#[derive(Debug)]
pub(super) struct Leaves {
    capacity: u64,
    leaves: Vec<Leaf>,
}

impl Leaves {
    /// One empty leaf with room for `capacity` bytes.
    pub(super) fn new(capacity: u64) -> Leaves {
        Leaves { capacity, leaves: vec![Leaf::default()] }
    }

    pub(super) fn count(&self) -> usize {
        self.leaves.len()
    }

    /// Takes an item out, if it is there; the leaf keeps the room, and goes when it is empty.
    pub(super) fn remove(&mut self, key: Key) {
        let (at, slot) = self.find(key);
        let Some(leaf) = self.leaves.get_mut(at) else { return };
        if leaf.items.get(slot).is_some_and(|item| item.key == key) {
            leaf.used -= leaf.items.remove(slot).size;
            if leaf.items.is_empty() && self.leaves.len() > 1 {
                self.leaves.remove(at);
            }
        }
    }

    /// Puts an item of `size` bytes in; one that no leaf can hold is left out.
    pub(super) fn insert(&mut self, key: Key, size: u64) {
        if size > self.capacity {
            return;
        }
        let (mut at, mut slot) = self.find(key);
        if self.free(at) < size {
            (at, slot) = self
                .push_right(at, slot, size)
                .or_else(|| self.push_left(at, slot, size))
                .unwrap_or((at, slot));
        }
        while self.free(at) < size {
            (at, slot) = self.split(at, slot, size);
        }
        if let Some(leaf) = self.leaves.get_mut(at) {
            leaf.items.insert(slot, Item { key, size });
            leaf.used += size;
        }
    }

    /// The leaf that covers the key, and the place in it.
    fn find(&self, key: Key) -> (usize, usize) {
        let after =
            self.leaves.partition_point(|leaf| leaf.items.first().is_some_and(|first| first.key <= key));
        let at = after.saturating_sub(1);
        let slot = self.leaves.get(at).map_or(0, |leaf| leaf.items.partition_point(|item| item.key < key));
        (at, slot)
    }

    fn free(&self, at: usize) -> u64 {
        self.leaves.get(at).map_or(0, |leaf| self.capacity - leaf.used)
    }

    /// Passes items to the right neighbour; where the new item then belongs, or `None` if nothing moved.
    fn push_right(&mut self, at: usize, slot: usize, size: u64) -> Option<(usize, usize)> {
        let [leaf, right] = self.leaves.get_mut(at..at + 2)? else { return None };
        let (free, room) = (self.capacity - leaf.used, self.capacity - right.used);
        let last = slot == leaf.items.len();
        if room < if last { size } else { size - free } {
            return None;
        }
        if last {
            return Some((at + 1, 0));
        }
        let (mut keep, mut moved) = (leaf.items.len(), 0);
        for (index, item) in leaf.items.iter().enumerate().skip(1).rev() {
            let begun = keep < leaf.items.len();
            if begun && (slot > index || (slot == index && free + 2 * moved > room)) {
                break;
            }
            let with_new = if slot == index { moved + size } else { moved };
            if with_new + item.size > room {
                break;
            }
            moved = with_new + item.size;
            keep = index;
        }
        if keep == leaf.items.len() {
            return None;
        }
        let mut items = leaf.items.split_off(keep);
        items.append(&mut right.items);
        *right = Leaf::of(items);
        *leaf = Leaf::of(std::mem::take(&mut leaf.items));
        Some(if slot >= keep { (at + 1, slot - keep) } else { (at, slot) })
    }

    /// Passes items to the left neighbour; where the new item then belongs, or `None` if nothing moved.
    fn push_left(&mut self, at: usize, slot: usize, size: u64) -> Option<(usize, usize)> {
        let [left, leaf] = self.leaves.get_mut(at.checked_sub(1)?..=at)? else { return None };
        let (free, room) = (self.capacity - leaf.used, self.capacity - left.used);
        if room < if slot == 0 { size } else { size - free } {
            return None;
        }
        let (mut count, mut moved) = (0, 0);
        for (index, item) in leaf.items.iter().enumerate().take(leaf.items.len().saturating_sub(1)) {
            if count > 0 && (slot < index || (slot == index && free + 2 * moved > room)) {
                break;
            }
            let with_new = if slot == index { moved + size } else { moved };
            if with_new + item.size > room {
                break;
            }
            moved = with_new + item.size;
            count = index + 1;
        }
        if count == 0 {
            return None;
        }
        let before = left.items.len();
        let rest = leaf.items.split_off(count);
        left.items.append(&mut leaf.items);
        *left = Leaf::of(std::mem::take(&mut left.items));
        *leaf = Leaf::of(rest);
        Some(if slot < count { (at - 1, before + slot) } else { (at, slot - count) })
    }

    /// Splits a leaf; where the new item then belongs, which need not have room yet.
    fn split(&mut self, at: usize, slot: usize, size: u64) -> (usize, usize) {
        let capacity = self.capacity;
        let Some(leaf) = self.leaves.get_mut(at) else { return (at, slot) };
        let count = leaf.items.len();
        let used = |items: &[Item]| items.iter().map(|item| item.size).sum::<u64>();
        let mut middle = count.div_ceil(2);
        let (first, second) = leaf.items.split_at(middle);
        let half = if middle <= slot { second } else { first };
        if count == 1 || used(half) + size > capacity {
            // The half that takes the new item has no room for it: split at the item instead.
            middle = slot;
        }
        if middle == 0 {
            self.leaves.insert(at, Leaf::default());
            return (at, 0);
        }
        let right = Leaf::of(leaf.items.split_off(middle));
        *leaf = Leaf::of(std::mem::take(&mut leaf.items));
        self.leaves.insert(at + 1, right);
        if slot >= middle { (at + 1, slot - middle) } else { (at, slot) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, Leaves};

    fn key(file: u32) -> Key {
        Key { file, kind: 0 }
    }

    #[test]
    fn items_that_come_in_order_fill_leaves() {
        let mut leaves = Leaves::new(1000);
        (0..100).for_each(|file| leaves.insert(key(file), 100));
        assert_eq!(leaves.count(), 10);
    }

    #[test]
    fn nothing_is_lost_and_no_leaf_is_over_full() {
        let mut leaves = Leaves::new(1000);
        (0..500).for_each(|n| leaves.insert(key(n * 7919 % 500), u64::from(n % 13) * 70 + 20));
        (0..500).step_by(3).for_each(|n| leaves.remove(key(n)));
        let items: Vec<_> = leaves.leaves.iter().flat_map(|leaf| &leaf.items).collect();
        assert_eq!(items.len(), 333);
        assert!(items.is_sorted_by_key(|item| item.key));
        for leaf in &leaves.leaves {
            assert_eq!(leaf.used, leaf.items.iter().map(|item| item.size).sum::<u64>());
            assert!(leaf.used <= 1000);
        }
    }

    #[test]
    fn an_item_too_long_for_a_leaf_is_left_out() {
        let mut leaves = Leaves::new(1000);
        leaves.insert(key(1), 1001);
        assert!(leaves.leaves[0].items.is_empty());
    }
}
