//! Many short workers of fresh processes, spread over the time there is, and the results that come of them.

use std::cell::Cell;
use std::rc::Rc;
use std::slice;
use std::time::{Duration, Instant};

use fieldtest_measure::contention::Peak;
use fieldtest_measure::estimate::{Core, Estimate, FEWEST, readings};
use fieldtest_measure::record::{Elapsed, Record, Shared};
use fieldtest_measure::words::{CONTENDED, CORE_LOST};
use fieldtest_measure::worker::{Known, Seen, WorkerResult, WorkerTask};
use fieldtest_measure::{Estimator, Interval, Rng, affinity, ruler};

use crate::group::{self, Named, Order};
use crate::{Bench, RecordWriter, StudyError};

/// What is timed against each other in the same processes.
pub struct Group<'a> {
    /// The stage that sets it up.
    pub stage: &'static str,
    /// What is timed, as records call it.
    pub operation: String,
    /// Of what, as records call it.
    pub subject: String,
    /// The benchmarks.
    pub subjects: Vec<Named>,
    /// What they work on, by the number of the worker: keys and messages of its own.
    pub input: Box<dyn Fn(u64) -> Vec<u8> + 'a>,
}

impl Group<'_> {
    /// As people hear of it.
    fn name(&self) -> String {
        format!("{}, {} {}", self.stage, self.operation, self.subject).trim_end().to_owned()
    }
}

/// What came of a benchmark group.
pub struct Outcome {
    /// A result of each benchmark, without an interval where the time was too short for enough workers; none where it was
    /// not even tried.
    pub estimates: Vec<Option<Estimate>>,
    /// The unit of the results: `cycles`, or `ns` where there is neither a counter nor a ruler.
    pub unit: &'static str,
    /// How the results came about, for the records' notes.
    pub notes: Vec<String>,
    /// What the results are of: what every worker saw of every benchmark; the rehearsal alone, where there was no other.
    workers: Vec<WorkerResult>,
    /// What the rulers read on an uncontended core; `None` where no window was known to be of one.
    peak: Option<Peak>,
    /// What else the peak is of: readings of the whole run that are not those of a result's windows. They are kept with the
    /// first result that is entered.
    rulers: Rc<Cell<Vec<[u32; 2]>>>,
    seed: u64,
}

impl Outcome {
    /// What a clock says of the benchmark at `at`, over the windows that its result is of, with the 95 % interval of the mean.
    /// `None` where the thread lost its core in every window: such means were up to 40 times those of an idle machine.
    pub fn elapsed(&self, at: usize) -> Option<(Elapsed, Option<Interval>)> {
        if self.estimates.get(at)?.as_ref()?.core == Core::Lost {
            return None;
        }
        let seen = self.workers.iter().filter_map(|worker| worker.seen.get(at));
        let processes: Vec<_> = seen.map(|seen| readings(seen, self.peak, false)).collect();
        let estimate = Estimate::of(&processes, Estimator::Mean, self.seed)?;
        let frequencies = self.workers.iter().map(|worker| worker.per_ns);
        let per_ns = frequencies.filter(|it| it.is_finite()).max_by(f64::total_cmp)?;
        let in_ns = |units: f64| units / per_ns;
        let elapsed = Elapsed { mean: in_ns(estimate.value), deviation: estimate.deviation.map(in_ns) };
        Some((elapsed, estimate.interval().map(|it| it.scaled(per_ns.recip()))))
    }

    /// Enters the result of the benchmark at `at`, for one of the `items` that an operation has, and all its windows.
    /// `record` has its names, input and proof; without `interval` it says nothing of how far it may be off.
    pub fn enter(
        &self,
        writer: &mut RecordWriter,
        at: usize,
        items: usize,
        mut record: Record,
        remarks: &[String],
        interval: bool,
    ) {
        let Some(Some(estimate)) = self.estimates.get(at) else { return };
        let scale = 1.0 / items as f64;
        record.value = estimate.value * scale;
        record.interval = estimate.interval().filter(|_| interval).map(|it| it.scaled(scale).into());
        record.estimator = estimate.estimator.name().to_owned();
        record.samples = estimate.processes as u64;
        // Without an interval: who shares the core is another one in the next run.
        record.shared = estimate.contended.map(|busy| Shared {
            value: busy.value * scale,
            interval: None,
            samples: busy.processes as u64,
        });
        // Of many items in one operation nothing is known that each of them takes.
        record.elapsed = self.elapsed(at).filter(|_| items == 1).map(|(elapsed, _)| elapsed);
        record.contention = (estimate.core != Core::Uncontended).then_some(estimate.taken);
        record.notes.extend(self::remarks(estimate));
        record.notes.extend(remarks.iter().chain(&self.notes).cloned());
        let seen = self.workers.iter().filter_map(|worker| worker.seen.get(at));
        writer.rulers(&record.study, self.peak, &self.rulers.take());
        writer.windows(&record, items, self.peak, seen);
        writer.record(record);
    }
}

