//! Two rulers of pure arithmetic: one follows the core's clock, the other shows whether another thread uses the core.
//!
//! An addition that waits for the one before it takes one cycle on every processor this workbench runs on, whatever the
//! core's frequency at that moment: the *chain* is as long as its additions, and hardly feels the core's other thread.
//! Eight such chains next to each other want all of the core's adders, so another thread on the core shows at once in
//! their length. Their *quotient* is the additions that they do in the time of one addition of the chain: near the number
//! of adders on an uncontended core. Neither needs a counter, and both work inside a virtual machine.
//!
//! Eight chains, and not four: four leave adders free on processors that have more, and hide a thread that uses only
//! these. Without and with a neighbour, four did 3.4 and 2.9 additions a cycle on an Emerald Rapids, and eight 4.7 and 3.0
//! (November 2026). On a Zen 5 ten and twelve chains did no more than eight.

use std::hint::black_box;

use crate::counter::Counter;

/// Steps of each chain, thus the length of the chain in core cycles: some three microseconds.
pub const LENGTH: u64 = 8192;

/// The chains of the throughput ruler.
pub const CHAINS: u64 = 8;

/// Steps of each of them: on four adders they take as long as the one chain.
const STEPS: u64 = LENGTH / 2;

/// Whether both are known to be rulers here.
pub fn exist() -> bool {
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64"))
}

/// The length of the chain in the counter's unit; `None` where the counter was lost.
pub fn chain(counter: &Counter) -> Option<u64> {
    let start = counter.now();
    black_box(one_chain(black_box(7)));
    counter.between(start, counter.now())
}

/// The length of the eight chains next to each other in the counter's unit; `None` where the counter was lost.
pub fn throughput(counter: &Counter) -> Option<u64> {
    let start = counter.now();
    black_box(eight_chains(black_box([1, 2, 3, 5, 7, 11, 13, 17])));
    counter.between(start, counter.now())
}

/// Both, one directly after the other; `None` where the counter was lost.
pub fn pair(counter: &Counter) -> Option<[u32; 2]> {
    Some([narrow(chain(counter)?), narrow(throughput(counter)?)])
}

pub(crate) fn narrow(ruler: u64) -> u32 {
    u32::try_from(ruler).unwrap_or(u32::MAX)
}

/// Additions of eight chains in the time of one addition of the chain.
pub fn quotient(chain: f64, throughput: f64) -> f64 {
    (CHAINS * STEPS) as f64 / LENGTH as f64 * chain / throughput
}

/// Steps between two looks at the loop's end. Its own instructions want adders too: beside every single step they would
/// pass for a neighbour on processors that have no more adders than chains.
const AT_ONCE: u64 = 32;

/// One addition as the assembler has it: to the sum in one register what is in another.
#[cfg(target_arch = "x86_64")]
macro_rules! add {
    ($sum:literal, $step:literal) => {
        concat!("add {", $sum, "}, {", $step, "}")
    };
}
#[cfg(target_arch = "aarch64")]
macro_rules! add {
    ($sum:literal, $step:literal) => {
        concat!("add {", $sum, "}, {", $sum, "}, {", $step, "}")
    };
}

/// Adds to itself step by step, each sum waiting for the one before.
#[inline(never)]
#[cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    allow(unsafe_code, reason = "inline assembly")
)]
fn one_chain(start: u64) -> u64 {
    let step = black_box(start | 1);
    let mut sum = start;
    for _ in 0..LENGTH / AT_ONCE {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        // SAFETY: one register is added to another; memory and stack are not touched.
        unsafe {
            std::arch::asm!(
                ".rept {at_once}", add!("0", "1"), ".endr",
                inout(reg) sum, in(reg) step,
                at_once = const AT_ONCE,
                options(pure, nomem, nostack)
            );
        }
        // `black_box` may pass through memory elsewhere, so that these are no rulers there; see `exist`.
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        for _ in 0..AT_ONCE {
            sum = black_box(sum.wrapping_add(step));
        }
    }
    sum
}

/// The same in eight registers at once.
#[inline(never)]
#[cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    allow(unsafe_code, reason = "inline assembly")
)]
fn eight_chains(start: [u64; CHAINS as usize]) -> [u64; CHAINS as usize] {
    let step = black_box(start[0] | 1);
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = start;
    for _ in 0..STEPS / AT_ONCE {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        // SAFETY: one register is added to others; memory and stack are not touched.
        unsafe {
            std::arch::asm!(
                ".rept {at_once}",
                add!("0", "8"), add!("1", "8"), add!("2", "8"), add!("3", "8"),
                add!("4", "8"), add!("5", "8"), add!("6", "8"), add!("7", "8"),
                ".endr",
                inout(reg) a, inout(reg) b, inout(reg) c, inout(reg) d,
                inout(reg) e, inout(reg) f, inout(reg) g, inout(reg) h,
                in(reg) step,
                at_once = const AT_ONCE,
                options(pure, nomem, nostack)
            );
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        for _ in 0..AT_ONCE {
            [a, b, c, d, e, f, g, h] = [a, b, c, d, e, f, g, h].map(|sum| black_box(sum.wrapping_add(step)));
        }
    }
    [a, b, c, d, e, f, g, h]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_addition_is_carried_out() {
        assert_eq!(one_chain(7), 7 + LENGTH * 7);
        let start = [1, 2, 3, 5, 7, 11, 13, 17];
        assert_eq!(eight_chains(start), start.map(|start| start + STEPS));
        let start = [2, 9, 0, 5, 1, 4, 8, 6];
        assert_eq!(eight_chains(start), start.map(|start| start + 3 * STEPS));
    }

    #[test]
    fn a_neighbour_lowers_the_quotient() {
        assert_eq!(quotient(8192.0, 8192.0), 4.0);
        assert_eq!(quotient(8192.0, 2.0 * 8192.0), 2.0);
        assert!(exist());
    }
}
