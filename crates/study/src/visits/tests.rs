//! How the time is shared among contests, as `METHODOLOGY.md` has it, in typed-in numbers.

use fieldtest_measure::visit::Window;

use super::*;

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// A contest of so many contenders, with what a visit takes beside its stay, its shortest stay and a good one.
fn course(contenders: usize, [overhead, shortest, good]: [u64; 3]) -> Course {
    Course {
        known: vec![Known { batch: 1, window: WINDOW, in_a_turn: 10 }; contenders],
        overhead: ms(overhead),
        shortest: ms(shortest),
        good: ms(good),
        visits: 0,
        time: Duration::ZERO,
        stays: Vec::new(),
        rehearsal: Vec::new(),
    }
}

/// How many visits each has, and for how many microseconds.
fn planned(mut courses: Vec<Course>, budget: Duration) -> Vec<(u32, u128)> {
    plan(&mut courses, budget);
    courses.iter().map(|course| (course.visits, course.time.as_micros())).collect()
}

#[test]
fn a_contest_has_30_good_visits_fewer_or_none() {
    for (budget, visits) in [
        (ms(10_000), (30, 90_000)),
        (ms(3000), (30, 90_000)),
        (ms(1500), (30, 40_000)),
        (ms(600), (20, 20_000)),
        (ms(180), (6, 20_000)),
        (ms(179), (0, 0)),
        (Duration::ZERO, (0, 0)),
    ] {
        assert_eq!(planned(vec![course(2, [10, 20, 90])], budget), [visits], "{budget:?}");
    }
}

#[test]
fn the_fewest_visits_come_first_where_they_cost_least_for_each_contender_and_have_two_thirds_of_the_time() {
    // Six visits take 60, 120 and 120 ms: 60 and 120 for each contender, and 30 where there are four of them.
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
fn the_rest_is_shared_by_contenders_and_what_one_does_not_need_is_the_others() {
    // After 240 ms for the fewest visits 3 s are left. The first needs 270 ms of its 750; the others share 2.73 s.
    let courses = vec![course(2, [0, 20, 2000]), course(1, [0, 10, 11]), course(1, [0, 10, 1000])];
    let each = |all: u64| (30, u128::from(1000 * all / 30));
    assert_eq!(planned(courses, ms(3240)), [each(120 + 1820), (30, 11_000), each(60 + 910)]);
}

#[test]
fn a_good_visit_has_40_windows_120_of_what_is_spread_6_of_what_is_long() {
    use Estimator::{Mean, Median};
    let window = Window { at: 0, length: 1, rulers: [1, 1], chain: 1, switched: false };
    for (turns, spent, windows, estimator, turn, good) in [
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
            known: Known { batch: 1, window: WINDOW, in_a_turn: 1 },
            turns,
            spent: ms(spent),
            windows: vec![window; windows],
        };
        assert_eq!(wanted_by(&seen), [ms(turn), ms(good)], "{turns} {spent} {windows} {estimator:?}");
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
fn a_contest_is_open_while_a_visit_fits_and_there_are_not_very_many() {
    let with = |visits, stays| {
        let mut course = course(1, [10, 0, 0]);
        (course.visits, course.time, course.stays) = (visits, ms(5), vec![Vec::new(); stays]);
        course
    };
    assert!(with(6, 119).is_open(ms(16)));
    assert!(!with(6, 119).is_open(ms(15)));
    assert!(!with(0, 119).is_open(ms(16)));
    assert!(!with(6, 120).is_open(ms(16)));
}
