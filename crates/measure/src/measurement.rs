//! What came out of the rounds: the values, and every figure that is made from them.

use crate::{
    estimate::{Estimate, Estimator, Ratio},
    plan::{Plan, StopReason},
};
use std::time::Duration;

/// One contender's values.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The contender's name.
    pub name: String,
    /// The figure that stands for it.
    pub estimator: Estimator,
    /// Operations per window.
    pub batch: u64,
    /// One value per round: the counter's units per operation.
    pub values: Vec<f64>,
    /// For each round, whether the thread lost its core within the window. Such values are kept.
    pub disturbed: Vec<bool>,
}

impl Series {
    /// The share of windows in which the thread lost its core; 0 without rounds.
    #[must_use]
    pub fn disturbed_share(&self) -> f64 {
        self.disturbed.iter().filter(|&&disturbed| disturbed).count() as f64
            / self.disturbed.len().max(1) as f64
    }
}

/// What was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// `cycles` or `ns`.
    pub unit: &'static str,
    /// The contenders, in the order they were given; all with the same number of values.
    pub series: Vec<Series>,
    /// Why it ended.
    pub stop: StopReason,
    /// Time it took, all included.
    pub elapsed: Duration,
    /// Rounds that were not kept because the counter was lost within one of their windows.
    pub lost_rounds: usize,
    /// The plan it followed.
    pub plan: Plan,
}

impl Measurement {
    /// Rounds kept.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.series.first().map_or(0, |series| series.values.len())
    }

    /// What is said of one contender; `None` where there is no such contender or no whole round.
    #[must_use]
    pub fn estimate(&self, contender: usize) -> Option<Estimate> {
        let series = self.series.get(contender)?;
        Estimate::of(&series.values, series.estimator, self.plan.seed)
    }

    /// How many times the cost of `denominator` the contender `numerator` has. Any pair may be asked for, not only
    /// those with the baseline. `None` where there is no such contender or no whole round.
    #[must_use]
    pub fn ratio(&self, numerator: usize, denominator: usize) -> Option<Ratio> {
        let (y, x) = (self.series.get(numerator)?, self.series.get(denominator)?);
        Ratio::of(&y.values, &x.values, y.estimator.together(x.estimator), self.plan.seed)
    }

    /// What a reader of one contender's figure should know, a sentence each: why the measurement ended, and what
    /// disturbed it.
    #[must_use]
    pub fn notes(&self, contender: usize) -> Vec<String> {
        let mut notes = vec![format!("{} rounds, {}", self.rounds(), self.stop)];
        if let Some(series) = self.series.get(contender) {
            if series.batch > 1 {
                notes.push(format!("{} operations per window", series.batch));
            }
            let share = series.disturbed_share();
            if share > 0.0 {
                notes.push(format!("the thread lost its core in {:.1} % of the windows", 100.0 * share));
            }
        }
        if self.lost_rounds > 0 {
            notes.push(format!("{} rounds were not kept because the counter was lost", self.lost_rounds));
        }
        notes
    }

    /// The widest ± of what the target is about: the ratios to the baseline, or the figure itself where there is
    /// only one contender. `None` with too few rounds for intervals.
    #[must_use]
    pub fn widest(&self) -> Option<f64> {
        widest(&self.series, &self.plan, |y, x, estimator| Ratio::of(y, x, estimator, self.plan.seed))
    }
}

/// The largest relative half-width among the ratios to the baseline, or of the only contender's own figure.
pub(crate) fn widest(
    series: &[Series],
    plan: &Plan,
    ratio: impl Fn(&[f64], &[f64], Estimator) -> Option<Ratio>,
) -> Option<f64> {
    let baseline = series.get(plan.baseline)?;
    let half_width = |ratio: Option<Ratio>| ratio?.relative_half_width();
    if series.len() == 1 {
        // A figure is its own ratio to one.
        let ones = vec![1.0; baseline.values.len()];
        return half_width(ratio(&baseline.values, &ones, baseline.estimator));
    }
    let others = series.iter().enumerate().filter(|(index, _)| *index != plan.baseline);
    others
        .map(|(_, other)| {
            half_width(ratio(&other.values, &baseline.values, other.estimator.together(baseline.estimator)))
        })
        .try_fold(0.0, |widest, half| Some(f64::max(widest, half?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that alternate around `centre` by the share `spread`.
    fn series(name: &str, estimator: Estimator, centre: f64, spread: f64) -> Series {
        let values = (0..60).map(|round| centre * (1.0 + spread * f64::from(round % 3 - 1))).collect();
        Series { name: name.into(), estimator, batch: 4, values, disturbed: vec![false; 60] }
    }

    fn measurement(series: Vec<Series>) -> Measurement {
        Measurement {
            unit: "cycles",
            series,
            stop: StopReason::Target,
            elapsed: Duration::from_secs(1),
            lost_rounds: 0,
            plan: Plan::default(),
        }
    }

    #[test]
    fn the_widest_is_that_of_the_worst_ratio() {
        use Estimator::{Mean, Median};
        let calm = || series("calm", Median, 100.0, 0.0);
        let still = measurement(vec![calm(), series("twice", Median, 200.0, 0.0)]);
        assert_eq!((still.widest(), still.ratio(1, 0).map(|r| r.value)), (Some(0.0), Some(2.0)));
        let restless =
            measurement(vec![calm(), series("a", Mean, 200.0, 0.01), series("b", Mean, 300.0, 0.1)]);
        let half_width = |other| restless.ratio(other, 0).and_then(|r| r.relative_half_width());
        assert!(half_width(2) > half_width(1) && half_width(1) > Some(0.0));
        assert_eq!(restless.widest(), half_width(2));
        let alone = measurement(vec![series("alone", Mean, 200.0, 0.1)]);
        let own = alone.estimate(0).expect("values");
        let relative = own.interval().expect("many").relative_to(own.value());
        assert!((alone.widest().expect("many") / relative - 1.0).abs() < 0.2);
    }

    #[test]
    fn notes_say_what_a_reader_needs() {
        let mut disturbed = series("x", Estimator::Median, 1.0, 0.0);
        disturbed.disturbed[..15].fill(true);
        let measurement = Measurement { lost_rounds: 2, ..measurement(vec![disturbed]) };
        let notes = measurement.notes(0);
        assert_eq!(notes[0], "60 rounds, stopped because every interval is as narrow as asked");
        assert_eq!(notes[1], "4 operations per window");
        assert!(notes[2].contains("25.0 % of the windows") && notes[3].starts_with("2 rounds were not kept"));
    }

    #[test]
    fn without_rounds_there_are_no_figures() {
        let mut empty = series("x", Estimator::Median, 1.0, 0.0);
        empty.values.clear();
        empty.disturbed.clear();
        let measurement = measurement(vec![empty]);
        assert_eq!((measurement.rounds(), measurement.widest()), (0, None));
        assert_eq!(
            (measurement.estimate(0), measurement.ratio(0, 0), measurement.estimate(9)),
            (None, None, None)
        );
        assert_eq!(measurement.series[0].disturbed_share(), 0.0);
    }
}
