//! One worker: what one process sees of every benchmark within a fraction of a second.
//!
//! The state of a machine outlasts a run, and code layout, page placement and keys are drawn once per process; so one
//! process, however long it measures, says little of the next. A result comes from many workers ([`crate::estimate`]), and
//! a worker keeps every window it timed, each with what the rulers on both sides of it read.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::block::Block;
pub use crate::block::Known;
use crate::counter::Counter;
use crate::error::Error;
use crate::interval::Estimator;
use crate::operation::Benchmark;
use crate::rng::Rng;
use crate::ruler;

/// What a worker is to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerTask {
    /// How long it stays; every benchmark has its block at least once.
    pub time: Duration,
    /// The shortest window.
    pub window: Duration,
    /// How the benchmarks are timed, as an earlier worker found out: a batch that every process finds for itself differs
    /// from process to process, and with it the result. Empty: to be found out.
    pub known: Vec<Known>,
    /// Inputs of operations are numbered from here.
    pub first: u64,
    /// Decides the order.
    pub seed: u64,
}

/// What came of a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerResult {
    /// Time among the benchmarks, finding batches included.
    pub elapsed: Duration,
    /// What was seen of each benchmark, in their order.
    pub seen: Vec<Seen>,
    /// A chain and a throughput ruler each, in the counter's unit, read before the first block: what an uncontended core
    /// reads takes some hundred readings to learn, and slow benchmarks have a window or two.
    pub rulers: Vec<[u32; 2]>,
    /// The counter's units in a nanosecond, while those were read: 1 of a clock, the core's frequency of a cycle counter.
    pub per_ns: f64,
}

/// How many of them a worker reads: a third of a millisecond.
const RULERS: usize = 50;

/// What one process saw of one benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// The benchmark's name.
    pub name: String,
    /// The result that is to stand for it.
    pub estimator: Estimator,
    /// How it was timed.
    pub known: Known,
    /// Its blocks, and the time that they took with all that is not timed.
    pub blocks: u32,
    /// See [`blocks`](Self::blocks).
    pub spent: Duration,
    /// Its windows in the order of time.
    pub windows: Vec<Window>,
}

impl Seen {
    /// The chains and rulers beside its windows.
    pub fn rulers(&self) -> impl Iterator<Item = [u32; 2]> {
        self.windows.iter().flat_map(|it| it.rulers.map(|ruler| [it.chain, ruler]))
    }
}

/// One timed window and the rulers beside it, all in the counter's unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Microseconds from the worker's begin to the end of its block.
    pub at: u32,
    /// The length of all its operations together.
    pub length: u64,
    /// The throughput ruler before it and behind it.
    pub rulers: [u32; 2],
    /// The chain before its benchmark's turn.
    pub chain: u32,
    /// The thread lost its core within the window.
    pub switched: bool,
}

/// How far benchmarks may be apart in the time that was spent on them.
const QUANTUM: Duration = Duration::from_micros(500);

