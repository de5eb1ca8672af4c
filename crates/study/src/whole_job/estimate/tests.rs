use fieldtest_measure::Rng;

use super::*;
use crate::scripted::{same, writer};

/// A machine on which a job takes `set_up` and `each` per item, every piece of work longer by `noise` of it at most, and
/// every round by `state` of it.
struct Simulated {
    set_up: f64,
    each: f64,
    noise: f64,
    state: f64,
    rng: Rng,
}

impl Simulated {
    fn cost(&mut self, seconds: f64, state: f64) -> Cost {
        // Nearly normal: the mean of twelve, with a deviation of one.
        let normal: f64 = (0..12).map(|_| self.rng.unit()).sum::<f64>() - 6.0;
        let wall = seconds * (1.0 + self.noise * normal) * state;
        Cost { wall, cpu: 2.0 * wall }
    }

    fn round(&mut self, [few, many]: [u64; 2]) -> Reading {
        let state = 1.0 + self.state * (self.rng.unit() - 0.5);
        let beside = self.cost(self.set_up, state);
        let items = [few, many].map(|items| (items, 0.001 + self.each * items as f64));
        Reading::Part { beside, sizes: items.map(|(items, seconds)| (items, self.cost(seconds, state))) }
    }
}

fn exact(set_up: f64, each: f64) -> Simulated {
    Simulated { set_up, each, noise: 0.0, state: 0.0, rng: Rng::new(1) }
}

#[test]
fn a_line_is_found_again() {
    let mut machine = exact(0.25, 0.004);
    let rounds: Vec<Reading> = (0..3).map(|_| machine.round([10, 40])).collect();
    let estimate = Estimate::of(&rounds, Time::Wall, 2_800, Surroundings::new(1.0)).expect("a figure");
    let (part, [beside, each]) = estimate.part.expect("a part");
    assert!((beside.value - 0.251).abs() < 1e-9 && (each.value - 0.004).abs() < 1e-12);
    assert!((estimate.all.value - (0.251 + 0.004 * 2_800.0)).abs() < 1e-6);
    assert_eq!(part, Part { measured: 40, of: 2_800, smaller: Some(10) });
    // What is measured on so little, multiplied, would have been 0.001 × 2800 / 40 too much.
    let cpu = Estimate::of(&rounds, Time::Cpu, 2_800, Surroundings::new(1.0)).expect("a figure");
    assert!((cpu.all.value / estimate.all.value - 2.0).abs() < 1e-9);
}

/// Of intervals at the nominal 95 %, as many as that contain the truth: of the whole, of the set-up and of the slope.
#[test]
fn intervals_cover() {
    for rounds in [3, 5] {
        let runs = 4_000;
        let mut held = [0; 3];
        for seed in 0..runs {
            let (set_up, each) = (0.2, 0.003);
            let mut machine =
                Simulated { noise: 0.02, state: 0.05, rng: Rng::new(seed), ..exact(set_up, each) };
            let readings: Vec<Reading> = (0..rounds).map(|_| machine.round([16, 64])).collect();
            let estimate =
                Estimate::of(&readings, Time::Wall, 2_800, Surroundings::new(1.0)).expect("a figure");
            let (_, [beside, slope]) = estimate.part.expect("a part");
            let truths = [0.001 + set_up + each * 2_800.0, 0.001 + set_up, each];
            for (at, (mean, truth)) in [estimate.all, beside, slope].iter().zip(truths).enumerate() {
                held[at] += u64::from(mean.interval.expect("an interval").contains(truth));
            }
        }
        for held in held {
            let share = held as f64 / runs as f64;
            assert!((0.93..0.97).contains(&share), "{share} with {rounds} rounds");
        }
    }
}

#[test]
fn nothing_is_extrapolated_from_fewer_than_thirty_items() {
    let mut machine = exact(0.25, 0.004);
    for (sizes, is_enough) in [([1, 2], true), ([8, 30], true), ([30, 30], false)] {
        let rounds: Vec<Reading> = (0..3).map(|_| machine.round(sizes)).collect();
        assert_eq!(
            Estimate::of(&rounds, Time::Wall, 2_800, Surroundings::new(1.0)).is_ok(),
            is_enough,
            "{sizes:?}"
        );
    }
    let none = Estimate::of(&[], Time::Wall, 2_800, Surroundings::new(1.0));
    assert_eq!(none, Err(NoEstimate::TooLittleTime));
    assert_eq!(super::super::sizes(29.9, 2_800), None);
    assert_eq!(super::super::sizes(2_800.0, 29), None);
    let [few, many] = super::super::sizes(1e9, 2_800).expect("all of them");
    assert!(few < many && many <= 2_800 && many.is_multiple_of(super::super::cores()));
}

/// Of a part that was disturbed so much that more items took less time, nothing is told of the whole.
#[test]
fn nothing_takes_less_than_no_time() {
    let cost = |seconds: f64| Cost { wall: seconds, cpu: seconds };
    let round = Reading::Part { beside: cost(0.0), sizes: [(30, cost(1.0)), (100, cost(0.1))] };
    let estimate = Estimate::of(&[round; 3], Time::Wall, 2_800, Surroundings::new(1.0));
    assert_eq!(estimate, Err(NoEstimate::Disturbed));
    let round = Reading::Part { beside: cost(0.0), sizes: [30, 100].map(|items| (items, cost(0.0))) };
    let estimate = Estimate::of(&[round; 3], Time::Wall, 2_800, Surroundings::new(1.0));
    assert_eq!(estimate, Err(NoEstimate::Disturbed));
}

