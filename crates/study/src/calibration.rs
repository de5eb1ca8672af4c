//! What this machine can tell: benchmarks whose differences are known, measured as every study measures.

use std::hint::black_box;
use std::time::Duration;

use fieldtest_measure::coverage::{Cell, Coverage, widening};
use fieldtest_measure::estimate::Estimate;
use fieldtest_measure::{Benchmark, Estimator, Rng, operation};
use serde::{Deserialize, Serialize};

use crate::group::{Act, Named, Order, Stage};
use crate::workers::{self, Group};
use crate::{Bench, StudyError};

/// Its name in orders.
const CALIBRATION: &str = "calibration";

/// The benchmarks: name, and what is known of each against the first.
const CONTENDERS: [(&str, Known); 8] = [
    ("work", Known::Equal),
    ("work again", Known::Equal),
    ("work, compiled twice", Known::Layout),
    ("1 % more work", Known::More(1.01)),
    ("3 % more work", Known::More(1.03)),
    ("independent work", Known::Other),
    ("work of unequal length", Known::Other),
    ("scattered reads of 8 MiB", Known::Memory),
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Known {
    /// The same code.
    Equal,
    /// The same source at another place.
    Layout,
    /// The same work, so many times.
    More(f64),
    /// Nothing, but that its result should hold.
    Other,
    /// As above, and that it lives beyond the core's own caches.
    Memory,
}

/// Steps of the work: some ten microseconds.
const STEPS: u64 = 10_000;

/// How many of them a benchmark has of whom this is known.
fn steps(known: Known) -> u64 {
    match known {
        Known::More(factor) => (STEPS as f64 * factor).round() as u64,
        Known::Equal | Known::Layout | Known::Other | Known::Memory => STEPS,
    }
}

/// Words among which reads are scattered: 8 MiB.
const WORDS: usize = 1 << 20;

/// What a calibration found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Runs that were compared, and how long each took.
    pub runs: usize,
    /// See [`runs`](Self::runs).
    pub seconds: f64,
    /// The share of ordered pairs of runs in which a ratio lies in the other's interval, memory left out, and of those
    /// of memory.
    pub coverage: f64,
    /// See [`coverage`](Self::coverage).
    pub coverage_of_memory: Option<f64>,
    /// How many times as wide intervals have to be to hold as often as they claim; absent where no width helps.
    pub widening: Option<f64>,
    /// The median half width of a ratio's interval, as a share.
    pub half_width: f64,
    /// What the same source at another place makes of a result, as a share: the largest of all runs.
    pub layout: f64,
    /// The share of runs in which equal benchmarks seem to differ.
    pub false_differences: f64,
    /// The share of runs that tell 1 % and 3 %.
    pub told: [f64; 2],
}

/// Measures the benchmarks `runs` times, each within `budget`, and counts.
///
/// # Errors
/// What a process refuses; none of the results may be missing.
pub fn calibrate(bench: &mut Bench<'_>, runs: usize, budget: Duration) -> Result<Calibration, StudyError> {
    let mut ratios: Vec<Vec<Cell>> = Vec::with_capacity(runs);
    for _ in 0..runs {
        let group = Group {
            stage: CALIBRATION,
            operation: String::new(),
            subject: String::new(),
            subjects: CONTENDERS.iter().map(|(name, _)| named(name)).collect(),
            input: Box::new(|_| Vec::new()),
        };
        let outcomes = workers::run(bench, &[group], budget)?;
        bench.seed = bench.seed.wrapping_add(1);
        let estimates = outcomes.into_iter().next().map(|outcome| outcome.estimates).unwrap_or_default();
        let base = estimates.first().cloned().flatten();
        let against_first = |estimate: &Option<Estimate>| -> Cell {
            let ratio = estimate.as_ref()?.ratio(base.as_ref()?)?;
            Some((ratio.value, ratio.interval?))
        };
        ratios.push(estimates.iter().skip(1).map(against_first).collect());
        if bench.interrupted() {
            break;
        }
    }
    count(&ratios, budget).ok_or_else(|| {
        StudyError::WorkerTask("no ratio was measured twice; give the calibration more time".to_owned())
    })
}

