//! 95 % intervals: by percentile bootstrap over rounds, and quick ones to decide when the bootstrap is worth asking.

use crate::{estimate::Interval, rng::Rng};

/// Resamples per interval.
pub(crate) const RESAMPLES: usize = 2000;

/// Fewest rounds that carry an interval. Below, the resamples cannot reach outside of what was seen often enough
/// for 95 %: even the whole range of five values misses the median in one case of sixteen.
pub(crate) const MIN_ROUNDS: usize = 6;

/// The interval of the median of `sorted` (ascending) values. A resample's median needs only how often each rank
/// was drawn, so no resample is ever sorted: 400 rounds take about 2 ms with optimisation.
pub(crate) fn median(sorted: &[f64], rng: &mut Rng) -> Option<Interval> {
    let n = sorted.len();
    let mut drawn = vec![0u32; n];
    interval(n, rng, |rng| {
        drawn.fill(0);
        draw(n, rng, |index| drawn[index] += 1);
        // The middle two of an even number of values, twice the middle one of an odd number.
        (at_rank(sorted, &drawn, (n - 1) / 2) + at_rank(sorted, &drawn, n / 2)) / 2.0
    })
}

/// The interval of the mean.
pub(crate) fn mean(values: &[f64], rng: &mut Rng) -> Option<Interval> {
    let n = values.len();
    interval(n, rng, |rng| {
        let mut sum = 0.0;
        draw(n, rng, |index| sum += values[index]);
        sum / n as f64
    })
}

/// The interval of the ratio of two means whose values were taken in the same rounds: a round is drawn as a whole.
pub(crate) fn ratio_of_means(numerators: &[f64], denominators: &[f64], rng: &mut Rng) -> Option<Interval> {
    let n = numerators.len().min(denominators.len());
    interval(n, rng, |rng| {
        let (mut above, mut below) = (0.0, 0.0);
        draw(n, rng, |index| {
            above += numerators[index];
            below += denominators[index];
        });
        above / below
    })
}

/// An interval of the median without resampling, from order statistics: ranks (n ∓ 1.96 √n) / 2.
pub(crate) fn quick_median(sorted: &[f64]) -> Option<Interval> {
    let n = sorted.len();
    if n < MIN_ROUNDS {
        return None;
    }
    let rank = ((n as f64 - 1.96 * (n as f64).sqrt()) / 2.0).floor().max(1.0) as usize;
    Some(Interval { low: sorted[rank - 1], high: sorted[n - rank] })
}

/// An interval of the ratio of means without resampling: the ratio linearised (delta method), ± 1.96 standard errors.
pub(crate) fn quick_ratio_of_means(numerators: &[f64], denominators: &[f64]) -> Option<Interval> {
    let n = numerators.len().min(denominators.len());
    if n < MIN_ROUNDS {
        return None;
    }
    let (above, below): (f64, f64) = (numerators[..n].iter().sum(), denominators[..n].iter().sum());
    let ratio = above / below;
    let squares: f64 = numerators.iter().zip(denominators).map(|(y, x)| (y - ratio * x).powi(2)).sum();
    let count = n as f64;
    let half = 1.96 * (squares / (count * (count - 1.0))).sqrt() / (below / count);
    Some(Interval { low: ratio - half, high: ratio + half })
}

fn interval(n: usize, rng: &mut Rng, mut statistic: impl FnMut(&mut Rng) -> f64) -> Option<Interval> {
    if n < MIN_ROUNDS {
        return None;
    }
    let mut statistics: Vec<f64> = (0..RESAMPLES).map(|_| statistic(rng)).collect();
    statistics.sort_unstable_by(f64::total_cmp);
    let last = (RESAMPLES - 1) as f64;
    // Rounded outwards.
    let low = (0.025 * last).floor() as usize;
    let high = (0.975 * last).ceil() as usize;
    Some(Interval { low: statistics[low], high: statistics[high] })
}

/// Draws `n` indices below `n`, two from each 64 random bits (their bias is below n / 2^32).
#[inline]
fn draw(n: usize, rng: &mut Rng, mut take: impl FnMut(usize)) {
    let scale = |bits: u64| ((bits * n as u64) >> 32) as usize;
    for _ in 0..n / 2 {
        let bits = rng.next_u64();
        take(scale(bits & 0xffff_ffff));
        take(scale(bits >> 32));
    }
    if n % 2 == 1 {
        take(scale(rng.next_u64() >> 32));
    }
}

