//! Rounds, not runs: every contender once per round, in balanced order, until the ratios are known well enough.

use crate::{
    counter::Counter,
    error::Error,
    estimate::Ratio,
    measurement::{Measurement, Series, widest},
    operation::{Contender, Sample},
    order::Order,
    plan::{Plan, StopReason},
    rng::Rng,
    stack,
};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// How far a measurement is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Rounds kept so far.
    pub rounds: usize,
    /// Time since the start.
    pub elapsed: Duration,
    /// The widest ratio's ± as a share, when last looked at.
    pub widest: Option<f64>,
}

/// How often in a row the counter may be lost before the measurement ends.
const MAX_LOST_IN_A_ROW: usize = 10;

/// Operations of calibration and warm-up are numbered from here.
const REHEARSAL: u64 = 1 << 40;

/// Measures the contenders against each other, round by round.
///
/// The `interrupt` flag may be set at any time, from a signal handler or another thread; it is looked at between
/// windows. `progress` is called after each round.
///
/// # Errors
/// [`Error::Empty`], [`Error::Baseline`] and [`Error::Plan`] before anything is run; [`Error::Operation`] as soon as
/// an operation cannot be prepared or gave a wrong result.
pub fn measure(
    plan: &Plan,
    counter: &Counter,
    contenders: &mut [Contender<'_>],
    interrupt: &AtomicBool,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Measurement, Error> {
    plan.check(contenders.len())?;
    let start = Instant::now();
    let interrupted = || interrupt.load(Ordering::Relaxed);
    let mut rehearsed = vec![REHEARSAL; contenders.len()];
    let mut series: Vec<Series> = contenders.iter().map(empty_series).collect();
    let finish = |series, stop, lost_rounds| Measurement {
        unit: counter.unit(),
        series,
        stop,
        elapsed: start.elapsed(),
        lost_rounds,
        plan: plan.clone(),
    };

    for ((contender, series), index) in contenders.iter_mut().zip(&mut series).zip(&mut rehearsed) {
        if interrupted() {
            return Ok(finish_empty(finish, contenders));
        }
        (series.batch, _) = contender.calibrate(counter, plan.window, index)?;
    }

    let mut order = Order::new(contenders.len(), plan.seed);
    for done in 0..plan.warm_up {
        if done > 0 && start.elapsed() > plan.budget / 10 {
            break;
        }
        for contender in order.next_round() {
            if interrupted() {
                return Ok(finish_empty(finish, contenders));
            }
            let batch = series[contender].batch;
            contenders[contender].sample(counter, rehearsed[contender], batch)?;
            rehearsed[contender] += batch;
        }
    }

    let mut order = Order::new(contenders.len(), plan.seed);
    let mut depths = Rng::for_purpose(plan.seed, 0x0073_7461_636b);
    let mut samples: Vec<Option<Sample>> = vec![None; contenders.len()];
    let (mut rounds, mut lost, mut lost_in_a_row) = (0usize, 0, 0);
    let mut tried = 0u64;
    let mut next_look = plan.min_rounds.max(1);
    let mut last_widest = None;
    let rounds_start = Instant::now();
    let stop = 'measuring: loop {
        let depth = depths.below(stack::MAX_DEPTH + 1);
        for contender in order.next_round() {
            if interrupted() {
                break 'measuring StopReason::Interrupted;
            }
            let batch = series[contender].batch;
            let work = || contenders[contender].sample(counter, tried * batch, batch);
            samples[contender] = stack::at_depth(depth, work).transpose()?;
        }
        tried += 1;

        if keep(&mut series, &samples) {
            rounds += 1;
            lost_in_a_row = 0;
        } else {
            lost += 1;
            lost_in_a_row += 1;
        }
        if rounds >= next_look {
            last_widest = widest(&series, plan, Ratio::quick);
        }
        progress(&Progress { rounds, elapsed: start.elapsed(), widest: last_widest });

        if lost_in_a_row >= MAX_LOST_IN_A_ROW {
            break StopReason::CounterLost;
        }
        if rounds >= next_look {
            // The quick intervals decide when to ask; the bootstrap, which is what will be reported, decides.
            if last_widest.is_some_and(|widest| widest <= plan.target) {
                last_widest = widest(&series, plan, |y, x, e| Ratio::of(y, x, e, plan.seed));
                if last_widest.is_some_and(|widest| widest <= plan.target) {
                    break StopReason::Target;
                }
            }
            next_look = rounds + (rounds / 8).max(2);
        }
        if rounds >= plan.max_rounds {
            break StopReason::MaxRounds;
        }
        let per_round = rounds_start.elapsed().div_f64(tried as f64);
        if rounds > 0 && start.elapsed() + per_round > plan.budget {
            break StopReason::Budget;
        }
    };
    Ok(finish(series, stop, lost))
}

fn empty_series(contender: &Contender<'_>) -> Series {
    Series {
        name: contender.name().to_owned(),
        estimator: contender.estimator(),
        batch: 1,
        values: Vec::new(),
        disturbed: Vec::new(),
    }
}

/// The measurement that was interrupted before its first round.
fn finish_empty(
    finish: impl FnOnce(Vec<Series>, StopReason, usize) -> Measurement,
    contenders: &[Contender<'_>],
) -> Measurement {
    finish(contenders.iter().map(empty_series).collect(), StopReason::Interrupted, 0)
}

/// Adds a round to the series if all its windows were counted; says whether.
fn keep(series: &mut [Series], samples: &[Option<Sample>]) -> bool {
    let Some(values) = samples
        .iter()
        .map(|sample| sample.as_ref().and_then(|s| s.per_operation))
        .collect::<Option<Vec<_>>>()
    else {
        return false;
    };
    for ((series, sample), value) in series.iter_mut().zip(samples).zip(values) {
        series.values.push(value);
        series.disturbed.push(sample.as_ref().is_some_and(|sample| sample.disturbed));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{counter::Prefer, estimate::Estimator, operation::operation};

    static NEVER: AtomicBool = AtomicBool::new(false);

    /// A contender whose work is `iterations` of a dependent chain of integer operations.
    fn mixing(name: &str, iterations: u64) -> Contender<'static> {
        let run = move |seed: &mut u64| {
            (0..iterations).fold(*seed, |x, i| std::hint::black_box(x.rotate_left(9).wrapping_mul(5) ^ i))
        };
        Contender::new(name, Estimator::Median, operation(Ok, run, |_, _| Ok(())))
    }

    fn measure_two(plan: &Plan, interrupt: &AtomicBool) -> Measurement {
        let counter = Counter::open(Prefer::Cycles);
        let mut contenders = [mixing("one", 500), mixing("two", 1000)];
        measure(plan, &counter, &mut contenders, interrupt, &mut |_| ()).expect("nothing fails")
    }

    #[test]
    fn a_wide_target_is_reached() {
        let plan = Plan { target: 0.5, min_rounds: 10, ..Plan::default() };
        let measurement = measure_two(&plan, &NEVER);
        assert_eq!(measurement.stop, StopReason::Target);
        assert!(measurement.rounds() >= 10 && measurement.rounds() < 100, "{}", measurement.rounds());
        assert!(measurement.widest().expect("rounds") <= 0.5);
        let ratio = measurement.ratio(1, 0).expect("rounds");
        assert!(ratio.value > 1.5 && ratio.value < 2.5, "{ratio:?}");
        let inverse = measurement.ratio(0, 1).expect("rounds");
        assert!((ratio.value * inverse.value - 1.0).abs() < 0.1, "{ratio:?} {inverse:?}");
    }

    #[test]
    fn the_largest_number_of_rounds_ends_it() {
        let plan = Plan { target: 1e-9, max_rounds: 25, ..Plan::default() };
        let measurement = measure_two(&plan, &NEVER);
        assert_eq!((measurement.stop, measurement.rounds()), (StopReason::MaxRounds, 25));
        assert!(measurement.series.iter().all(|series| series.values.len() == series.disturbed.len()));
    }

    #[test]
    fn the_budget_ends_it() {
        let plan = Plan {
            target: 1e-9,
            max_rounds: usize::MAX,
            budget: Duration::from_millis(150),
            ..Plan::default()
        };
        let measurement = measure_two(&plan, &NEVER);
        assert_eq!(measurement.stop, StopReason::Budget);
        assert!(measurement.elapsed < Duration::from_secs(2), "{:?}", measurement.elapsed);
    }

    #[test]
    fn a_budget_of_nothing_still_gives_one_round() {
        let plan = Plan { budget: Duration::ZERO, ..Plan::default() };
        let measurement = measure_two(&plan, &NEVER);
        assert_eq!((measurement.stop, measurement.rounds()), (StopReason::Budget, 1));
        assert_eq!(measurement.ratio(1, 0).expect("one round").interval, None);
    }

    #[test]
    fn an_interrupt_keeps_whole_rounds() {
        let counter = Counter::open(Prefer::Cycles);
        let flag = AtomicBool::new(false);
        let mut contenders = [mixing("one", 500), mixing("two", 1000), mixing("three", 700)];
        let plan = Plan { target: 1e-9, ..Plan::default() };
        let mut stop_at_17 = |progress: &Progress| {
            if progress.rounds == 17 {
                flag.store(true, Ordering::Relaxed);
            }
        };
        let measurement =
            measure(&plan, &counter, &mut contenders, &flag, &mut stop_at_17).expect("nothing fails");
        assert_eq!((measurement.stop, measurement.rounds()), (StopReason::Interrupted, 17));
        assert!(measurement.estimate(2).is_some());
        assert!(measurement.notes(0)[0].contains("interrupted"));
    }

    #[test]
    fn an_interrupt_before_the_start_gives_no_figures() {
        let measurement = measure_two(&Plan::default(), &AtomicBool::new(true));
        assert_eq!((measurement.stop, measurement.rounds()), (StopReason::Interrupted, 0));
        assert_eq!((measurement.estimate(0), measurement.ratio(1, 0)), (None, None));
        assert_eq!(measurement.series.len(), 2);
    }

    #[test]
    fn one_contender_alone_is_measured_to_its_own_interval() {
        let counter = Counter::open(Prefer::Cycles);
        let plan = Plan { target: 0.3, ..Plan::default() };
        let measurement = measure(&plan, &counter, &mut [mixing("alone", 3000)], &NEVER, &mut |_| ())
            .expect("nothing fails");
        assert_eq!(measurement.stop, StopReason::Target);
    }

    #[test]
    fn a_round_with_a_lost_window_is_not_kept() {
        let mut series: Vec<Series> = ["a", "b"].map(|name| empty_series(&mixing(name, 1))).into();
        let sample = |value| {
            Some(Sample { length: None, per_operation: value, wall: Duration::ZERO, disturbed: true })
        };
        assert!(!keep(&mut series, &[sample(Some(1.0)), sample(None)]));
        assert!(series.iter().all(|series| series.values.is_empty()));
        assert!(keep(&mut series, &[sample(Some(1.0)), sample(Some(2.0))]));
        assert_eq!((series[1].values.as_slice(), series[1].disturbed_share()), ([2.0].as_slice(), 1.0));
    }

    #[test]
    fn a_mean_on_one_side_compares_means() {
        let counter = Counter::open(Prefer::Cycles);
        let run =
            |index: &mut u64| (0..500 * (1 + *index % 3)).fold(1u64, |x, i| std::hint::black_box(x ^ i));
        let spread = Contender::new("spread", Estimator::Mean, operation(Ok, run, |_, _| Ok(())));
        let plan = Plan { max_rounds: 40, ..Plan::default() };
        let measurement =
            measure(&plan, &counter, &mut [mixing("even", 500), spread], &NEVER, &mut |_| ()).expect("fine");
        assert_eq!(measurement.ratio(1, 0).expect("rounds").estimator, Estimator::Mean);
        assert_eq!(measurement.ratio(0, 0).expect("rounds").estimator, Estimator::Median);
    }
}
