//! Which windows are undisturbed, and what each costs.

use super::*;
use crate::worker::Known;

/// Windows of ten operations each.
fn seen(windows: &[Window]) -> Seen {
    Seen {
        name: "it".to_owned(),
        estimator: Estimator::Median,
        known: Known { batch: 10, window: Default::default(), in_a_block: 8 },
        blocks: 1,
        spent: Default::default(),
        windows: windows.to_vec(),
    }
}

/// A window of the block that ended at `at`.
fn window(at: u32, length: u64, rulers: [u32; 2], chain: u32) -> Window {
    Window { at, length, rulers, chain, switched: false }
}

#[test]
fn a_core_of_ones_own_is_the_99th_percentile_of_the_possible_quotients() {
    assert_eq!(alone(&[]), None);
    assert_eq!(alone(&[vec![seen(&[])]]), None);
    // Quotients of 4000/1000, 4000/1001 and so on to 4000/1199: the second largest of 200 is the 99th percentile.
    let windows: Vec<Window> = (0..100).map(|at| window(0, 1, [1000 + at, 1199 - at], 1000)).collect();
    let workers = |windows: &[Window]| {
        let (early, late) = windows.split_at(40);
        [vec![seen(early), seen(&[])], vec![seen(&[]), seen(late)]]
    };
    assert_eq!(alone(&workers(&windows)), Some(4000.0 / 1001.0));
    // More than four cannot be, however often it is read.
    let held_up = [window(0, 1, [999, 500], 1000); 100];
    assert_eq!(alone(&workers(&[&windows[..], &held_up].concat())), Some(4000.0 / 1001.0));
    assert_eq!(alone(&[vec![seen(&held_up)]]), None);
    // Windows in which the thread lost its core count here, too.
    let lost: Vec<Window> = windows.iter().map(|it| Window { switched: true, ..*it }).collect();
    assert_eq!(alone(&workers(&lost)), Some(4000.0 / 1001.0));
}

#[test]
fn a_window_is_undisturbed_where_both_rulers_are_and_the_thread_kept_its_core() {
    if !ruler::exist() {
        return;
    }
    for (alone, rulers, undisturbed) in [
        // 98.5 % of 4 is 3.94: up to 4000/3.94 = 1015.2.
        (4.0, [1015, 1015], true),
        (4.0, [1016, 1015], false),
        (4.0, [1015, 1016], false),
        (3.9, [1041, 1041], true),
        (3.9, [1042, 1041], false),
        // A share of it: 98.5 % of 3.8 is 3.743, up to 1068.7.
        (3.8, [1068, 1068], true),
        (3.8, [1069, 1068], false),
        // Never below 3.7: up to 4000/3.7 = 1081.08.
        (3.7, [1081, 1081], true),
        (3.7, [1081, 1082], false),
        (2.0, [1082, 1082], false),
    ] {
        let one = window(0, 1, rulers, 1000);
        let found = readings(&seen(&[one, Window { switched: true, ..one }]), alone, true);
        assert_eq!([found[0].undisturbed, found[0].switched], [undisturbed, false], "{alone} {rulers:?}");
        assert_eq!([found[1].undisturbed, found[1].switched], [false, true], "{alone} {rulers:?}");
    }
}

#[test]
fn a_window_costs_its_length_by_the_shortest_ruler_of_its_block() {
    let windows = [
        window(1, 50_000, [4096, 4096], 4096),
        // Two windows of one block, whose chain was held up.
        window(2, 10_000, [8192, 16_384], 9000),
        window(2, 20_000, [9000, 9000], 9000),
        window(3, 30_000, [32_768, 32_768], 65_536),
        window(4, 30_000, [20_000, 20_000], 16_384),
    ];
    let costs = |in_cycles| -> Vec<f64> {
        readings(&seen(&windows), 4.0, in_cycles).into_iter().map(|it| it.cost).collect()
    };
    assert_eq!(costs(true), [10_000.0, 1000.0, 2000.0, 750.0, 1500.0]);
    assert_eq!(costs(false), [5000.0, 1000.0, 2000.0, 3000.0, 3000.0]);
    if ruler::exist() {
        // The quotient is the shortest ruler's, too: 4 · 8192 / 9000 is 3.64.
        let undisturbed: Vec<bool> =
            readings(&seen(&windows), 4.0, true).iter().map(|it| it.undisturbed).collect();
        assert_eq!(undisturbed, [true, false, false, true, false]);
    }
}
