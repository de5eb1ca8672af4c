//! Core cycles of every path: `cargo bench -p fieldtest-ghash`.
#![allow(clippy::print_stdout)] // It is a program.

#[path = "../../cpu/ruler/mod.rs"]
mod ruler;

use std::hint::black_box;

use fieldtest_ghash::{Ghash, Path};
use ruler::cycles;

fn main() {
    println!("{:16}{:>12}{:>12}{:>12}{:>12}", "cycles", "key", "1 block", "512 bytes", "4096 bytes");
    let blocks = vec![[7; 16]; 256];
    for path in Path::available() {
        let key = cycles(|| _ = black_box(Ghash::new_on(path, black_box(&[1; 16]))));
        let ghash = Ghash::new_on(path, &[1; 16]);
        let mut state = [0; 16];
        let [one, sector, page] =
            [1, 32, 256].map(|count| cycles(|| ghash.update(&mut state, black_box(&blocks[..count]))));
        println!("{:16}{key:12.0}{one:12.0}{sector:12.0}{page:12.0}", path.name());
    }
}
