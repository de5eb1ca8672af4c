//! What a result is called, its interval, and how two are compared.

use serde::{Deserialize, Serialize};

use crate::words;

words! {
    /// Which result stands for a series.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Estimator as name {
        /// For operations whose cost is spread by nature, such as signing by rejection sampling: throughput is a mean.
        Mean = "mean",
        /// For operations that cost the same each time: disturbances only ever add, and the median ignores them.
        Median = "median",
    }
}

impl Estimator {
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
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// Half the width as a share of `value`: the number after ±.
    pub fn relative_to(&self, value: f64) -> f64 {
        self.width() / 2.0 / value.abs()
    }

    /// The interval of what is `factor` times as large.
    pub fn scaled(&self, factor: f64) -> Interval {
        Interval { low: self.low * factor, high: self.high * factor }
    }

    /// Whether `value` lies within, ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

impl From<Interval> for [f64; 2] {
    fn from(interval: Interval) -> Self {
        [interval.low, interval.high]
    }
}

/// How many times the cost of one benchmark another has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// The ratio.
    pub value: f64,
    /// Its 95 % interval; absent where one of the two has none.
    pub interval: Option<Interval>,
    /// What of both was compared.
    pub estimator: Estimator,
    /// Processes behind the one that has fewer.
    pub processes: usize,
}

/// Quartiles that do not jump from one sample to its neighbour: each of the *n* ascending values is taken eight
/// times, and a quartile is the mean of the quarter of the 8*n* entries that surrounds it (entries *n* to 3*n*, 3*n*
/// to 5*n*, 5*n* to 7*n*), as SUPERCOP's tables have them. All NaN without values.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_these_words_for_estimators() {
        assert_eq!([Estimator::Median, Estimator::Mean].map(Estimator::name), ["median", "mean"]);
    }

    #[test]
    fn quartiles_equal_the_expansion_written_out() {
        for n in 1..20 {
            let sorted: Vec<f64> = (0..n).map(|i| f64::from(i * i)).collect();
            let expanded: Vec<f64> = sorted.iter().flat_map(|value| [*value; 8]).collect();
            let n = sorted.len();
            let quarter =
                |from: usize| expanded[from * n..(from + 2) * n].iter().sum::<f64>() / (2 * n) as f64;
            for (quartile, from) in stabilized_quartiles(&sorted).into_iter().zip([1, 3, 5]) {
                assert!((quartile - quarter(from)).abs() < 1e-9, "{n} {from}");
            }
        }
    }

    #[test]
    fn a_mean_on_either_side_makes_the_ratio_one_of_means() {
        use Estimator::{Mean, Median};
        assert_eq!(Mean.together(Median), Mean);
        assert_eq!(Median.together(Mean), Mean);
        assert_eq!(Median.together(Median), Median);
    }

    #[test]
    fn an_interval_is_told_as_a_share_of_the_estimate() {
        let interval = Interval { low: 9.0, high: 11.0 };
        assert_eq!((interval.width(), interval.relative_to(10.0)), (2.0, 0.1));
        assert!(interval.contains(9.0) && interval.contains(11.0) && !interval.contains(11.5));
        assert!(!interval.contains(8.5));
        assert_eq!(interval.scaled(2.0), Interval { low: 18.0, high: 22.0 });
        assert_eq!(<[f64; 2]>::from(interval), [9.0, 11.0]);
    }
}
