//! How the time is shared among benchmark groups, as `METHODOLOGY.md` has it, in typed-in numbers.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use fieldtest_measure::worker::Window;
use fieldtest_measure::{Counter, Prefer};

use super::*;
use crate::scripted::{Scripted, records, result_of, same, seen, window, with_bench, writer};

/// What the rulers of the made-up windows read.
const PEAK: Option<Peak> = Some(Peak { centre: 4.0, gate: 3.9, chain: 8192.0 });

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// A benchmark group of so many benchmarks, with what a worker takes beside its stay, its shortest stay and a good one.
fn course(benchmarks: usize, [overhead, shortest, good]: [u64; 3]) -> Course {
    Course {
        known: vec![Known { batch: 1, window: WINDOW, in_a_block: 10 }; benchmarks],
        overhead: ms(overhead),
        shortest: ms(shortest),
        good: ms(good),
        workers: 0,
        time: Duration::ZERO,
        results: Vec::new(),
        rehearsal: WorkerResult {
            elapsed: Duration::ZERO,
            seen: Vec::new(),
            rulers: Vec::new(),
            per_ns: 1.0,
        },
    }
}

/// How many workers each has, and for how many microseconds.
fn planned(mut courses: Vec<Course>, budget: Duration) -> Vec<(u32, u128)> {
    plan(&mut courses, budget);
    courses.iter().map(|course| (course.workers, course.time.as_micros())).collect()
}

#[test]
fn a_group_has_30_good_workers_fewer_or_none() {
    for (budget, workers) in [
        (ms(10_000), (30, 90_000)),
        (ms(3000), (30, 90_000)),
        (ms(1500), (30, 40_000)),
        (ms(600), (20, 20_000)),
        (ms(180), (6, 20_000)),
        (ms(179), (0, 0)),
        (Duration::ZERO, (0, 0)),
    ] {
        assert_eq!(planned(vec![course(2, [10, 20, 90])], budget), [workers], "{budget:?}");
    }
}

#[test]
fn the_fewest_workers_come_first_where_they_cost_least_for_each_benchmark_and_have_two_thirds_of_the_time() {
    // Six workers take 60, 120 and 120 ms: 60 and 120 for each benchmark, and 30 where there are four of them.
    let courses = || vec![course(1, [5, 5, 5]), course(1, [10, 10, 10]), course(4, [10, 10, 10])];
    let admitted = |budget| planned(courses(), budget).into_iter().map(|it| it.0 > 0).collect::<Vec<_>>();
    for (milliseconds, expected) in [
        (119, [true, false, false]),
        (120, [false, false, true]),
        (269, [false, false, true]),
        (270, [true, false, true]),
        (449, [true, false, true]),
        (450, [true, true, true]),
    ] {
        assert_eq!(admitted(ms(milliseconds)), expected, "{milliseconds}");
    }
}

#[test]
fn the_rest_is_shared_by_benchmarks_and_what_one_does_not_need_is_the_others() {
    // After 240 ms for the fewest workers 3 s are left. The first needs 270 ms of its 750; the others share 2.73 s.
    let courses = vec![course(2, [0, 20, 2000]), course(1, [0, 10, 11]), course(1, [0, 10, 1000])];
    let each = |all: u64| (30, u128::from(1000 * all / 30));
    assert_eq!(planned(courses, ms(3240)), [each(120 + 1820), (30, 11_000), each(60 + 910)]);
}

