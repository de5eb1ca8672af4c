//! Core cycles of HMAC per message and of plain hashing per byte. `cargo bench -p fieldtest-sha [-- WORD…]` prints
//! the lines that contain all the words.

#![allow(clippy::print_stdout)] // a benchmark prints

mod lengths;
#[path = "../../../cpu/ruler/mod.rs"]
mod ruler;

use std::hint::black_box;

use fieldtest_sha::{Hash, Hmac, Lane, Message, Path, Sha1, Sha256, hash_many_on, tag_many_on};
use ruler::cycles;

fn main() {
    let words: Vec<_> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let wanted = |line: &str| words.iter().all(|word| line.contains(word.as_str()));
    hash::<Sha1>("SHA-1", &wanted);
    hash::<Sha256>("SHA-256", &wanted);
    hmac::<Sha1>("SHA-1", &wanted);
    hmac::<Sha256>("SHA-256", &wanted);
}

/// Cycles per byte of messages with a head of nine bytes.
fn hash<H: Hash>(name: &str, wanted: &impl Fn(&str) -> bool) {
    for (lengths, batch) in lengths::batches(&[64, 256, 1024, 8192, 16384], &[1, 2, 3, 4, 8, 16, 64]) {
        for path in Path::available() {
            let line = format!("{name} {lengths} {}", path.name());
            if wanted(&line) {
                let bytes: usize = batch.iter().sum();
                let content = vec![7; bytes];
                let mut rest = &content[..];
                let mut jobs: Vec<_> = batch
                    .iter()
                    .map(|length| (rest.split_off(..*length).unwrap_or_default(), vec![0; H::DIGEST]))
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

/// Cycles per message, one alone and several at once.
fn hmac<H: Hash>(name: &str, wanted: &impl Fn(&str) -> bool) {
    for length in [83, 144, 1496] {
        for path in Path::available() {
            for batch in [1, 4, 8, 16, 64] {
                let line = format!("HMAC-{name} {length} bytes x{batch} {}", path.name());
                if !wanted(&line) {
                    continue;
                }
                let key = Hmac::<H>::new(b"key");
                let mut jobs = vec![(vec![7; length], [0; 12]); batch];
                let figure = cycles(|| match &mut jobs[..] {
                    [(message, tag)] => key.tag_on(path, message, tag).unwrap(),
                    jobs => {
                        tag_many_on(path, black_box(jobs), |(message, tag)| Lane { key: &key, message, tag })
                            .unwrap()
                    }
                });
                println!("{line:50} {:8.0} cycles each", figure / batch as f64);
            }
        }
    }
    // As many segments of random lengths as a router may have waiting.
    for path in Path::available() {
        let line = format!("HMAC-{name} 40 to 1499 bytes x64 {}", path.name());
        if wanted(&line) {
            let key = Hmac::<H>::new(b"key");
            let mut jobs: Vec<_> = (0..64).map(|n| (vec![7; 40 + n * 7919 % 1460], [0; 12])).collect();
            let blocks: usize = jobs.iter().map(|(message, _)| (message.len() + 9).div_ceil(64) + 1).sum();
            let figure = cycles(|| {
                tag_many_on(path, black_box(&mut jobs), |(message, tag)| Lane { key: &key, message, tag })
                    .unwrap()
            });
            println!("{line:50} {:8.1} cycles per compression", figure / blocks as f64);
        }
    }
}
