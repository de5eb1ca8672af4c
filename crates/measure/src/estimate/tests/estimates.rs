//! Which processes and windows make a result, how, and how far its interval reaches.

use super::*;

fn estimate(processes: &[Vec<Reading>], estimator: Estimator) -> Estimate {
    Estimate::of(processes, estimator, 1).expect("windows")
}

/// Processes with one window each, one per cent apart, from 100 on.
fn one_per_cent_apart(count: u32) -> Vec<Vec<Reading>> {
    (0..count).map(|at| own(&[100.0 * (0.01 * f64::from(at)).exp()])).collect()
}

#[test]
fn a_process_counts_with_ten_undisturbed_windows_or_a_quarter_of_few() {
    for (undisturbed, of, counts) in [
        (10, 1000, true),
        (9, 1000, false),
        (10, 41, true),
        (10, 40, true),
        (9, 40, false),
        (9, 36, true),
        (8, 36, false),
        (2, 5, true),
        (1, 5, false),
        (1, 4, true),
        (1, 1, true),
        (0, 1, false),
    ] {
        let mut processes = vec![mixed(10, 0, 0); 6];
        processes.extend([mixed(undisturbed, of - undisturbed, 0), vec![]]);
        let found = estimate(&processes, Estimator::Median);
        let expected = if counts { (7, 60 + undisturbed) } else { (6, 60) };
        assert_eq!((found.processes, found.windows), expected, "{undisturbed} of {of}");
        assert_eq!((found.core, found.seen), (Core::Uncontended, 60 + of));
    }
}

#[test]
fn a_estimate_is_of_a_shared_core_where_no_six_processes_had_their_own() {
    let (own, shared, lost) = (mixed(10, 1, 1), mixed(1, 9, 2), mixed(0, 0, 5));
    let some = |of: [usize; 3]| -> Vec<Vec<Reading>> {
        let each = [&own, &shared, &lost].into_iter().zip(of);
        each.flat_map(|(process, count)| vec![process.clone(); count]).collect()
    };
    for (of, core, processes, windows) in [
        ([6, 9, 9], Core::Uncontended, 6, 60),
        ([5, 9, 9], Core::Contended, 14, 5 * 11 + 9 * 10),
        ([5, 0, 1], Core::Contended, 5, 55),
        // All of them, if there were fewer than six.
        ([5, 0, 0], Core::Uncontended, 5, 50),
        ([1, 0, 0], Core::Uncontended, 1, 10),
        ([0, 1, 0], Core::Contended, 1, 10),
        ([0, 7, 1], Core::Contended, 7, 70),
        ([0, 0, 1], Core::Lost, 1, 5),
        ([0, 0, 7], Core::Lost, 7, 35),
    ] {
        let found = estimate(&some(of), Estimator::Median);
        assert_eq!((found.core, found.processes, found.windows), (core, processes, windows), "{of:?}");
        assert_eq!(found.seen, 12 * (of[0] + of[1]) + 5 * of[2]);
    }
    // Of a contended core one window makes a process count, however many it saw.
    let few = estimate(&vec![mixed(0, 1, 40); 6], Estimator::Median);
    assert_eq!((few.core, few.processes, few.windows), (Core::Contended, 6, 6));
    assert_eq!(Estimate::of(&[], Estimator::Median, 1), None);
    assert_eq!(Estimate::of(&[vec![]], Estimator::Median, 1), None);
}

