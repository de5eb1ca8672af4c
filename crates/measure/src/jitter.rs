//! How evenly the machine runs: a loop of equal pieces of work, each timed by the wall clock.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// What a loop of equal pieces showed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jitter {
    /// Pieces that were run.
    pub pieces: usize,
    /// The median piece.
    pub median: Duration,
    /// Nine of ten pieces were not longer.
    pub ninetieth: Duration,
    /// The longest piece.
    pub worst: Duration,
    /// The share of the time that went beyond the median of each piece: what others took.
    pub lost: f64,
}

impl Jitter {
    /// How much longer than the median the ninetieth percentile is, as a share: uneven speed rather than gaps.
    pub fn spread(&self) -> f64 {
        self.ninetieth.as_secs_f64() / self.median.as_secs_f64().max(1e-9) - 1.0
    }
}

/// Spins for about `span` in pieces of about ten microseconds.
pub fn observe(span: Duration) -> Jitter {
    let iterations = calibrate(Duration::from_micros(10), piece);
    let mut pieces = Vec::with_capacity((span.as_micros() / 5) as usize + 1);
    let start = Instant::now();
    loop {
        pieces.push(piece(iterations));
        if start.elapsed() >= span {
            break;
        }
    }
    summarise(pieces)
}

fn piece(iterations: u64) -> Duration {
    let start = Instant::now();
    let mut x = 1u64;
    for i in 0..iterations {
        x = black_box(x.rotate_left(11).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ i);
    }
    start.elapsed()
}

/// Iterations that take about `target`; the shortest of several tries counts.
fn calibrate(target: Duration, mut piece: impl FnMut(u64) -> Duration) -> u64 {
    let mut iterations = 256;
    while iterations < 1 << 30 {
        let shortest = (0..5).map(|_| piece(iterations)).min().unwrap_or(target);
        if shortest >= target {
            break;
        }
        iterations *= 2;
    }
    iterations
}

fn summarise(mut pieces: Vec<Duration>) -> Jitter {
    pieces.sort_unstable();
    let n = pieces.len();
    let at = |rank: usize| pieces.get(rank.min(n.saturating_sub(1))).copied().unwrap_or_default();
    let median = at(n / 2);
    let total: Duration = pieces.iter().sum();
    let beyond: Duration = pieces.iter().map(|piece| piece.saturating_sub(median)).sum();
    let lost = if total.is_zero() { 0.0 } else { beyond.as_secs_f64() / total.as_secs_f64() };
    Jitter { pieces: n, median, ninetieth: at(n * 9 / 10), worst: at(n.saturating_sub(1)), lost }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_lost_time_and_not_spread() {
        let micros = Duration::from_micros;
        let mut pieces = vec![micros(10); 99];
        pieces.insert(3, micros(1000));
        let jitter = summarise(pieces);
        let [median, ninetieth] = [micros(10); 2];
        assert_eq!(
            jitter,
            Jitter { pieces: 100, median, ninetieth, worst: micros(1000), lost: 990.0 / 1990.0 }
        );
        assert_eq!(jitter.spread(), 0.0);
        // 52 to 100 are 1 to 49 more than the median.
        let jitter = summarise((1..=100).rev().map(micros).collect());
        let lost = f64::from(49 * 50 / 2) / f64::from(100 * 101 / 2);
        let [median, ninetieth, worst] = [51, 91, 100].map(micros);
        assert_eq!(jitter, Jitter { pieces: 100, median, ninetieth, worst, lost });
        assert!((jitter.spread() - (91.0 / 51.0 - 1.0)).abs() < 1e-12, "{jitter:?}");
    }

    #[test]
    fn nothing_was_seen() {
        assert_eq!(summarise(Vec::new()).lost, 0.0);
    }

    #[test]
    fn a_real_loop_takes_about_its_span() {
        let start = Instant::now();
        let jitter = observe(Duration::from_millis(30));
        assert!(start.elapsed() >= Duration::from_millis(30));
        assert!(jitter.pieces > 0 && (0.0..=1.0).contains(&jitter.lost), "{jitter:?}");
    }

    #[test]
    fn a_piece_is_doubled_until_the_shortest_of_five_lasts() {
        let target = Duration::from_micros(10);
        // Ten nanoseconds each; all tries but the last are disturbed.
        let mut tries = 0;
        let piece = |iterations| {
            tries += 1;
            Duration::from_nanos(10 * iterations) + if tries % 5 == 0 { Duration::ZERO } else { target }
        };
        assert_eq!((calibrate(target, piece), tries), (1024, 15));
        assert_eq!(calibrate(target, |_| target), 256);
        assert_eq!(calibrate(target, |_| Duration::ZERO), 1 << 30);
    }
}
