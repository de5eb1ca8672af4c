//! Core cycles without a counter: the time of a job over that of a chain of dependent additions, each of which takes a
//! cycle, whatever the core's frequency at that moment.
#![allow(unsafe_code)] // inline assembly that the compiler cannot shorten

use std::time::{Duration, Instant};

/// Additions in a chain.
const LENGTH: usize = 16_384;

/// Pairs of a chain and a job's repetitions.
const ROUNDS: usize = 200;

fn chain() -> Duration {
    let start = Instant::now();
    let mut sum = 1_u64;
    for _ in 0..LENGTH / 32 {
        for _ in 0..32 {
            // SAFETY: one register is added to itself; memory and stack are not touched.
            #[cfg(target_arch = "x86_64")]
            unsafe {
                std::arch::asm!("add {0}, {0}", inout(reg) sum, options(nomem, nostack));
            }
            #[cfg(not(target_arch = "x86_64"))]
            {
                sum = std::hint::black_box(sum + sum);
            }
        }
    }
    std::hint::black_box(sum);
    start.elapsed()
}

/// Core cycles of one job: the lower quartile over rounds in which the job fills about as much time as the chain.
pub(crate) fn cycles(mut job: impl FnMut()) -> f64 {
    let mut repetitions = 1_u32;
    loop {
        let start = Instant::now();
        (0..repetitions).for_each(|_| job());
        if start.elapsed() > Duration::from_micros(5) {
            break;
        }
        repetitions *= 2;
    }
    let mut ratios: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let before = chain();
            let start = Instant::now();
            (0..repetitions).for_each(|_| job());
            let time = start.elapsed();
            let ruler = before.min(chain());
            time.as_secs_f64() / f64::from(repetitions) / ruler.as_secs_f64() * LENGTH as f64
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ROUNDS / 4]
}
