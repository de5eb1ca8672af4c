//! When queries are due: a rate, constant or rising, with even or random gaps.

use std::time::Duration;

use thiserror::Error;

use crate::random::Random;

/// The highest rate in queries a second; several processors of today together do not reach it.
pub const LARGEST_RATE: f64 = 10_000_000.0;

/// Queries a second, at the beginning and at the end; between them in a straight line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    from: f64,
    to: f64,
}

/// A rate that cannot be sent at.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("invalid rate '{0}': expected queries per second above 0, at most {LARGEST_RATE}")]
pub struct NotARate(f64);

impl Rate {
    /// The same rate all the time.
    ///
    /// # Errors
    /// Not above 0, or above [`LARGEST_RATE`].
    pub fn constant(rate: f64) -> Result<Rate, NotARate> {
        Rate::ramp(rate, rate)
    }

    /// A rate that goes from one to the other over the whole time.
    ///
    /// # Errors
    /// As [`constant`](Self::constant).
    pub fn ramp(from: f64, to: f64) -> Result<Rate, NotARate> {
        match [from, to].into_iter().find(|rate| !(*rate > 0.0 && *rate <= LARGEST_RATE)) {
            Some(rate) => Err(NotARate(rate)),
            None => Ok(Rate { from, to }),
        }
    }

    /// The largest of both.
    pub fn highest(self) -> f64 {
        self.from.max(self.to)
    }

    /// When so many queries are due, in seconds of a run that takes `time` seconds; `None` if it ends before.
    ///
    /// Of a rate that changes by `c` every second, `n = from · t + c · t² / 2` are due until `t`.
    fn moment(self, count: f64, time: f64) -> Option<f64> {
        let change = (self.to - self.from) / time;
        let under = self.from * self.from + 2.0 * change * count;
        // The form of the solution that loses no digits where the change is small.
        let moment = if under >= 0.0 { 2.0 * count / (self.from + under.sqrt()) } else { return None };
        (moment < time).then_some(moment)
    }
}

/// The gaps between queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spacing {
    /// All alike, to compare with other generators.
    Even,
    /// As of many clients that do not know each other: exponential, so that queries come in bunches.
    #[default]
    Poisson,
}

/// The moments, ascending, in nanoseconds from the beginning.
#[derive(Debug, Clone)]
pub struct Arrivals {
    rate: Rate,
    spacing: Spacing,
    time: f64,
    due: f64,
    random: Random,
}

impl Arrivals {
    /// The moments of a run of this length.
    pub fn new(rate: Rate, spacing: Spacing, time: Duration, seed: u64) -> Arrivals {
        // Even moments stand in the middle of their gaps, so that as many are due as rate and time say.
        let due = if spacing == Spacing::Even { -0.5 } else { 0.0 };
        Arrivals { rate, spacing, time: time.as_secs_f64(), due, random: Random::new(seed, 1) }
    }
}

impl Iterator for Arrivals {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.due += match self.spacing {
            Spacing::Even => 1.0,
            Spacing::Poisson => self.random.gap(),
        };
        let moment = self.rate.moment(self.due, self.time)?;
        Some((moment * 1e9) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(rate: Rate, spacing: Spacing, seconds: u64) -> Vec<u64> {
        Arrivals::new(rate, spacing, Duration::from_secs(seconds), 7).collect()
    }

    #[test]
    fn an_even_rate_has_even_gaps() -> Result<(), NotARate> {
        let moments = moments(Rate::constant(1_000.0)?, Spacing::Even, 10);
        assert_eq!(moments.len(), 10_000);
        assert!(moments.windows(2).all(|pair| (999_999..=1_000_001).contains(&(pair[1] - pair[0]))));
        Ok(())
    }

    /// Of an exponential distribution the standard deviation is the mean.
    #[test]
    fn random_gaps_are_exponential() -> Result<(), NotARate> {
        let moments = moments(Rate::constant(1_000.0)?, Spacing::Poisson, 100);
        assert!((99_000..101_000).contains(&moments.len()), "{}", moments.len());
        let gaps: Vec<f64> = moments.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.02, "{mean} {variance}");
        Ok(())
    }

    /// From 100 to 300 a second in ten seconds: 750 in the first half, 2,000 in all.
    #[test]
    fn a_ramp_rises_in_a_straight_line() -> Result<(), NotARate> {
        for (from, to, early) in [(100.0, 300.0, 750), (300.0, 100.0, 1_250), (200.0, 200.0, 1_000)] {
            let moments = moments(Rate::ramp(from, to)?, Spacing::Even, 10);
            assert_eq!(moments.len(), 2_000, "{from} {to}");
            assert_eq!(moments.iter().filter(|moment| **moment < 5_000_000_000).count(), early);
            assert!(moments.is_sorted());
        }
        Ok(())
    }

    #[test]
    fn a_seed_repeats() -> Result<(), NotARate> {
        let all = |seed| -> Vec<u64> {
            let rate = Rate { from: 50.0, to: 500.0 };
            Arrivals::new(rate, Spacing::Poisson, Duration::from_secs(5), seed).collect()
        };
        assert_eq!(all(3), all(3));
        assert_ne!(all(3), all(4));
        Ok(())
    }

    #[test]
    fn what_is_no_rate() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e8] {
            assert!(Rate::constant(rate).is_err(), "{rate}");
        }
    }
}
