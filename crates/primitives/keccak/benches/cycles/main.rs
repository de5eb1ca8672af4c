//! Core cycles per byte. `cargo bench -p fieldtest-keccak [-- WORD…]` prints the lines that contain all the words.

#![allow(clippy::print_stdout)] // a benchmark prints

#[path = "../../../sha/benches/cycles/lengths.rs"]
mod lengths;
#[path = "../../../cpu/ruler/mod.rs"]
mod ruler;

use std::hint::black_box;

use fieldtest_keccak::{Hash, Kt128, Message, Path, Sha3_256, Shake128, hash_many_on};
use ruler::cycles;

fn main() {
    let words: Vec<_> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let wanted = |line: &str| words.iter().all(|word| line.contains(word.as_str()));
    hash::<Sha3_256>("SHA3-256", &wanted);
    hash::<Shake128>("SHAKE128", &wanted);
    hash::<Kt128>("KT128", &wanted);
}

/// Cycles per byte of messages with a head of nine bytes.
fn hash<H: Hash>(name: &str, wanted: &impl Fn(&str) -> bool) {
    for (lengths, batch) in lengths::batches(&[64, 256, 1024, 8182, 16384, 1 << 20], &[1, 2, 4, 8, 64]) {
        for path in Path::available() {
            let line = format!("{name} {lengths} {}", path.name());
            if wanted(&line) {
                let bytes: usize = batch.iter().sum();
                let content = vec![7; bytes];
                let mut rest = &content[..];
                let mut jobs: Vec<_> = batch
                    .iter()
                    .map(|length| (rest.split_off(..*length).unwrap_or_default(), [0; 32]))
                    .collect();
                let figure = cycles(|| {
                    let jobs = black_box(&mut jobs[..]);
                    hash_many_on::<H, _>(path, jobs, |(body, digest)| Message {
                        head: b"blob 999\0",
                        body,
                        digest,
                    })
                    .unwrap();
                });
                println!("{line:50} {:8.2} cycles per byte", figure / bytes as f64);
            }
        }
    }
}