#[test]
fn what_costs_the_same_every_time_has_the_stabilized_lower_quartile_of_lower_quartiles() {
    let times = |factor: f64, costs: &[f64]| own(&costs.iter().map(|cost| cost * factor).collect::<Vec<_>>());
    // The second of five, between the first and the second of four: three quarters of the way, in logarithms.
    same(estimate(&[own(&[1600.0, 100.0, 800.0, 200.0, 400.0])], Estimator::Median).value, 200.0);
    same(estimate(&[own(&[800.0, 200.0, 100.0, 400.0])], Estimator::Median).value, 100.0 * 2f64.powf(0.75));
    // Of eight processes the second and the third; of six the second, and a quarter of its neighbours on either side.
    let processes = |count: i32| -> Vec<Vec<Reading>> {
        (0..count).rev().map(|at| times(2f64.powi(at), &[100.0, 200.0, 400.0, 800.0, 1600.0])).collect()
    };
    same(estimate(&processes(8), Estimator::Median).value, 200.0 * 2f64.powf(1.5));
    same(estimate(&processes(6), Estimator::Median).value, 200.0 * 2.0);
}

#[test]
fn what_is_spread_by_nature_has_the_mean_of_means() {
    // However many windows a process has.
    let processes = [own(&[100.0, 300.0]), own(&[400.0]), own(&[500.0, 600.0, 700.0]), own(&[800.0; 9])];
    let found = estimate(&processes, Estimator::Mean);
    same(found.value, 500.0);
    assert_eq!((found.estimator, found.error), (Estimator::Mean, None));
}

#[test]
fn the_spread_is_told_within_a_process_and_between_them() {
    // Two windows of each process are 0, 1, … 5 per cent apart; the lower ones 2 per cent from process to process.
    let process = |at: u32| {
        let lower = 0.02 * f64::from(at) - 0.25 * 0.01 * f64::from(at);
        own(&[lower, lower + 0.01 * f64::from(at)].map(|it| 100.0 * it.exp()))
    };
    let found = estimate(&(0..6).map(process).collect::<Vec<_>>(), Estimator::Median);
    same(found.spread[0], 0.025 / 2f64.sqrt());
    same(found.spread[1], 0.02 * 3.5f64.sqrt());
    // Of one window there is none: of 0, 3 and 5 per cent the first does not count.
    let pair = |apart: f64| own(&[100.0, 100.0 * apart.exp()]);
    let mixed = estimate(&[own(&[100.0]), pair(0.03), pair(0.05)], Estimator::Median);
    same(mixed.spread[0], 0.04 / 2f64.sqrt());
    let alone = estimate(&[own(&[100.0])], Estimator::Median);
    assert!(alone.spread.iter().all(|spread| spread.is_nan()), "{alone:?}");
}

/// By another program with the same generator and seed.
#[test]
fn the_standard_error_is_that_of_400_resamples_of_the_processes() {
    for (count, seed, estimator, value, error) in [
        (6, 1, Estimator::Median, 101.00501670841683, 0.00936278471810209),
        (6, 2, Estimator::Median, 101.00501670841683, 0.00971591465039357),
        (8, 1, Estimator::Median, 101.5113064615719, 0.011391473309471522),
        (6, 1, Estimator::Mean, 102.54646519388089, 0.007638724945910836),
        (8, 1, Estimator::Mean, 103.58915799290538, 0.00854756869166326),
    ] {
        let found = Estimate::of(&one_per_cent_apart(count), estimator, seed).expect("windows");
        same(found.value, value);
        same(found.error.expect("six"), error);
    }
}

#[test]
fn fewer_than_six_processes_carry_no_interval() {
    let few = estimate(&one_per_cent_apart(5), Estimator::Median);
    assert_eq!((few.error, few.interval(), few.processes), (None, None, 5));
    let six = estimate(&one_per_cent_apart(6), Estimator::Median);
    assert!(six.interval().is_some());
    let ratio = few.ratio(&six).expect("both uncontended");
    assert_eq!((ratio.interval, ratio.processes), (None, 5));
}

fn with_error(value: f64, error: f64, processes: usize) -> Estimate {
    let known = estimate(&one_per_cent_apart(6), Estimator::Median);
    Estimate { value, error: Some(error), processes, ..known }
}

/// Half the interval on the scale of logarithms, which has to be even.
#[track_caller]
fn half(value: f64, interval: Option<Interval>) -> f64 {
    let Interval { low, high } = interval.expect("six");
    same(value / low, high / value);
    (high / value).ln()
}

