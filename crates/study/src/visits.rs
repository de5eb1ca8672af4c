//! Many short visits of fresh processes, spread over the time there is, and the figures that come of them.

use std::slice;
use std::time::{Duration, Instant};

use fieldtest_measure::levels::{Core, FEWEST, Figure, alone, readings};
use fieldtest_measure::record::{Record, Shared};
use fieldtest_measure::visit::{Known, Seen, Stay, Visit};
use fieldtest_measure::words::{OF_LOST_CORE, OF_SHARED_CORE};
use fieldtest_measure::{Estimator, Rng, affinity, ruler};

use crate::contest::{self, Named, Order};
use crate::{Bench, Book, StudyError};

/// What is timed against each other in the same processes.
pub struct Contest<'a> {
    /// The stage that sets it up.
    pub stage: &'static str,
    /// What is timed, as records call it.
    pub operation: String,
    /// Of what, as records call it.
    pub subject: String,
    /// The contenders.
    pub subjects: Vec<Named>,
    /// What they work on, by the number of the visit: keys and messages of its own.
    pub input: Box<dyn Fn(u64) -> Vec<u8> + 'a>,
}

impl Contest<'_> {
    /// As people hear of it.
    fn name(&self) -> String {
        format!("{}, {} {}", self.stage, self.operation, self.subject).trim_end().to_owned()
    }
}

/// What came of a contest.
pub struct Outcome {
    /// A figure of each contender, without an interval where the time was too short for enough visits; none where it was
    /// not even tried.
    pub figures: Vec<Option<Figure>>,
    /// The unit of the figures: `cycles`, or `ns` where there is neither a counter nor a ruler.
    pub unit: &'static str,
    /// How the figures came about, for the records' notes.
    pub notes: Vec<String>,
    /// What the figures are of: what every visit saw of every contender; the rehearsal alone, where there was no other.
    visits: Vec<Vec<Seen>>,
    /// What the rulers read on a core of one's own.
    alone: f64,
}

impl Outcome {
    /// Enters the figure of the contender at `at`, for one of the `items` that an operation has, and all its windows.
    /// `record` has its names, input and proof; without `interval` it says nothing of how far it may be off.
    pub fn enter(
        &self,
        book: &mut Book,
        at: usize,
        items: usize,
        mut record: Record,
        remarks: &[String],
        interval: bool,
    ) {
        let Some(Some(figure)) = self.figures.get(at) else { return };
        let scale = 1.0 / items as f64;
        record.value = figure.value * scale;
        record.interval = figure.interval().filter(|_| interval).map(|it| it.scaled(scale).into());
        record.estimator = figure.estimator.name().to_owned();
        record.samples = figure.processes as u64;
        // Without an interval: who shares the core is another one in the next run.
        record.shared = figure.busy.map(|busy| Shared {
            value: busy.value * scale,
            interval: None,
            samples: busy.processes as u64,
        });
        record.notes.extend(self::remarks(figure));
        record.notes.extend(remarks.iter().chain(&self.notes).cloned());
        book.windows(&record, items, self.alone, self.visits.iter().filter_map(|visit| visit.get(at)));
        book.record(record);
    }
}

/// Visits of each contest that are planned where the time allows; more are made while intervals are wide.
const VISITS: u32 = 30;
const MOST_VISITS: usize = 120;
/// Visits of a contest in a row, where time is left.
const AT_ONCE: usize = 2;
/// The shortest window.
const WINDOW: Duration = Duration::from_micros(30);
/// Windows of a contender that a visit should have: a third of them may be undisturbed. Operations that are spread by
/// nature need more, long ones are content with less.
const WINDOWS: f64 = 40.0;
const WINDOWS_OF_SPREAD: f64 = 120.0;
const LONG: Duration = Duration::from_millis(1);
const WINDOWS_OF_LONG: f64 = 6.0;
/// The rehearsal's operations are numbered from here.
const REHEARSAL: u64 = 1 << 40;

/// What is known of a contest while it is visited.
struct Course {
    known: Vec<Known>,
    /// What a visit takes beside its stay, what its shortest stay takes, and what a good one does.
    overhead: Duration,
    shortest: Duration,
    good: Duration,
    /// How many visits, and how long each stays.
    visits: u32,
    time: Duration,
    stays: Vec<Vec<Seen>>,
    /// What the rehearsal saw: all there is where the time was too short for visits.
    rehearsal: Vec<Seen>,
}