fn named(name: &str) -> Named {
    Named { algorithm: name.to_owned(), implementation: String::new() }
}

fn count(runs: &[Vec<Cell>], budget: Duration) -> Option<Calibration> {
    let of = |wanted: &dyn Fn(Known) -> bool| -> Vec<Vec<Cell>> {
        let known = || CONTENDERS.iter().skip(1).map(|(_, known)| *known);
        let pick = |run: &Vec<Cell>| {
            run.iter().zip(known()).filter(|(_, known)| wanted(*known)).map(|(cell, _)| *cell).collect()
        };
        runs.iter().map(pick).collect()
    };
    let cells =
        |wanted: &dyn Fn(Known) -> bool| of(wanted).into_iter().flatten().flatten().collect::<Vec<_>>();
    let share = |cells: &[(f64, fieldtest_measure::Interval)],
                 holds: &dyn Fn(&(f64, fieldtest_measure::Interval)) -> bool| {
        cells.iter().filter(|cell| holds(cell)).count() as f64 / cells.len().max(1) as f64
    };
    let usual = of(&|known| known != Known::Memory);
    let found = Coverage::of(&usual, 1.0)?;
    let tells = |factor: f64| {
        share(&cells(&|known| known == Known::More(factor)), &|(value, interval)| {
            interval.low > 1.0 && *value > 1.0
        })
    };
    Some(Calibration {
        runs: runs.len(),
        seconds: budget.as_secs_f64(),
        coverage: found.share(),
        coverage_of_memory: Coverage::of(&of(&|known| known == Known::Memory), 1.0)
            .map(|found| found.share()),
        widening: widening(&usual),
        half_width: found.half_width,
        layout: cells(&|known| known == Known::Layout)
            .iter()
            .map(|(value, _)| (value - 1.0).abs())
            .fold(0.0, f64::max),
        false_differences: share(&cells(&|known| known == Known::Equal), &|(_, interval)| {
            !interval.contains(1.0)
        }),
        told: [tells(1.01), tells(1.03)],
    })
}

/// Sets up the benchmarks of a calibration.
#[derive(Debug)]
pub struct CalibrationStage;

impl Stage for CalibrationStage {
    fn name(&self) -> &'static str {
        CALIBRATION
    }

    fn set_up(&self, _: &Order, act: &mut Act<'_>) -> Result<(), StudyError> {
        let work = |at: usize| {
            let (name, steps) = (CONTENDERS[at].0, steps(CONTENDERS[at].1));
            let run = move |seed: &mut u64| work(*seed, steps);
            Benchmark::new(name, Estimator::Median, operation(Ok, run, |_, _| Ok(())))
        };
        let twin = Benchmark::new(
            CONTENDERS[2].0,
            Estimator::Median,
            operation(Ok, |seed: &mut u64| the_same_work(*seed, STEPS), |_, _| Ok(())),
        );
        let independent = Benchmark::new(
            CONTENDERS[5].0,
            Estimator::Median,
            operation(Ok, |seed: &mut u64| independent(*seed, STEPS), |_, _| Ok(())),
        );
        let unequal = Benchmark::new(
            CONTENDERS[6].0,
            Estimator::Mean,
            operation(
                |index| Ok((index, unequal_steps(index))),
                |(seed, steps): &mut (u64, u64)| self::work(*seed, *steps),
                |_, _| Ok(()),
            ),
        );
        let memory = vec![1_u64; WORDS];
        let scattered = Benchmark::new(
            CONTENDERS[7].0,
            Estimator::Median,
            operation(
                |index| Ok(Rng::new(index)),
                |at: &mut Rng| (0..256).map(|_| memory[at.below(memory.len())]).fold(0, u64::wrapping_add),
                |_, sum| if sum == 256 { Ok(()) } else { Err("memory has changed".into()) },
            ),
        );
        act(&mut [work(0), work(1), twin, work(3), work(4), independent, unequal, scattered])
    }
}

