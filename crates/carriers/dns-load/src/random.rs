//! Seeded choices: the same seed gives the same schedule on every machine.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

/// SplitMix64 with the draws that schedules are made of.
#[derive(Debug, Clone)]
pub(crate) struct Random(SplitMix64);

impl Random {
    /// A sequence of its own for each purpose: what one draws does not move what another gets.
    pub(crate) fn new(seed: u64, purpose: u64) -> Self {
        let mut mixed = SplitMix64::seed_from_u64(purpose);
        Random(SplitMix64::seed_from_u64(seed ^ mixed.next_u64()))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`, which is not zero. The bias is below `bound / 2⁶⁴`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// A number from 0 to 1, without 1.
    pub(crate) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The gap before the next event of a Poisson process of rate 1.
    pub(crate) fn gap(&mut self) -> f64 {
        -(1.0 - self.share()).ln()
    }
}
