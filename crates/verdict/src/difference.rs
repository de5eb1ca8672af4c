//! Whether two results differ: by more than their intervals, and by more than the place of the code in memory makes.

/// Results are tied if they differ by no more than this share.
const TIED: f64 = 0.02;
/// Processes that a difference takes.
const FEWEST: u64 = 6;

/// How a result stands to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// The other takes longer.
    Ahead,
    /// Both take the same, within 2 %.
    NoChange,
    /// The other takes less.
    Behind,
    /// The measurement cannot tell.
    NotSignificant,
}

impl Difference {
    /// Of a ratio, the other's result by one's own: with its 95 % interval, from so many processes, on a machine of
    /// which a report knows the layout effect.
    pub fn of(interval: Option<[f64; 2]>, processes: u64, layout: f64) -> Difference {
        Difference::of_interval(interval.filter(|_| processes >= FEWEST), layout)
    }

    /// As [`of`](Self::of), of a ratio whose interval already says whether there is enough behind it.
    pub fn of_interval(interval: Option<[f64; 2]>, layout: f64) -> Difference {
        match interval {
            Some([low, _]) if low > 1.0 + layout => Difference::Ahead,
            Some([_, high]) if high * (1.0 + layout) < 1.0 => Difference::Behind,
            Some([low, high]) if low * (1.0 + TIED) >= 1.0 && high <= 1.0 + TIED => Difference::NoChange,
            _ => Difference::NotSignificant,
        }
    }
}

/// The 95 % interval of how many times the first result the second is: of both, the value and the wider half of the interval on
/// the scale of logarithms.
pub fn interval_of_ratio(of: (f64, Option<f64>), by: (f64, Option<f64>)) -> Option<[f64; 2]> {
    let width = of.1?.hypot(by.1?);
    let ratio = of.0 / by.0;
    Some([ratio * (-width).exp(), ratio * width.exp()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_more_than_its_interval_and_the_layout() {
        use Difference::{Ahead, Behind, NoChange, NotSignificant};
        const LAYOUT: f64 = 0.021;
        for (interval, processes, expected) in [
            (Some([1.03, 1.05]), 30, Ahead),
            (Some([1.03, 1.05]), 6, Ahead),
            (Some([1.03, 1.05]), 5, NotSignificant),
            (Some([1.01, 1.05]), 30, NotSignificant),
            (Some([0.99, 1.015]), 30, NoChange),
            (Some([0.9, 0.95]), 30, Behind),
            // The other way round this is a lead of 1.9 %.
            (Some([0.9, 0.981]), 30, NotSignificant),
            (Some([0.9, 1.1]), 30, NotSignificant),
            (None, 30, NotSignificant),
        ] {
            assert_eq!(Difference::of(interval, processes, LAYOUT), expected, "{interval:?} {processes}");
        }
        assert_eq!(Difference::of(Some([1.01, 1.05]), 30, 0.004), Ahead);
    }
}
