//! The figure that this crate exists for: a true difference of 1 % is read as 1 %, on a machine that is busy.

use fieldtest_measure::{Contender, Counter, Estimator, Plan, Prefer, measure, operation};
use std::{
    hint::black_box,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

/// `blocks` times the same work: a chain of integer operations in which each waits for the one before.
#[inline(never)]
fn mix(blocks: u64, seed: u64) -> u64 {
    let mut x = seed;
    for _ in 0..blocks {
        for i in 0..100 {
            x = black_box(x.rotate_left(23).wrapping_mul(0x2545_f491_4f6c_dd1d) ^ i);
        }
    }
    x
}

fn contender(name: &str, blocks: u64) -> Contender<'static> {
    let check = move |seed, result| match result == mix(blocks, seed) {
        true => Ok(()),
        false => Err("the same work gave another result".into()),
    };
    Contender::new(name, Estimator::Median, operation(Ok, move |seed: &mut u64| mix(blocks, *seed), check))
}

#[test]
fn one_percent_is_read_as_one_percent_under_load() {
    let busy = AtomicBool::new(true);
    let threads = thread::available_parallelism().map_or(2, usize::from) + 2;
    let measurement = thread::scope(|scope| {
        for number in 0..threads {
            let busy = &busy;
            scope.spawn(move || {
                let mut x = number as u64;
                while busy.load(Ordering::Relaxed) {
                    x = mix(10, x);
                }
            });
        }
        let plan = Plan {
            target: 0.0003,
            budget: Duration::from_secs(12),
            min_rounds: 1000,
            max_rounds: 20_000,
            window: Duration::from_micros(80),
            ..Plan::default()
        };
        let mut contenders = [contender("100 blocks", 100), contender("101 blocks", 101)];
        let counter = Counter::open(Prefer::Cycles);
        let result = measure(&plan, &counter, &mut contenders, &AtomicBool::new(false), &mut |_| ());
        busy.store(false, Ordering::Relaxed);
        result
    })
    .expect("the work is right");

    let ratio = measurement.ratio(1, 0).expect("rounds");
    let interval = ratio.interval.expect("many rounds");
    let said = format!("{ratio:?} {:?}", measurement.notes(0));
    assert!((1.0085..=1.0115).contains(&ratio.value), "{said}");
    assert!(interval.low >= 1.007 && interval.high <= 1.013, "{said}");
}