impl Course {
    /// Whether more visits may be made, where so much of the time is left.
    fn is_open(&self, left: Duration) -> bool {
        self.overhead + self.time < left && self.visits > 0 && self.stays.len() < MOST_VISITS
    }
}

/// Whose visits are next of those that are open: the one with the widest interval, and the one that was not visited for
/// longest.
fn next(open: &[usize], widths: &[f64], since: &[usize]) -> Option<[usize; 2]> {
    let widest = open.iter().copied().max_by(|a, b| widths[*a].total_cmp(&widths[*b]))?;
    let longest_ago = open.iter().copied().min_by_key(|&at| since[at])?;
    Some([widest, longest_ago])
}

/// What figures are in, where windows are read in this unit, and whether they are turned into that by the rulers.
fn unit_of(read: &'static str, rulers: bool) -> (&'static str, bool) {
    if read != "cycles" && rulers { ("cycles", true) } else { (read, false) }
}

/// Contests that have so many visits, in an order that spreads those of each evenly over all of the time.
fn spread(visits: &[u32]) -> Vec<usize> {
    let mut order: Vec<(f64, usize)> = Vec::new();
    for (at, &all) in visits.iter().enumerate() {
        order.extend((0..all).map(|visit| ((f64::from(visit) + 0.5) / f64::from(all), at)));
    }
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    order.into_iter().map(|(_, at)| at).collect()
}

/// Visits all contests in turn within `budget`, until every interval is within the bench's target or the time is over.
///
/// # Errors
/// What a contender or a process refuses. What was seen before an interrupt is kept.
pub fn run(
    bench: &mut Bench<'_>,
    contests: &[Contest<'_>],
    budget: Duration,
) -> Result<Vec<Outcome>, StudyError> {
    let start = Instant::now();
    let visits = Visits::of(bench, contests);
    let counter = contest::counter(visits.elapsed);
    let (unit, in_cycles) = unit_of(counter.unit(), ruler::exist());
    let mut courses = Vec::with_capacity(contests.len());
    for contest in contests {
        if bench.interrupted() {
            break;
        }
        courses.push(visits.rehearse(bench, contest)?);
    }
    plan(&mut courses, budget.saturating_sub(start.elapsed()));

    let order = spread(&courses.iter().map(|course| course.visits).collect::<Vec<_>>());
    let all = order.len();
    for (done, at) in order.into_iter().enumerate() {
        if bench.interrupted() || start.elapsed() >= budget {
            break;
        }
        let text = format!("{}: worker {} of {all}", contests[at].name(), done + 1);
        (bench.say)(&text);
        visits.go(bench, &contests[at], &mut courses[at])?;
    }
    // What is left of the time goes to the widest, and as much to whoever was not visited for longest: what a machine does for
    // a minute is then in the figures of all, and nobody's are of its first half alone.
    let alone = alone_in(&courses);
    let width = |course: &Course, bench: &Bench<'_>| widest(&figures(course, alone, in_cycles, bench));
    let mut widths: Vec<f64> = courses.iter().map(|course| width(course, bench)).collect();
    let mut since = vec![0_usize; courses.len()];
    for turn in 1_usize.. {
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
            contests[widest].name(),
            courses[widest].stays.len(),
            100.0 * widths[widest]
        ));
        for at in [widest, longest_ago] {
            for _ in 0..AT_ONCE {
                if !bench.interrupted() {
                    visits.go(bench, &contests[at], &mut courses[at])?;
                }
            }
            since[at] = turn;
            widths[at] = width(&courses[at], bench);
        }
    }

    let alone = alone_in(&courses);
    let fresh = bench.visitor.is_fresh();
    let outcome = |course: Course| Outcome {
        figures: figures(&course, alone, in_cycles, bench),
        unit,
        notes: notes(&course, fresh, in_cycles, visits.elapsed),
        visits: if course.stays.is_empty() { vec![course.rehearsal] } else { course.stays },
        alone,
    };
    let mut outcomes: Vec<Outcome> = courses.into_iter().map(outcome).collect();
    let nothing = |contest: &Contest<'_>| Outcome {
        figures: vec![None; contest.subjects.len()],
        unit,
        notes: vec!["interrupted before it was measured".to_owned()],
        visits: Vec::new(),
        alone,
    };
    outcomes.extend(contests.iter().skip(outcomes.len()).map(nothing));
    Ok(outcomes)
}

