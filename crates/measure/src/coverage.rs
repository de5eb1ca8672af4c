//! How often a result lies in the interval of another run: the one test of an interval that needs no truth.
//!
//! The 95 % intervals of two calibrated runs hold each other's results in about 83 % of the cases, since both results are
//! drawn: `2 Φ(1.96 / √2) − 1`.

use crate::interval::Interval;

/// What two calibrated runs reach.
pub const EXPECTED: f64 = 0.834;

/// How many times as wide intervals are made without a calibration. On an Intel Xeon (AVX-512) in November
/// 2026, 73% of `speed`'s ratios held without it and 81% with it, where 83% is correct (`BIAS.md`).
pub const UNCALIBRATED: f64 = 1.3;

/// A result of one run with its interval; what a run does not have is `None`.
pub type Cell = Option<(f64, Interval)>;

/// What was counted over ordered pairs of runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coverage {
    /// Pairs that both have the result.
    pub pairs: usize,
    /// Those of them in which the first run's result lies in the second's interval.
    pub inside: usize,
    /// The median half width of the intervals, as a share of the result.
    pub half_width: f64,
    /// How far apart two runs' results are: the median, and what nine of ten stay below.
    pub apart: [f64; 2],
}

impl Coverage {
    /// Counts over runs that all have the same results in the same order, intervals taken `widened` times as wide.
    /// `None` where no two runs have a result in common.
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
    pub fn share(&self) -> f64 {
        self.inside as f64 / self.pairs as f64
    }
}

/// How many times as wide intervals have to be to hold each other's results as often as calibrated ones: 1 if they do,
/// to a twentieth. `None` where nothing can be counted, or where even 20 times are not enough.
pub fn widening(runs: &[Vec<Cell>]) -> Option<f64> {
    let holds = |widened: f64| Coverage::of(runs, widened).is_some_and(|found| found.share() >= EXPECTED);
    (20..=400).map(|twentieths| f64::from(twentieths) / 20.0).find(|widened| holds(*widened))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(value: f64, low: f64, high: f64) -> Cell {
        Some((value, Interval { low, high }))
    }

    #[test]
    fn every_ordered_pair_of_runs_is_counted_with_its_ends() {
        let runs = [
            vec![cell(100.0, 98.0, 102.0), None, cell(1.0, 1.0, 1.0)],
            vec![cell(102.0, 98.5, 104.0), None, None],
            vec![cell(110.0, 109.0, 111.0), cell(7.0, 6.0, 8.0), None],
        ];
        // 100 lies in 98.5 to 104, and 102 in 98 to 102; 110 and the others are apart.
        let found = Coverage::of(&runs, 1.0).expect("pairs");
        assert_eq!((found.pairs, found.inside, found.share()), (6, 2, 2.0 / 6.0));
        // Of 1/110, 1/110, 2/100, 2/100, 2.75/102, 2.75/102 the fourth; of 2/102, 2/100, 8/110, 8/102, 10/110 and 10/100
        // the fourth and the sixth.
        assert_eq!(found.half_width, 2.0 / 100.0);
        assert!(
            (found.apart[0] - 8.0 / 102.0).abs() < 1e-15 && (found.apart[1] - 0.1).abs() < 1e-15,
            "{found:?}"
        );
        // Twice as wide: 95 to 106, 96 to 104, 108 to 112. Four times as wide: 88 to 110 has the third, too.
        let wider = |widened| Coverage::of(&runs, widened).map(|it| (it.inside, it.half_width));
        assert_eq!(wider(2.0), Some((2, 4.0 / 100.0)));
        assert_eq!(wider(4.0), Some((3, 8.0 / 100.0)));
        assert_eq!(wider(5.0), Some((4, 10.0 / 100.0)));
        assert_eq!(Coverage::of(&runs[..1], 1.0), None);
        assert_eq!(Coverage::of(&[vec![None], vec![None]], 1.0), None);
    }

    /// Two runs whose results lie so far apart, in half widths of their intervals.
    fn apart(distances: &[f64]) -> [Vec<Cell>; 2] {
        [0.0, 1.0].map(|run| {
            let value = |distance: &f64| 1000.0 + run * distance;
            distances.iter().map(value).map(|value| cell(value, value - 1.0, value + 1.0)).collect()
        })
    }

    #[test]
    fn intervals_are_widened_by_twentieths_until_83_percent_hold() {
        for (distances, widened) in [
            // Six of seven are enough, five of six are not.
            (&[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 9.0][..], Some(1.0)),
            (&[0.5, 0.5, 0.5, 0.5, 0.5, 1.02], Some(1.05)),
            (&[0.5, 0.5, 0.5, 0.5, 0.5, 1.52], Some(1.55)),
            (&[19.97], Some(20.0)),
            (&[20.02], None),
        ] {
            assert_eq!(widening(&apart(distances)), widened, "{distances:?}");
        }
        assert_eq!(widening(&[]), None);
        assert_eq!(EXPECTED, 0.834);
    }
}