/// Workers of each benchmark group that are planned where the time allows; more are made while intervals are wide.
const WORKERS: u32 = 30;
const MOST_WORKERS: usize = 120;
/// Workers of a benchmark group in a row, where time is left.
const AT_ONCE: usize = 2;
const WINDOW: Duration = Duration::from_micros(30);
/// Windows of a benchmark that a worker should have: a third of them may be undisturbed. Operations that are spread by
/// nature need more, long ones are content with less.
const WINDOWS: f64 = 40.0;
const WINDOWS_OF_SPREAD: f64 = 120.0;
const LONG: Duration = Duration::from_millis(1);
const WINDOWS_OF_LONG: f64 = 6.0;
/// The rehearsal's operations are numbered from here.
const REHEARSAL: u64 = 1 << 40;

/// What is known of a benchmark group while it is measured.
struct Course {
    known: Vec<Known>,
    /// What a worker takes beside its stay, what its shortest stay takes, and what a good one does.
    overhead: Duration,
    shortest: Duration,
    good: Duration,
    /// How many workers, and how long each stays.
    workers: u32,
    time: Duration,
    results: Vec<WorkerResult>,
    /// The rehearsal's: all there is where the time was too short for workers.
    rehearsal: WorkerResult,
}

impl Course {
    /// Whether more workers may be made, where so much of the time is left.
    fn is_open(&self, left: Duration) -> bool {
        self.overhead + self.time < left && self.workers > 0 && self.results.len() < MOST_WORKERS
    }

    /// Chains and rulers that are not those of windows that a result is of.
    fn rulers_without_windows(&self) -> impl Iterator<Item = [u32; 2]> {
        let before = self.results.iter().chain([&self.rehearsal]).flat_map(|it| it.rulers.iter().copied());
        let is_result = self.results.is_empty();
        before.chain(self.rehearsal.seen.iter().filter(move |_| !is_result).flat_map(Seen::rulers))
    }
}

/// Whose workers are next of those that are open: the group with the widest interval, and the one that waited longest.
fn next(open: &[usize], widths: &[f64], since: &[usize]) -> Option<[usize; 2]> {
    let widest = open.iter().copied().max_by(|a, b| widths[*a].total_cmp(&widths[*b]))?;
    let longest_ago = open.iter().copied().min_by_key(|&at| since[at])?;
    Some([widest, longest_ago])
}

/// What results are in, where windows are read in this unit, and whether they are turned into that by the rulers.
fn unit_of(read: &'static str, rulers: bool) -> (&'static str, bool) {
    if read != "cycles" && rulers { ("cycles", true) } else { (read, false) }
}

/// Benchmark groups that have so many workers, in an order that spreads those of each evenly over all of the time.
fn spread(workers: &[u32]) -> Vec<usize> {
    let mut order: Vec<(f64, usize)> = Vec::new();
    for (at, &all) in workers.iter().enumerate() {
        order.extend((0..all).map(|worker| ((f64::from(worker) + 0.5) / f64::from(all), at)));
    }
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    order.into_iter().map(|(_, at)| at).collect()
}

