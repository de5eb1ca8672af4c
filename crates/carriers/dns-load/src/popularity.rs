//! How often each of many things is chosen: Zipf's law, by rank.

use crate::random::Random;

/// Ranks from 0, of which rank `k` is chosen with a probability proportional to `1 / (k + 1)^s`.
#[derive(Debug, Clone)]
pub struct Zipf {
    /// What is chosen up to each rank, of 1.
    until: Vec<f64>,
}

impl Zipf {
    /// So many ranks; an exponent of 0 makes all of them alike. `None` of no ranks, or of what is no exponent from 0 to 10.
    pub fn new(ranks: usize, exponent: f64) -> Option<Zipf> {
        if ranks == 0 || !(0.0..=10.0).contains(&exponent) {
            return None;
        }
        let mut sum = 0.0;
        let mut until: Vec<f64> = (1..=ranks)
            .map(|rank| {
                sum += (rank as f64).powf(-exponent);
                sum
            })
            .collect();
        for share in &mut until {
            *share /= sum;
        }
        Some(Zipf { until })
    }

    pub(crate) fn draw(&self, random: &mut Random) -> usize {
        let share = random.share();
        self.until.partition_point(|until| *until <= share).min(self.until.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rank 0 is chosen twice as often as rank 1 and ten times as often as rank 9.
    #[test]
    fn shares_follow_the_law() {
        let zipf = Zipf::new(1_000, 1.0).expect("a law");
        let (mut random, mut counts) = (Random::new(1, 0), vec![0_u32; 1_000]);
        for _ in 0..1_000_000 {
            counts[zipf.draw(&mut random)] += 1;
        }
        let harmonic: f64 = (1..=1_000).map(|rank| 1.0 / f64::from(rank)).sum();
        for rank in [0, 1, 9, 99] {
            let expected = 1e6 / harmonic / (rank as f64 + 1.0);
            let off = (f64::from(counts[rank]) - expected).abs() / expected.sqrt();
            assert!(off < 4.0, "rank {rank}: {} for {expected}", counts[rank]);
        }
    }

    #[test]
    fn what_is_no_law() {
        for (ranks, exponent) in [(0, 1.0), (1, -0.1), (1, f64::NAN), (1, 11.0)] {
            assert!(Zipf::new(ranks, exponent).is_none());
        }
        let one = Zipf::new(1, 0.0).expect("a law");
        assert_eq!(one.draw(&mut Random::new(1, 0)), 0);
    }
}
