//! What is timed: an operation that is prepared before the window and checked after it.

use crate::{
    block::{Block, Known},
    counter::Counter,
    error::{Error, Failure, Stage},
    interval::Estimator,
    sys,
};
use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// One operation of one implementation. Only [`run`](Self::run) is timed.
pub trait Operation {
    /// What one run works on: a message, a buffer, a key; or only an index into data the operation owns.
    type Input;
    /// What one run yields, handed to [`check`](Self::check). A run that can fail yields its `Result`. Small outputs
    /// keep the window pure: a large array is copied into the list of outputs within it, a `Vec` or `Box` is not.
    type Output;

    /// Builds the input of the operation with this index, outside the window. Measured operations count from 0;
    /// indices from 2^40 on belong to calibration and warm-up. The same index must give the same input within a
    /// run; different ones should give different inputs, so that nothing is timed that a predictor
    /// or a cache has learnt by heart.
    ///
    /// # Errors
    /// Anything that prevents it; the measurement ends with it.
    fn prepare(&mut self, index: u64) -> Result<Self::Input, Failure>;

    /// The timed work.
    fn run(&mut self, input: &mut Self::Input) -> Self::Output;

    /// Checks the output, outside the window.
    ///
    /// # Errors
    /// What is wrong with it; the whole measurement is then discarded.
    fn check(&mut self, input: Self::Input, output: Self::Output) -> Result<(), Failure>;
}

/// An operation from three closures: prepare, run, check.
pub fn operation<I, O>(
    prepare: impl FnMut(u64) -> Result<I, Failure>,
    run: impl FnMut(&mut I) -> O,
    check: impl FnMut(I, O) -> Result<(), Failure>,
) -> impl Operation<Input = I, Output = O> {
    Closures { prepare, run, check }
}

struct Closures<P, R, C> {
    prepare: P,
    run: R,
    check: C,
}

impl<I, O, P, R, C> Operation for Closures<P, R, C>
where
    P: FnMut(u64) -> Result<I, Failure>,
    R: FnMut(&mut I) -> O,
    C: FnMut(I, O) -> Result<(), Failure>,
{
    type Input = I;
    type Output = O;

    fn prepare(&mut self, index: u64) -> Result<I, Failure> {
        (self.prepare)(index)
    }

    fn run(&mut self, input: &mut I) -> O {
        (self.run)(input)
    }

    fn check(&mut self, input: I, output: O) -> Result<(), Failure> {
        (self.check)(input, output)
    }
}

/// A named operation among those that a round workers. Benchmarks of different types stand in one list.
pub struct Benchmark<'a> {
    name: String,
    estimator: Estimator,
    sampler: Box<dyn Sampler + 'a>,
    leaves_much: bool,
}

impl<'a> Benchmark<'a> {
    /// Gives an operation its name and says which result is to stand for it.
    pub fn new(name: impl Into<String>, estimator: Estimator, operation: impl Operation + 'a) -> Self {
        let sampler = Box::new(Batches { operation, inputs: Vec::new(), outputs: Vec::new() });
        Self { name: name.into(), estimator, sampler, leaves_much: false }
    }