#[test]
fn a_good_worker_has_40_windows_120_of_what_is_spread_6_of_what_is_long() {
    use Estimator::{Mean, Median};
    let window = Window { at: 0, length: 1, rulers: [1, 1], chain: 1, switched: false };
    for (blocks, spent, windows, estimator, block, good) in [
        (1, 1, 10, Median, 1, 4),
        (2, 2, 20, Median, 1, 4),
        (2, 4, 20, Mean, 2, 24),
        // More than a millisecond for each window, whatever is spread.
        (1, 11, 10, Median, 11, 11),
        (1, 1, 1, Median, 1, 40),
        (1, 2, 1, Median, 2, 12),
        (1, 2, 1, Mean, 2, 12),
        (4, 12, 4, Mean, 3, 18),
        // Of which nothing was seen.
        (0, 0, 0, Mean, 0, 0),
    ] {
        let seen = Seen {
            name: String::new(),
            estimator,
            known: Known { batch: 1, window: WINDOW, in_a_block: 1 },
            blocks,
            spent: ms(spent),
            windows: vec![window; windows],
        };
        assert_eq!(wanted_by(&seen), [ms(block), ms(good)], "{blocks} {spent} {windows} {estimator:?}");
    }
}

#[test]
fn what_is_left_goes_to_the_widest_and_to_whoever_waited_longest() {
    let (widths, since) = ([0.1, 0.3, 0.2, f64::INFINITY], [7, 3, 5, 9]);
    assert_eq!(next(&[0, 1, 2, 3], &widths, &since), Some([3, 1]));
    assert_eq!(next(&[0, 2], &widths, &since), Some([2, 2]));
    assert_eq!(next(&[2, 0], &widths, &[0, 0, 6, 0]), Some([2, 0]));
    assert_eq!(next(&[], &widths, &since), None);
}

#[test]
fn a_group_is_open_while_a_worker_fits_and_there_are_not_very_many() {
    let with = |workers, results| {
        let mut course = course(1, [10, 0, 0]);
        (course.workers, course.time, course.results) = (workers, ms(5), vec![result_of(&[]); results]);
        course
    };
    assert!(with(6, 119).is_open(ms(16)));
    assert!(!with(6, 119).is_open(ms(15)));
    assert!(!with(0, 119).is_open(ms(16)));
    assert!(!with(6, 120).is_open(ms(16)));
}

#[test]
fn workers_are_spread_over_the_time() {
    assert_eq!(spread(&[2, 4]), [1, 0, 1, 1, 0, 1]);
    assert_eq!(spread(&[3, 0, 1]), [0, 0, 2, 0]);
    assert!(spread(&[]).is_empty());
}

#[test]
fn the_clock_counts_cycles_where_there_are_rulers() {
    assert_eq!(unit_of("cycles", true), ("cycles", false));
    assert_eq!(unit_of("cycles", false), ("cycles", false));
    assert_eq!(unit_of("ns", true), ("cycles", true));
    assert_eq!(unit_of("ns", false), ("ns", false));
}

/// A benchmark group of so many benchmarks, whose input is the number of its worker.
fn group(operation: &str, benchmarks: usize) -> Group<'static> {
    let named = |at| Named { algorithm: format!("{operation}-{at}"), implementation: "made-up".to_owned() };
    Group {
        stage: "stage",
        operation: operation.to_owned(),
        subject: String::new(),
        subjects: (0..benchmarks).map(named).collect(),
        input: Box::new(|worker| worker.to_le_bytes().to_vec()),
    }
}

/// The unit of results here, and how many of it a unit of windows is whose chain is half as long as it has cycles.
fn unit() -> (&'static str, f64) {
    let (unit, in_cycles) = unit_of(Counter::open(Prefer::Cycles).unit(), ruler::exist());
    (unit, if in_cycles { 2.0 } else { 1.0 })
}

