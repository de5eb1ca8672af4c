//! The one source of randomness in a run: small, fast, and the same for the same seed on every machine.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

/// SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014): 64 bits of
/// state, every output once per period. It orders rounds and draws bootstrap resamples; it is not for secrets.
#[derive(Debug, Clone)]
pub struct Rng(SplitMix64);

impl Rng {
    /// A generator that is fully determined by `seed`.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    /// An independent generator for one purpose of a run, so that drawing more for one purpose (a longer warm-up)
    /// does not change another (the bootstrap).
    pub fn for_purpose(seed: u64, purpose: u64) -> Self {
        let mut rng = Self::new(seed ^ Self::new(purpose).next_u64());
        Self::new(rng.next_u64())
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound` (0 for a bound of 0). Multiply and shift: its bias, at most `bound` / 2^64, is far
    /// below anything that a schedule or a bootstrap can show.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// So many bytes, each of a draw of its own.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.below(256) as u8).collect()
    }

    /// A number in [0, 1) with 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Puts `items` into a uniformly drawn order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A number from the standard normal distribution (Box and Muller).
    pub(crate) fn normal(rng: &mut Rng) -> f64 {
        (-2.0 * (1.0 - rng.unit()).ln()).sqrt() * (std::f64::consts::TAU * rng.unit()).cos()
    }

    #[test]
    fn the_published_sequence_of_splitmix64() {
        // The first outputs for seed 1234567, as Rosetta Code's task "Pseudo-random numbers/Splitmix64" lists them.
        let mut rng = Rng::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        for value in expected {
            assert_eq!(rng.next_u64(), value);
        }
    }

    #[test]
    fn what_is_drawn_is_what_another_program_draws() {
        let mut rng = Rng::new(1);
        assert_eq!(std::array::from_fn(|_| rng.below(7)), [3, 5, 6, 3, 3, 5, 6, 3, 1, 5, 2, 4]);
        assert_eq!(rng.below(0), 0);
        let mut rng = Rng::new(1);
        let units = [0.566_561_575_172_280_9, 0.745_781_757_262_701_1, 0.971_002_753_586_796_2];
        assert_eq!(std::array::from_fn(|_| rng.unit()), units);
        let mut items: Vec<usize> = (0..8).collect();
        Rng::new(5).shuffle(&mut items);
        assert_eq!(items, [7, 2, 6, 4, 0, 1, 5, 3]);
        assert_eq!(Rng::for_purpose(1, 2).next_u64(), 10_428_484_394_136_884_971);
        assert_eq!(Rng::for_purpose(2, 1).next_u64(), 16_613_338_946_343_043_936);
        assert_eq!(Rng::for_purpose(3, 2).next_u64(), 9_010_123_811_642_659_373);
    }
}
