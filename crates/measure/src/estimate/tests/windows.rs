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

/// As if this run had such a core.
fn peak(centre: f64) -> Option<Peak> {
    Some(Peak { centre, gate: centre * 0.985, chain: 8192.0 })
}

#[test]
fn a_window_is_undisturbed_where_both_rulers_are_and_the_thread_kept_its_core() {
    if !ruler::exist() {
        return;
    }
    for (centre, rulers, undisturbed) in [
        // 98.5 % of 4 is 3.94: up to 4000/3.94 = 1015.2.
        (4.0, [1015, 1015], true),
        (4.0, [1016, 1015], false),
        (4.0, [1015, 1016], false),
        // A share of it: 98.5 % of 5 is 4.925, up to 812.2.
        (5.0, [812, 812], true),
        (5.0, [813, 812], false),
    ] {
        let one = window(0, 1, rulers, 1000);
        let found = readings(&seen(&[one, Window { switched: true, ..one }]), peak(centre), true);
        assert_eq!([found[0].undisturbed, found[0].switched], [undisturbed, false], "{centre} {rulers:?}");
        assert_eq!([found[1].undisturbed, found[1].switched], [false, true], "{centre} {rulers:?}");
        // Where no peak stands out, no window is known to be.
        assert!(!readings(&seen(&[one]), None, true)[0].undisturbed);
    }
}

#[test]
fn what_others_took_is_how_much_longer_the_rulers_are_and_two_at_most() {
    let taken = |rulers| readings(&seen(&[window(0, 1, rulers, 1000)]), peak(4.0), true)[0].taken;
    assert_eq!([taken([1000, 1000]), taken([1000, 1500]), taken([9000, 9000])], [1.0, 1.25, 2.0]);
    assert_eq!(readings(&seen(&[window(0, 1, [1000; 2], 1000)]), None, true)[0].taken, 2.0);
}

#[test]
fn a_window_costs_its_length_by_the_chain_of_its_block() {
    let windows = [
        window(1, 50_000, [4096, 4096], 4096),
        // Two windows of one block, whose chain was held up.
        window(2, 10_000, [8192, 16_384], 9000),
        window(2, 20_000, [9000, 9000], 9000),
        window(3, 30_000, [20_000, 20_000], 16_384),
    ];
    let costs = |in_cycles| -> Vec<f64> {
        readings(&seen(&windows), peak(4.0), in_cycles).into_iter().map(|it| it.cost).collect()
    };
    assert_eq!(costs(true), [10_000.0, 1000.0, 2000.0, 1500.0]);
    assert_eq!(costs(false), [5000.0, 1000.0, 2000.0, 3000.0]);
    if ruler::exist() {
        // The quotient is of the replaced chain, too: 4 · 8192 / 9000 is 3.64.
        let undisturbed: Vec<bool> =
            readings(&seen(&windows), peak(4.0), true).iter().map(|it| it.undisturbed).collect();
        assert_eq!(undisturbed, [true, false, false, false]);
    }
}