#[test]
fn thirty_workers_of_each_group_make_its_estimates() {
    let (unit, scale) = unit();
    let halved = |it: Window| Window { rulers: it.rulers.map(|it| it / 2), chain: it.chain / 2, ..it };
    let answer = |order: &Order, _: usize| {
        let mut result = result_of(if order.operation == "a" { &[100, 200] } else { &[50] });
        let seen = result.seen.iter_mut().flat_map(|seen| &mut seen.windows);
        seen.for_each(|window| *window = halved(*window));
        match order.operation.as_str() {
            // on an uncontended core the quotient of the rulers is 4; here it is 3.8.
            "a" => result.seen[0].windows.extend([halved(Window { rulers: [8623; 2], ..window(900) }); 2]),
            _ => result.seen[0].estimator = Estimator::Mean,
        }
        Ok(result)
    };
    let (launcher, interrupt) = (Scripted::new(&answer), AtomicBool::new(false));
    let groups = [group("a", 2), group("b", 1)];
    let run = |bench: &mut Bench<'_>| run(bench, &groups, ms(36_000_000)).expect("no failure");
    let (found, said) = with_bench(&launcher, &interrupt, run);
    let costs: Vec<_> = found.iter().flat_map(|it| &it.estimates).flatten().collect();
    for (estimate, (cost, windows, of)) in
        costs.iter().zip([(100.0, 300, 360), (200.0, 300, 300), (50.0, 300, 300)])
    {
        same(estimate.value, cost * scale);
        assert_eq!(
            (estimate.processes, estimate.windows, estimate.seen, estimate.core),
            (30, windows, of, Core::Uncontended)
        );
    }
    assert_eq!(costs.len(), 3);
    for outcome in &found {
        let rehearsed = outcome.notes.len() - usize::from(scale > 1.0);
        assert_eq!((outcome.unit, outcome.workers.len(), rehearsed), (unit, 30, 0));
        same(outcome.peak.expect("a peak").centre, 4.0);
    }

    // Each is rehearsed, and then they take turns.
    let orders = launcher.orders.into_inner();
    let names: String = orders.iter().map(|order| order.operation.as_str()).collect();
    assert_eq!(names, "ab".repeat(31));
    let processors = affinity::allowed().expect("told");
    for (at, order) in orders.iter().enumerate() {
        let group = &groups[at % 2];
        let number = (at as u64 / 2).saturating_sub(1);
        let known = vec![seen(Estimator::Median, vec![]).known; group.subjects.len()];
        // A good worker has blocks of a millisecond for 40 windows of twelve and of ten, and for 120 of ten.
        let (time, known, first) = match at {
            0 | 1 => (0, vec![], 1 << 40),
            _ => ([7_333_333, 12_000_000][at % 2], known, number << 20),
        };
        let seed = Rng::for_purpose(7, number).next_u64();
        let time = Duration::from_nanos(time);
        assert_eq!(order.worker, WorkerTask { time, window: Duration::from_micros(30), known, first, seed });
        assert_eq!(order.processor, Some(processors[number as usize % processors.len()]));
        assert_eq!((order.stage.as_str(), order.elapsed), ("stage", false));
        assert_eq!((&order.subjects, &order.input), (&group.subjects, &number.to_le_bytes().to_vec()));
    }
    assert_eq!(said.len(), orders.len());
    assert!(said[0].starts_with("stage, a:") && said[1].starts_with("stage, b:"), "{said:?}");
    assert!(said[2].ends_with(" 1 of 60") && said[61].ends_with(" 60 of 60"), "{said:?}");
}

#[test]
fn an_uncontended_core_is_what_any_group_saw() {
    let answer = |order: &Order, _: usize| {
        let rulers = if order.operation == "a" { [8192; 2] } else { [9400; 2] };
        let windows = vec![Window { rulers, ..window(100) }; 100];
        let seen = vec![seen(Estimator::Median, windows)];
        Ok(WorkerResult { elapsed: ms(36_000_000), seen, rulers: Vec::new(), per_ns: 1.0 })
    };
    let launcher = Scripted::new(&answer);
    let (found, _) = with_bench(&launcher, &AtomicBool::new(false), |bench| {
        run(bench, &[group("a", 1), group("b", 1)], ms(36_000_000)).expect("no failure")
    });
    for outcome in &found {
        same(outcome.peak.expect("a peak").centre, 4.0);
    }
    let cores = found.iter().map(|it| it.estimates[0].as_ref().expect("measured").core);
    assert_eq!(cores.collect::<Vec<_>>(), [Core::Uncontended, Core::Contended]);
}

