//! One visit: what one process sees of every contender within a fraction of a second.
//!
//! The state of a machine outlasts a run, and code layout, page placement and keys are drawn once per process; so one
//! process, however long it measures, says little of the next. A figure comes from many visits ([`crate::levels`]), and
//! a visit keeps every window it timed, each with what the rulers on both sides of it read.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::counter::Counter;
use crate::error::Error;
use crate::estimate::Estimator;
use crate::operation::Contender;
use crate::rng::Rng;
use crate::ruler;
pub use crate::turn::Known;
use crate::turn::Turn;

/// What a visit is to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    /// How long it stays; every contender has its turn at least once.
    pub time: Duration,
    /// The shortest window.
    pub window: Duration,
    /// How the contenders are timed, as an earlier visit found out: a batch that every process finds for itself differs
    /// from process to process, and with it the figure. Empty: to be found out.
    pub known: Vec<Known>,
    /// Inputs of operations are numbered from here.
    pub first: u64,
    /// Decides the order.
    pub seed: u64,
}

/// What came of a visit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stay {
    /// Time among the contenders, finding batches included.
    pub elapsed: Duration,
    /// What was seen of each contender, in their order.
    pub seen: Vec<Seen>,
}

/// What one process saw of one contender.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// The contender's name.
    pub name: String,
    /// The figure that is to stand for it.
    pub estimator: Estimator,
    /// How it was timed.
    pub known: Known,
    /// Its turns, and the time that they took with all that is not timed.
    pub turns: u32,
    /// See [`turns`](Self::turns).
    pub spent: Duration,
    /// Its windows in the order of time.
    pub windows: Vec<Window>,
}

/// One timed window and the rulers beside it, all in the counter's unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Microseconds from the visit's begin to the end of its turn.
    pub at: u32,
    /// The length of all its operations together.
    pub length: u64,
    /// The throughput ruler before it and behind it.
    pub rulers: [u32; 2],
    /// The chain before its contender's turn.
    pub chain: u32,
    /// The thread lost its core within the window.
    pub switched: bool,
}

/// How far contenders may be apart in the time that was spent on them.
const QUANTUM: Duration = Duration::from_micros(500);

