//! Core cycles of all operations by every path: `cargo bench -p fieldtest-hawk`.

#![allow(clippy::print_stdout)] // a benchmark prints

#[path = "../../../cpu/ruler/mod.rs"]
mod ruler;

use fieldtest_hawk::{Hawk256, Hawk512, Hawk1024, KeyPair, ParameterSet, Path, SigningKey, VerifyingKey};
use ruler::cycles;

fn main() {
    println!(
        "{:10} {:9} {:>12} {:>12} {:>12} {:>12} {:>12}",
        "set", "path", "keys (mean)", "prepare", "sign (mean)", "prepare", "verify"
    );
    for path in Path::available() {
        set::<Hawk256>(path);
        set::<Hawk512>(path);
        set::<Hawk1024>(path);
    }
}

fn set<P: ParameterSet>(path: Path) {
    // Bytes that are always the same.
    let mut state = 1_u64;
    let mut fill = |bytes: &mut [u8]| {
        for byte in bytes {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *byte = (state >> 56) as u8;
        }
    };
    let pair = KeyPair::<P>::generate_on(path, &mut fill);
    // How many seeds a key takes is a matter of luck: many, so that their mean says something.
    const KEYS: u32 = 20;
    let generate = cycles(|| {
        for _ in 0..KEYS {
            KeyPair::<P>::generate_on(path, &mut fill);
        }
    }) / f64::from(KEYS);
    let private = pair.signing.as_bytes();
    let signer = cycles(|| drop(SigningKey::<P>::new_on(path, private)));
    let mut signature = vec![0; P::SIGNATURE];
    const MESSAGES: u32 = 100;
    let sign = cycles(|| {
        for number in 0..MESSAGES {
            pair.signing.sign(&number.to_le_bytes(), &mut fill, &mut signature).unwrap();
        }
    }) / f64::from(MESSAGES);
    let message = [1; 150];
    pair.signing.sign(&message, &mut fill, &mut signature).unwrap();
    let prepare = cycles(|| drop(VerifyingKey::<P>::new_on(path, &pair.public)));
    let public = VerifyingKey::<P>::new_on(path, &pair.public).unwrap();
    let verify = cycles(|| public.verify(&message, &signature).unwrap());
    println!(
        "{:10} {:9} {generate:12.0} {signer:12.0} {sign:12.0} {prepare:12.0} {verify:12.0}",
        P::NAME,
        path.name()
    );
}
