//! Core cycles for 4096 bytes, on every path: `cargo bench -p fieldtest-lea`.

#![allow(clippy::print_stdout)] // a benchmark prints

#[path = "../../cpu/ruler/mod.rs"]
mod ruler;

use std::hint::black_box;

use fieldtest_lea::{Block, Lea, Path};
use ruler::cycles;

/// 4096 bytes that begin where a cache line begins, as a sector in memory does.
#[repr(align(64))]
struct Aligned([Block; 256]);

fn main() {
    let Aligned(blocks) = &mut Aligned(std::array::from_fn(|n| (n as u128).to_le_bytes()));
    let Aligned(masks) = &Aligned(std::array::from_fn(|n| (n as u128).to_be_bytes()));
    println!("{:<10} {:<10} {:<16} {:>7}", "key", "path", "256 blocks", "cycles");
    for key_bytes in [16, 32] {
        let lea = Lea::new(&vec![7; key_bytes]).expect("LEA has this key length");
        for path in Path::available() {
            let mut show = |what: &str, run: &dyn Fn(&mut [Block])| {
                let cycles = cycles(|| run(black_box(blocks.as_mut_slice())));
                let bits = 8 * key_bytes;
                println!("LEA-{bits:<6} {:<10} {what:<16} {cycles:>7.0}", path.name());
            };
            show("encrypt", &|text| lea.encrypt_on(path, text));
            show("decrypt", &|text| lea.decrypt_on(path, text));
            show("encrypt masked", &|text| lea.encrypt_masked_on(path, text, masks));
            show("decrypt masked", &|text| lea.decrypt_masked_on(path, text, masks));
        }
    }

    println!("\n{:<10} {:<10} {:<16} {:>7}", "LEA-256", "path", "encrypt", "cycles");
    let lea = Lea::new(&[7; 32]).expect("LEA has this key length");
    for path in Path::available() {
        for count in [1, 2, 3, 4, 8, 9, 16, 17, 32, 33, 40, 48] {
            let cycles = cycles(|| lea.encrypt_on(path, black_box(&mut blocks[..count])));
            println!("{:<10} {:<10} {count:<16} {cycles:>7.0}", "", path.name());
        }
    }
    let cycles = cycles(|| drop(black_box(Lea::new(black_box(&[7; 32])))));
    println!("{:<10} {:<10} {:<16} {cycles:>7.0}", "", "", "a key's schedule");
}
