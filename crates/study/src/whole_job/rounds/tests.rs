use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::*;
use crate::launcher::Here;
use crate::scripted::with_bench;
use crate::whole_job::Surroundings;

/// As [`simulated_with`], the time shared.
fn simulated(
    costs: &[(u64, bool)],
    budget: u64,
    seed: u64,
    end_after: usize,
) -> (Vec<Vec<usize>>, Vec<usize>) {
    simulated_with(costs, (budget, Rest::Shared), seed, end_after)
}

/// Runs jobs that take so many seconds by a clock that only they move, within `budget` seconds; the jobs of each round in
/// their order, and of how many rounds of each something was found.
fn simulated_with(
    costs: &[(u64, bool)],
    (budget, rest): (u64, Rest<'_>),
    seed: u64,
    end_after: usize,
) -> (Vec<Vec<usize>>, Vec<usize>) {
    let now = Cell::new(0);
    let ran = RefCell::new(vec![Vec::new(); MOST_ROUNDS]);
    let interrupt = AtomicBool::new(false);
    let mut jobs: Vec<Job<'_, usize>> = costs
        .iter()
        .enumerate()
        .map(|(at, &(seconds, fits))| Job {
            doing: format!("job {at}"),
            fits,
            turn: {
                let (now, ran, interrupt) = (&now, &ran, &interrupt);
                Box::new(move |round| {
                    now.set(now.get() + seconds);
                    ran.borrow_mut()[round].push(at);
                    let turns: usize = ran.borrow().iter().map(Vec::len).sum();
                    interrupt.store(turns >= end_after, Ordering::Relaxed);
                    Ok(round)
                })
            },
        })
        .collect();
    let mut bench = Bench {
        launcher: &Here { stages: &[], interrupt: &interrupt },
        interrupt: &interrupt,
        seed,
        target: 0.005,
        exact: false,
        thorough: true,
        surroundings: Surroundings::new(1.0),
        budget: Duration::ZERO,
        begun: Instant::now(),
        say: &mut |_| (),
        failed: Vec::new(),
    };
    let clock = || Duration::from_secs(now.get());
    let mut found = vec![Vec::new(); jobs.len()];
    let within = (Duration::from_secs(budget), rest);
    in_turn(&mut bench, &mut jobs, within, Rng::new(seed), &clock, &mut found).expect("jobs refuse nothing");
    for rounds in &found {
        assert_eq!(*rounds, (0..rounds.len()).collect::<Vec<_>>(), "a round of a job was left out");
    }
    drop(jobs);
    (ran.into_inner(), found.into_iter().map(|it| it.len()).collect())
}

#[test]
fn every_job_has_a_turn_before_any_has_a_second() {
    let (rounds, counts) = simulated(&[(1, true); 6], 1_000, 1, usize::MAX);
    assert_eq!(counts, [MOST_ROUNDS; 6]);
    for round in &rounds {
        let mut sorted = round.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3, 4, 5]);
    }
    // The order is drawn for every round, and the seed gives it again.
    assert!(rounds.windows(2).any(|pair| pair[0] != pair[1]), "{rounds:?}");
    assert_eq!(simulated(&[(1, true); 6], 1_000, 1, usize::MAX).0, rounds);
    assert_ne!(simulated(&[(1, true); 6], 1_000, 2, usize::MAX).0, rounds);
}

#[test]
fn what_is_slow_runs_once_and_leaves_its_time_to_others() {
    let (_, counts) = simulated(&[(1, true), (2, true), (40, true)], 60, 1, usize::MAX);
    assert_eq!(counts, [5, 5, 1]);
    // 26 seconds are left after the first round; 13 for two more of the last, which take 12.
    let (_, counts) = simulated(&[(1, true), (3, true), (6, true)], 36, 1, usize::MAX);
    assert_eq!(counts, [5, 4, 3]);
}

