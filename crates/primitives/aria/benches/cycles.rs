//! Core cycles for 4096 bytes, on every path: `cargo bench -p fieldtest-aria`.

#![allow(clippy::print_stdout)] // a benchmark prints

#[path = "../../cpu/ruler/mod.rs"]
mod ruler;

use std::hint::black_box;

use cipher::array::Array;
use cipher::{BlockCipherEncrypt, KeyInit};
use fieldtest_aria::{Aria, Block, Path};
use ruler::cycles;

/// RustCrypto's `aria`, for comparison.
fn rustcrypto<C: KeyInit + BlockCipherEncrypt>(key_bytes: usize, blocks: &mut [cipher::Block<C>]) -> f64 {
    let cipher = C::new_from_slice(&vec![7; key_bytes]).expect("ARIA has this key length");
    cycles(|| cipher.encrypt_blocks(black_box(blocks)))
}

fn main() {
    let mut blocks: Vec<Block> = (0..256_u128).map(u128::to_le_bytes).collect();
    let masks: Vec<Block> = (0..256_u128).map(|n| (n << 64).to_le_bytes()).collect();
    println!("{:<10} {:<10} {:<16} {:>7}", "key", "path", "256 blocks", "cycles");
    for key_bytes in [16, 32] {
        for path in Path::available() {
            let aria = Aria::new_on(path, &vec![7; key_bytes]).expect("ARIA has this key length");
            let mut show = |what: &str, run: &dyn Fn(&mut [Block])| {
                let cycles = cycles(|| run(black_box(&mut blocks)));
                let bits = 8 * key_bytes;
                println!("ARIA-{bits:<5} {:<10} {what:<16} {cycles:>7.0}", path.name());
            };
            show("encrypt", &|text| aria.encrypt(text));
            show("decrypt", &|text| aria.decrypt(text));
            show("encrypt masked", &|text| aria.encrypt_masked(text, &masks));
            show("decrypt masked", &|text| aria.decrypt_masked(text, &masks));
        }
        let mut arrays: Vec<_> = blocks.iter().map(|block| Array::from(*block)).collect();
        let cycles = match key_bytes {
            16 => rustcrypto::<aria::Aria128>(key_bytes, &mut arrays),
            _ => rustcrypto::<aria::Aria256>(key_bytes, &mut arrays),
        };
        println!("ARIA-{:<5} {:<10} {:<16} {cycles:>7.0}", 8 * key_bytes, "(aria)", "encrypt");
    }

    println!("\n{:<10} {:<10} {:<16} {:>7}", "ARIA-256", "path", "encrypt", "cycles");
    for path in Path::available() {
        let aria = Aria::new_on(path, &[7; 32]).expect("ARIA has this key length");
        for count in [1, 32, 33, 64, 96] {
            let cycles = cycles(|| aria.encrypt(black_box(&mut blocks[..count])));
            println!("{:<10} {:<10} {count:<16} {cycles:>7.0}", "", path.name());
        }
        let cycles = cycles(|| drop(black_box(Aria::new_on(path, black_box(&[7; 32])))));
        println!("{:<10} {:<10} {:<16} {cycles:>7.0}", "", path.name(), "a key's schedule");
    }
}