    /// Says that what an operation yields is large: a prepared key with its tables.
    #[must_use]
    pub fn leaving_much(self) -> Self {
        Self { leaves_much: true, ..self }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The result that stands for it.
    pub fn estimator(&self) -> Estimator {
        self.estimator
    }

    /// Times the `batch` operations from index `first` on, in one window.
    pub(crate) fn sample(&mut self, counter: &Counter, first: u64, batch: u64) -> Result<Sample, Error> {
        let block = Block { first, batch, windows: 1, warm: 0 };
        let samples = self.block(counter, block, &mut || ())?;
        // One window gives one sample.
        Ok(samples.first().copied().unwrap_or(Sample::LOST))
    }

    /// Times some windows, one directly after the other; `between` is called before the first and behind each.
    pub(crate) fn block(
        &mut self,
        counter: &Counter,
        block: Block,
        between: &mut dyn FnMut(),
    ) -> Result<Vec<Sample>, Error> {
        self.sampler.block(counter, block, between).map_err(|wrong| Error::Operation {
            benchmark: self.name.clone(),
            stage: wrong.stage,
            index: wrong.index,
            source: wrong.source,
        })
    }

    /// The smallest batch whose window lasts `target`, by doubling and estimating; `index` is the next unused index. The first operation of
    /// the process is not looked at: what it starts would stand for all.
    pub(crate) fn calibrate(
        &mut self,
        counter: &Counter,
        target: Duration,
        index: &mut u64,
    ) -> Result<Known, Error> {
        let mut batch = 1;
        self.sample(counter, *index, batch)?;
        *index += batch;
        loop {
            let shortest = shortest(target, || {
                let sample = self.sample(counter, *index, batch)?;
                *index += batch;
                Ok(sample)
            })?;
            let Some(larger) = larger(batch, shortest, target) else {
                return Ok(Known::new(batch, shortest, self.leaves_much));
            };
            assert!(larger > batch, "the search for a batch has to end");
            batch = larger;
        }
    }
}

/// The shortest of three windows, because a disturbance must not make a batch look long enough; fewer where one is far
/// longer than `target`, and nothing disturbed it.
fn shortest(target: Duration, mut window: impl FnMut() -> Result<Sample, Error>) -> Result<Duration, Error> {
    let mut shortest = Duration::MAX;
    for _ in 0..3 {
        let sample = window()?;
        shortest = shortest.min(sample.wall);
        if shortest > target + SLOW && !sample.disturbed {
            break;
        }
    }
    Ok(shortest)
}

/// The batch to try next where the shortest window of this one was so long; `None` if that is long enough. A tenth more
/// than what seems to be needed, and thus one more at least; at most sixteen times as many.
fn larger(batch: u64, shortest: Duration, target: Duration) -> Option<u64> {
    if shortest >= target || batch >= MAX_BATCH {
        return None;
    }
    let needed = target.as_secs_f64() / shortest.as_secs_f64().max(1e-9) * batch as f64 * 1.1;
    Some((needed.ceil() as u64).min(16 * batch).min(MAX_BATCH))
}

/// A window of this length that nothing disturbed is not repeated to calibrate: no interrupt makes a short batch look
/// so long, and slow operations are expensive to repeat.
const SLOW: Duration = Duration::from_millis(50);

/// Bounds memory where an operation takes no time at all.
const MAX_BATCH: u64 = 1 << 16;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    /// The counter's units of all its operations; `None` where the counter was lost within the window.
    pub(crate) length: Option<u64>,
    /// The window's length by the clock.
    pub(crate) wall: Duration,
    /// The thread lost its core within the block.
    pub(crate) disturbed: bool,
}

impl Sample {
    const LOST: Sample = Sample { length: None, wall: Duration::ZERO, disturbed: false };
}

struct Wrong {
    stage: Stage,
    index: u64,
    source: Failure,
}

/// What a benchmark's operation looks like from outside, its types forgotten.
trait Sampler {
    fn block(
        &mut self,
        counter: &Counter,
        block: Block,
        between: &mut dyn FnMut(),
    ) -> Result<Vec<Sample>, Wrong>;
}

struct Batches<O: Operation> {
    operation: O,
    inputs: Vec<O::Input>,
    outputs: Vec<O::Output>,
}

