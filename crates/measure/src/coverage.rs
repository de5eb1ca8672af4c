//! How often a figure lies in the interval of another run: the one test of an interval that needs no truth.
//!
//! The 95 % intervals of two calibrated runs hold each other's figures in about 83 % of the cases, since both figures are
//! drawn: `2 Φ(1.96 / √2) − 1`.

use crate::estimate::Interval;

/// What two calibrated runs reach.
pub const EXPECTED: f64 = 0.834;

/// A figure of one run with its interval; what a run does not have is `None`.
pub type Cell = Option<(f64, Interval)>;

/// What was counted over ordered pairs of runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coverage {
    /// Pairs that both have the figure.
    pub pairs: usize,
    /// Those of them in which the first run's figure lies in the second's interval.
    pub inside: usize,
    /// The median half width of the intervals, as a share of the figure.
    pub half_width: f64,
    /// How far apart two runs' figures are: the median, and what nine of ten stay below.
    pub apart: [f64; 2],
}

impl Coverage {
    /// Counts over runs that all have the same figures in the same order, intervals taken `widened` times as wide.
    /// `None` where no two runs have a figure in common.
    #[must_use]
    pub fn of(runs: &[Vec<Cell>], widened: f64) -> Option<Coverage> {
        let (mut inside, mut widths, mut apart) = (0, Vec::new(), Vec::new());
        for (at, run) in runs.iter().enumerate() {
            for other in runs.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, run)| run) {
                for (a, b) in run.iter().zip(other) {
                    let (Some((a, _)), Some((b, interval))) = (a, b) else { continue };
                    let stretched = Interval {
                        low: b - (b - interval.low) * widened,
                        high: b + (interval.high - b) * widened,
                    };
                    inside += usize::from(stretched.contains(*a));
                    widths.push(stretched.relative_to(*b));
                    apart.push((a / b - 1.0).abs());
                }
            }
        }
        widths.sort_unstable_by(f64::total_cmp);
        apart.sort_unstable_by(f64::total_cmp);
        let at = |sorted: &[f64], share: f64| sorted.get((share * sorted.len() as f64) as usize).copied();
        let half_width = at(&widths, 0.5)?;
        Some(Coverage {
            pairs: widths.len(),
            inside,
            half_width,
            apart: [at(&apart, 0.5)?, at(&apart, 0.9)?],
        })
    }

    /// The share of the pairs.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.inside as f64 / self.pairs as f64
    }
}

/// How many times as wide intervals have to be to hold each other's figures as often as calibrated ones: 1 if they do,
/// to a twentieth. `None` where nothing can be counted, or where even 20 times are not enough.
#[must_use]
pub fn widening(runs: &[Vec<Cell>]) -> Option<f64> {
    let holds = |widened: f64| Coverage::of(runs, widened).is_some_and(|found| found.share() >= EXPECTED);
    (20..=400).map(|twentieths| f64::from(twentieths) / 20.0).find(|widened| holds(*widened))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Runs of figures that are drawn around 1000 with a standard error of 1, and say `said` of it.
    fn runs(said: f64) -> Vec<Vec<Cell>> {
        let mut rng = Rng::new(5);
        let mut figure = || {
            let normal = (-2.0 * (1.0 - rng.unit()).ln()).sqrt() * (std::f64::consts::TAU * rng.unit()).cos();
            let value = 1000.0 + normal;
            Some((value, Interval { low: value - 1.96 * said, high: value + 1.96 * said }))
        };
        (0..6).map(|_| (0..300).map(|_| figure()).collect()).collect()
    }

    #[test]
    fn calibrated_runs_hold_five_of_six() {
        let found = Coverage::of(&runs(1.0), 1.0).expect("pairs");
        assert_eq!(found.pairs, 6 * 5 * 300);
        assert!((found.share() - EXPECTED).abs() < 0.01, "{found:?}");
        assert!((found.half_width / 0.00196 - 1.0).abs() < 0.01, "{found:?}");
        assert!(found.apart[0] > 0.0005 && found.apart[1] < 0.004, "{found:?}");
    }

    #[test]
    fn intervals_that_claim_too_much_are_widened() {
        assert!(Coverage::of(&runs(0.5), 1.0).expect("pairs").share() < 0.6);
        let widened = widening(&runs(0.5)).expect("enough");
        assert!((widened - 2.0).abs() < 0.15, "{widened}");
        assert_eq!(widening(&runs(1.5)), Some(1.0));
        assert_eq!(widening(&[]), None);
        assert_eq!(widening(&[vec![None], vec![None]]), None);
    }
}
