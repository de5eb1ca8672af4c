//! From IDs to numbers.

use std::hash::{BuildHasher, RandomState};

/// A hash table with open addressing. A slot holds a number plus one, so that zero is an empty slot, and above it four
/// bytes of the ID, so that hardly any other ID has to be looked at.
pub(crate) struct Table {
    slots: Vec<u64>,
    shift: u32,
    /// Random, so that nobody can make IDs that all want the same slots.
    key: u64,
}

impl Table {
    pub(crate) fn new(numbers: usize) -> Table {
        let slots = (2 * numbers).next_power_of_two().max(2);
        let key = RandomState::new().hash_one(slots);
        Table { slots: vec![0; slots], shift: 64 - slots.trailing_zeros(), key }
    }

    /// The number of an ID; `ids` holds those of all numbers one after another.
    #[inline]
    pub(crate) fn find(&self, id: &[u8], ids: &[u8]) -> Option<u32> {
        self.probe(id, ids).err()
    }

    /// Sets the number of an ID, unless it has one already, which is returned.
    pub(crate) fn insert(&mut self, id: &[u8], number: u32, ids: &[u8]) -> Option<u32> {
        match self.probe(id, ids) {
            Ok(at) => {
                if let Some(slot) = self.slots.get_mut(at) {
                    *slot = tag(id) << 32 | (u64::from(number) + 1);
                }
                None
            }
            Err(number) => Some(number),
        }
    }

    /// The empty slot where an ID belongs, or its number.
    #[inline]
    fn probe(&self, id: &[u8], ids: &[u8]) -> Result<usize, u32> {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let tag = tag(id);
        let mut at = ((first_bytes(id) ^ self.key).wrapping_mul(ODD) >> self.shift) as usize;
        // There are twice as many slots as numbers, so that this ends.
        while let Some(slot) = self.slots.get(at).copied() {
            if slot == 0 {
                return Ok(at);
            }
            if slot >> 32 == tag {
                let number = (slot as u32).wrapping_sub(1);
                let begin = number as usize * id.len();
                if ids.get(begin..begin + id.len()) == Some(id) {
                    return Err(number);
                }
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        Ok(at)
    }
}

fn first_bytes(id: &[u8]) -> u64 {
    id.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn tag(id: &[u8]) -> u64 {
    id.get(8..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u32::from_le_bytes(*bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_inserted_is_found_and_nothing_else() {
        let id = |number: u32| {
            let mut id = [0_u8; 20];
            // Many IDs that differ in their last bytes only.
            id[16..].copy_from_slice(&number.to_be_bytes());
            id[0] = (number % 7) as u8;
            id
        };
        let ids: Vec<u8> = (0..1000).flat_map(id).collect();
        let mut table = Table::new(1000);
        for number in 0..1000 {
            assert_eq!(table.insert(&id(number), number, &ids), None);
        }
        assert_eq!(table.insert(&id(5), 7, &ids), Some(5));
        for number in 0..2000 {
            assert_eq!(table.find(&id(number), &ids), (number < 1000).then_some(number));
        }
        assert_eq!(Table::new(0).find(&id(1), &[]), None);
    }
}
