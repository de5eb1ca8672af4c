//! Core cycles without a counter: a chain of dependent additions, one cycle each, timed before and after the work.
//! And lengths of messages as they occur.

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

/// Lengths of about `total` bytes together: half of them below 8 KiB, which have a twentieth of all bytes, as in the
/// repository of Git itself.
pub(crate) fn like_git(total: usize) -> Vec<usize> {
    let mut lengths = vec![];
    let mut seed = 1_u32;
    while lengths.iter().sum::<usize>() < total {
        // The multiplier and the increment of Numerical Recipes.
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let uniform = f64::from(seed >> 8) / f64::from(1 << 24);
        // 200 bytes to 8 KiB and 8 to 128 KiB, their logarithms uniform.
        let (least, factor) = if seed >> 31 == 0 { (200.0, 41.0) } else { (8192.0, 16.0_f64) };
        lengths.push((least * factor.powf(uniform * 2.0 % 1.0)) as usize);
    }
    lengths
}
