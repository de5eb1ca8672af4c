//! Core cycles of each operation beside RustCrypto's `p256` and `p384`: `cargo bench -p fieldtest-ecdsa`.

#![allow(clippy::print_stdout)] // a benchmark prints

#[path = "../../cpu/ruler/mod.rs"]
mod ruler;

use std::hint::black_box;
use std::time::Instant;

use fieldtest_ecdsa::{Curve, Hash, P256, P384, SigningKey, VerifyingKey};
use p256::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};
use ruler::cycles;

fn show(curve: &str, what: &str, mut work: impl FnMut()) {
    const TIMES: u32 = 200;
    let cycles = cycles(&mut work);
    let start = Instant::now();
    (0..TIMES).for_each(|_| work());
    let microseconds = start.elapsed().as_secs_f64() * 1e6 / f64::from(TIMES);
    println!("{curve:<6} {what:<24} {cycles:>9.0} cycles {microseconds:>9.1} µs");
}

fn ours<C: Curve>(curve: &str, hash: Hash, scalar: &[u8], digest: &[u8]) {
    let key = SigningKey::<C>::new(scalar).expect("the scalar is in range");
    let xy = key.public();
    let public = VerifyingKey::<C>::new(xy.as_ref()).expect("the key is its own");
    let mut signature = vec![0; 2 * scalar.len()];
    key.sign_digest(hash, digest, &mut signature).expect("the signature fits");

    show(curve, "verify", || {
        public.verify_digest(black_box(digest), black_box(&signature)).expect("the signature is right");
    });
    show(curve, "prepare public key", || {
        black_box(VerifyingKey::<C>::new(black_box(xy.as_ref())).expect("the key is right"));
    });
    show(curve, "verify once", || {
        let public = VerifyingKey::<C>::new_for_one(black_box(xy.as_ref())).expect("the key is right");
        public.verify_digest(black_box(digest), black_box(&signature)).expect("the signature is right");
    });
    let mut again = signature.clone();
    show(curve, "sign", || {
        key.sign_digest(hash, black_box(digest), black_box(&mut again)).expect("the signature fits");
    });
    show(curve, "public key", || {
        black_box(black_box(&key).public());
    });
}

macro_rules! rustcrypto {
    ($krate:ident, $curve:literal, $scalar:expr, $digest:expr) => {{
        let key = $krate::ecdsa::SigningKey::from_slice($scalar).expect("the scalar is in range");
        let public = *key.verifying_key();
        let digest = $digest;
        let signature: $krate::ecdsa::Signature =
            key.sign_prehash(digest).expect("the digest is long enough");
        show($curve, "verify, RustCrypto", || {
            public.verify_prehash(black_box(digest), black_box(&signature)).expect("the signature is right");
        });
        show($curve, "sign, RustCrypto", || {
            let signature: $krate::ecdsa::Signature =
                key.sign_prehash(black_box(digest)).expect("the digest is long enough");
            black_box(signature);
        });
    }};
}

fn main() {
    ours::<P256>("P-256", Hash::Sha256, &[7; 32], &[8; 32]);
    rustcrypto!(p256, "P-256", &[7; 32], &[8; 32]);
    ours::<P384>("P-384", Hash::Sha384, &[7; 48], &[8; 48]);
    rustcrypto!(p384, "P-384", &[7; 48], &[8; 48]);
}