/// The least that one operation of each contender takes, in the counter's unit, as a visit sees it that is not counted.
///
/// # Errors
/// What a contender or a process refuses.
pub fn trial(bench: &Bench<'_>, contest: &Contest<'_>) -> Result<Vec<f64>, StudyError> {
    let (stay, _) = Visits::of(bench, slice::from_ref(contest)).visit(
        bench,
        contest,
        0,
        (Duration::ZERO, vec![], REHEARSAL),
    )?;
    let least = |seen: &Seen| {
        let shortest = seen.windows.iter().map(|window| window.length).min();
        shortest.map_or(f64::INFINITY, |length| length as f64 / seen.known.batch as f64)
    };
    Ok(stay.seen.iter().map(least).collect())
}

/// What all visits have in common.
struct Visits {
    processors: Vec<usize>,
    seed: u64,
    /// Whether an engine takes part: all are timed alike, also beside each other in tables.
    elapsed: bool,
}

impl Visits {
    fn of(bench: &Bench<'_>, contests: &[Contest<'_>]) -> Visits {
        let elapsed = contests.iter().flat_map(|contest| &contest.subjects).any(Named::is_attached);
        Visits { processors: affinity::allowed().unwrap_or_default(), seed: bench.seed, elapsed }
    }

    /// A first visit, which finds batches and durations and is not counted.
    fn rehearse(&self, bench: &mut Bench<'_>, contest: &Contest<'_>) -> Result<Course, StudyError> {
        (bench.say)(&format!("{}: rehearsing", contest.name()));
        let (stay, wall) = self.visit(bench, contest, 0, (Duration::ZERO, vec![], REHEARSAL))?;
        let mut course = Course {
            known: stay.seen.iter().map(|seen| seen.known).collect(),
            // A window of each contender comes before its first turn.
            overhead: wall.saturating_sub(stay.elapsed)
                + stay.seen.iter().map(|seen| seen.known.window).sum::<Duration>(),
            shortest: Duration::ZERO,
            good: Duration::ZERO,
            visits: 0,
            time: Duration::ZERO,
            stays: Vec::new(),
            rehearsal: Vec::new(),
        };
        for [shortest, good] in stay.seen.iter().map(wanted_by) {
            course.shortest += shortest;
            course.good += good;
        }
        course.rehearsal = stay.seen;
        Ok(course)
    }

    /// One more visit, on the next processor.
    fn go(
        &self,
        bench: &mut Bench<'_>,
        contest: &Contest<'_>,
        course: &mut Course,
    ) -> Result<(), StudyError> {
        let number = course.stays.len() as u64;
        let known = course.known.clone();
        match self.visit(bench, contest, number, (course.time, known, number << 20)) {
            Ok((stay, _)) => course.stays.push(stay.seen),
            // A process that the user's interrupt ended as well.
            Err(_) if bench.interrupted() => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn visit(
        &self,
        bench: &Bench<'_>,
        contest: &Contest<'_>,
        number: u64,
        (time, known, first): (Duration, Vec<Known>, u64),
    ) -> Result<(Stay, Duration), StudyError> {
        let start = Instant::now();
        let processor = match self.processors.len() {
            0 => None,
            some => self.processors.get(number as usize % some).copied(),
        };
        let seed = Rng::for_purpose(self.seed, number).next_u64();
        let stay = bench.visitor.visit(&Order {
            stage: contest.stage.to_owned(),
            operation: contest.operation.clone(),
            subject: contest.subject.clone(),
            subjects: contest.subjects.clone(),
            input: (contest.input)(number),
            visit: Visit { time, window: WINDOW, known, first, seed },
            processor: processor.filter(|_| bench.visitor.is_fresh()),
            elapsed: self.elapsed,
        })?;
        Ok((stay, start.elapsed()))
    }
}

/// What one turn of a contender takes, and as many turns as a good visit has of it.
fn wanted_by(seen: &Seen) -> [Duration; 2] {
    let turn = seen.spent / seen.turns.max(1);
    let in_a_turn = seen.windows.len().max(1) as f64 / f64::from(seen.turns.max(1));
    let wanted = match seen.estimator {
        _ if turn.div_f64(in_a_turn) > LONG => WINDOWS_OF_LONG,
        Estimator::Mean => WINDOWS_OF_SPREAD,
        Estimator::Median => WINDOWS,
    };
    [turn, turn.mul_f64((wanted / in_a_turn).max(1.0))]
}

/// Shares the time. First come the fewest visits that carry an interval, where they cost least for each contender, as far
/// as two thirds of the time go; a contest that these do not reach is left with its rehearsal, and says so. The rest is shared by
/// the number of contenders, and whoever needs less than its share leaves it to the others.
fn plan(courses: &mut [Course], budget: Duration) {
    let contenders = |course: &Course| course.known.len().max(1) as f64;
    let visit = |course: &Course| (course.overhead + course.shortest).max(Duration::from_micros(1));
    let fewest = |course: &Course| visit(course) * FEWEST as u32;
    let wanted = |course: &Course| VISITS * (course.overhead + course.good);
    let sorted = |mut order: Vec<usize>, courses: &[Course], time: &dyn Fn(&Course) -> Duration| {
        let each = |at: &usize| time(&courses[*at]).as_secs_f64() / contenders(&courses[*at]);
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
    let mut waiting: f64 = admitted.iter().map(|&at| contenders(&courses[at])).sum();
    for at in sorted(admitted, courses, &wanted) {
        let course = &mut courses[at];
        let share = left.mul_f64((contenders(course) / waiting).min(1.0));
        let more = share.min(wanted(course).saturating_sub(fewest(course)));
        waiting -= contenders(course);
        left -= more;
        let all = fewest(course) + more;
        course.visits =
            ((all.as_secs_f64() / visit(course).as_secs_f64()) as u32).clamp(FEWEST as u32, VISITS);
        course.time = (all / course.visits).saturating_sub(course.overhead);
    }
}

fn alone_in(courses: &[Course]) -> f64 {
    let stays = courses.iter().flat_map(|course| course.stays.iter().chain([&course.rehearsal]));
    alone(stays).unwrap_or(f64::NAN)
}

fn figures(course: &Course, alone: f64, in_cycles: bool, bench: &Bench<'_>) -> Vec<Option<Figure>> {
    let of = |at: usize| {
        let mut seen: Vec<&Seen> = course.stays.iter().filter_map(|stay| stay.get(at)).collect();
        if seen.is_empty() {
            seen.extend(course.rehearsal.get(at));
        }
        let estimator = seen.first()?.estimator;
        let processes: Vec<_> = seen.into_iter().map(|seen| readings(seen, alone, in_cycles)).collect();
        Some(Figure::of(&processes, estimator, bench.seed)?.widened(bench.surroundings.widening))
    };
    (0..course.known.len()).map(of).collect()
}

/// The widest interval, as a share of its figure; endless where there is none.
fn widest(figures: &[Option<Figure>]) -> f64 {
    let width = |figure: &Option<Figure>| -> Option<f64> {
        let figure = figure.as_ref()?;
        Some(figure.interval()?.relative_to(figure.value))
    };
    figures.iter().map(|figure| width(figure).unwrap_or(f64::INFINITY)).fold(0.0, f64::max)
}

fn notes(course: &Course, fresh: bool, in_cycles: bool, elapsed: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if course.stays.len() < FEWEST {
        let least = (course.overhead + course.shortest).as_secs_f64();
        notes.push(format!(
            "too little time for an interval: the fewest visits that carry one, {FEWEST}, take {:.1} s",
            least * FEWEST as f64
        ));
    }
    if !fresh {
        notes
            .push("all visits in one process, whose layout in memory the interval does not cover".to_owned());
    }
    if in_cycles {
        let why = match elapsed {
            true => "what an engine does counts in no other process",
            false => "this machine shows no cycle counter",
        };
        notes.push(format!("cycles by a chain of dependent additions next to each window, as {why}"));
    }
    notes
}

/// What a reader of one figure should know of how it came about.
fn remarks(figure: &Figure) -> Vec<String> {
    let Figure { processes, windows, seen, core, spread: [within, between], .. } = figure;
    let mut told = format!("{windows} of {seen} windows in {processes} processes");
    for (spread, of) in [(within, "within a process"), (between, "between them")] {
        if spread.is_finite() {
            told.push_str(&format!(", spread {:.2} % {of}", 100.0 * spread));
        }
    }
    std::iter::once(told).chain(remark_on(*core).map(str::to_owned)).collect()
}

/// What to say of figures of a core in this state.
pub(crate) fn remark_on(core: Core) -> Option<&'static str> {
    match core {
        Core::Own => None,
        Core::Shared => Some(OF_SHARED_CORE),
        Core::Lost => Some(OF_LOST_CORE),
    }
}

#[cfg(test)]
mod tests;
