//! From the values of many rounds to one figure with its interval.

use serde::{Deserialize, Serialize};

use crate::{bootstrap, rng::Rng};

/// Which figure stands for a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Estimator {
    /// For operations whose cost is spread by nature, such as signing by rejection sampling: throughput is a mean.
    Mean,
    /// For operations that cost the same each time: disturbances only ever add, and the median ignores them.
    Median,
}

impl Estimator {
    /// `mean` or `median`, as records name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Estimator::Mean => "mean",
            Estimator::Median => "median",
        }
    }

    /// How two series are compared: by means as soon as one of them is a mean.
    #[must_use]
    pub fn together(self, other: Self) -> Self {
        if self == Estimator::Mean || other == Estimator::Mean { Estimator::Mean } else { Estimator::Median }
    }
}

/// A 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// Upper less lower end.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// Half the width as a share of `value`: the number after ±.
    #[must_use]
    pub fn relative_to(&self, value: f64) -> f64 {
        self.width() / 2.0 / value.abs()
    }

    /// The interval of what is `factor` times as large.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Interval {
        Interval { low: self.low * factor, high: self.high * factor }
    }

    /// Whether `value` lies within, ends included.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

impl From<Interval> for [f64; 2] {
    fn from(interval: Interval) -> Self {
        [interval.low, interval.high]
    }
}

/// All that is said of one contender's values, in the counter's unit per operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Which of the figures below is *the* figure.
    pub estimator: Estimator,
    /// Rounds behind it.
    pub rounds: usize,
    /// The arithmetic mean.
    pub mean: f64,
    /// The mean's interval; absent for fewer than six rounds.
    pub mean_interval: Option<Interval>,
    /// The median.
    pub median: f64,
    /// The median's interval; absent for fewer than six rounds.
    pub median_interval: Option<Interval>,
    /// Stabilized quartiles 1, 2 and 3, see [`stabilized_quartiles`].
    pub quartiles: [f64; 3],
    /// The smallest value.
    pub minimum: f64,
    /// Median absolute deviation from the median, unscaled.
    pub deviation: f64,
}

impl Estimate {
    /// Of one value per round; `None` without values. The seed decides the resamples.
    #[must_use]
    pub fn of(values: &[f64], estimator: Estimator, seed: u64) -> Option<Self> {
        let sorted = sorted(values);
        let minimum = *sorted.first()?;
        let median = middle(&sorted);
        Some(Self {
            estimator,
            rounds: values.len(),
            mean: mean(values),
            mean_interval: bootstrap::mean(values, &mut Rng::for_purpose(seed, 1)),
            median,
            median_interval: bootstrap::median(&sorted, &mut Rng::for_purpose(seed, 2)),
            quartiles: stabilized_quartiles(&sorted),
            minimum,
            deviation: middle(&self::sorted(
                &sorted.iter().map(|value| (value - median).abs()).collect::<Vec<_>>(),
            )),
        })
    }

    /// The figure that the estimator chooses.
    #[must_use]
    pub fn value(&self) -> f64 {
        match self.estimator {
            Estimator::Mean => self.mean,
            Estimator::Median => self.median,
        }
    }

    /// The interval of [`value`](Self::value).
    #[must_use]
    pub fn interval(&self) -> Option<Interval> {
        match self.estimator {
            Estimator::Mean => self.mean_interval,
            Estimator::Median => self.median_interval,
        }
    }
}

/// How many times the cost of one contender another has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// With [`Estimator::Median`], the median of the ratios within each round; with [`Estimator::Mean`], the ratio
    /// of the means.
    pub value: f64,
    /// Its interval; absent for fewer than six rounds.
    pub interval: Option<Interval>,
    /// Which of the two it is.
    pub estimator: Estimator,
    /// Rounds behind it.
    pub rounds: usize,
}

impl Ratio {
    /// Of the values of two contenders, the same position being the same round; surplus values of the longer series
    /// are left out. `None` without values. The seed decides the resamples.
    #[must_use]
    pub fn of(numerators: &[f64], denominators: &[f64], estimator: Estimator, seed: u64) -> Option<Self> {
        Self::with(numerators, denominators, estimator, |rounds| match rounds {
            Rounds::Ratios(sorted) => bootstrap::median(sorted, &mut Rng::for_purpose(seed, 3)),
            Rounds::Values(y, x) => bootstrap::ratio_of_means(y, x, &mut Rng::for_purpose(seed, 4)),
        })
    }

    /// Like [`of`](Self::of) with an interval that needs no resamples, for looking at a run while it goes on.
    pub(crate) fn quick(numerators: &[f64], denominators: &[f64], estimator: Estimator) -> Option<Self> {
        Self::with(numerators, denominators, estimator, |rounds| match rounds {
            Rounds::Ratios(sorted) => bootstrap::quick_median(sorted),
            Rounds::Values(y, x) => bootstrap::quick_ratio_of_means(y, x),
        })
    }