/// The value of the given rank (from 0) in the resample that drew each sorted value so many times.
fn at_rank(sorted: &[f64], drawn: &[u32], rank: usize) -> f64 {
    let mut below = 0;
    for (value, &times) in sorted.iter().zip(drawn) {
        below += times as usize;
        if below > rank {
            return *value;
        }
    }
    f64::NAN // Unreachable: the draws add up to more than any rank.
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exponential(n: usize, rng: &mut Rng) -> Vec<f64> {
        (0..n).map(|_| -(1.0 - rng.unit()).ln()).collect()
    }

    fn sorted(mut values: Vec<f64>) -> Vec<f64> {
        values.sort_unstable_by(f64::total_cmp);
        values
    }

    /// Coverage of `interval` over many synthetic runs of 80 skewed values.
    fn coverage(truth: f64, interval: impl Fn(Vec<f64>, &mut Rng) -> Interval) -> f64 {
        let mut rng = Rng::new(2024);
        let runs = 300;
        let covered = (0..runs)
            .filter(|_| {
                let values = exponential(80, &mut rng);
                let found = interval(values, &mut rng);
                found.low <= truth && truth <= found.high
            })
            .count();
        covered as f64 / f64::from(runs)
    }

    #[test]
    fn the_median_is_covered_95_times_of_100() {
        let share =
            coverage(std::f64::consts::LN_2, |values, rng| median(&sorted(values), rng).expect("80 values"));
        assert!((0.92..=0.98).contains(&share), "{share}");
    }

    #[test]
    fn the_mean_is_covered_95_times_of_100() {
        let share = coverage(1.0, |values, rng| mean(&values, rng).expect("80 values"));
        assert!((0.90..=0.98).contains(&share), "{share}");
    }

    #[test]
    fn the_ratio_of_means_is_covered_95_times_of_100() {
        // Numerator and denominator share a disturbance, as two contenders of a round do.
        let share = coverage(1.5, |disturbances, rng| {
            let below: Vec<f64> = disturbances.iter().map(|d| 10.0 + d + rng.unit()).collect();
            let above: Vec<f64> = disturbances.iter().map(|d| 1.5 * (10.0 + d + rng.unit())).collect();
            ratio_of_means(&above, &below, rng).expect("80 values")
        });
        assert!((0.91..=0.98).contains(&share), "{share}");
    }

    #[test]
    fn quick_intervals_agree_with_the_bootstrap() {
        let mut rng = Rng::new(9);
        let values = sorted((0..500).map(|_| 100.0 + rng.unit()).collect());
        let (quick, slow) = (quick_median(&values).expect("many"), median(&values, &mut rng).expect("many"));
        assert!((quick.width() / slow.width() - 1.0).abs() < 0.35, "{quick:?} {slow:?}");
        let below: Vec<f64> = (0..500).map(|_| 50.0 + rng.unit()).collect();
        let quick = quick_ratio_of_means(&values, &below).expect("many");
        let slow = ratio_of_means(&values, &below, &mut rng).expect("many");
        assert!((quick.width() / slow.width() - 1.0).abs() < 0.15, "{quick:?} {slow:?}");
    }

    #[test]
    fn too_few_rounds_have_no_interval() {
        let five = [1.0, 2.0, 3.0, 4.0, 5.0];
        let mut rng = Rng::new(0);
        assert_eq!(median(&five, &mut rng), None);
        assert_eq!(mean(&five, &mut rng), None);
        assert_eq!(quick_median(&five), None);
        assert_eq!(quick_ratio_of_means(&five, &five), None);
        assert_eq!(median(&[], &mut rng), None);
    }

    #[test]
    fn resampled_medians_are_medians() {
        // Against sorting: values drawn as counts and values written out.
        let values = [1.0, 4.0, 9.0, 16.0, 25.0, 36.0];
        let drawn = [0, 2, 1, 0, 3, 0];
        let written = [4.0, 4.0, 9.0, 25.0, 25.0, 25.0];
        for (rank, expected) in written.into_iter().enumerate() {
            assert_eq!(at_rank(&values, &drawn, rank), expected);
        }
    }
}