impl<O: Operation> Sampler for Batches<O> {
    fn block(
        &mut self,
        counter: &Counter,
        block: Block,
        between: &mut dyn FnMut(),
    ) -> Result<Vec<Sample>, Wrong> {
        let Self { operation, inputs, outputs } = self;
        inputs.clear();
        outputs.clear();
        for index in (block.first..).take(block.operations() as usize) {
            let input = operation.prepare(index);
            inputs.push(input.map_err(|source| Wrong { stage: Stage::Preparing, index, source })?);
        }
        outputs.reserve(inputs.len());
        let mut samples = Vec::with_capacity(block.windows as usize);

        // The system is asked about the whole block, not each window: a system call right before a window is felt in it.
        let switches = sys::involuntary_switches();
        let (warm, timed) = inputs.split_at_mut((block.warm * block.batch) as usize);
        for input in warm {
            outputs.push(operation.run(black_box(input)));
        }
        between();
        for inputs in timed.chunks_mut(block.batch.max(1) as usize) {
            let clock = Instant::now();
            let start = counter.now();
            for input in inputs {
                outputs.push(operation.run(black_box(input)));
            }
            // The list is seen by code unknown to the compiler before the count is read, so no result may come later.
            black_box(&mut *outputs);
            let end = counter.now();
            let wall = clock.elapsed();
            between();
            let length = counter.between(start, end);
            samples.push(Sample { length, wall, disturbed: false });
        }
        let disturbed = sys::involuntary_switches() != switches;
        samples.iter_mut().for_each(|sample| sample.disturbed = disturbed);

        for (index, (input, output)) in (block.first..).zip(inputs.drain(..).zip(outputs.drain(..))) {
            operation.check(input, output).map_err(|source| Wrong {
                stage: Stage::Checking,
                index,
                source,
            })?;
        }
        Ok(samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::{Prefer, tests::scripted};
    use crate::sys::tests::LOST;
    use std::{cell::RefCell, ops::Range, rc::Rc};

    #[test]
    fn a_batch_prepares_all_then_runs_all_then_checks_all() {
        let log = Rc::new(RefCell::new(Vec::new()));
        let note = |what: &'static str| {
            let log = Rc::clone(&log);
            move |index: u64| log.borrow_mut().push((what, index))
        };
        let (prepared, ran, checked) = (note("prepare"), note("run"), note("check"));
        let mut benchmark = Benchmark::new(
            "logged",
            Estimator::Median,
            operation(
                move |index| {
                    prepared(index);
                    Ok(index)
                },
                move |index: &mut u64| {
                    ran(*index);
                    *index * 10
                },
                move |index, output| {
                    checked(index);
                    assert_eq!(output, index * 10);
                    Ok(())
                },
            ),
        );
        let block = Block { first: 5, batch: 2, windows: 2, warm: 1 };
        let mut between = || log.borrow_mut().push(("between", 0));
        let counter = scripted([Some(70), None]);
        let samples = benchmark.block(&counter, block, &mut between).expect("no failure");
        assert_eq!(samples.iter().map(|it| it.length).collect::<Vec<_>>(), [Some(70), None]);
        let each = |what: &'static str, of: Range<u64>| of.map(|index| (what, index)).collect::<Vec<_>>();
        let between = vec![("between", 0)];
        // The first two are run before the windows, and checked with all others.
        let expected = [
            each("prepare", 5..11),
            each("run", 5..7),
            between.clone(),
            each("run", 7..9),
            between.clone(),
            each("run", 9..11),
            between,
            each("check", 5..11),
        ];
        assert_eq!(*log.borrow(), expected.concat());
        log.borrow_mut().clear();
        let sample = benchmark.sample(&scripted([Some(9)]), 3, 2).expect("no failure");
        assert_eq!(sample.length, Some(9));
        assert_eq!(*log.borrow(), [each("prepare", 3..5), each("run", 3..5), each("check", 3..5)].concat());
    }

    #[test]
    fn a_thread_keeps_its_core_in_most_blocks() {
        let mut quick =
            Benchmark::new("quick", Estimator::Median, operation(Ok, |_: &mut u64| (), |_, ()| Ok(())));
        let counter = Counter::open(Prefer::WallTime);
        let kept = (0..1000).filter(|&at| !quick.sample(&counter, at, 1).expect("no failure").disturbed);
        assert!(kept.count() > 500);
    }

    #[test]
    fn a_thread_that_lost_its_core_anywhere_in_a_block_lost_it_in_all_its_windows() {
        let block = Block { first: 0, batch: 1, windows: 2, warm: 1 };
        for lost in [0, 1, 2] {
            let run = |index: &mut u64| LOST.set(LOST.get() + libc::c_long::from(*index == lost));
            let mut benchmark = Benchmark::new("it", Estimator::Median, operation(Ok, run, |_, ()| Ok(())));
            let samples = benchmark.block(&scripted([]), block, &mut || ()).expect("no failure");
            assert_eq!(samples.iter().map(|it| it.disturbed).collect::<Vec<_>>(), [true; 2], "{lost}");
        }
    }

    #[test]
    fn a_window_ends_before_what_stands_behind_it() {
        let mut quick =
            Benchmark::new("it", Estimator::Median, operation(Ok, |_: &mut u64| (), |_, ()| Ok(())));
        let mut between = Vec::new();
        let block = Block { first: 0, batch: 1, windows: 2, warm: 0 };
        let samples = quick.block(&scripted([]), block, &mut || {
            let begin = Instant::now();
            std::thread::sleep(Duration::from_millis(20));
            between.push((begin, Instant::now()));
        });
        for (sample, around) in samples.expect("no failure").iter().zip(between.windows(2)) {
            assert!(sample.wall <= around[1].0 - around[0].1, "{sample:?}");
        }
    }

    #[test]
    fn outputs_have_their_room_before_the_first_window() {
        // A list that grows does so by doubling, to 1024.
        let operation = operation(Ok, |_: &mut u64| 1_u64, |_, _| Ok(()));
        let mut batches = Batches { operation, inputs: Vec::new(), outputs: Vec::new() };
        let block = Block { first: 0, batch: 500, windows: 1, warm: 1 };
        assert!(batches.block(&scripted([]), block, &mut || ()).is_ok());
        assert_eq!(batches.outputs.capacity(), 1000);
    }

    #[test]
    fn a_batch_grows_by_what_is_missing_and_a_tenth() {
        let target = Duration::from_micros(30);
        for (batch, nanoseconds, larger) in [
            (1, 30_000, None),
            (1, 29_999, Some(2)),
            (10, 29_999, Some(12)),
            (10, 20_000, Some(17)),
            (100, 10_000, Some(330)),
            (1, 1000, Some(16)),
            (7, 0, Some(7 * 16)),
            // No more than memory bears, however short they are.
            (1 << 15, 10, Some(1 << 16)),
            (1 << 16, 10, None),
        ] {
            let found = super::larger(batch, Duration::from_nanos(nanoseconds), target);
            assert_eq!(found, larger, "{batch} in {nanoseconds} ns");
        }
    }

    #[test]
    fn the_shortest_of_three_windows_decides_unless_one_is_very_long() {
        let target = Duration::from_millis(1);
        for (windows, shortest, taken) in [
            ([(3, false), (2, false), (4, false)], 2, 3),
            ([(51, false), (60, false), (70, false)], 51, 3),
            ([(52, false), (2, false), (2, false)], 52, 1),
            ([(4, false), (52, false), (60, false)], 4, 3),
            // What was disturbed may be short without that.
            ([(60, true), (52, false), (2, false)], 52, 2),
            ([(60, true), (70, true), (80, true)], 60, 3),
        ] {
            let mut of = windows.iter();
            let window = || {
                let &(milliseconds, disturbed) = of.next().expect("three at most");
                Ok(Sample { length: None, wall: Duration::from_millis(milliseconds), disturbed })
            };
            let found = super::shortest(target, window).expect("no failure");
            assert_eq!(found, Duration::from_millis(shortest), "{windows:?}");
            assert_eq!(windows.len() - of.len(), taken, "{windows:?}");
        }
    }

    #[test]
    fn a_batch_is_found_by_operations_that_are_numbered_on() {
        let known = |mut of: Benchmark<'_>, target, next: &mut u64| {
            of.calibrate(&Counter::open(Prefer::WallTime), target, next).expect("no failure")
        };
        let log = RefCell::new(Vec::new());
        let run = |index: &mut u64| log.borrow_mut().push(*index);
        let logged = Benchmark::new("logged", Estimator::Median, operation(Ok, run, |_, ()| Ok(())));
        let mut next = 3;
        // So little that the largest batch lasts longer on the quickest machine.
        let found = known(logged, Duration::from_micros(20), &mut next);
        assert!(found.batch > 1 && found.window >= Duration::from_micros(20), "{found:?}");
        assert_eq!(log.into_inner(), (3..next).collect::<Vec<_>>());
        // What the first one starts is of no window.
        let run = |index: &mut u64| std::thread::sleep(SLOW * if *index == 3 { 4 } else { 0 });
        let starting = Benchmark::new("starting", Estimator::Median, operation(Ok, run, |_, ()| Ok(())));
        let found = known(starting, Duration::from_micros(20), &mut 3);
        assert!(found.window < SLOW * 4, "{found:?}");
        // What leaves much behind has fewer windows in a block.
        let quick =
            || Benchmark::new("quick", Estimator::Median, operation(Ok, |_: &mut u64| (), |_, ()| Ok(())));
        assert_eq!(known(quick().leaving_much(), Duration::ZERO, &mut 0).in_a_block, 2);
    }

    #[test]
    fn a_wrong_result_names_benchmark_stage_and_index() {
        let counter = Counter::open(Prefer::WallTime);
        let check = |index, ()| if index < 12 { Ok(()) } else { Err("digest differs".into()) };
        let mut benchmark = Benchmark::new("bad", Estimator::Median, operation(Ok, |_: &mut u64| (), check));
        assert!(benchmark.sample(&counter, 0, 10).is_ok());
        // The untimed ones are checked, too.
        let block = Block { first: 10, batch: 3, windows: 1, warm: 1 };
        let message = benchmark.block(&counter, block, &mut || ()).expect_err("12 is wrong").to_string();
        assert!(message.starts_with("`bad` failed while checking operation 12: digest differs"), "{message}");
    }
}
