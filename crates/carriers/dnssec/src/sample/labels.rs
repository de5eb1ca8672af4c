//! Labels that can be spoken, each once, made from nothing but how many there were before.

use std::collections::BTreeMap;

const CONSONANTS: &[u8; 18] = b"bcdfghjklmnprstvwz";
const VOWELS: &[u8; 5] = b"aeiou";
const LETTERS: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";
const LONGEST: usize = 63;
/// A prime that shares no factor with the number of labels of any length, so that counting in steps of it meets each
/// once.
const STEP: u128 = 2_654_435_761;

/// Makes labels of given lengths without repeating one.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// How many labels there were, by length and whether they are internationalised.
    made: BTreeMap<(usize, bool), u64>,
    offset: u64,
}

impl Labels {
    pub(super) fn new(offset: u64) -> Self {
        Labels { made: BTreeMap::new(), offset }
    }

    /// A new label of `length` octets: consonants and vowels in turn, and a digit. If all of that length are used up,
    /// it is longer. An internationalised one begins with `xn--` and has at least eight octets.
    pub(super) fn next(&mut self, length: usize, internationalised: bool) -> Vec<u8> {
        let prefix: &[u8] = if internationalised { b"xn--" } else { b"" };
        let mut length = length.clamp(prefix.len() + 2, LONGEST);
        loop {
            let own = length - prefix.len();
            let made = self.made.entry((length, internationalised)).or_default();
            if length == LONGEST || u128::from(*made) < capacity(own) {
                let index = (u128::from(*made) * STEP + u128::from(self.offset)) % capacity(own);
                *made += 1;
                return [prefix, &spell(index, own)].concat();
            }
            length += 1;
        }
    }
}

/// The alphabet of each place: with two places, a letter and a digit, since the real zone has many labels that short.
fn alphabet(place: usize, length: usize) -> &'static [u8] {
    match place {
        _ if place + 1 == length => b"0123456789",
        _ if length == 2 => LETTERS,
        _ if place.is_multiple_of(2) => CONSONANTS,
        _ => VOWELS,
    }
}

/// How many labels of this length there are, or as many as anyone can count.
fn capacity(length: usize) -> u128 {
    (0..length.min(24)).map(|place| alphabet(place, length.min(24)).len() as u128).product()
}

fn spell(mut index: u128, length: usize) -> Vec<u8> {
    (0..length)
        .map(|place| {
            let alphabet = alphabet(place, length);
            let size = alphabet.len() as u128;
            let octet = alphabet[(index % size) as usize];
            index /= size;
            octet
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn never_repeats_and_never_looks_real() {
        let mut labels = Labels::new(77);
        let mut seen = HashSet::new();
        for _ in 0..2000 {
            for (length, internationalised) in [(2, false), (3, false), (4, false), (9, true)] {
                let label = labels.next(length, internationalised);
                assert!(label.len() >= length);
                assert!(label.last().is_some_and(u8::is_ascii_digit));
                assert!(seen.insert(label));
            }
        }
        assert!(seen.iter().filter(|label| label.len() == 2).count() == 260);
    }
}
