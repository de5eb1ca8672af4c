//! Core cycles without a counter: a chain of dependent additions as a ruler.
//!
//! An addition that waits for the one before it takes one cycle on every processor this workbench runs on, whatever
//! the core's frequency at that moment. A chain of them, visited in every round like any other contender, turns the
//! ratio to it into cycles. That is coarser than a counter, for the two windows of a round may see different
//! frequencies, and it is the only way where a virtual machine hides the counter.

use std::hint::black_box;

use crate::estimate::{Estimator, Ratio};
use crate::measurement::Measurement;
use crate::operation::{Contender, operation};

/// Additions in one operation of the chain, thus its length in core cycles.
pub const LENGTH: u64 = 4096;

/// The chain as a contender.
#[must_use]
pub fn contender() -> Contender<'static> {
    let run = |seed: &mut u64| additions(*seed);
    let check = |seed: u64, sum: u64| match sum == seed.wrapping_add(LENGTH.wrapping_mul(seed | 1)) {
        true => Ok(()),
        false => Err("the additions were not carried out".into()),
    };
    Contender::new("dependent additions", Estimator::Median, operation(Ok, run, check))
}

/// Adds `seed | 1` to `seed` [`LENGTH`] times, each sum waiting for the one before.
#[inline(never)]
fn additions(seed: u64) -> u64 {
    let step = black_box(seed | 1);
    let mut sum = seed;
    for _ in 0..LENGTH / 32 {
        // 32 at a time, so that the loop's own instructions run beside them.
        for _ in 0..32 {
            sum = opaque(sum, step);
        }
    }
    sum
}

/// One addition that the compiler cannot see through.
#[inline(always)]
#[cfg_attr(target_arch = "x86_64", allow(unsafe_code, reason = "inline assembly"))]
fn opaque(sum: u64, step: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut sum = sum;
        // SAFETY: one register is added to another; memory and stack are not touched.
        unsafe {
            std::arch::asm!("add {0}, {1}", inout(reg) sum, in(reg) step, options(pure, nomem, nostack));
        }
        sum
    }
    // `black_box` may pass through memory elsewhere, so that this is no ruler there; see `is_ruler`.
    #[cfg(not(target_arch = "x86_64"))]
    black_box(sum.wrapping_add(step))
}

/// Whether the chain is known to take a cycle per addition here.
#[must_use]
pub fn is_ruler() -> bool {
    cfg!(target_arch = "x86_64")
}

impl Measurement {
    /// The cost of one operation of `contender` in core cycles, by its ratio to the chain that stood at `chain`.
    #[must_use]
    pub fn cycles_by_chain(&self, contender: usize, chain: usize) -> Option<Ratio> {
        let ratio = self.ratio(contender, chain)?;
        let scale = LENGTH as f64;
        Some(Ratio {
            value: ratio.value * scale,
            interval: ratio.interval.map(|interval| interval.scaled(scale)),
            ..ratio
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counter, Plan, Prefer, measure};
    use std::{sync::atomic::AtomicBool, time::Duration};

    /// The same number of dependent multiplications, which take three cycles each on every 64-bit x86 since Nehalem and
    /// on every Zen (A. Fog, Instruction tables; uops.info, IMUL_R64_R64).
    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    #[allow(unsafe_code, reason = "inline assembly")]
    fn multiplications(seed: u64) -> u64 {
        let factor = black_box(seed | 1);
        let mut product = factor;
        for _ in 0..LENGTH / 32 {
            for _ in 0..32 {
                // SAFETY: one register is multiplied by another; memory and stack are not touched.
                unsafe {
                    std::arch::asm!("imul {0}, {1}", inout(reg) product, in(reg) factor, options(pure, nomem, nostack));
                }
            }
        }
        product
    }

    /// An addition takes a third of a multiplication: neither half of what it should, as where two are done in a cycle
    /// or the compiler left some out, nor more. Each is given its best of many windows of a few microseconds, some of
    /// which nothing disturbs even on a busy machine, and more are taken as long as the two do not fit.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn an_addition_is_a_third_of_a_multiplication() {
        use std::time::Instant;
        let window = |work: fn(u64) -> u64, best: &mut Duration| {
            let start = Instant::now();
            black_box(work(black_box(7)));
            *best = start.elapsed().min(*best);
        };
        let (mut sum, mut product) = (Duration::MAX, Duration::MAX);
        let mut quotient = 0.0;
        for _ in 0..50 {
            for _ in 0..1000 {
                window(additions, &mut sum);
                window(multiplications, &mut product);
            }
            quotient = product.as_secs_f64() / sum.as_secs_f64();
            if (quotient - 3.0_f64).abs() < 0.1 {
                break;
            }
        }
        assert!((quotient - 3.0).abs() < 0.4, "a multiplication takes {quotient:.2} additions");
    }

    /// A chain beside itself: the way from rounds to cycles, not the length of a cycle, which is the other test's.
    #[test]
    fn cycles_by_the_chain() {
        let mut contenders = [contender(), contender()];
        let plan = Plan { budget: Duration::from_millis(200), target: 0.05, ..Plan::default() };
        let counter = Counter::open(Prefer::Cycles);
        let measurement = measure(&plan, &counter, &mut contenders, &AtomicBool::new(false), &mut |_| ())
            .expect("no failure");
        let cycles = measurement.cycles_by_chain(1, 0).expect("rounds");
        assert!((cycles.value / LENGTH as f64 - 1.0).abs() < 0.5, "{}", cycles.value);
    }
}
