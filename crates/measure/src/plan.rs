//! How long to measure, and why a measurement ended.

use crate::error::Error;
use std::{fmt, time::Duration};

/// How long to measure and what to reach.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Every ratio's 95 % interval is to be within ± this share of the ratio. Default 0.005.
    pub target: f64,
    /// Time for everything: calibration, warm-up, preparing and checking included. One round is measured in any
    /// case; after that, no round is begun that is not expected to fit. Default 10 s.
    pub budget: Duration,
    /// Rounds before the target is looked at. Default 30.
    pub min_rounds: usize,
    /// Rounds at most. Default 5000.
    pub max_rounds: usize,
    /// Rounds that are run and checked like the others, and not counted. They take at most a tenth of the budget,
    /// but there is always one if there is to be any. Default 3.
    pub warm_up: usize,
    /// The shortest window: operations are batched until one lasts so long. Default 20 µs.
    pub window: Duration,
    /// Decides the order, the stack's offsets and the resamples.
    pub seed: u64,
    /// The contender that all others are compared with, counted from 0.
    pub baseline: usize,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            target: 0.005,
            budget: Duration::from_secs(10),
            min_rounds: 30,
            max_rounds: 5000,
            warm_up: 3,
            window: Duration::from_micros(20),
            seed: 1,
            baseline: 0,
        }
    }
}

impl Plan {
    /// Refuses what makes no sense for so many contenders.
    pub(crate) fn check(&self, contenders: usize) -> Result<(), Error> {
        if contenders == 0 {
            return Err(Error::Empty);
        }
        if self.baseline >= contenders {
            return Err(Error::Baseline { baseline: self.baseline, contenders });
        }
        if !(self.target.is_finite() && self.target > 0.0) {
            let remedy = "give a share above 0, for instance 0.005 for ±0.5 %";
            return Err(Error::Plan { field: "target", value: self.target.to_string(), remedy });
        }
        if self.max_rounds == 0 {
            return Err(Error::Plan {
                field: "largest number of rounds",
                value: "0".to_owned(),
                remedy: "give at least 1",
            });
        }
        Ok(())
    }
}

/// Why a measurement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// Every ratio's interval is as narrow as asked.
    Target,
    /// The time is used up.
    Budget,
    /// The largest number of rounds is reached.
    MaxRounds,
    /// The user ended it.
    Interrupted,
    /// The kernel took the cycle counter away, round after round.
    CounterLost,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Target => "stopped because every interval is as narrow as asked",
            StopReason::Budget => "stopped because the time budget was used up",
            StopReason::MaxRounds => "stopped at the largest number of rounds",
            StopReason::Interrupted => "interrupted; whole rounds were kept",
            StopReason::CounterLost => {
                "stopped because the cycle counter was lost; end other users of the performance counters (perf, a \
                 profiler), or count time instead"
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_plans_are_refused() {
        let refuse = |plan: Plan, contenders| plan.check(contenders).expect_err("a bad plan").to_string();
        assert!(refuse(Plan::default(), 0).contains("empty"));
        assert!(refuse(Plan { baseline: 1, ..Plan::default() }, 1).contains("only 1"));
        assert!(refuse(Plan { target: 0.0, ..Plan::default() }, 1).contains("±0.5 %"));
        assert!(refuse(Plan { target: f64::NAN, ..Plan::default() }, 1).contains("NaN"));
        assert!(refuse(Plan { max_rounds: 0, ..Plan::default() }, 1).contains("at least 1"));
        assert!(Plan::default().check(1).is_ok());
    }
}