/// Student's t times the error, a quarter of the spread of processes, and 0.2 % in quadrature.
#[test]
fn an_interval_reaches_as_far_as_processes_what_they_have_in_common_and_drift() {
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}, {expected}");
    for (error, processes, expected) in [
        (0.0, 6, 0.002),
        (0.01, 6, 0.02649808367138897),
        (0.01, 16, 0.023628526859507008),
        (0.002, 30, 0.005313365840431833),
    ] {
        let estimate = with_error(50.0, error, processes);
        close(half(50.0, estimate.interval()), expected);
    }
    // A calibration widens what comes of processes, and not the allowance for drift.
    let widened = with_error(50.0, 0.01, 16).widened(1.3);
    assert_eq!(widened.value, 50.0);
    close(half(50.0, widened.interval()), 0.0306721258770932);
    // Of a ratio both count.
    let ratio = with_error(50.0, 0.01, 16).ratio(&with_error(20.0, 0.01, 6)).expect("the same core");
    assert_eq!((ratio.value, ratio.processes, ratio.estimator), (2.5, 6, Estimator::Median));
    close(half(2.5, ratio.interval), 0.0355028973438278);
}

#[test]
fn no_ratio_is_made_of_ones_own_core_and_a_shared_one() {
    let of = |process: Vec<Reading>| estimate(&vec![process; 8], Estimator::Median);
    let estimates = [of(mixed(9, 0, 0)), of(mixed(0, 9, 0)), of(mixed(0, 0, 9))];
    assert_eq!(
        estimates.each_ref().map(|estimate| estimate.core),
        [Core::Uncontended, Core::Contended, Core::Lost]
    );
    for (at, one) in estimates.iter().enumerate() {
        for (other, estimate) in estimates.iter().enumerate() {
            assert_eq!(one.ratio(estimate).is_some(), at == other);
        }
    }
    let mean = estimate(&vec![mixed(9, 0, 0); 8], Estimator::Mean);
    assert_eq!(estimates[0].ratio(&mean).expect("one's own").estimator, Estimator::Mean);
}

/// The median of a process's disturbed windows, ten at least, then the mean of the quarter of processes around the median.
#[test]
fn what_it_costs_beside_a_neighbour_is_a_estimate_of_its_own() {
    let disturbed = |count: u32, factor: f64| -> Vec<Reading> {
        let costs = (0..count).map(|at| factor * 2f64.powi(at as i32));
        let shared = costs.map(|cost| Reading { cost, undisturbed: false, switched: false, taken: 1.5 });
        let lost = Reading { cost: 1e9, undisturbed: false, switched: true, taken: 2.0 };
        shared.chain([lost; 3]).chain(own(&[1.0; 12])).collect()
    };
    // The median of 11 is the sixth; processes with nine do not count, and of twelve the sixth and seventh make the result with
    // half of their neighbours' weight.
    let mut processes: Vec<Vec<Reading>> = (0..12).map(|at| disturbed(11, 3f64.powi(at * at))).collect();
    processes.push(disturbed(9, 1e6));
    let found = estimate(&processes, Estimator::Mean);
    let busy = found.contended.expect("twelve");
    same(busy.value, 2f64.powi(5) * 3f64.powf((0.5 * 16.0 + 25.0 + 36.0 + 0.5 * 49.0) / 3.0));
    assert_eq!((busy.processes, found.processes, found.core), (12, 13, Core::Uncontended));
    same(found.value, 1.0);
    same(estimate(&[disturbed(10, 1.0)], Estimator::Median).contended.expect("ten").value, 2f64.powf(4.5));
    assert_eq!(estimate(&[disturbed(9, 1.0)], Estimator::Median).contended, None);
    // Where the result itself is of a contended core, that is all there is.
    assert_eq!(estimate(&[mixed(1, 40, 0)], Estimator::Median).contended, None);
}
