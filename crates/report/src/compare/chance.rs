//! What chance makes of two results, and of very many of them.

use fieldtest_measure::record::Record;
use fieldtest_measure::student::{beyond, two_sided, two_sided_95};

use crate::difference::Difference;

/// How many of the reported changes may be false on average, as a share.
/// It is the false discovery rate.
pub const MOST_FALSE: f64 = 0.01;

/// How far the logarithm of a result may be off.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spread {
    /// Its standard error, widened as the interval is.
    error: f64,
    /// The degrees of freedom behind the error.
    freedom: f64,
}

impl Spread {
    /// Of a record, by its interval and the processes or rounds behind it; `None` without an interval, and where that
    /// reaches down to nothing.
    pub(super) fn of(record: &Record) -> Option<Spread> {
        let [low, high] = record.interval.filter(|[low, _]| *low > 0.0)?;
        let freedom = record.samples.saturating_sub(1).max(1) as f64;
        Some(Spread { error: (high.ln() - low.ln()) / 2.0 / two_sided_95(freedom), freedom })
    }

    /// Of a product or quotient of results. Errors add in quadrature, degrees of freedom by Welch and Satterthwaite.
    pub(super) fn together(all: impl IntoIterator<Item = Spread>) -> Spread {
        let (mut variance, mut fourth) = (0.0, 0.0);
        for Spread { error, freedom } in all {
            variance += error.powi(2);
            fourth += error.powi(4) / freedom;
        }
        let freedom = if fourth > 0.0 { variance.powi(2) / fourth } else { 1.0 };
        Spread { error: variance.sqrt(), freedom }
    }

    /// Rounded down, so that nothing is told too early.
    fn freedom(&self) -> u32 {
        self.freedom as u32
    }
}

/// How many times as long something takes, as far as that can be known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    pub(super) times: f64,
    pub(super) spread: Spread,
    /// What the place of code in memory may make of it, as a share.
    pub(super) layout: f64,
    /// What others that used its cores may explain of it, as a share.
    pub(super) taken: f64,
    /// How much longer it may take than it seems, as a share: what others took from a result that it is compared with.
    pub(super) hidden: f64,
}

impl Change {
    /// How likely it is at most that chance and layout make so much of nothing.
    pub(super) fn chance(&self) -> f64 {
        let excess = self.times.ln().abs() - self.layout.max(self.taken).ln_1p();
        match self.spread.error {
            _ if excess <= 0.0 => 1.0,
            0.0 => 0.0,
            error => beyond(excess / error, self.spread.freedom()),
        }
    }

    /// The interval that misses the truth in this share of all cases.
    pub(super) fn interval(&self, outside: f64) -> [f64; 2] {
        // Beyond these bounds e^x is no number.
        let bound = |exponent: f64| exponent.clamp(-700.0, 700.0).exp();
        let width = self.spread.error * two_sided(outside, self.spread.freedom());
        [bound(self.times.ln() - width), bound(self.times.ln() + width)]
    }

    /// How the first result stands to the other.
    pub(super) fn told(&self, interval: [f64; 2]) -> Difference {
        match Difference::of_interval(Some(interval), self.layout.max(self.taken)) {
            Difference::NoChange if self.hidden.max(self.taken) > self.layout => Difference::NotSignificant,
            told => told,
        }
    }

    /// Whether only others that used the cores keep it from being told.
    pub(super) fn is_masked(&self, interval: [f64; 2]) -> bool {
        let alone = Difference::of_interval(Some(interval), self.layout);
        alone != Difference::NotSignificant && self.told(interval) == Difference::NotSignificant
    }
}

/// In which share of all cases an interval may miss the truth, so that on average no more than [`MOST_FALSE`]
/// of the reported changes are false: by Benjamini and Hochberg,
/// *Controlling the false discovery rate* (J. R. Statist. Soc. B 57, 1995), who find what is told, and Benjamini and
/// Yekutieli (J. Am. Statist. Assoc. 100, 2005), who give that its intervals.
pub(super) fn outside(mut chances: Vec<f64>) -> f64 {
    chances.sort_unstable_by(f64::total_cmp);
    let all = chances.len().max(1) as f64;
    let allowed = |rank: usize| MOST_FALSE * rank as f64 / all;
    let told = (1..=chances.len()).rev().find(|rank| chances[rank - 1] <= allowed(*rank));
    allowed(told.unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(times: f64, error: f64, freedom: f64) -> Change {
        Change { times, spread: Spread { error, freedom }, layout: 0.021, taken: 0.0, hidden: 0.0 }
    }

    #[test]
    fn errors_add_as_welch_has_them() {
        let both =
            Spread::together([Spread { error: 3.0, freedom: 29.0 }, Spread { error: 4.0, freedom: 29.0 }]);
        assert!((both.error - 5.0).abs() < 1e-12 && (29..=58).contains(&both.freedom()), "{both:?}");
        let even = Spread::together([Spread { error: 1.0, freedom: 4.0 }; 2]);
        assert_eq!(even.freedom(), 8);
        // One that is far wider decides alone.
        let one =
            Spread::together([Spread { error: 1.0, freedom: 4.0 }, Spread { error: 1e-6, freedom: 99.0 }]);
        assert_eq!(one.freedom(), 4);
        assert_eq!(Spread::together([]).freedom(), 1);
    }

    #[test]
    fn the_more_results_the_more_it_takes() {
        let found = change(1.05, 0.008, 58.0);
        assert!((outside(vec![found.chance()]) - 0.01).abs() < 1e-12);
        assert_eq!(found.told(found.interval(0.01)), Difference::Ahead);
        let among: Vec<f64> = (0..1000).map(|_| 1.0).chain([found.chance()]).collect();
        let share = outside(among);
        assert!(share < 1.1e-5);
        assert_eq!(found.told(found.interval(share)), Difference::NotSignificant);
    }

    #[test]
    fn what_is_told_is_what_the_intervals_exclude() {
        let all: Vec<Change> = (0..200).map(|at| change(1.0 + 0.001 * f64::from(at), 0.008, 30.0)).collect();
        let chances: Vec<f64> = all.iter().map(Change::chance).collect();
        let share = outside(chances.clone());
        let told = all.iter().filter(|it| it.told(it.interval(share)) == Difference::Ahead).count();
        assert!(told > 100 && told == chances.iter().filter(|chance| **chance <= share).count(), "{told}");
    }

    #[test]
    fn results_without_any_spread() {
        assert_eq!((change(1.5, 0.0, 1.0).chance(), change(1.01, 0.0, 1.0).chance()), (0.0, 1.0));
        let [low, high] = change(1e308, 1e6, 1.0).interval(1e-9);
        assert!(low.is_finite() && high.is_finite());
    }
}
