//! A benchmark in three lines, measured by fresh processes: for `cargo bench`.
//!
//! ```no_run
//! // In `main` of benches/sums.rs, with `harness = false` in Cargo.toml:
//! let numbers: Vec<u64> = (0..1000).collect();
//! fieldtest_measure::bench("sum", || numbers.iter().sum::<u64>());
//! ```
//!
//! The program starts itself again for every worker, with its own arguments: what it does before the benchmark, it does some
//! thirty times. What it prints is shown once.

// A benchmark program is there to print.
#![allow(clippy::print_stdout)]

use std::env;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::contention::Peak;
use crate::coverage::UNCALIBRATED;
use crate::estimate::{Core, Estimate, FEWEST, readings};
use crate::worker::{WorkerResult, WorkerTask, work};
use crate::{Benchmark, Counter, Estimator, Interval, Prefer, affinity, operation, ruler};

/// Names the order of a worker, which is JSON.
const ORDER: &str = "FIELDTEST_BENCH";
/// What a worker's answer, one line of JSON, begins with: its program may print, too.
const ANSWER: &str = "fieldtest-bench ";
const WINDOW: Duration = Duration::from_micros(30);
const STAY: Duration = Duration::from_millis(30);
const WORKERS: usize = 30;
const BUDGET: Duration = Duration::from_secs(5);

/// A benchmark by itself; prints what it costs.
pub fn bench<O>(name: &str, run: impl FnMut() -> O) {
    Group::new(name).bench(name, run).run();
}

/// Benchmarks that are measured by the same processes, so that their ratio is more certain than either.
pub struct Group<'a> {
    name: String,
    benchmarks: Vec<Benchmark<'a>>,
}

/// What one operation of a benchmark costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The benchmark's name.
    pub name: String,
    /// The lower quartile of windows and processes.
    pub value: f64,
    /// `cycles`, or `ns` on a processor without rulers and a counter.
    pub unit: &'static str,
    /// The 95% interval; none of fewer than six processes.
    pub interval: Option<Interval>,
    /// The ratio to the first of the group, with its interval.
    pub ratio: Option<(f64, Option<Interval>)>,
    /// Whether another thread used the core in too many windows.
    pub contended: bool,
}

#[derive(Serialize, Deserialize)]
struct Order {
    group: String,
    worker: WorkerTask,
    processor: Option<usize>,
}

