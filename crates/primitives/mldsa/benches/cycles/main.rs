//! Core cycles of all operations by every path: `cargo bench -p fieldtest-mldsa`.

#![allow(clippy::print_stdout)] // a benchmark prints

#[path = "../../../cpu/ruler/mod.rs"]
mod ruler;

use fieldtest_mldsa::{MlDsa44, MlDsa65, MlDsa87, ParameterSet, Path, SigningKey, VerifyingKey};
use ruler::cycles;

fn main() {
    println!(
        "{:10} {:9} {:>12} {:>12} {:>12} {:>12}",
        "set", "path", "key of seed", "sign (mean)", "prepare", "verify"
    );
    for path in Path::available() {
        set::<MlDsa44>(path);
        set::<MlDsa65>(path);
        set::<MlDsa87>(path);
    }
}

fn set<P: ParameterSet>(path: Path) {
    let key = SigningKey::<P>::from_seed_on(path, &[7; 32]);
    let public = VerifyingKey::<P>::new_on(path, key.public_key()).unwrap();
    let mut signature = vec![0; P::SIGNATURE];
    let generate = cycles(|| drop(SigningKey::<P>::from_seed_on(path, &[7; 32])));
    // How many attempts a signature takes depends on the message: many, so that their mean says something.
    const MESSAGES: u32 = 100;
    let sign = cycles(|| {
        for number in 0..MESSAGES {
            key.sign(&number.to_le_bytes(), b"", &[0; 32], &mut signature).unwrap();
        }
    }) / f64::from(MESSAGES);
    key.sign(&[1; 100], b"", &[0; 32], &mut signature).unwrap();
    let prepare = cycles(|| drop(VerifyingKey::<P>::new_on(path, key.public_key())));
    let verify = cycles(|| public.verify(&[1; 100], b"", &signature).unwrap());
    println!("{:10} {:9} {generate:12.0} {sign:12.0} {prepare:12.0} {verify:12.0}", P::NAME, path.name());
}
