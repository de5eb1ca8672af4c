//! Core cycles for 4096 bytes, on every path: `cargo bench -p fieldtest-lea`.
//!
//! A core cycle is one of a chain of dependent additions, which is timed right before and after each batch; where the
//! clock frequency differs between the two, the batch is left out. What is shown are the lowest value and the median.

#![allow(clippy::print_stdout)] // a benchmark prints

use std::hint::black_box;
use std::time::Instant;

use fieldtest_lea::{Block, Lea, Path};

/// Nanoseconds of one core cycle. Each step is an addition and an XOR that wait for each other, and takes two cycles; the
/// operands come from outside the loop, so that neither the compiler nor the processor can fold them.
fn cycle() -> f64 {
    const STEPS: u64 = 4096;
    let (mut sum, addend, bits) =
        (black_box(1_u64), black_box(0x9e37_79b9_7f4a_7c15), black_box(0x5851_f42d));
    let start = Instant::now();
    for _ in 0..STEPS {
        sum = sum.wrapping_add(addend) ^ bits;
    }
    black_box(sum);
    start.elapsed().as_nanos() as f64 / (2 * STEPS) as f64
}

/// The lowest and the median number of core cycles that `run` takes.
fn measure(mut run: impl FnMut()) -> (f64, f64) {
    const BATCHES: usize = 400;
    const RUNS: usize = 20;
    let mut results = Vec::with_capacity(BATCHES);
    for _ in 0..BATCHES {
        let before = cycle();
        let start = Instant::now();
        for _ in 0..RUNS {
            run();
        }
        let time = start.elapsed().as_nanos() as f64 / RUNS as f64;
        let after = cycle();
        if (before / after - 1.0).abs() < 0.01 {
            results.push(time / before.min(after));
        }
    }
    results.sort_by(f64::total_cmp);
    match results[..] {
        [] => (f64::NAN, f64::NAN),
        _ => (results[0], results[results.len() / 2]),
    }
}

/// 4096 bytes that begin where a cache line begins, as a sector in memory does.
#[repr(align(64))]
struct Aligned([Block; 256]);

fn main() {
    let Aligned(blocks) = &mut Aligned(std::array::from_fn(|n| (n as u128).to_le_bytes()));
    let Aligned(masks) = &Aligned(std::array::from_fn(|n| (n as u128).to_be_bytes()));
    println!("{:<10} {:<10} {:<16} {:>7} {:>7}", "key", "path", "256 blocks", "lowest", "median");
    for key_bytes in [16, 32] {
        let lea = Lea::new(&vec![7; key_bytes]).expect("LEA has this key length");
        for path in Path::available() {
            let mut show = |what: &str, run: &dyn Fn(&mut [Block])| {
                let (lowest, median) = measure(|| run(black_box(blocks.as_mut_slice())));
                let bits = 8 * key_bytes;
                println!("LEA-{bits:<6} {:<10} {what:<16} {lowest:>7.0} {median:>7.0}", path.name());
            };
            show("encrypt", &|text| lea.encrypt_on(path, text));
            show("decrypt", &|text| lea.decrypt_on(path, text));
            show("encrypt masked", &|text| lea.encrypt_masked_on(path, text, masks));
            show("decrypt masked", &|text| lea.decrypt_masked_on(path, text, masks));
        }
    }

    println!("\n{:<10} {:<10} {:<16} {:>7} {:>7}", "LEA-256", "path", "encrypt", "lowest", "median");
    let lea = Lea::new(&[7; 32]).expect("LEA has this key length");
    for path in Path::available() {
        for count in [1, 2, 3, 4, 8, 9, 16, 17, 32, 33, 40, 48] {
            let (lowest, median) = measure(|| lea.encrypt_on(path, black_box(&mut blocks[..count])));
            println!("{:<10} {:<10} {count:<16} {lowest:>7.0} {median:>7.0}", "", path.name());
        }
    }
    let (lowest, median) = measure(|| drop(black_box(Lea::new(black_box(&[7; 32])))));
    println!("{:<10} {:<10} {:<16} {lowest:>7.0} {median:>7.0}", "", "", "a key's schedule");
}
