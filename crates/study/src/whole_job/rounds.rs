//! Jobs in turn: a first round of all of them in an order that is drawn, then a second one, and so on. Whatever the machine
//! does for a while meets all of them, and what a round showed of two jobs can be compared.

use std::time::{Duration, Instant};

use fieldtest_measure::Rng;
use fieldtest_measure::neighbours::{Neighbours, Watch};
use fieldtest_measure::tree::Tree;

use super::BUSY;
use super::estimate::FEWEST_ROUNDS;
use crate::{Bench, StudyError};

/// Rounds of a job at most.
pub const MOST_ROUNDS: usize = 5;

/// A job that takes part in the rounds.
pub struct Job<'a, T> {
    /// What people are told while it runs: `signing the zone with ed25519 (aws-lc)`.
    pub doing: String,
    /// Whether a turn is known to fit into the time; others have none once the time is over.
    pub fits: bool,
    /// One turn: what it showed of the job. It is told the round, from 0.
    pub turn: Box<dyn FnMut(usize) -> Result<T, StudyError> + 'a>,
}

/// What is done with the time that the first round leaves.
#[derive(Debug, Clone, Copy)]
enum Rest<'a> {
    /// It is shared: whoever takes long has fewer turns.
    Shared,
    /// It goes to rounds of all. These jobs come first in the first round, which may be cut short.
    WholeRounds { first: &'a [usize] },
}