/// Workers all benchmark groups in turn within `budget`, until every interval is within the bench's target or the time is over.
///
/// # Errors
/// What a benchmark or a process refuses. What was seen before an interrupt is kept.
pub fn run(
    bench: &mut Bench<'_>,
    groups: &[Group<'_>],
    budget: Duration,
) -> Result<Vec<Outcome>, StudyError> {
    let start = Instant::now();
    let workers = Workers::of(bench, groups);
    let counter = group::counter(workers.elapsed);
    let (unit, in_cycles) = unit_of(counter.unit(), ruler::exist());
    let mut courses = Vec::with_capacity(groups.len());
    for group in groups {
        if bench.interrupted() {
            break;
        }
        courses.push(workers.rehearse(bench, group)?);
    }
    plan(&mut courses, budget.saturating_sub(start.elapsed()));

    let order = spread(&courses.iter().map(|course| course.workers).collect::<Vec<_>>());
    let all = order.len();
    for (done, at) in order.into_iter().enumerate() {
        if bench.interrupted() || start.elapsed() >= budget {
            break;
        }
        let text = format!("{}: worker {} of {all}", groups[at].name(), done + 1);
        (bench.say)(&text);
        workers.go(bench, &groups[at], &mut courses[at])?;
    }
    // What is left of the time goes to the widest, and as much to the group that waited longest: what a machine does for
    // a minute is then in the results of all, and nobody's are of its first half alone.
    let peak = peak_of(&courses);
    let width = |course: &Course, bench: &Bench<'_>| widest(&estimates(course, peak, in_cycles, bench));
    let mut widths: Vec<f64> = courses.iter().map(|course| width(course, bench)).collect();
    let mut since = vec![0_usize; courses.len()];
    for block in 1_usize.. {
        if bench.interrupted() {
            break;
        }
        let left = budget.saturating_sub(start.elapsed());
        let open: Vec<usize> = (0..courses.len()).filter(|&at| courses[at].is_open(left)).collect();
        let Some([widest, longest_ago]) = next(&open, &widths, &since) else { break };
        if widths[widest] <= bench.target {
            break;
        }
        (bench.say)(&format!(
            "{}: {} workers, ± {:.1}%",
            groups[widest].name(),
            courses[widest].results.len(),
            100.0 * widths[widest]
        ));
        for at in [widest, longest_ago] {
            for _ in 0..AT_ONCE {
                if !bench.interrupted() {
                    workers.go(bench, &groups[at], &mut courses[at])?;
                }
            }
            since[at] = block;
            widths[at] = width(&courses[at], bench);
        }
    }

    let peak = peak_of(&courses);
    let rulers = Rc::new(Cell::new(courses.iter().flat_map(Course::rulers_without_windows).collect()));
    let fresh = bench.launcher.is_fresh();
    let outcome = |course: Course| Outcome {
        estimates: estimates(&course, peak, in_cycles, bench),
        unit,
        notes: notes(&course, fresh, in_cycles, workers.elapsed),
        workers: if course.results.is_empty() { vec![course.rehearsal] } else { course.results },
        peak,
        rulers: Rc::clone(&rulers),
        seed: bench.seed,
    };
    let mut outcomes: Vec<Outcome> = courses.into_iter().map(outcome).collect();
    let nothing = |group: &Group<'_>| Outcome {
        estimates: vec![None; group.subjects.len()],
        unit,
        notes: vec!["interrupted before it was measured".to_owned()],
        workers: Vec::new(),
        peak,
        rulers: Rc::clone(&rulers),
        seed: bench.seed,
    };
    outcomes.extend(groups.iter().skip(outcomes.len()).map(nothing));
    Ok(outcomes)
}

/// The least that one operation of each benchmark takes, in the counter's unit, as a worker sees it that is not counted.
///
/// # Errors
/// What a benchmark or a process refuses.
pub fn trial(bench: &Bench<'_>, group: &Group<'_>) -> Result<Vec<f64>, StudyError> {
    let (result, _) = Workers::of(bench, slice::from_ref(group)).run_worker(
        bench,
        group,
        0,
        (Duration::ZERO, vec![], REHEARSAL),
    )?;
    let least = |seen: &Seen| {
        let shortest = seen.windows.iter().map(|window| window.length).min();
        shortest.map_or(f64::INFINITY, |length| length as f64 / seen.known.batch as f64)
    };
    Ok(result.seen.iter().map(least).collect())
}

struct Workers {
    processors: Vec<usize>,
    seed: u64,
    /// Whether one has helpers: then all are timed by the clock, also beside each other in tables. A worker stays on one
    /// processor, so that the time of its helpers passes there, too.
    elapsed: bool,
}