    fn with(
        numerators: &[f64],
        denominators: &[f64],
        estimator: Estimator,
        interval: impl FnOnce(Rounds<'_>) -> Option<Interval>,
    ) -> Option<Self> {
        let rounds = numerators.len().min(denominators.len());
        if rounds == 0 {
            return None;
        }
        let (y, x) = (&numerators[..rounds], &denominators[..rounds]);
        let (value, interval) = match estimator {
            Estimator::Median => {
                let ratios = sorted(&y.iter().zip(x).map(|(y, x)| y / x).collect::<Vec<_>>());
                (middle(&ratios), interval(Rounds::Ratios(&ratios)))
            }
            Estimator::Mean => (mean(y) / mean(x), interval(Rounds::Values(y, x))),
        };
        Some(Self { value, interval, estimator, rounds })
    }

    /// The number after ±, as a share of the value; absent for fewer than six rounds.
    #[must_use]
    pub fn relative_half_width(&self) -> Option<f64> {
        self.interval.map(|interval| interval.relative_to(self.value))
    }
}

/// What an interval of a ratio is made from.
enum Rounds<'a> {
    Ratios(&'a [f64]),
    Values(&'a [f64], &'a [f64]),
}

/// Quartiles that do not jump from one sample to its neighbour: each of the *n* ascending values is taken eight
/// times, and a quartile is the mean of the quarter of the 8*n* entries that surrounds it (entries *n* to 3*n*, 3*n*
/// to 5*n*, 5*n* to 7*n*), as SUPERCOP's tables have them. All NaN without values.
#[must_use]
pub fn stabilized_quartiles(sorted: &[f64]) -> [f64; 3] {
    let n = sorted.len();
    [n, 3 * n, 5 * n].map(|start| {
        let (start, end) = (start, start + 2 * n);
        let entries = sorted.iter().enumerate().map(|(index, value)| {
            let taken = (8 * index + 8).min(end).saturating_sub((8 * index).max(start));
            value * taken as f64
        });
        entries.sum::<f64>() / (2 * n) as f64
    })
}

/// Ascending.
fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The median of ascending values; NaN without values.
fn middle(sorted: &[f64]) -> f64 {
    match sorted.len() {
        0 => f64::NAN,
        n => f64::midpoint(sorted[(n - 1) / 2], sorted[n / 2]),
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_figures() {
        let estimate = Estimate::of(&[4.0, 1.0, 3.0, 2.0, 100.0], Estimator::Median, 1).expect("values");
        assert_eq!((estimate.mean, estimate.median, estimate.minimum), (22.0, 3.0, 1.0));
        assert_eq!(estimate.deviation, 1.0);
        assert_eq!((estimate.value(), estimate.interval(), estimate.rounds), (3.0, None, 5));
        let even = Estimate::of(&[1.0, 2.0, 3.0, 10.0], Estimator::Mean, 1).expect("values");
        assert_eq!((even.median, even.value()), (2.5, 4.0));
        assert_eq!(Estimate::of(&[], Estimator::Mean, 1), None);
    }

    #[test]
    fn quartiles_equal_the_expansion_written_out() {
        for n in 1..20 {
            let sorted: Vec<f64> = (0..n).map(|i| f64::from(i * i)).collect();
            let expanded: Vec<f64> = sorted.iter().flat_map(|value| [*value; 8]).collect();
            let n = sorted.len();
            let quarter = |from: usize| mean(&expanded[from * n..(from + 2) * n]);
            for (quartile, from) in stabilized_quartiles(&sorted).into_iter().zip([1, 3, 5]) {
                assert!((quartile - quarter(from)).abs() < 1e-9, "{n} {from}");
            }
        }
    }

    #[test]
    fn a_round_ratio_ignores_what_both_share() {
        // Rounds that are up to 50 times slower than others, the same for both contenders.
        let mut rng = Rng::new(3);
        let slow: Vec<f64> = (0..200).map(|_| 1.0 + 49.0 * rng.unit()).collect();
        let x: Vec<f64> = slow.iter().map(|s| s * 100.0).collect();
        let y: Vec<f64> = slow.iter().map(|s| s * (101.0 + 0.2 * rng.unit() - 0.1)).collect();
        let ratio = Ratio::of(&y, &x, Estimator::Median, 1).expect("rounds");
        assert!((ratio.value - 1.01).abs() < 2e-4, "{ratio:?}");
        assert!(ratio.interval.expect("many").contains(1.01), "{ratio:?}");
        let means = Ratio::of(&y, &x, Estimator::Mean, 1).expect("rounds");
        assert!((means.value - 1.01).abs() < 4e-4, "{means:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let mut rng = Rng::new(3);
        let values: Vec<f64> = (0..100).map(|_| rng.unit()).collect();
        let once = Estimate::of(&values, Estimator::Mean, 7).expect("values");
        assert_eq!(Some(&once), Estimate::of(&values, Estimator::Mean, 7).as_ref());
        assert_ne!(Some(&once), Estimate::of(&values, Estimator::Mean, 8).as_ref());
    }

    #[test]
    fn a_mean_on_either_side_makes_the_ratio_one_of_means() {
        use Estimator::{Mean, Median};
        assert_eq!(Mean.together(Median), Mean);
        assert_eq!(Median.together(Mean), Mean);
        assert_eq!(Median.together(Median), Median);
    }
}