/// Stays among the contenders for the time of the visit.
///
/// The turns are drawn at random among those that had least time so far: quick contenders and slow ones get the same
/// share of it. `interrupted` is asked between turns.
///
/// # Errors
/// [`Error::Operation`] as soon as an operation cannot be prepared or gave a wrong result.
pub fn stay(
    visit: &Visit,
    counter: &Counter,
    contenders: &mut [Contender<'_>],
    interrupted: &dyn Fn() -> bool,
) -> Result<Stay, Error> {
    let begin = Instant::now();
    let mut order = Rng::for_purpose(visit.seed, 0x76_6973_6974);
    let mut next = vec![visit.first; contenders.len()];
    let mut seen = Vec::with_capacity(contenders.len());
    for (at, (contender, next)) in contenders.iter_mut().zip(&mut next).enumerate() {
        let known = match visit.known.get(at) {
            Some(known) => {
                // The first operations of a process find out what it can do, test themselves, fill tables, and start engines.
                let first = Turn { first: *next, batch: known.batch, windows: 1, warm: 0 };
                contender.turn(counter, first, &mut || ())?;
                *next += first.operations();
                *known
            }
            None => contender.calibrate(counter, visit.window, next)?,
        };
        let (name, estimator) = (contender.name().to_owned(), contender.estimator());
        seen.push(Seen { name, estimator, known, turns: 0, spent: Duration::ZERO, windows: Vec::new() });
    }
    let start = Instant::now();
    loop {
        let everyone_had_a_turn = seen.iter().all(|seen| seen.turns > 0);
        if interrupted() || (everyone_had_a_turn && start.elapsed() >= visit.time) {
            return Ok(Stay { elapsed: begin.elapsed(), seen });
        }
        let Some(at) = draw(&seen, &mut order) else { return Ok(Stay { elapsed: begin.elapsed(), seen }) };
        let turn = Instant::now();
        let wanted = seen[at].known.turn(next[at]);
        // Where the counter was lost, the turn is taken without windows: a visit among lost counters has to end.
        let chain = ruler::chain(counter);
        let mut rulers = Vec::with_capacity(wanted.windows as usize + 1);
        let samples =
            contenders[at].turn(counter, wanted, &mut || rulers.push(ruler::throughput(counter)))?;
        next[at] += wanted.operations();
        let ended = u32::try_from(begin.elapsed().as_micros()).unwrap_or(u32::MAX);
        for (sample, beside) in samples.iter().zip(rulers.windows(2)) {
            let (Some(chain), Some(length), [Some(before), Some(behind)]) = (chain, sample.length, beside)
            else {
                continue;
            };
            seen[at].windows.push(Window {
                at: ended,
                length,
                rulers: [*before, *behind].map(narrow),
                chain: narrow(chain),
                switched: sample.disturbed,
            });
        }
        seen[at].turns += 1;
        seen[at].spent += turn.elapsed();
    }
}

fn narrow(ruler: u64) -> u32 {
    u32::try_from(ruler).unwrap_or(u32::MAX)
}

/// One of those that had least time so far, and of those that had none, if there are any.
fn draw(seen: &[Seen], rng: &mut Rng) -> Option<usize> {
    let least = seen.iter().map(|seen| seen.spent).min()?;
    let waiting = seen.iter().any(|seen| seen.turns == 0);
    let is_next = |seen: &Seen| if waiting { seen.turns == 0 } else { seen.spent <= least + QUANTUM };
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

    fn spinning(name: &str, time: Duration) -> Contender<'static> {
        let run = move |_: &mut u64| {
            let start = Instant::now();
            while start.elapsed() < time {}
        };
        Contender::new(name, Estimator::Median, operation(Ok, run, |_, ()| Ok(())))
    }

    fn visit(time: u64, known: Vec<Known>) -> Visit {
        Visit {
            time: Duration::from_millis(time),
            window: Duration::from_micros(30),
            known,
            first: 5,
            seed: 1,
        }
    }

    /// A contender that writes down the numbers of its operations.
    fn logged(log: &RefCell<Vec<u64>>) -> Contender<'_> {
        let run = |index: &mut u64| log.borrow_mut().push(*index);
        Contender::new("logged", Estimator::Mean, operation(Ok, run, |_, ()| Ok(())))
    }

    /// No interrupt, for as long as any stay here may take.
    fn none() -> impl Fn() -> bool {
        let turns = Cell::new(0);
        move || {
            turns.set(turns.get() + 1);
            assert!(turns.get() < 1000, "a stay without an end");
            false
        }
    }

    #[test]
    fn batches_that_are_not_known_are_found() {
        let counter = Counter::open(Prefer::WallTime);
        let mut contenders =
            [spinning("quick", Duration::from_micros(2)), spinning("slow", Duration::from_millis(5))];
        let seen = stay(&visit(30, vec![]), &counter, &mut contenders, &none()).expect("no failure").seen;
        assert!(seen[0].known.batch > 1 && seen[1].known.batch == 1);
        assert!(seen[0].windows.len() > seen[1].windows.len());
        for window in seen.iter().flat_map(|seen| &seen.windows) {
            assert!(window.length > 0 && window.chain > 0 && window.rulers[0] > 0 && window.rulers[1] > 0);
        }
    }

    #[test]
    fn operations_are_numbered_on_and_a_turn_is_warmed() {
        for (window, in_a_turn, operations) in [
            // One window that is not counted, then a turn of three untimed and three timed ones.
            (30, 3, 4 * (1 + 3 + 3)),
            // Turns of long ones are not warmed, but the first operations of a process are in no window of theirs either.
            (20_000, 1, 4 * (1 + 1)),
        ] {
            let log = RefCell::new(Vec::new());
            let known = Known { batch: 4, window: Duration::from_micros(window), in_a_turn };
            let counter = Counter::open(Prefer::WallTime);
            let stay =
                stay(&visit(0, vec![known]), &counter, &mut [logged(&log)], &none()).expect("no failure");
            assert_eq!(log.into_inner(), (5..5 + operations).collect::<Vec<_>>());
            let seen = &stay.seen[0];
            assert_eq!((seen.known, seen.turns, seen.windows.len() as u64), (known, 1, in_a_turn));
            assert_eq!((seen.name.as_str(), seen.estimator), ("logged", Estimator::Mean));
            assert!(seen.spent > Duration::ZERO && seen.spent <= stay.elapsed);
        }
    }

    #[test]
    fn a_window_has_the_rulers_on_both_sides_and_the_chain_of_its_turn() {
        let log = RefCell::new(Vec::new());
        let known = Known { batch: 2, window: Duration::from_millis(20), in_a_turn: 3 };
        let lengths = |script: &[u64], lost: Option<usize>| {
            let lost = |at: usize, length: &u64| (Some(at) != lost).then_some(*length);
            // The first reading is of the window that is not counted.
            let counted = script.iter().enumerate().map(|(at, length)| lost(at, length));
            let counter = scripted(std::iter::once(Some(1)).chain(counted));
            let stay =
                stay(&visit(0, vec![known]), &counter, &mut [logged(&log)], &none()).expect("no failure");
            assert_eq!(stay.seen[0].turns, 1);
            let windows = &stay.seen[0].windows;
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
    fn the_clock_of_a_visit_begins_before_and_its_time_behind_the_first_operations() {
        let first = Duration::from_millis(40);
        let run = |index: &mut u64| {
            std::thread::sleep(if *index == 5 { first } else { Duration::from_millis(10) });
            LOST.set(LOST.get() + 1);
        };
        let mut slow = [Contender::new("slow", Estimator::Median, operation(Ok, run, |_, ()| Ok(())))];
        let known = vec![Known { batch: 1, window: Duration::from_millis(20), in_a_turn: 1 }];
        let stay = stay(&visit(40, known), &Counter::open(Prefer::WallTime), &mut slow, &none());
        let Stay { elapsed, seen } = stay.expect("no failure");
        assert!(elapsed >= first + Duration::from_millis(40), "{elapsed:?}");
        assert!(seen[0].windows[0].at >= 40_000, "microseconds from the begin");
        assert!(seen[0].windows.iter().all(|window| window.switched));
    }

    #[test]
    fn the_seed_decides_the_order() {
        let order = |seed| {
            let log = RefCell::new(Vec::new());
            let known = vec![Known { batch: 1, window: Duration::from_millis(20), in_a_turn: 1 }; 8];
            let mut contenders: Vec<Contender<'_>> = (0..8)
                .map(|at| {
                    let log = &log;
                    let run = move |_: &mut u64| log.borrow_mut().push(at);
                    Contender::new("it", Estimator::Median, operation(Ok, run, |_, ()| Ok(())))
                })
                .collect();
            let visit = Visit { seed, ..visit(0, known) };
            stay(&visit, &scripted([]), &mut contenders, &none()).expect("no failure");
            drop(contenders);
            log.into_inner()
        };
        // The first operations of each, and then a turn of each.
        assert_eq!(order(1)[..8], [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!((order(1).len(), order(1)), (16, order(1)));
        assert_ne!(order(1), order(2));
    }

    #[test]
    fn an_interrupt_ends_it_between_turns() {
        let counter = Counter::open(Prefer::WallTime);
        let known = || vec![Known { batch: 4, window: Duration::from_micros(30), in_a_turn: 3 }];
        for turns in [0, 1, 3] {
            let (log, asked) = (RefCell::new(Vec::new()), Cell::new(0));
            let interrupted = || {
                assert!(asked.get() <= turns, "asked again");
                asked.replace(asked.get() + 1) == turns
            };
            let stay = stay(&visit(1_000_000, known()), &counter, &mut [logged(&log)], &interrupted);
            let seen = &stay.expect("no failure").seen[0];
            assert_eq!((seen.turns, seen.windows.len()), (turns, 3 * turns as usize));
            // One window that is not counted, then turns of three untimed and three timed ones.
            let operations = 4 * (1 + u64::from(turns) * 6);
            assert_eq!(log.into_inner(), (5..5 + operations).collect::<Vec<_>>());
        }
    }

    #[test]
    fn those_with_least_time_are_drawn() {
        let seen = |microseconds, turns| Seen {
            name: String::new(),
            estimator: Estimator::Median,
            known: Known::new(1, Duration::ZERO, false),
            turns,
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
        // Those without a turn come first, in any order.
        assert_eq!(drawn(&[seen(0, 1), seen(1, 0), seen(0, 0), seen(0, 2)]), [1, 2]);
        assert!(drawn(&[]).is_empty());
    }
}