impl Workers {
    fn of(bench: &Bench<'_>, groups: &[Group<'_>]) -> Workers {
        let elapsed = groups.iter().flat_map(|group| &group.subjects).any(Named::has_helpers);
        Workers { processors: affinity::allowed().unwrap_or_default(), seed: bench.seed, elapsed }
    }

    /// A first worker, which finds batches and durations and is not counted.
    fn rehearse(&self, bench: &mut Bench<'_>, group: &Group<'_>) -> Result<Course, StudyError> {
        (bench.say)(&format!("{}: rehearsing", group.name()));
        let (result, wall) = self.run_worker(bench, group, 0, (Duration::ZERO, vec![], REHEARSAL))?;
        // A window of each benchmark comes before its first block.
        let before: Duration = result.seen.iter().map(|seen| seen.known.window).sum();
        let [shortest, good] = result
            .seen
            .iter()
            .map(wanted_by)
            .fold([Duration::ZERO; 2], |all, of| [all[0] + of[0], all[1] + of[1]]);
        Ok(Course {
            known: result.seen.iter().map(|seen| seen.known).collect(),
            overhead: wall.saturating_sub(result.elapsed) + before,
            shortest,
            good,
            workers: 0,
            time: Duration::ZERO,
            results: Vec::new(),
            rehearsal: result,
        })
    }

    /// One more worker, on the next processor.
    fn go(&self, bench: &mut Bench<'_>, group: &Group<'_>, course: &mut Course) -> Result<(), StudyError> {
        let number = course.results.len() as u64;
        let known = course.known.clone();
        match self.run_worker(bench, group, number, (course.time, known, number << 20)) {
            Ok((result, _)) => course.results.push(result),
            // A process that the user's interrupt ended as well.
            Err(_) if bench.interrupted() => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn run_worker(
        &self,
        bench: &Bench<'_>,
        group: &Group<'_>,
        number: u64,
        (time, known, first): (Duration, Vec<Known>, u64),
    ) -> Result<(WorkerResult, Duration), StudyError> {
        let start = Instant::now();
        let processor = match self.processors.len() {
            0 => None,
            some => self.processors.get(number as usize % some).copied(),
        };
        let seed = Rng::for_purpose(self.seed, number).next_u64();
        let result = bench.launcher.run_worker(&Order {
            stage: group.stage.to_owned(),
            operation: group.operation.clone(),
            subject: group.subject.clone(),
            subjects: group.subjects.clone(),
            input: (group.input)(number),
            worker: WorkerTask { time, window: WINDOW, known, first, seed },
            processor: processor.filter(|_| bench.launcher.is_fresh()),
            elapsed: self.elapsed,
        })?;
        Ok((result, start.elapsed()))
    }
}

/// What one block of a benchmark takes, and as many turns as a good worker has of it.
fn wanted_by(seen: &Seen) -> [Duration; 2] {
    let block = seen.spent / seen.blocks.max(1);
    let in_a_block = seen.windows.len().max(1) as f64 / f64::from(seen.blocks.max(1));
    let wanted = match seen.estimator {
        _ if block.div_f64(in_a_block) > LONG => WINDOWS_OF_LONG,
        Estimator::Mean => WINDOWS_OF_SPREAD,
        Estimator::Median => WINDOWS,
    };
    [block, block.mul_f64((wanted / in_a_block).max(1.0))]
}

/// Shares the time. First come the fewest workers that carry an interval, where they cost least for each benchmark, as far
/// as two thirds of the time go; a benchmark group that these do not reach is left with its rehearsal, and says so. The rest is shared by
/// the number of benchmarks, and whoever needs less than its share leaves it to the others.
fn plan(courses: &mut [Course], budget: Duration) {
    let benchmarks = |course: &Course| course.known.len().max(1) as f64;
    let worker = |course: &Course| (course.overhead + course.shortest).max(Duration::from_micros(1));
    let fewest = |course: &Course| worker(course) * FEWEST as u32;
    let wanted = |course: &Course| WORKERS * (course.overhead + course.good);
    let sorted = |mut order: Vec<usize>, courses: &[Course], time: &dyn Fn(&Course) -> Duration| {
        let each = |at: &usize| time(&courses[*at]).as_secs_f64() / benchmarks(&courses[*at]);
        order.sort_by(|a, b| each(a).total_cmp(&each(b)));
        order
    };
    let (mut left, mut admitted) = (budget, Vec::new());
    for at in sorted((0..courses.len()).collect(), courses, &fewest) {
        let needed = fewest(&courses[at]);
        let within = if admitted.is_empty() { Duration::ZERO } else { budget / 3 };
        if needed + within <= left {
            left -= needed;
            admitted.push(at);
        }
    }
    let mut waiting: f64 = admitted.iter().map(|&at| benchmarks(&courses[at])).sum();
    for at in sorted(admitted, courses, &wanted) {
        let course = &mut courses[at];
        let share = left.mul_f64((benchmarks(course) / waiting).min(1.0));
        let more = share.min(wanted(course).saturating_sub(fewest(course)));
        waiting -= benchmarks(course);
        left -= more;
        let all = fewest(course) + more;
        course.workers =
            ((all.as_secs_f64() / worker(course).as_secs_f64()) as u32).clamp(FEWEST as u32, WORKERS);
        course.time = (all / course.workers).saturating_sub(course.overhead);
    }
}

fn peak_of(courses: &[Course]) -> Option<Peak> {
    Peak::of(courses.iter().flat_map(|course| course.results.iter().chain([&course.rehearsal])))
}

fn estimates(
    course: &Course,
    peak: Option<Peak>,
    in_cycles: bool,
    bench: &Bench<'_>,
) -> Vec<Option<Estimate>> {
    let of = |at: usize| {
        let seen_by = |results: &[WorkerResult]| -> Vec<Vec<_>> {
            let seen = results.iter().filter_map(|result| result.seen.get(at));
            seen.map(|seen| readings(seen, peak, in_cycles)).collect()
        };
        let mut processes = seen_by(&course.results);
        if processes.is_empty() {
            processes = seen_by(slice::from_ref(&course.rehearsal));
        }
        let estimator = course.rehearsal.seen.get(at)?.estimator;
        Some(Estimate::of(&processes, estimator, bench.seed)?.widened(bench.surroundings.widening))
    };
    (0..course.known.len()).map(of).collect()
}

/// The widest interval, as a share of its result; endless where there is none.
fn widest(estimates: &[Option<Estimate>]) -> f64 {
    let width = |estimate: &Option<Estimate>| -> Option<f64> {
        let estimate = estimate.as_ref()?;
        Some(estimate.interval()?.relative_to(estimate.value))
    };
    estimates.iter().map(|estimate| width(estimate).unwrap_or(f64::INFINITY)).fold(0.0, f64::max)
}

fn notes(course: &Course, fresh: bool, in_cycles: bool, elapsed: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if course.results.len() < FEWEST {
        let least = (course.overhead + course.shortest).as_secs_f64();
        notes.push(format!(
            "too little time for an interval: {FEWEST} workers take {:.1} s",
            least * FEWEST as f64
        ));
    }
    if !fresh {
        notes.push("measured in one process: the interval does not cover its memory layout".to_owned());
    }
    if in_cycles {
        let why = match elapsed {
            true => "no counter of one thread counts what other threads or processes do for it",
            false => "this machine shows no cycle counter",
        };
        notes.push(format!("cycles by a chain of dependent additions next to each window, as {why}"));
    }
    notes
}

/// What a reader of one result should know of how it came about.
fn remarks(estimate: &Estimate) -> Vec<String> {
    let Estimate { processes, windows, seen, core, spread: [within, between], .. } = estimate;
    let mut told = format!("{windows} of {seen} windows in {processes} processes");
    for (spread, of) in [(within, "within a process"), (between, "between them")] {
        if spread.is_finite() {
            told.push_str(&format!(", spread {:.2} % {of}", 100.0 * spread));
        }
    }
    std::iter::once(told).chain(remark_on(*core).map(str::to_owned)).collect()
}

/// What to say of results of a core in this state.
pub(crate) fn remark_on(core: Core) -> Option<&'static str> {
    match core {
        Core::Uncontended => None,
        Core::Contended => Some(CONTENDED),
        Core::Lost => Some(CORE_LOST),
    }
}

#[cfg(test)]
mod tests;