#[test]
fn the_time_is_kept() {
    for seed in 0..20 {
        let costs = [(3, false), (5, false), (7, false), (11, false)];
        for budget in [0, 4, 30, 77] {
            let (_, counts) = simulated(&costs, budget, seed, usize::MAX);
            let spent: u64 = costs.iter().zip(&counts).map(|((cost, _), count)| cost * *count as u64).sum();
            // A first turn may begin before the end, and be over after it.
            assert!(spent <= budget + 11, "{spent} of {budget}: {counts:?}");
            assert!(counts.iter().any(|count| *count > 0));
        }
        // Those that are known to fit have their turn, however long others took.
        let (_, counts) = simulated(&[(30, false), (1, true), (1, true)], 10, seed, usize::MAX);
        assert_eq!(counts[1..], [1, 1]);
    }
}

#[test]
fn whole_rounds_are_of_all_or_not_begun() {
    let rest = Rest::WholeRounds { first: &[1] };
    let costs = [(4, false), (1, false), (1, false)];
    for seed in 0..20 {
        for (budget, rounds) in [(0, 1), (6, 1), (11, 1), (12, 2), (17, 2), (18, 3), (60, MOST_ROUNDS)] {
            let (order, counts) = simulated_with(&costs, (budget, rest), seed, usize::MAX);
            assert_eq!(order[0][0], 1, "which comes first");
            let ran: usize = order.iter().map(Vec::len).sum();
            match budget {
                0 => assert_eq!((counts, ran), (vec![0, 1, 0], 1), "one turn, however late it is"),
                _ => assert_eq!((counts, ran), (vec![rounds; 3], 3 * rounds), "{budget}"),
            }
        }
        // The end of the time within the first round: those that had their turn had it alike.
        let (_, counts) = simulated_with(&costs, (2, rest), seed, usize::MAX);
        assert!(counts[1] == 1 && counts.iter().all(|count| *count <= 1), "{counts:?}");
    }
}

#[test]
fn a_whole_round_that_was_interrupted_is_left_out() {
    let rest = Rest::WholeRounds { first: &[] };
    // Turn 6 is the last of the second round, and is not over when the interrupt comes.
    let (_, counts) = simulated_with(&[(1, true); 3], (1_000, rest), 1, 6);
    assert_eq!(counts, [1; 3]);
    let (_, counts) = simulated_with(&[(1, true); 3], (1_000, rest), 1, 7);
    assert_eq!(counts, [2; 3]);
}

#[test]
fn an_interrupted_turn_does_not_count() {
    let (_, counts) = simulated(&[(1, true); 4], 1_000, 1, 6);
    assert_eq!(counts.iter().sum::<usize>(), 5);
}

#[test]
fn others_are_there_from_a_twentieth_of_the_time_on() {
    let others = |share| Neighbours { steal: 0.0, others: Some(share) };
    assert_eq!([0.04, 0.05, 0.06].map(|share| are_there(others(share))), [false, false, true]);
}

#[test]
fn whether_others_were_there_is_of_the_last_rounds() {
    let folder = tempfile::tempdir().expect("a directory");
    let stat = folder.path().join("proc/stat");
    std::fs::create_dir_all(stat.parent().expect("a directory")).expect("made");
    let interrupt = AtomicBool::new(false);
    let launcher = Here { stages: &[], interrupt: &interrupt };
    with_bench(&launcher, &interrupt, |bench| {
        for (ticks, busy) in [("0 0 0 8 0 0 0 2", true), ("0 0 0 10 0 0 0 0", false)] {
            std::fs::write(&stat, "cpu  0 0 0 0 0 0 0 0").expect("written");
            let turn = |_: usize| {
                std::fs::write(&stat, format!("cpu  {ticks}")).expect("written");
                Ok(())
            };
            let mut jobs = [Job { doing: String::new(), fits: true, turn: Box::new(turn) }];
            let within = (Duration::ZERO, Rest::Shared);
            run_with(bench, &mut jobs, within, &Tree::below(folder.path())).1.expect("no failure");
            assert_eq!(bench.surroundings.busy, busy, "{ticks}");
        }
    });
}

