//! Core cycles of each operation on each path: `cargo bench -p fieldtest-mayo`.

#![allow(clippy::print_stdout)] // a benchmark prints

#[path = "../../cpu/ruler/mod.rs"]
mod ruler;

use std::hint::black_box;

use fieldtest_mayo::{ParameterSet, Path, SigningKey};
use ruler::cycles;

fn main() {
    let message = [7; 150];
    println!("{:<22} {:<17} {:<16} {:>9}", "set", "path", "operation", "cycles");
    for set in ParameterSet::ALL {
        for path in Path::available() {
            let show = |what: &str, work: &mut dyn FnMut()| {
                println!("{set:<22} {:<17} {what:<16} {:>9.0}", path.name(), cycles(work));
            };
            let key = SigningKey::new(*set, &vec![1; set.secret_key_len()]).expect("the length is right");
            let randomizer = vec![2; set.randomizer_len()];
            let public = key.public_key();
            let (prepared, prepared_public) = (key.prepare_on(path), public.prepare_on(path));
            let signature = key.sign(&message, &randomizer).expect("the key signs");
            let mut memory = signature.clone();

            show("public key", &mut || {
                black_box(black_box(&key).public_key_on(path));
            });
            show("sign", &mut || {
                black_box(key.sign_on(path, black_box(&message), &randomizer)).expect("the key signs");
            });
            show("verify", &mut || {
                public.verify_on(path, black_box(&message), &signature).expect("the signature is right");
            });
            show("prepare secret", &mut || {
                black_box(black_box(&key).prepare_on(path));
            });
            show("prepare public", &mut || {
                black_box(black_box(&public).prepare_on(path));
            });
            show("prepared: sign", &mut || {
                prepared.sign_into(black_box(&message), &randomizer, &mut memory).expect("the key signs");
            });
            show("prepared: verify", &mut || {
                prepared_public.verify(black_box(&message), &signature).expect("the signature is right");
            });
        }
    }
}