#[test]
fn two_rounds_carry_no_interval() {
    let whole = |seconds: f64| Reading::Whole(Cost { wall: seconds, cpu: seconds });
    for (rounds, is_told) in [(1, false), (2, false), (3, true), (5, true)] {
        let readings: Vec<Reading> = (0..rounds).map(|round| whole(1.0 + f64::from(round))).collect();
        let estimate = Estimate::of(&readings, Time::Wall, 7, Surroundings::new(1.0)).expect("a figure");
        assert_eq!((estimate.all.interval.is_some(), estimate.part), (is_told, None));
    }
    // 1, 2, 3: the mean is 2, the deviation 1; 4.303 / √3 = 2.484 to either side.
    let readings = [1.0, 2.0, 3.0].map(whole);
    let interval = Estimate::of(&readings, Time::Cpu, 7, Surroundings::new(1.0))
        .ok()
        .and_then(|it| it.all.interval)
        .expect("an interval");
    assert!((interval.high - 4.484).abs() < 1e-3 && (interval.low + 0.484).abs() < 1e-3);
    let wider = Estimate::of(&readings, Time::Cpu, 7, Surroundings::new(1.5))
        .ok()
        .and_then(|it| it.all.interval)
        .expect("an interval");
    assert!((wider.width() / interval.width() - 1.5).abs() < 1e-9);
}

#[test]
fn a_estimate_knows_that_others_were_there() {
    let readings = [1.0, 2.0, 3.0].map(|seconds| Reading::Whole(Cost { wall: seconds, cpu: seconds }));
    let busy = Surroundings { busy: true, ..Surroundings::new(1.0) };
    for around in [busy, Surroundings::new(1.0)] {
        let estimate = Estimate::of(&readings, Time::Cpu, 7, around).expect("a figure");
        assert_eq!(estimate.all.busy, around.busy);
    }
}

#[test]
fn what_is_spread_by_factors_has_the_mean_of_logarithms() {
    let around = Surroundings::new(1.0);
    let mean = Mean::of_positive(&[1.0, 4.0, 2.0], around).expect("numbers");
    same(mean.value, 2.0);
    // Logarithms of 2 apart: 4.303 / √3 of them to either side.
    let width = (4.302_652_730 / 3_f64.sqrt() * 2_f64.ln()).exp();
    let interval = mean.interval.expect("three");
    same(interval.low, 2.0 / width);
    same(interval.high, 2.0 * width);
    assert_eq!((mean.rounds, mean.busy), (3, false));
    // What is the same each time is that, though a logarithm and back is not quite.
    assert_eq!(Mean::of_positive(&[0.1; 3], around).map(|it| it.value), Some(0.1));
    assert_eq!(Mean::of_positive(&[], around), None);
    assert_eq!(Mean::of_positive(&[1.0, 0.0], around), None);
}

#[test]
fn a_record_has_what_can_be_of_its_kind() {
    let record = || writer().result("made-up", "hash-tree", "wall", f64::NAN, "s");
    let mean = |rounds: &[f64], busy| {
        let mean = Mean::of(rounds, Surroundings { busy, ..Surroundings::new(1.0) }).expect("numbers");
        mean.told_in(record(), [0.0, 3.5])
    };
    let three = mean(&[1.0, 2.0, 3.0], false);
    assert_eq!((three.value, three.samples, three.estimator.as_str()), (2.0, 3, "mean"));
    // The interval is -0.484 to 4.484.
    assert_eq!((three.interval, three.notes.len()), (Some([0.0, 3.5]), 0));
    assert_eq!(mean(&[4.0; 3], false).value, 3.5);
    let (once, twice) = (mean(&[2.0], false), mean(&[2.0; 2], false));
    assert_eq!((once.interval, once.notes.len(), twice.interval, twice.notes.len()), (None, 1, None, 1));
    assert!(once.notes[0].contains("once") && twice.notes[0].contains("twice"));
    assert_eq!(mean(&[1.0, 2.0, 3.0], true).notes, [OTHER_LOAD]);

    let rounds: Vec<Reading> = (0..3).map(|_| exact(0.25, 0.004).round([10, 40])).collect();
    let estimate = Estimate::of(&rounds, Time::Wall, 2_800, Surroundings::new(1.0)).expect("a figure");
    let told = estimate.told_in(record());
    let part = Part { measured: 40, of: 2_800, smaller: Some(10) };
    assert_eq!((told.estimator.as_str(), told.part, told.samples), ("extrapolated", Some(part), 3));
    assert!(told.notes[0].contains("2.510e-1 s") && told.notes[0].contains("4.000e-3 s"), "{:?}", told.notes);
    let all = Estimate { part: None, ..estimate }.told_in(record());
    assert_eq!((all.estimator.as_str(), all.part, all.notes.len()), ("mean", None, 0));
    let [little, disturbed] = [NoEstimate::TooLittleTime, NoEstimate::Disturbed].map(NoEstimate::why);
    assert!(little.split(' ').count() > 3 && disturbed.split(' ').count() > 3 && little != disturbed);
}
