//! Core cycles of all operations by every path: `cargo bench -p fieldtest-antrag`.

#![allow(clippy::print_stdout)] // a benchmark prints

#[path = "../../cpu/ruler/mod.rs"]
mod ruler;

use fieldtest_antrag::{Path, SIGNATURE, SigningKey, VerifyingKey};
use ruler::cycles;

fn main() {
    println!(
        "{:9} {:>12} {:>12} {:>12} {:>12} {:>12}",
        "path", "key of seed", "read secret", "sign (mean)", "prepare", "verify"
    );
    for path in Path::available() {
        // How long a key or a signature takes depends on chance: many, so that their means say something.
        const KEYS: u8 = 20;
        let generate = cycles(|| {
            for number in 0..KEYS {
                drop(SigningKey::from_seed_on(path, &[number; 32]));
            }
        }) / f64::from(KEYS);
        let key = SigningKey::from_seed_on(path, &[7; 32]);
        let bytes = key.to_bytes();
        let read = cycles(|| drop(SigningKey::from_bytes_on(path, &*bytes)));
        let public = VerifyingKey::new_on(path, key.public_key()).unwrap();
        let mut signature = [0; SIGNATURE];
        const MESSAGES: u32 = 100;
        let sign = cycles(|| {
            for number in 0..MESSAGES {
                key.sign(&number.to_le_bytes(), &[0; 32], &mut signature).unwrap();
            }
        }) / f64::from(MESSAGES);
        key.sign(&[1; 100], &[0; 32], &mut signature).unwrap();
        let prepare = cycles(|| drop(VerifyingKey::new_on(path, key.public_key())));
        let verify = cycles(|| public.verify(&[1; 100], &signature).unwrap());
        println!("{:9} {generate:12.0} {read:12.0} {sign:12.0} {prepare:12.0} {verify:12.0}", path.name());
    }
}