/// Stays among the benchmarks for the time of the worker.
///
/// The blocks are drawn at random among those that had least time so far: quick benchmarks and slow ones get the same
/// share of it. `interrupted` is asked between turns.
///
/// # Errors
/// [`Error::Operation`] as soon as an operation cannot be prepared or gave a wrong result.
pub fn work(
    worker: &WorkerTask,
    counter: &Counter,
    benchmarks: &mut [Benchmark<'_>],
    interrupted: &dyn Fn() -> bool,
) -> Result<WorkerResult, Error> {
    let begin = Instant::now();
    let mut order = Rng::for_purpose(worker.seed, 0x76_6973_6974);
    let mut next = vec![worker.first; benchmarks.len()];
    let mut seen = Vec::with_capacity(benchmarks.len());
    for (at, (benchmark, next)) in benchmarks.iter_mut().zip(&mut next).enumerate() {
        let known = match worker.known.get(at) {
            Some(known) => {
                // The first operations of a process find out what it can do, test themselves, fill tables, and start engines.
                let first = Block { first: *next, batch: known.batch, windows: 1, warm: 0 };
                benchmark.block(counter, first, &mut || ())?;
                *next += first.operations();
                *known
            }
            None => benchmark.calibrate(counter, worker.window, next)?,
        };
        let (name, estimator) = (benchmark.name().to_owned(), benchmark.estimator());
        seen.push(Seen { name, estimator, known, blocks: 0, spent: Duration::ZERO, windows: Vec::new() });
    }
    let (clock, from) = (Instant::now(), counter.now());
    let rulers: Vec<[u32; 2]> = (0..RULERS).filter_map(|_| ruler::pair(counter)).collect();
    let passed = counter.between(from, counter.now()).map_or(f64::NAN, |units| units as f64);
    let per_ns = if counter.unit() == "ns" { 1.0 } else { passed / clock.elapsed().as_nanos() as f64 };
    let start = Instant::now();
    loop {
        let everyone_had_a_block = seen.iter().all(|seen| seen.blocks > 0);
        if interrupted() || (everyone_had_a_block && start.elapsed() >= worker.time) {
            return Ok(WorkerResult { elapsed: begin.elapsed(), seen, rulers, per_ns });
        }
        let Some(at) = draw(&seen, &mut order) else {
            return Ok(WorkerResult { elapsed: begin.elapsed(), seen, rulers, per_ns });
        };
        let block = Instant::now();
        let wanted = seen[at].known.block(next[at]);
        // Where the counter was lost, the block is taken without windows: a worker among lost counters has to end.
        let chain = ruler::chain(counter);
        let mut between = Vec::with_capacity(wanted.windows as usize + 1);
        let samples =
            benchmarks[at].block(counter, wanted, &mut || between.push(ruler::throughput(counter)))?;
        next[at] += wanted.operations();
        let ended = u32::try_from(begin.elapsed().as_micros()).unwrap_or(u32::MAX);
        for (sample, beside) in samples.iter().zip(between.windows(2)) {
            let (Some(chain), Some(length), [Some(before), Some(behind)]) = (chain, sample.length, beside)
            else {
                continue;
            };
            seen[at].windows.push(Window {
                at: ended,
                length,
                rulers: [*before, *behind].map(ruler::narrow),
                chain: ruler::narrow(chain),
                switched: sample.disturbed,
            });
        }
        seen[at].blocks += 1;
        seen[at].spent += block.elapsed();
    }
}

/// One of those that had least time so far, and of those that had none, if there are any.
fn draw(seen: &[Seen], rng: &mut Rng) -> Option<usize> {
    let least = seen.iter().map(|seen| seen.spent).min()?;
    let waiting = seen.iter().any(|seen| seen.blocks == 0);
    let is_next = |seen: &Seen| if waiting { seen.blocks == 0 } else { seen.spent <= least + QUANTUM };
    let among: Vec<usize> = (0..seen.len()).filter(|&at| is_next(&seen[at])).collect();
    among.get(rng.below(among.len())).copied()
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::collections::BTreeSet;

    use super::*;
    use crate::counter::Prefer;
    use crate::counter::tests::scripted;
    use crate::operation::operation;
    use crate::sys::tests::LOST;

    fn spinning(name: &str, time: Duration) -> Benchmark<'static> {
        let run = move |_: &mut u64| {
            let start = Instant::now();
            while start.elapsed() < time {}
        };
        Benchmark::new(name, Estimator::Median, operation(Ok, run, |_, ()| Ok(())))
    }

    fn worker(time: u64, known: Vec<Known>) -> WorkerTask {
        WorkerTask {
            time: Duration::from_millis(time),
            window: Duration::from_micros(30),
            known,
            first: 5,
            seed: 1,
        }
    }

    /// A benchmark that writes down the numbers of its operations.
    fn logged(log: &RefCell<Vec<u64>>) -> Benchmark<'_> {
        let run = |index: &mut u64| log.borrow_mut().push(*index);
        Benchmark::new("logged", Estimator::Mean, operation(Ok, run, |_, ()| Ok(())))
    }

    /// No interrupt, for as long as any stay here may take.
    fn none() -> impl Fn() -> bool {
        let blocks = Cell::new(0);
        move || {
            blocks.set(blocks.get() + 1);
            assert!(blocks.get() < 1000, "a stay without an end");
            false
        }
    }

    #[test]
    fn batches_that_are_not_known_are_found() {
        let counter = Counter::open(Prefer::WallTime);
        let mut benchmarks =
            [spinning("quick", Duration::from_micros(2)), spinning("slow", Duration::from_millis(5))];
        let seen = work(&worker(30, vec![]), &counter, &mut benchmarks, &none()).expect("no failure").seen;
        assert!(seen[0].known.batch > 1 && seen[1].known.batch == 1);
        assert!(seen[0].windows.len() > seen[1].windows.len());
        for window in seen.iter().flat_map(|seen| &seen.windows) {
            assert!(window.length > 0 && window.chain > 0 && window.rulers[0] > 0 && window.rulers[1] > 0);
        }
    }

    #[test]
    fn operations_are_numbered_on_and_a_block_is_warmed() {
        for (window, in_a_block, operations) in [
            // One window that is not counted, then a block of three untimed and three timed ones.
            (30, 3, 4 * (1 + 3 + 3)),
            // Turns of long ones are not warmed, but the first operations of a process are in no window of theirs either.
            (20_000, 1, 4 * (1 + 1)),
        ] {
            let log = RefCell::new(Vec::new());
            let known = Known { batch: 4, window: Duration::from_micros(window), in_a_block };
            let counter = Counter::open(Prefer::WallTime);
            let result =
                work(&worker(0, vec![known]), &counter, &mut [logged(&log)], &none()).expect("no failure");
            assert_eq!(log.into_inner(), (5..5 + operations).collect::<Vec<_>>());
            let seen = &result.seen[0];
            assert_eq!((seen.known, seen.blocks, seen.windows.len() as u64), (known, 1, in_a_block));
            assert_eq!((seen.name.as_str(), seen.estimator), ("logged", Estimator::Mean));
            assert!(seen.spent > Duration::ZERO && seen.spent <= result.elapsed);
        }
    }

    #[test]
    fn a_window_has_the_rulers_on_both_sides_and_the_chain_of_its_block() {
        let log = RefCell::new(Vec::new());
        let known = Known { batch: 2, window: Duration::from_millis(20), in_a_block: 3 };
        let lengths = |script: &[u64], lost: Option<usize>| {
            let lost = |at: usize, length: &u64| (Some(at) != lost).then_some(*length);
            // The first reading is of the window that is not counted.
            let counted = script.iter().enumerate().map(|(at, length)| lost(at, length));
            // Then the rulers before the first block, between two readings; they are lost here.
            let before = [Some(1)].into_iter().chain([None; RULERS + 1]);
            let counter = scripted(before.chain(counted));
            let result =
                work(&worker(0, vec![known]), &counter, &mut [logged(&log)], &none()).expect("no failure");
            assert_eq!(result.seen[0].blocks, 1);
            let windows = &result.seen[0].windows;
            assert!(windows.iter().all(|window| window.at == windows[0].at));
            windows.iter().map(|it| (it.chain, it.rulers, it.length)).collect::<Vec<_>>()
        };
        // The chain, a ruler, and then a window and a ruler each.
        let script = [8192, 2000, 70, 2001, 71, 2002, u64::MAX / 2, u64::from(u32::MAX) + 1];
        let [first, second, third] =
            [(8192, [2000, 2001], 70), (8192, [2001, 2002], 71), (8192, [2002, u32::MAX], u64::MAX / 2)];
        assert_eq!(lengths(&script, None), [first, second, third]);
        // Without one of its readings a window does not count.
        for (lost, counted) in [
            (0, vec![]),
            (1, vec![second, third]),
            (2, vec![second, third]),
            (3, vec![third]),
            (6, vec![first, second]),
            (7, vec![first, second]),
        ] {
            assert_eq!(lengths(&script, Some(lost)), counted, "reading {lost}");
        }
        assert_eq!(lengths(&[], None), [], "a counter that is lost for good");
    }

    #[test]
    fn the_clock_of_a_worker_begins_before_and_its_time_behind_the_first_operations() {
        let first = Duration::from_millis(40);
        let run = |index: &mut u64| {
            std::thread::sleep(if *index == 5 { first } else { Duration::from_millis(10) });
            LOST.set(LOST.get() + 1);
        };
        let mut slow = [Benchmark::new("slow", Estimator::Median, operation(Ok, run, |_, ()| Ok(())))];
        let known = vec![Known { batch: 1, window: Duration::from_millis(20), in_a_block: 1 }];
        let result = work(&worker(40, known), &Counter::open(Prefer::WallTime), &mut slow, &none());
        let WorkerResult { elapsed, seen, .. } = result.expect("no failure");
        assert!(elapsed >= first + Duration::from_millis(40), "{elapsed:?}");
        assert!(seen[0].windows[0].at >= 40_000, "microseconds from the begin");
        assert!(seen[0].windows.iter().all(|window| window.switched));
    }

    #[test]
    fn the_seed_decides_the_order() {
        let order = |seed| {
            let log = RefCell::new(Vec::new());
            let known = vec![Known { batch: 1, window: Duration::from_millis(20), in_a_block: 1 }; 8];
            let mut benchmarks: Vec<Benchmark<'_>> = (0..8)
                .map(|at| {
                    let log = &log;
                    let run = move |_: &mut u64| log.borrow_mut().push(at);
                    Benchmark::new("it", Estimator::Median, operation(Ok, run, |_, ()| Ok(())))
                })
                .collect();
            let worker = WorkerTask { seed, ..worker(0, known) };
            work(&worker, &scripted([]), &mut benchmarks, &none()).expect("no failure");
            drop(benchmarks);
            log.into_inner()
        };
        // The first operations of each, and then a block of each.
        assert_eq!(order(1)[..8], [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!((order(1).len(), order(1)), (16, order(1)));
        assert_ne!(order(1), order(2));
    }

    #[test]
    fn an_interrupt_ends_it_between_blocks() {
        let counter = Counter::open(Prefer::WallTime);
        let known = || vec![Known { batch: 4, window: Duration::from_micros(30), in_a_block: 3 }];
        for blocks in [0, 1, 3] {
            let (log, asked) = (RefCell::new(Vec::new()), Cell::new(0));
            let interrupted = || {
                assert!(asked.get() <= blocks, "asked again");
                asked.replace(asked.get() + 1) == blocks
            };
            let result = work(&worker(1_000_000, known()), &counter, &mut [logged(&log)], &interrupted);
            let seen = &result.expect("no failure").seen[0];
            assert_eq!((seen.blocks, seen.windows.len()), (blocks, 3 * blocks as usize));
            // One window that is not counted, then blocks of three untimed and three timed ones.
            let operations = 4 * (1 + u64::from(blocks) * 6);
            assert_eq!(log.into_inner(), (5..5 + operations).collect::<Vec<_>>());
        }
    }

    #[test]
    fn those_with_least_time_are_drawn() {
        let seen = |microseconds, blocks| Seen {
            name: String::new(),
            estimator: Estimator::Median,
            known: Known::new(1, Duration::ZERO, false),
            blocks,
            spent: Duration::from_micros(microseconds),
            windows: vec![],
        };
        let drawn = |all: &[Seen]| -> Vec<usize> {
            let mut rng = Rng::new(1);
            let drawn: BTreeSet<usize> = (0..100).filter_map(|_| draw(all, &mut rng)).collect();
            drawn.into_iter().collect()
        };
        assert_eq!(drawn(&[seen(5000, 1), seen(1000, 1), seen(9000, 1)]), [1]);
        // Half a millisecond is no difference.
        assert_eq!(drawn(&[seen(1500, 1), seen(1000, 9), seen(1501, 1), seen(1200, 4)]), [0, 1, 3]);
        // Those without a block come first, in any order.
        assert_eq!(drawn(&[seen(0, 1), seen(1, 0), seen(0, 0), seen(0, 2)]), [1, 2]);
        assert!(drawn(&[]).is_empty());
    }
}
