//! Random text.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

/// Quick, and the same everywhere.
pub(super) struct Random(SplitMix64);

impl Random {
    /// A number below `bound`; 0 if that is 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % (bound as u64).max(1)) as usize
    }

    pub(super) fn of<'t, T>(&mut self, things: &'t [T]) -> Option<&'t T> {
        things.get(self.below(things.len()))
    }

    /// 3 to 11 letters.
    pub(super) fn word(&mut self) -> String {
        let len = 3 + self.below(9);
        (0..len).map(|_| char::from(b'a' + self.below(26) as u8)).collect()
    }
}

/// What source code is made of: the same words again and again.
pub(super) struct Text {
    pub(super) random: Random,
    /// Names that this repository uses.
    names: Vec<String>,
}

/// What stands between names.
const SIGNS: [&str; 16] =
    ["let ", "if ", "self.", "return ", "(", ")", "()", ".", ", ", ";", " = ", " == ", " {", "}", "fn ", "&"];

impl Text {
    pub(super) fn new(seed: u64) -> Text {
        let mut random = Random(SplitMix64::seed_from_u64(seed));
        let names = (0..400).map(|_| random.word()).collect();
        Text { random, names }
    }

    /// Appends a line of some 35 bytes.
    pub(super) fn line(&mut self, text: &mut Vec<u8>) {
        text.resize(text.len() + 4 * self.random.below(5), b' ');
        for _ in 0..1 + self.random.below(6) {
            // Most names are rare and a few are everywhere.
            let among = (0..3).fold(self.names.len(), |among, _| 1 + self.random.below(among));
            let name = self.names.get(among - 1).map_or("", String::as_str);
            let sign = self.random.of(&SIGNS).copied().unwrap_or_default();
            text.extend([name, sign].concat().bytes());
        }
        text.push(b'\n');
    }

    pub(super) fn lines(&mut self, count: usize) -> Vec<u8> {
        let mut text = Vec::new();
        (0..count).for_each(|_| self.line(&mut text));
        text
    }
}
