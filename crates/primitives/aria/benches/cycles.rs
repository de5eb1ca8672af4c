//! Core cycles for 4096 bytes, on every path: `cargo bench -p fieldtest-aria`.
//!
//! A core cycle is one of a chain of dependent additions, which is timed right before and after each batch; where the
//! clock frequency differs between the two, the batch is left out. What is shown are the lower quartile and
//! the median.

#![allow(clippy::print_stdout)] // a benchmark prints

use std::hint::black_box;
use std::time::Instant;

use cipher::array::Array;
use cipher::{BlockCipherEncrypt, KeyInit};
use fieldtest_aria::{Aria, Block, Path};

/// Nanoseconds of one core cycle: the best of some chains, in case one is interrupted. Each step is an addition and an
/// XOR that wait for each other, and takes two cycles; the operands come from outside the loop, so that neither the
/// compiler nor the processor can fold them.
fn cycle() -> f64 {
    const STEPS: u64 = 2048;
    let chain = || {
        let (mut sum, addend, bits) =
            (black_box(1_u64), black_box(0x9e37_79b9_7f4a_7c15), black_box(0x5851_f42d));
        let start = Instant::now();
        for _ in 0..STEPS {
            sum = sum.wrapping_add(addend) ^ bits;
        }
        black_box(sum);
        start.elapsed().as_nanos() as f64 / (2 * STEPS) as f64
    };
    (0..3).map(|_| chain()).fold(f64::INFINITY, f64::min)
}

/// The lower quartile and the median of the core cycles that `run` takes.
fn measure(mut run: impl FnMut()) -> (f64, f64) {
    const BATCHES: usize = 400;
    const RUNS: usize = 10;
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
        _ => (results[results.len() / 4], results[results.len() / 2]),
    }
}

/// RustCrypto's `aria`, for comparison.
fn rustcrypto<C: KeyInit + BlockCipherEncrypt>(
    key_bytes: usize,
    blocks: &mut [cipher::Block<C>],
) -> (f64, f64) {
    let cipher = C::new_from_slice(&vec![7; key_bytes]).expect("ARIA has this key length");
    measure(|| cipher.encrypt_blocks(black_box(blocks)))
}

fn main() {
    let mut blocks: Vec<Block> = (0..256_u128).map(u128::to_le_bytes).collect();
    let masks: Vec<Block> = (0..256_u128).map(|n| (n << 64).to_le_bytes()).collect();
    println!("{:<10} {:<10} {:<16} {:>7} {:>7}", "key", "path", "256 blocks", "quarter", "median");
    for key_bytes in [16, 32] {
        for path in Path::available() {
            let aria = Aria::new_on(path, &vec![7; key_bytes]).expect("ARIA has this key length");
            let mut show = |what: &str, run: &dyn Fn(&mut [Block])| {
                let (quarter, median) = measure(|| run(black_box(&mut blocks)));
                let bits = 8 * key_bytes;
                println!("ARIA-{bits:<5} {:<10} {what:<16} {quarter:>7.0} {median:>7.0}", path.name());
            };
            show("encrypt", &|text| aria.encrypt(text));
            show("decrypt", &|text| aria.decrypt(text));
            show("encrypt masked", &|text| aria.encrypt_masked(text, &masks));
            show("decrypt masked", &|text| aria.decrypt_masked(text, &masks));
        }
        let mut arrays: Vec<_> = blocks.iter().map(|block| Array::from(*block)).collect();
        let (quarter, median) = match key_bytes {
            16 => rustcrypto::<aria::Aria128>(key_bytes, &mut arrays),
            _ => rustcrypto::<aria::Aria256>(key_bytes, &mut arrays),
        };
        println!("ARIA-{:<5} {:<10} {:<16} {quarter:>7.0} {median:>7.0}", 8 * key_bytes, "(aria)", "encrypt");
    }

    println!("\n{:<10} {:<10} {:<16} {:>7} {:>7}", "ARIA-256", "path", "encrypt", "quarter", "median");
    for path in Path::available() {
        let aria = Aria::new_on(path, &[7; 32]).expect("ARIA has this key length");
        for count in [1, 32, 33, 64, 96] {
            let (quarter, median) = measure(|| aria.encrypt(black_box(&mut blocks[..count])));
            println!("{:<10} {:<10} {count:<16} {quarter:>7.0} {median:>7.0}", "", path.name());
        }
        let (quarter, median) = measure(|| drop(black_box(Aria::new_on(path, black_box(&[7; 32])))));
        println!("{:<10} {:<10} {:<16} {quarter:>7.0} {median:>7.0}", "", path.name(), "a key's schedule");
    }
}
