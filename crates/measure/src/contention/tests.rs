//! Machines that are made up: cores with four and with six adders, next to neighbours that come and go or stay.

use super::*;
use crate::rng::{Rng, tests::normal};

/// A core, and the neighbour on it.
#[derive(Debug, Clone, Copy)]
struct Machine {
    /// What the rulers read on it uncontended, and how far that scatters.
    centre: f64,
    width: f64,
    /// The share of the time that the neighbour is there, and what share of the adders it leaves.
    there: f64,
    leaves: [f64; 2],
}

/// The chain in the counter's unit: long, so that no reading is rounded much.
const CHAIN: f64 = 100_000.0;

/// Quotients as they were read alone: of a Zen 4 and of a Zen 5.
const FOUR_ADDERS: Machine = Machine { centre: 3.95, width: 0.0015, there: 0.0, leaves: [0.51, 0.96] };
const SIX_ADDERS: Machine = Machine { centre: 5.30, width: 0.005, there: 0.0, leaves: [0.5, 0.9] };
/// A loop that takes 35% of the adders, always as much.
const STEADY: [f64; 2] = [0.645, 0.655];

impl Machine {
    /// Chain and ruler of so many windows, each with whether the neighbour was there. It stays for 50 windows; one chain in fifty
    /// was held up, which its whole block of four windows shows.
    fn rulers(&self, count: usize, seed: u64) -> Vec<([u32; 2], bool)> {
        let mut rng = Rng::new(seed);
        let (mut is_there, mut leaves, mut held_up) = (false, 1.0, 1.0);
        (0..count)
            .map(|at| {
                if at % 50 == 0 {
                    is_there = rng.unit() < self.there;
                }
                if at % 4 == 0 {
                    leaves = self.leaves[0] + (self.leaves[1] - self.leaves[0]) * rng.unit();
                    held_up = if rng.unit() < 0.02 { 1.0 + 0.06 * rng.unit() } else { 1.0 };
                }
                let scatter = (self.width * normal(&mut rng)).exp();
                let left = if is_there { leaves * (0.01 * normal(&mut rng)).exp() } else { 1.0 };
                let ruler = 4.0 * CHAIN / (self.centre * scatter * left);
                ([(CHAIN * held_up) as u32, ruler as u32], is_there)
            })
            .collect()
    }

    /// The peak, the share of windows next to no neighbour that it calls uncontended, and that of the others.
    fn seen(&self, count: usize, seed: u64) -> Option<(Peak, f64, f64)> {
        let rulers = self.rulers(count, seed);
        let peak = Peak::of_rulers(&rulers.iter().map(|(pair, _)| *pair).collect::<Vec<_>>(), 0.0)?;
        let share = |there: bool| {
            let all = rulers.iter().filter(|(_, is_there)| *is_there == there);
            let (free, all) = all.fold((0, 0), |(free, all), (pair, _)| {
                (free + usize::from(quotient(pair) >= peak.gate), all + 1)
            });
            free as f64 / f64::from(all.max(1))
        };
        Some((peak, share(false), share(true)))
    }
}

#[test]
fn an_idle_core_is_uncontended_whatever_its_adders() {
    for (machine, seed) in [(FOUR_ADDERS, 1), (SIX_ADDERS, 2), (Machine { centre: 4.72, ..SIX_ADDERS }, 3)] {
        let (peak, free, _) = machine.seen(4000, seed).expect("a peak");
        assert!((peak.centre / machine.centre - 1.0).abs() < 0.005, "{peak:?} of {machine:?}");
        assert!(free >= 0.97, "{free} of {machine:?}");
    }
}

#[test]
fn a_neighbour_that_comes_and_goes_does_not_move_the_peak() {
    for machine in [FOUR_ADDERS, SIX_ADDERS, Machine { leaves: STEADY, ..FOUR_ADDERS }] {
        for there in [0.1, 0.5, 0.9] {
            for seed in 1..=5 {
                let machine = Machine { there, ..machine };
                let (peak, free, taken) = machine.seen(8000, seed).expect("a peak");
                assert!((peak.centre / machine.centre - 1.0).abs() < 0.01, "{peak:?} of {machine:?}");
                assert!(free >= 0.95, "{free} of {machine:?}");
                assert!(taken <= 0.1, "{taken} of the contended ones pass on {machine:?}");
            }
        }
    }
}

