//! Core cycles without a counter: a chain of dependent additions, one cycle each, timed before and after the work.
//! The benchmarks of all primitives include this file.

#![allow(unsafe_code)] // one instruction of inline assembly

use std::hint::black_box;
use std::time::Instant;

/// Additions in one chain.
const LENGTH: u32 = 200_000;

/// Core cycles that `work` takes: the lower quartile of many ratios to the chain, so that what other processes do to
/// some of the windows does not count.
pub(crate) fn cycles(mut work: impl FnMut()) -> f64 {
    const ROUNDS: usize = 60;
    let seconds = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    let mut chain = || {
        black_box(additions(black_box(1)));
    };
    work();
    // As many repetitions as fill about a fifth of a millisecond.
    let repetitions = (0.2e-3 / seconds(&mut work)).clamp(1.0, 1e6) as u32;
    let mut ratios: Vec<_> = (0..ROUNDS)
        .map(|_| {
            let before = seconds(&mut chain);
            let work = seconds(&mut || (0..repetitions).for_each(|_| work()));
            let after = seconds(&mut chain);
            work / f64::from(repetitions) * f64::from(LENGTH) / ((before + after) / 2.0)
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ROUNDS / 4]
}

/// Each sum waits for the one before it.
#[inline(never)]
fn additions(step: u64) -> u64 {
    let mut sum = step;
    for _ in 0..LENGTH / 32 {
        for _ in 0..32 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: one register is added to another; memory and stack are not touched.
            unsafe {
                std::arch::asm!("add {0}, {1}", inout(reg) sum, in(reg) step, options(pure, nomem, nostack));
            }
            #[cfg(not(target_arch = "x86_64"))]
            {
                sum = black_box(sum.wrapping_add(step));
            }
        }
    }
    sum
}