#[test]
fn a_estimate_is_of_workers_by_the_seed_and_as_wide_as_a_calibration_says() {
    let worker = |cost| result_of(&[cost]);
    let mut course = Course { rehearsal: worker(900), ..course(1, [0, 0, 0]) };
    let launcher = Scripted::new(&|_: &Order, _: usize| Ok(result_of(&[1])));
    with_bench(&launcher, &AtomicBool::new(false), |bench| {
        bench.surroundings.widening = 1.5;
        for count in [1, 5, 8] {
            course.results = (0..count).map(|at| worker(100 + at)).collect();
            let processes: Vec<_> =
                course.results.iter().map(|result| readings(&result.seen[0], PEAK, false)).collect();
            let expected = Estimate::of(&processes, Estimator::Median, 7).expect("windows").widened(1.5);
            assert_eq!(expected.processes as u64, count);
            let found = estimates(&course, PEAK, false, bench).remove(0).expect("windows");
            assert_eq!(
                (found.value, found.error, found.processes),
                (expected.value, expected.error, count as usize)
            );
        }
    });
}

#[test]
fn a_worker_takes_a_window_of_each_beside_its_stay_and_the_clock_where_any_has_an_engine() {
    let launcher = Scripted::new(&|_: &Order, _: usize| Ok(result_of(&[100, 100])));
    with_bench(&launcher, &AtomicBool::new(false), |bench| {
        let course = Workers::of(bench, &[]).rehearse(bench, &group("a", 2)).expect("no failure");
        assert_eq!(course.overhead, Duration::from_micros(2 * 30));
        let engine = fieldtest_catalog::ENGINE_PIPE.to_owned();
        let mut attached = group("b", 2);
        attached.subjects[1].implementation = engine;
        assert!(!Workers::of(bench, &[group("a", 2)]).elapsed);
        assert!(Workers::of(bench, &[group("a", 2), attached]).elapsed);
    });
}

#[test]
fn no_worker_begins_after_the_time() {
    // They seem to take no time, and take half of it.
    let answer = |_: &Order, before: usize| {
        std::thread::sleep(ms(if before == 0 { 0 } else { 150 }));
        Ok(result_of(&[100]))
    };
    let launcher = Scripted::new(&answer);
    with_bench(&launcher, &AtomicBool::new(false), |bench| {
        run(bench, &[group("a", 1)], ms(300)).expect("no failure");
    });
    assert!(launcher.orders.borrow().len() <= 3, "a rehearsal and two workers");
}

#[test]
fn wide_intervals_have_more_workers_and_so_have_those_that_waited() {
    let workers = Cell::new(0);
    let answer = |order: &Order, _: usize| {
        workers.set(workers.get() + 1);
        Ok(result_of(&[if order.operation == "a" { 100 * (1 + workers.get() % 7) } else { 100 }]))
    };
    let launcher = Scripted { is_fresh: false, ..Scripted::new(&answer) };
    let interrupt = AtomicBool::new(false);
    let (found, said) = with_bench(&launcher, &interrupt, |bench| {
        run(bench, &[group("a", 1), group("b", 1)], ms(36_000_000)).expect("no failure")
    });
    // Six more of the first for every two of the second, until it has had 120.
    assert_eq!(found.iter().map(|it| it.workers.len()).collect::<Vec<_>>(), [120, 60]);
    assert!(launcher.orders.borrow().iter().all(|order| order.processor.is_none()));
    assert_eq!(said.len(), 62 + 30);

    // Equal values are within 0.2 %, which is a little more than is wanted here.
    let launcher = Scripted::new(&|_: &Order, _: usize| Ok(result_of(&[100])));
    let (found, said) = with_bench(&launcher, &interrupt, |bench| {
        bench.target = 0.0019;
        run(bench, &[group("a", 1)], ms(36_000_000)).expect("no failure")
    });
    assert_eq!(found[0].workers.len(), 122);
    assert!(said[31..].iter().all(|said| said.ends_with(" 0.2%")), "{said:?}");
}