/// As rejection sampling has them: a block more with a chance of one half.
fn unequal_steps(index: u64) -> u64 {
    let blocks = u64::from(Rng::new(index).next_u64().trailing_zeros()) + 1;
    STEPS / 2 * blocks.min(20)
}

/// Makes a function of some arithmetic that cannot be shortened; each is compiled by itself.
macro_rules! working {
    ($name:ident, $doc:literal) => {
        #[doc = $doc]
        #[inline(never)]
        fn $name(seed: u64, steps: u64) -> u64 {
            #[cfg(test)]
            tests::RAN.with_borrow_mut(|ran| ran.insert(stringify!($name)));
            let mut state = [seed, seed ^ 1, seed ^ 2, seed ^ 3];
            for step in 0..steps / 4 {
                for word in &mut state {
                    *word = black_box(word.rotate_left(9).wrapping_mul(5) ^ step);
                }
            }
            state.into_iter().fold(0, u64::wrapping_add)
        }
    };
}
working!(work, "Work whose steps depend on each other in four rows.");
working!(the_same_work, "The same source again, at another place of the program.");

/// Work whose steps are independent of each other, which a neighbour on the core slows most.
#[inline(never)]
fn independent(seed: u64, steps: u64) -> u64 {
    let words: [u64; 64] = std::array::from_fn(|at| seed ^ at as u64);
    let block = |sum: u64, step: u64| {
        let words = black_box(&words);
        words.iter().fold(sum, |sum, word| sum.wrapping_add(word.wrapping_mul(step)))
    };
    (0..steps / 16).fold(0, block)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;
    use std::sync::atomic::AtomicBool;

    use fieldtest_measure::worker::WorkerTask;

    use super::*;
    use crate::group::obey;
    use crate::scripted::{Scripted, result_of, with_bench};

    thread_local! {
        /// Which of two copies of the work the thread has run.
        pub(super) static RAN: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
    }

    #[test]
    fn every_benchmark_is_set_up() {
        let order = Order {
            stage: CALIBRATION.to_owned(),
            operation: String::new(),
            subject: String::new(),
            subjects: Vec::new(),
            input: Vec::new(),
            worker: WorkerTask {
                time: Duration::ZERO,
                window: Duration::from_micros(30),
                known: Vec::new(),
                first: 0,
                seed: 1,
            },
            processor: None,
            elapsed: false,
        };
        let result = obey(&order, &[&CalibrationStage], &AtomicBool::new(false)).expect("no failure");
        let names: Vec<&str> = result.seen.iter().map(|seen| seen.name.as_str()).collect();
        assert_eq!(names, CONTENDERS.map(|(name, _)| name));
        assert!(result.seen.iter().all(|seen| !seen.windows.is_empty()));
        let means: Vec<&str> = result
            .seen
            .iter()
            .filter(|it| it.estimator == Estimator::Mean)
            .map(|it| it.name.as_str())
            .collect();
        assert_eq!(means, [CONTENDERS[6].0]);
        let copies = ["the_same_work", "work"];
        assert!(RAN.with_borrow(|ran| ran.iter().copied().eq(copies)));
    }

    #[test]
    fn work_has_as_many_steps_as_it_should() {
        let counts = CONTENDERS.map(|(_, known)| steps(known));
        assert_eq!(counts, [10_000, 10_000, 10_000, 10_100, 10_300, 10_000, 10_000, 10_000]);
        assert_eq!(WORDS * 8, 8 << 20);
        // How many zeros the generator's first number ends with, by another program.
        assert_eq!([1, 2, 3, 6].map(unequal_steps), [5000, 10_000, 5000, 70_000]);
        // 64 numbers from 0 to 63, in another order, in each of the steps 0 and 1.
        assert_eq!([independent(1, 16), independent(1, 32), independent(1, 48)], [0, 2016, 3 * 2016]);
        assert_ne!(work(1, 4), work(1, 8));
        assert_eq!(work(5, 10_000), the_same_work(5, 10_000));
    }

    #[test]
    fn what_is_counted() {
        let interval = |low: f64, high: f64| fieldtest_measure::Interval { low, high };
        let cell = |value: f64| Some((value, interval(value - 0.005, value + 0.005)));
        let run = |off: f64| {
            vec![
                cell(1.0 + off),
                cell(1.002),
                cell(1.01),
                cell(1.03),
                cell(0.5 + off),
                cell(2.0),
                cell(7.0 + off),
            ]
        };
        let found = count(&[run(0.0), run(0.001), run(-0.02)], Duration::from_secs(5)).expect("pairs");
        assert_eq!((found.runs, found.seconds, found.told), (3, 5.0, [1.0, 1.0]));
        assert!((found.false_differences - 1.0 / 3.0).abs() < 1e-9 && (found.layout - 0.002).abs() < 1e-9);
        // Of six benchmarks two move out of the interval between four of six pairs.
        assert_eq!((found.coverage, found.coverage_of_memory), (28.0 / 36.0, Some(2.0 / 6.0)));
        assert!((found.half_width - 0.005).abs() < 1e-3, "{found:?}");
        assert_eq!(count(&[run(0.0)], Duration::ZERO), None);
        // What lives in memory needs its interval thrice as wide, and is nothing to go by for the rest.
        let memory = |off: f64| [vec![cell(1.0); 3], vec![None; 3], vec![cell(7.0 + off)]].concat();
        let found = count(&[memory(0.0), memory(0.015)], Duration::ZERO).expect("pairs");
        assert_eq!((found.widening, found.coverage_of_memory), (Some(1.0), Some(0.0)));

        // The layout's largest is below 1 here; a difference is told where the interval lies above 1, of its own factor.
        let with = |layout: f64, one: (f64, f64), three: (f64, f64)| {
            let mut run = run(0.0);
            run[1] = cell(layout);
            run[2] = Some((one.0, interval(one.1, 2.0)));
            run[3] = Some((three.0, interval(three.1, 2.0)));
            run
        };
        let runs = [
            with(0.99, (1.01, 1.001), (1.03, 1.02)),
            with(1.003, (1.01, 1.0), (1.03, 1.02)),
            with(1.0, (1.0, 1.001), (1.03, 0.9)),
            with(1.0, (1.01, 0.99), (1.03, 1.02)),
        ];
        let found = count(&runs, Duration::ZERO).expect("pairs");
        assert_eq!(found.told, [0.25, 0.75]);
        assert!((found.layout - 0.01).abs() < 1e-9);
        // What has no interval is not counted, and nothing is told of nothing.
        let mut bare = run(0.0);
        bare[0] = None;
        bare[2] = None;
        let found = count(&[bare.clone(), bare], Duration::ZERO).expect("pairs");
        assert_eq!((found.false_differences, found.told[0]), (0.0, 0.0));
    }

    #[test]
    fn a_calibration_measures_so_often_and_each_time_by_another_seed() {
        let interrupt = AtomicBool::new(false);
        let answer = |_: &Order, _: usize| Ok(result_of(&[1000, 1000, 1000, 1010, 1030, 500, 2000, 7000]));
        let launcher = Scripted::new(&answer);
        let calibrate = |runs| {
            let calibrate = |bench: &mut Bench<'_>| calibrate(bench, runs, Duration::from_secs(36_000));
            with_bench(&launcher, &interrupt, calibrate).0
        };
        let found = calibrate(3).expect("pairs");
        assert_eq!((found.runs, found.seconds, found.coverage, found.told), (3, 36_000.0, 1.0, [1.0; 2]));
        let orders = launcher.orders.take();
        assert_eq!(orders.len(), 3 * 31);
        assert!(orders[0].worker.seed != orders[31].worker.seed && orders[0].stage == CALIBRATION);
        let names: Vec<&str> = orders[0].subjects.iter().map(|it| it.algorithm.as_str()).collect();
        assert_eq!(names, CONTENDERS.map(|(name, _)| name));
        assert!(calibrate(1).is_err());
        interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(calibrate(3).is_err());
    }
}
