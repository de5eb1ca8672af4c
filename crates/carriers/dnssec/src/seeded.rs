//! A small seeded generator for sample data: the same seed gives the same data on every machine and in every version.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

/// SplitMix64 (Steele, Lea and Flood, “Fast splittable pseudorandom number generators”, 2014). Not for keys.
#[derive(Debug, Clone)]
pub(crate) struct Seeded(SplitMix64);

impl Seeded {
    pub(crate) fn new(seed: u64) -> Self {
        Seeded(SplitMix64::seed_from_u64(seed))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`, which is not zero. The bias is below `bound / 2⁶⁴`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// Puts the items into an even order (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs for seed 1234567, as published with the algorithm's reference code.
    #[test]
    fn known_outputs() {
        let mut seeded = Seeded::new(1_234_567);
        assert_eq!(seeded.next(), 6_457_827_717_110_365_317);
        assert_eq!(seeded.next(), 3_203_168_211_198_807_973);
    }
}