#[test]
fn what_was_seen_before_an_interrupt_is_kept() {
    let interrupt = AtomicBool::new(false);
    for (orders, workers) in [(1, 1), (2, 1), (12, 5)] {
        let answer = |_: &Order, before: usize| {
            interrupt.store(before + 1 == orders, Ordering::Relaxed);
            Ok(result_of(&[100]))
        };
        let launcher = Scripted::new(&answer);
        interrupt.store(false, Ordering::Relaxed);
        let groups = [group("a", 1), group("b", 3)];
        let (found, _) = with_bench(&launcher, &interrupt, |bench| {
            run(bench, &groups, ms(36_000_000)).expect("no failure")
        });
        assert_eq!(launcher.orders.borrow().len(), orders);
        assert_eq!((found.len(), found[0].workers.len()), (2, workers), "{orders}");
        if orders == 1 {
            assert_eq!((&found[1].estimates, found[1].workers.len()), (&vec![None; 3], 0));
            assert_eq!(found[1].notes.len(), 1);
        }
    }
    // Without an interrupt a failure is one; with it, it is the end of a process.
    for interrupted in [false, true] {
        interrupt.store(false, Ordering::Relaxed);
        let answer = |_: &Order, before: usize| {
            interrupt.store(interrupted && before == 3, Ordering::Relaxed);
            if before == 3 { Err(StudyError::WorkerTask("ended".into())) } else { Ok(result_of(&[100])) }
        };
        let launcher = Scripted::new(&answer);
        let (found, _) =
            with_bench(&launcher, &interrupt, |bench| run(bench, &[group("a", 1)], ms(36_000_000)));
        assert_eq!(found.map(|it| it[0].workers.len()).ok(), interrupted.then_some(2));
    }
    // No time: the rehearsal is all there is.
    interrupt.store(false, Ordering::Relaxed);
    let launcher = Scripted::new(&|_: &Order, _: usize| Ok(result_of(&[100])));
    let (found, _) = with_bench(&launcher, &interrupt, |bench| {
        run(bench, &[group("a", 1)], Duration::ZERO).expect("no failure")
    });
    let estimate = found[0].estimates[0].as_ref().expect("of the rehearsal");
    assert_eq!((launcher.orders.borrow().len(), estimate.processes, estimate.interval()), (1, 1, None));
}

#[test]
fn a_trial_has_the_least_of_one_operation() {
    let answer = |_: &Order, _: usize| {
        let windows = |costs: &[u64]| costs.iter().map(|&cost| window(cost)).collect();
        let seen = [&[300, 100, 200][..], &[70], &[]].map(|it| seen(Estimator::Median, windows(it)));
        Ok(WorkerResult { elapsed: ms(1), seen: seen.to_vec(), rulers: vec![], per_ns: 1.0 })
    };
    let launcher = Scripted::new(&answer);
    let (found, _) = with_bench(&launcher, &AtomicBool::new(false), |bench| {
        trial(bench, &group("a", 3)).expect("no failure")
    });
    assert_eq!(found, [100.0, 70.0, f64::INFINITY]);
}

#[test]
fn workers_go_round_the_processors() {
    let answer = |_: &Order, _: usize| Ok(result_of(&[1]));
    let launcher = Scripted::new(&answer);
    with_bench(&launcher, &AtomicBool::new(false), |bench| {
        for processors in [vec![3, 5], vec![]] {
            let workers = Workers { processors, seed: 7, elapsed: true };
            for number in 0..3 {
                workers.run_worker(bench, &group("a", 1), number, (ms(1), vec![], 9)).expect("no failure");
            }
        }
    });
    let orders = launcher.orders.into_inner();
    let processors: Vec<Option<usize>> = orders.iter().map(|order| order.processor).collect();
    assert_eq!(processors, [Some(3), Some(5), Some(3), None, None, None]);
    assert!(orders.iter().all(|order| order.elapsed));
}