/// By the least that four adders read; cores of aarch64 have fewer.
#[cfg(not(target_arch = "aarch64"))]
#[test]
fn a_neighbour_that_is_always_there_leaves_no_window_uncontended() {
    for machine in
        [FOUR_ADDERS, Machine { leaves: STEADY, ..FOUR_ADDERS }, Machine { leaves: STEADY, ..SIX_ADDERS }]
    {
        for seed in 1..=5 {
            let found = Machine { there: 1.0, ..machine }.seen(8000, seed);
            assert!(found.is_none_or(|(_, _, taken)| taken < 0.05), "{found:?} of {machine:?}");
        }
    }
}

#[test]
fn chains_that_were_held_up_are_no_peak() {
    for (share, seed) in [(0.05, 1), (0.1, 2), (0.3, 3)] {
        let machine = Machine { there: 0.5, ..FOUR_ADDERS };
        let mut rng = Rng::new(seed);
        let held_up = |([chain, ruler], _): ([u32; 2], bool)| match rng.unit() < share {
            true => [chain * 13 / 10, ruler],
            false => [chain, ruler],
        };
        let rulers: Vec<_> = machine.rulers(8000, seed).into_iter().map(held_up).collect();
        let peak = Peak::of_rulers(&rulers, 0.0).expect("a peak");
        assert!((peak.centre / machine.centre - 1.0).abs() < 0.01, "{peak:?}");
    }
}

#[test]
fn coarse_clocks_widen_the_gate_and_few_windows_show_nothing() {
    let rulers = |count| FOUR_ADDERS.rulers(count, 1).into_iter().map(|(it, _)| it).collect::<Vec<_>>();
    let gate = |grain| {
        let peak = Peak::of_rulers(&rulers(4000), grain).expect("a peak");
        peak.gate / peak.centre
    };
    assert!((gate(0.0) - (-NARROW).exp()).abs() < 1e-9);
    assert!((gate(0.01) - (-0.02_f64).exp()).abs() < 1e-9);
    assert!((gate(0.9) - (-WIDE).exp()).abs() < 1e-9);
    assert_eq!(Peak::of_rulers(&rulers(30), 0.0), None);
    assert_eq!(Peak::of_rulers(&[], 0.0), None);
    // What is no quotient of eight chains is not counted.
    let wild = [[CHAIN as u32, 0], [0, 5], [CHAIN as u32, 1000]].into_iter().cycle().take(2001);
    let with: Vec<_> = rulers(4000).into_iter().chain(wild).collect();
    assert_eq!(Peak::of_rulers(&with, 0.0), Peak::of_rulers(&rulers(4000), 0.0));
}

#[test]
fn a_step_of_the_clock_is_the_least_difference_of_rulers() {
    let rulers = |of: &[u32]| of.iter().map(|&ruler| [2000, ruler]).collect::<Vec<_>>();
    // Steps of ten, some rounded.
    assert_eq!(grain(&rulers(&[2000, 2010, 2011, 2040, 1990])), 10.0 / 2010.0);
    assert_eq!(grain(&rulers(&[2000, 2001, 2002])), 0.0);
    assert_eq!(grain(&[]), 0.0);
}

#[test]
fn a_chain_that_was_held_up_is_replaced_by_what_the_rulers_say() {
    let window = |chain, rulers| Window { at: 0, length: 1, rulers, chain, switched: false };
    let peak = Some(Peak { centre: 5.0, gate: 4.9, chain: 8192.0 });
    // 8 · 4096 additions in 6560 cycles are five a cycle.
    for (chain, rulers, expected) in [
        (8192, [6554, 6554], (8192.0, true)),
        // Up to 2% is noise.
        (8350, [6554, 6554], (8350.0, true)),
        (8400, [6554, 6554], (6554.0 * 5.0 / 4.0, true)),
        // The shortest of the block counts.
        (8400, [9000, 6554], (6554.0 * 5.0 / 4.0, true)),
        // A neighbour that held up the chain, too.
        (16_384, [9000, 9000], (11_250.0, false)),
        // Else it makes rulers longer, and not the chain shorter; all are longer at a lower frequency.
        (8192, [13_000, 12_000], (8192.0, true)),
        (16_384, [13_108, 13_108], (16_384.0, true)),
    ] {
        let block = [window(chain, rulers), window(chain, [20_000; 2])];
        assert_eq!(Peak::chain(peak, &block), expected, "{chain} {rulers:?}");
    }
    // Without a peak, only what no processor can do is a delay.
    for (chain, expected) in [(8192, 8192.0), (9831, 9831.0), (9832, 6554.0), (4_000_000, 6554.0)] {
        let block = [window(chain, [6554, 7000]), window(chain, [20_000; 2])];
        assert_eq!(Peak::chain(None, &block), (expected, false));
    }
    assert!(Peak::chain(peak, &[]).0.is_nan());
}