impl<'a> Group<'a> {
    /// One without benchmarks. A program may have several, of different names.
    pub fn new(name: &str) -> Group<'a> {
        Group { name: name.to_owned(), benchmarks: Vec::new() }
    }

    /// Adds a benchmark. What `run` returns is dropped behind the timed window.
    #[must_use]
    pub fn bench<O>(self, name: &str, mut run: impl FnMut() -> O + 'a) -> Group<'a>
    where
        O: 'a,
    {
        let run = operation(|_| Ok(()), move |()| run(), |(), _| Ok(()));
        self.with(Benchmark::new(name, Estimator::Median, run))
    }

    /// Adds one that prepares inputs and checks outputs, or whose cost varies by design.
    #[must_use]
    pub fn with(mut self, benchmark: Benchmark<'a>) -> Group<'a> {
        self.benchmarks.push(benchmark);
        self
    }

    /// Measures for at most five seconds or thirty processes, prints a table, and returns it. In a worker of this group, does its
    /// work and ends the process; `None` in a worker of another group, which passes this one on its way.
    ///
    /// # Panics
    /// If the program cannot be started again, a worker fails, or an operation's check refuses its output.
    pub fn run(mut self) -> Option<Vec<Measured>> {
        let counter = Counter::open(Prefer::Cycles);
        if let Ok(order) = env::var(ORDER) {
            let order: Order = serde_json::from_str(&order).expect("an order of this version");
            if order.group != self.name {
                return None;
            }
            let _ = order.processor.map(affinity::stay_on);
            let result = work(&order.worker, &counter, &mut self.benchmarks, &|| false);
            let result = result.unwrap_or_else(|error| panic!("{error}"));
            println!("{ANSWER}{}", serde_json::to_string(&result).expect("plain data"));
            std::process::exit(0);
        }
        let processors = affinity::allowed().unwrap_or_default();
        let start = Instant::now();
        let mut task = WorkerTask { time: STAY, window: WINDOW, known: Vec::new(), first: 0, seed: 1 };
        // The first finds out how many operations a window has, and is not counted.
        let first = self.worker(&task, None);
        task.known = first.seen.iter().map(|seen| seen.known).collect();
        task.time *= self.benchmarks.len() as u32;
        let mut workers = Vec::new();
        while workers.len() < WORKERS && (workers.len() < FEWEST || start.elapsed() < BUDGET) {
            task.seed += 1;
            task.first = task.seed << 20;
            let processor = processors.get(workers.len() % processors.len().max(1)).copied();
            workers.push(self.worker(&task, processor));
        }
        let found = self.measured(&workers, Peak::of(workers.iter().chain([&first])), &counter);
        found.iter().for_each(|it| println!("{it}"));
        Some(found)
    }

    fn worker(&self, task: &WorkerTask, processor: Option<usize>) -> WorkerResult {
        let order = Order { group: self.name.clone(), worker: task.clone(), processor };
        let order = serde_json::to_string(&order).expect("plain data");
        let program = env::current_exe().expect("the path of this program");
        let mut command = Command::new(program);
        command.args(env::args_os().skip(1)).env(ORDER, order).stdin(Stdio::null()).stderr(Stdio::inherit());
        let output = command.output().expect("this program, started again");
        let text = String::from_utf8_lossy(&output.stdout);
        let answer = text.lines().rev().find_map(|line| line.strip_prefix(ANSWER));
        let result = answer.and_then(|answer| serde_json::from_str(answer).ok());
        result.unwrap_or_else(|| panic!("a worker of `{}` ended with {}", self.name, output.status))
    }

    fn measured(&self, workers: &[WorkerResult], peak: Option<Peak>, counter: &Counter) -> Vec<Measured> {
        let by_rulers = counter.unit() != "cycles" && ruler::exist();
        let of = |at: usize| {
            let seen = workers.iter().filter_map(|worker| worker.seen.get(at));
            let processes: Vec<_> = seen.map(|seen| readings(seen, peak, by_rulers)).collect();
            Some(Estimate::of(&processes, self.benchmarks[at].estimator(), 1)?.widened(UNCALIBRATED))
        };
        let first = of(0);
        let measured = |(at, benchmark): (usize, &Benchmark<'_>)| {
            let estimate = of(at)?;
            let ratio = first.as_ref().filter(|_| at > 0).and_then(|first| estimate.ratio(first));
            Some(Measured {
                name: benchmark.name().to_owned(),
                value: estimate.value,
                unit: if by_rulers { "cycles" } else { counter.unit() },
                interval: estimate.interval(),
                ratio: ratio.map(|it| (it.value, it.interval)),
                contended: estimate.core != Core::Uncontended,
            })
        };
        self.benchmarks.iter().enumerate().filter_map(measured).collect()
    }
}

impl std::fmt::Display for Measured {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let half = |of: Option<Interval>, value: f64| {
            let half = of.map(|it| format!(" ±{:.1}%", 100.0 * it.relative_to(value)));
            half.unwrap_or_default()
        };
        let Measured { name, value, unit, interval, ratio, contended } = self;
        write!(out, "{name:<24} {value:>12.1} {unit}{}", half(*interval, *value))?;
        if let Some((ratio, interval)) = ratio {
            write!(out, "  {ratio:.3} × the first{}", half(*interval, *ratio))?;
        }
        if *contended { write!(out, "  contended") } else { Ok(()) }
    }
}