/// A result of two cycles in six processes.
fn estimate() -> Estimate {
    let reading = |undisturbed, cost| fieldtest_measure::estimate::Reading {
        cost,
        undisturbed,
        switched: false,
        taken: 1.0,
    };
    let process = [vec![reading(true, 2.0); 12], vec![reading(false, 3.0); 10]].concat();
    Estimate::of(&vec![process; 6], Estimator::Median, 1).expect("windows")
}

#[test]
fn a_estimate_is_entered_for_each_item() {
    let (estimate, mut writer) = (estimate(), writer());
    let outcome = Outcome {
        estimates: vec![None, Some(estimate.clone())],
        unit: "cycles",
        notes: vec!["of the outcome".to_owned()],
        workers: vec![
            WorkerResult {
                elapsed: ms(1),
                seen: vec![seen(Estimator::Median, vec![]), seen(Estimator::Mean, vec![window(1); 3])],
                rulers: Vec::new(),
                per_ns: 1.0,
            };
            2
        ],
        peak: PEAK,
        rulers: Rc::new(Cell::new(vec![[8191, 2049]])),
        seed: 1,
    };
    let record = writer.result("a", "hash", "64", f64::NAN, "cycles");
    for (at, interval) in [(0, true), (1, true), (1, false), (2, true)] {
        outcome.enter(&mut writer, at, 4, record.clone(), &["of the caller".to_owned()], interval);
    }
    let found = records(&writer);
    assert_eq!(found.len(), 2);
    for (record, has_interval) in found.iter().zip([true, false]) {
        same(record.value, 0.5);
        let shared = record.shared.expect("a neighbour's");
        same(shared.value, 0.75);
        assert_eq!((shared.samples, shared.interval), (6, None));
        let interval = estimate.interval().expect("six").scaled(0.25).into();
        assert_eq!(record.interval, has_interval.then_some(interval));
        assert_eq!((record.estimator.as_str(), record.samples), ("median", 6));
        assert_eq!(record.notes[1..], ["of the caller", "of the outcome"]);
    }
    // Two records with two workers of three windows each.
    assert_eq!(writer.into_parts().1.rows(), 12);
}

fn numbers(text: &str) -> Vec<f64> {
    text.split(|c: char| c != '.' && !c.is_ascii_digit()).filter_map(|it| it.parse().ok()).collect()
}

#[test]
fn a_reader_is_told_how_a_estimate_came_about() {
    let told = |estimate: &Estimate| numbers(&remarks(estimate)[0]);
    let estimate = Estimate { windows: 70, seen: 90, processes: 8, spread: [0.0123, 0.5], ..estimate() };
    assert_eq!(told(&estimate), [70.0, 90.0, 8.0, 1.23, 50.0]);
    assert_eq!(told(&Estimate { spread: [f64::NAN, 0.02], ..estimate.clone() }), [70.0, 90.0, 8.0, 2.0]);
    for (core, remark) in
        [(Core::Uncontended, None), (Core::Contended, Some(CONTENDED)), (Core::Lost, Some(CORE_LOST))]
    {
        assert_eq!(remark_on(core), remark);
        let remarks = remarks(&Estimate { core, ..estimate.clone() });
        assert_eq!(remarks.get(1).map(String::as_str), remark);
    }
}

#[test]
fn notes_say_what_is_unusual_of_workers() {
    let with = |results: usize| {
        let mut course = course(1, [310, 200, 0]);
        course.results = vec![result_of(&[]); results];
        course
    };
    assert!(notes(&with(6), true, false, false).is_empty());
    let few = notes(&with(5), true, false, false);
    // Six of 0.51 seconds.
    assert_eq!((few.len(), numbers(&few[0])), (1, vec![6.0, 3.1]));
    assert_eq!(notes(&with(6), false, false, false).len(), 1);
    let [counter, engine] = [false, true].map(|elapsed| notes(&with(6), true, true, elapsed));
    assert!(counter.len() == 1 && engine.len() == 1 && counter != engine);
    assert_eq!(notes(&with(0), false, true, false).len(), 3);
}
