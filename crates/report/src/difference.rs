//! Whether two records differ, by the rule that ranks algorithms, too.

use fieldtest_measure::record::Record;
pub use fieldtest_verdict::Difference;

use crate::symbols::mark;
use crate::table::{Mark, Tone};

/// What the same source at another place made of a result on the machine that this was developed on (`BIAS.md`); counts
/// where a machine was not calibrated.
pub(crate) const LAYOUT: f64 = 0.021;

/// How the first of two results, which is the smaller, stands to the second. Exact ones differ as they do; whole jobs have
/// intervals of fewer rounds, which are the wider for it.
pub fn between(first: &Record, second: &Record, layout: f64) -> Difference {
    if first.samples == 0 && second.samples == 0 {
        return if first.value < second.value { Difference::Ahead } else { Difference::NoChange };
    }
    Difference::of_interval(interval_of_ratio(second, first), layout)
}

/// The mark beside a ratio; nothing where it speaks for itself.
pub fn mark_of(difference: Difference) -> Option<Mark> {
    match difference {
        Difference::Ahead => None,
        Difference::NoChange => Some(mark("=", "tied within 2%", Tone::Fair)),
        Difference::Behind => Some(mark("▽", "behind", Tone::Poor)),
        Difference::NotSignificant => Some(mark("?", "not significant", Tone::Quiet)),
    }
}

/// The 95 % interval of how many times the result `by` another is.
pub(crate) fn interval_of_ratio(of: &Record, by: &Record) -> Option<[f64; 2]> {
    fieldtest_verdict::interval_of_ratio((of.value, width(of)), (by.value, width(by)))
}

/// The wider half of a result's interval on the scale of logarithms: that of a whole task reaches alike to either side on the
/// scale of seconds, and by its upper half a task of 1.9 to 3.8 s stood behind one of 2.0 s.
pub(crate) fn width(record: &Record) -> Option<f64> {
    let [low, high] = record.interval?;
    // An estimate of what may be nothing begins at zero.
    let below = if low > 0.0 { record.value / low } else { 1.0 };
    Some((high / record.value).max(below).ln())
}
