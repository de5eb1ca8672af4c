//! Which rate a resolver holds: looked for by steps, each at a rate of its own, so that there is an interval from the highest that was held
//! to the lowest that was not.

use anyhow::Result;
use fieldtest_dns_load::Outcome;

/// Nanoseconds within which 99 of 100 queries have to be answered for a rate to be held.
const HELD: u64 = 100_000_000;
/// The interval that is narrow enough, as a factor; the most steps that are taken for it.
const NARROW: f64 = 1.1;
const STEPS: usize = 24;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Held {
    /// Queries a second that it held; 0 where it held none that was sent.
    pub(super) rate: f64,
    /// What it did not hold; `None` where it held all, or the generator did not.
    pub(super) not: Option<f64>,
    /// Whether the generator was late itself at the next rate, so that nothing is known of the resolver's
    /// limit.
    pub(super) is_limited: bool,
}

pub(super) fn is_held(outcome: &Outcome) -> bool {
    let due: u64 = outcome.seconds.iter().map(|second| second.due).sum();
    due > 0 && outcome.latency().count_between(0, HELD) * 100 >= due * 99
}

/// Looks for the rate that is held, from one that was held or not up to another: doubled until one is not
/// held, then bisected. A rate that rises in a line was a grid as wide as the ramp is steep, and 0 where its
/// first second failed. It is also no first guess: its seconds would need a lag of their own, and each end a
/// second look.
pub(super) fn search(
    (from, is_from_held): (f64, bool),
    to: f64,
    mut send: impl FnMut(f64) -> Result<Outcome>,
) -> Result<Held> {
    let mut held = if is_from_held { from } else { 0.0 };
    // With whether it was the generator's fault.
    let mut not = if is_from_held { None } else { Some((from, false)) };
    for _ in 0..STEPS {
        let rate = match not {
            None if held >= to => break,
            None => (held * 2.0).min(to),
            Some((not, _)) if not <= (held * NARROW).max(1.0) => break,
            Some((not, _)) if held > 0.0 => (held * not).sqrt(),
            Some((not, _)) => not / 2.0,
        };
        let outcome = send(rate)?;
        if outcome.interrupted {
            break;
        }
        if is_held(&outcome) {
            held = rate;
        } else {
            not = Some((rate, outcome.is_late() || outcome.too_late > 0));
        }
    }
    let is_limited = not.is_some_and(|(_, is_limited)| is_limited);
    Ok(Held { rate: held, not: not.map(|(rate, _)| rate).filter(|_| !is_limited), is_limited })
}

#[cfg(test)]
mod tests {
    use fieldtest_dns_load::outcome::{LARGEST_LAG, Second};

    use super::*;

    fn outcome(due: u64, fast: u64, lag: u64) -> Outcome {
        let mut outcome = Outcome::default();
        outcome.udp.record_n(HELD / 10, fast).expect("a duration");
        outcome.udp.record_n(HELD * 10, due - fast).expect("a duration");
        outcome.lag.record_n(lag, due.max(1)).expect("a duration");
        outcome.seconds = vec![Second { due, ..Second::default() }];
        outcome
    }

    #[test]
    fn ninety_nine_of_a_hundred() {
        assert!(is_held(&outcome(100, 99, 0)) && is_held(&outcome(1, 1, 0)));
        assert!(
            !is_held(&outcome(100, 98, 0)) && !is_held(&outcome(0, 0, 0)) && !is_held(&Outcome::default())
        );
    }

    /// Whatever rate a resolver holds and wherever the search begins and ends, it lies within the interval, which is narrow.
    #[test]
    fn the_interval_has_the_rate() -> Result<()> {
        for (limit, from, to) in [
            (21_000.0, 1_000.0, 60_000.0),
            (21_000.0, 1_000.0, 300_000.0),
            (21_000.0, 20_900.0, 21_900.0),
            (1_001.0, 1_000.0, 1e6),
            (700.0, 1_000.0, 9_000.0),
            (3.0, 1e6, 1e7),
        ] {
            let found = search((from, from <= limit), to, |rate| {
                Ok(outcome(1_000, if rate <= limit { 1_000 } else { 500 }, 0))
            })?;
            let not = found.not.expect("a rate that is not held");
            assert!(found.rate <= limit && not > limit && !found.is_limited, "{limit} {found:?}");
            assert!(not <= found.rate * NARROW && (from > limit || found.rate >= from), "{limit} {found:?}");
        }
        let all = search((10.0, true), 95.0, |_| Ok(outcome(10, 10, 0)))?;
        assert_eq!(all, Held { rate: 95.0, not: None, is_limited: false });
        let none = search((10.0, false), 95.0, |_| Ok(outcome(10, 0, 0)))?;
        assert_eq!((none.rate, none.is_limited), (0.0, false));
        Ok(())
    }

    /// What the generator cannot send is no rate that the resolver does not hold.
    #[test]
    fn a_generator_that_is_late() -> Result<()> {
        let late = |limit: f64| {
            search((1_000.0, true), 64_000.0, |rate| {
                let lag = if rate > 9_000.0 { LARGEST_LAG * 9 } else { 0 };
                Ok(outcome(1_000, if rate > limit { 0 } else { 1_000 }, lag))
            })
        };
        let found = late(9_500.0)?;
        assert!(found.is_limited && found.not.is_none() && found.rate > 8_000.0, "{found:?}");
        assert!(!late(4_500.0)?.is_limited, "it was not late where the resolver failed");
        Ok(())
    }
}