#[test]
fn who_had_no_turn_in_the_first_round_has_none_later() {
    // Turns that take no time by this clock: the others' would be there for more.
    let rest = Rest::WholeRounds { first: &[0] };
    assert_eq!(simulated_with(&[(0, false), (0, false)], (0, rest), 1, usize::MAX).1, [MOST_ROUNDS, 0]);
    let mut rounds = [0, 1];
    plan(&[Duration::ZERO, Duration::from_secs(1)], &mut rounds, Duration::from_secs(9));
    assert_eq!(rounds, [0, MOST_ROUNDS]);
}

#[test]
fn what_has_too_few_rounds_has_one_though_another_would_fit() {
    assert_eq!(simulated(&[(1, true), (20, true)], 60, 1, usize::MAX).1, [5, 1]);
    // The last of five ends with the time.
    assert_eq!(simulated(&[(2, true)], 10, 1, usize::MAX).1, [5]);
}

#[test]
fn time_is_shared_by_what_each_turn_costs() {
    let planned = |costs: &[u64], budget| {
        let costs: Vec<Duration> = costs.iter().map(|&seconds| Duration::from_secs(seconds)).collect();
        let mut rounds = vec![1; costs.len()];
        plan(&costs, &mut rounds, Duration::from_secs(budget));
        rounds
    };
    assert_eq!(planned(&[3, 3], 12), [3, 3]);
    assert_eq!(planned(&[2], 100), [MOST_ROUNDS]);
    assert_eq!(planned(&[2, 9], 26), [5, 3]);
    assert_eq!(planned(&[2, 9], 25), [5, 1]);
}

#[test]
fn a_turn_that_grew_longer_ends_the_rounds() {
    let interrupt = AtomicBool::new(false);
    let (now, mut found) = (Cell::new(0), [Vec::new()]);
    let turn = |round: usize| {
        now.set(now.get() + if round == 0 { 1 } else { 10 });
        Ok(round)
    };
    let mut jobs = [Job { doing: "work".to_owned(), fits: true, turn: Box::new(turn) }];
    let clock = || Duration::from_secs(now.get());
    let launcher = Here { stages: &[], interrupt: &interrupt };
    let (_, said) = with_bench(&launcher, &interrupt, |bench| {
        let within = (Duration::from_secs(25), Rest::Shared);
        in_turn(bench, &mut jobs, within, Rng::new(1), &clock, &mut found).expect("no failure");
    });
    assert_eq!(found, [[0, 1, 2]]);
    assert_eq!(said[0], "work");
    assert!(said[1].ends_with(" 2") && said[2].ends_with(" 3"), "{said:?}");
}

#[test]
fn what_was_found_before_a_failure_is_there() {
    let interrupt = AtomicBool::new(false);
    let launcher = Here { stages: &[], interrupt: &interrupt };
    let hour = Duration::from_secs(3600);
    let jobs = |fails_in: usize| {
        [0, 1].map(|at| Job {
            doing: String::new(),
            fits: false,
            turn: Box::new(move |round| match at == 1 && round == fails_in {
                true => Err(StudyError::Nothing),
                false => Ok(round),
            }),
        })
    };
    with_bench(&launcher, &interrupt, |bench| {
        let all = vec![(0..MOST_ROUNDS).collect::<Vec<_>>(); 2];
        assert_eq!(run(bench, &mut jobs(9), hour).ok(), Some(all.clone()));
        assert!(run(bench, &mut jobs(2), hour).is_err());
        let (found, failed) = run_until_failure(bench, &mut jobs(9), hour);
        assert_eq!((found, failed.is_ok()), (all.clone(), true));
        let (found, failed) = run_until_failure(bench, &mut jobs(2), hour);
        assert!(found[0].len() >= 2 && found[1] == [0, 1] && failed.is_err());
        let (found, failed) = run_whole_rounds(bench, &mut jobs(9), hour, &[]);
        assert_eq!((found, failed.is_ok()), (all, true));
        let (found, failed) = run_whole_rounds(bench, &mut jobs(2), hour, &[]);
        assert_eq!((found, failed.is_err()), (vec![vec![0, 1]; 2], true));
        // One turn, however late it is.
        let (found, _) = run_whole_rounds(bench, &mut jobs(9), Duration::ZERO, &[1]);
        assert_eq!(found, [vec![], vec![0]]);
    });
}