/// Runs the jobs within `budget`, and sees whether others are there meanwhile; for each of them, what each of its rounds showed, the first one first. Jobs of which fewer
/// than three turns would fit have one, and their time is the others'. A turn that an interrupt ended is left out.
///
/// # Errors
/// What a job refuses.
pub fn run<T>(
    bench: &mut Bench<'_>,
    jobs: &mut [Job<'_, T>],
    budget: Duration,
) -> Result<Vec<Vec<T>>, StudyError> {
    let (found, failed) = run_until_failure(bench, jobs, budget);
    failed.map(|()| found)
}

/// As [`run`], and where a job refuses something, what was found before it is there beside the error.
pub fn run_until_failure<T>(
    bench: &mut Bench<'_>,
    jobs: &mut [Job<'_, T>],
    budget: Duration,
) -> (Vec<Vec<T>>, Result<(), StudyError>) {
    run_with(bench, jobs, (budget, Rest::Shared), &Tree::default())
}

/// As [`run_until_failure`], but every job has as many turns as any other: once the first round is over, one that does not fit as a whole
/// is not begun, and what was found in one that an interrupt or a failure ended is left out. Where `budget` ends within the first
/// round, jobs that did not come to their turn have none; `first` come first in it.
pub fn run_whole_rounds<T>(
    bench: &mut Bench<'_>,
    jobs: &mut [Job<'_, T>],
    budget: Duration,
    first: &[usize],
) -> (Vec<Vec<T>>, Result<(), StudyError>) {
    run_with(bench, jobs, (budget, Rest::WholeRounds { first }), &Tree::default())
}

fn run_with<T>(
    bench: &mut Bench<'_>,
    jobs: &mut [Job<'_, T>],
    within: (Duration, Rest<'_>),
    machine: &Tree,
) -> (Vec<Vec<T>>, Result<(), StudyError>) {
    let (start, watch) = (Instant::now(), Watch::begin(machine));
    let order = Rng::for_purpose(bench.seed, 0x006a_6f62_7321);
    let mut found: Vec<Vec<T>> = jobs.iter().map(|_| Vec::new()).collect();
    let outcome = in_turn(bench, jobs, within, order, &|| start.elapsed(), &mut found);
    bench.surroundings.busy = watch.and_then(|watch| watch.seen()).is_some_and(are_there);
    (found, outcome)
}

/// Whether these are more than what a machine does by itself.
fn are_there(neighbours: Neighbours) -> bool {
    neighbours.all() > BUSY
}

fn in_turn<T>(
    bench: &mut Bench<'_>,
    jobs: &mut [Job<'_, T>],
    (budget, rest): (Duration, Rest<'_>),
    mut order: Rng,
    clock: &dyn Fn() -> Duration,
    found: &mut [Vec<T>],
) -> Result<(), StudyError> {
    let outcome = rounds_of(bench, jobs, (budget, rest), &mut order, clock, found);
    if let Rest::WholeRounds { .. } = rest {
        let whole = found.iter().map(Vec::len).filter(|rounds| *rounds > 0).min().unwrap_or(0);
        found.iter_mut().for_each(|it| it.truncate(whole));
    }
    outcome
}

fn rounds_of<T>(
    bench: &mut Bench<'_>,
    jobs: &mut [Job<'_, T>],
    (budget, rest): (Duration, Rest<'_>),
    order: &mut Rng,
    clock: &dyn Fn() -> Duration,
    found: &mut [Vec<T>],
) -> Result<(), StudyError> {
    let mut costs = vec![Duration::ZERO; jobs.len()];
    let mut rounds = vec![1; jobs.len()];
    for round in 0..MOST_ROUNDS {
        let mut turns: Vec<usize> = (0..jobs.len()).filter(|&at| rounds[at] > round).collect();
        order.shuffle(&mut turns);
        if let (0, Rest::WholeRounds { first }) = (round, rest) {
            turns.sort_by_key(|at| !first.contains(at));
        }
        let all: Duration = turns.iter().map(|&at| costs[at]).sum();
        if matches!(rest, Rest::WholeRounds { .. }) && round > 0 && clock() + all > budget {
            break;
        }
        for at in turns {
            let (job, before) = (&mut jobs[at], clock());
            let late = match (round, rest) {
                (0, _) => before >= budget && !job.fits && found.iter().any(|it| !it.is_empty()),
                (_, Rest::Shared) => before + costs[at] > budget,
                (_, Rest::WholeRounds { .. }) => false,
            };
            if late || bench.interrupted() {
                rounds[at] = round;
                continue;
            }
            (bench.say)(&match round {
                0 => job.doing.clone(),
                _ => format!("{}, round {}", job.doing, round + 1),
            });
            let outcome = (job.turn)(round);
            if bench.interrupted() {
                return Ok(());
            }
            found[at].push(outcome?);
            costs[at] = clock().saturating_sub(before);
        }
        match rest {
            Rest::Shared if round == 0 => plan(&costs, &mut rounds, budget.saturating_sub(clock())),
            Rest::Shared => {}
            Rest::WholeRounds { .. } => {
                rounds.iter_mut().filter(|it| **it > 0).for_each(|it| *it = MOST_ROUNDS)
            }
        }
    }
    Ok(())
}

/// Shares the time that is left after the first round: whoever needs less than an equal share gets what it needs, and the
/// others more. Where that is too little for an interval, it is shared without the slowest of those that it is too little for.
fn plan(costs: &[Duration], rounds: &mut [usize], budget: Duration) {
    let mut order: Vec<usize> = (0..costs.len()).filter(|&at| rounds[at] > 0).collect();
    order.sort_by_key(|&at| costs[at]);
    loop {
        let mut left = budget;
        let mut planned = Vec::with_capacity(order.len());
        for (at, &job) in order.iter().enumerate() {
            let cost = costs[job].max(Duration::from_nanos(1));
            let share = left / (order.len() - at) as u32;
            let more = ((share.as_secs_f64() / cost.as_secs_f64()) as usize).min(MOST_ROUNDS - 1);
            planned.push(1 + more);
            left = left.saturating_sub(cost * more as u32);
        }
        let Some(slow) = planned.iter().rposition(|it| *it < FEWEST_ROUNDS) else {
            order.iter().zip(planned).for_each(|(&job, planned)| rounds[job] = planned);
            return;
        };
        order.remove(slow);
    }
}

#[cfg(test)]
mod tests;
