//! Runs each primitive with a secret key that valgrind takes for undefined, so that every branch and every address that
//! depends on it is an error of memcheck.
//!
//! The paths are those of the processor that valgrind plays: the portable ones, AES-NI and AVX2, no SHA-NI and no AVX-512.
//! ECDSA has branches on what is about to be published or refused, ML-DSA on what FIPS 204 allows to be known;
//! `../constant-time.sh` knows which.

#![allow(clippy::print_stdout)]

mod memcheck;

use fieldtest_aes as aes;
use fieldtest_aes_cmac::{self as cmac, Cmac128};
use fieldtest_aria as aria;
use fieldtest_ecdsa::{Curve, Hash, P256, P384, SigningKey};
use fieldtest_lea as lea;
use fieldtest_mldsa::{self as mldsa, MlDsa44, MlDsa65, MlDsa87, ParameterSet};
use fieldtest_modes::{AeadMode, BlockCipher16, Cbc, Ccm, Cmac, Ctr, Gcm, SectorMode, Xts};
use fieldtest_sha::{self as sha, Hmac, Sha1, Sha256};

fn main() {
    if !memcheck::is_there() {
        println!("this says nothing without valgrind; use lab/constant-time.sh");
        std::process::exit(2);
    }
    let case = |name: String, run: &mut dyn FnMut()| {
        let before = memcheck::errors();
        run();
        println!("{name:<40} {:>3}", memcheck::errors() - before);
    };
    case("ecdsa-p256, key and signature".into(), &mut || ecdsa::<P256>(32));
    case("ecdsa-p384, key and signature".into(), &mut || ecdsa::<P384>(48));
    for path in mldsa::Path::available() {
        case(format!("ml-dsa-44, {}", path.name()), &mut || ml_dsa::<MlDsa44>(path));
        case(format!("ml-dsa-65, {}", path.name()), &mut || ml_dsa::<MlDsa65>(path));
        case(format!("ml-dsa-87, {}", path.name()), &mut || ml_dsa::<MlDsa87>(path));
    }
    for path in sha::Path::available() {
        case(format!("hmac-sha1, {}", path.name()), &mut || hmac::<Sha1>(path));
        case(format!("hmac-sha256, {}", path.name()), &mut || hmac::<Sha256>(path));
    }
    for path in cmac::Path::available() {
        case(format!("aes-128-cmac, {}", path.name()), &mut || aes_cmac(path));
    }
    for path in aes::Path::available() {
        case(format!("aes-256, {}", path.name()), &mut || {
            blocks(|key, data| aes::Aes::new_on(path, key).expect("a key").encrypt(data));
            blocks(|key, data| aes::Aes::new_on(path, key).expect("a key").decrypt(data));
        });
    }
    for path in aria::Path::available() {
        case(format!("aria-256, {}", path.name()), &mut || {
            blocks(|key, data| aria::Aria::new_on(path, key).expect("a key").encrypt(data));
            blocks(|key, data| aria::Aria::new_on(path, key).expect("a key").decrypt(data));
        });
    }
    for path in lea::Path::available() {
        case(format!("lea-256, {}", path.name()), &mut || {
            blocks(|key, data| lea::Lea::new(key).expect("a key").encrypt_on(path, data));
            blocks(|key, data| lea::Lea::new(key).expect("a key").decrypt_on(path, data));
        });
    }
    case("aes in every mode".into(), &mut modes::<aes::Aes>);
    case("aria in every mode".into(), &mut modes::<aria::Aria>);
    case("lea in every mode".into(), &mut modes::<lea::Lea>);
    let before = memcheck::errors();
    lookup_on_purpose();
    assert!(memcheck::errors() > before, "a lookup by a secret is not seen");
}

/// That anything is found at all: a table looked up by a secret.
#[inline(never)]
fn lookup_on_purpose() {
    let [place] = hidden::<1>();
    std::hint::black_box(std::hint::black_box(&[0_u8; 256])[usize::from(place)]);
}

fn hidden<const N: usize>() -> [u8; N] {
    let mut key = std::array::from_fn(|place| place as u8 + 1);
    memcheck::hide(&mut key);
    key
}

fn ecdsa<C: Curve>(length: usize) {
    let mut scalar = vec![0x5a; length];
    memcheck::hide(&mut scalar);
    let mut signature = vec![0; 2 * length];
    let key = SigningKey::<C>::new(&scalar).expect("in range");
    key.sign_digest(Hash::Sha256, &[8; 32], &mut signature).expect("a signature");
    memcheck::publish(&mut signature);
}

/// A key that is read in its expanded form, since ρ, which is public, is no secret there; K, s1, s2 and t0 are.
fn ml_dsa<P: ParameterSet>(path: mldsa::Path) {
    let mut expanded = mldsa::SigningKey::<P>::from_seed_on(path, &[5; 32]).to_expanded();
    memcheck::hide(&mut expanded[32..64]);
    memcheck::hide(&mut expanded[128..]);
    let key = mldsa::SigningKey::<P>::from_expanded_on(path, &expanded).expect("its parts belong together");
    let mut signature = vec![0; P::SIGNATURE];
    for number in 0..4 {
        key.sign_representative(&[number; 64], &[8; 32], &mut signature).expect("a signature");
    }
    memcheck::publish(&mut signature);
}

fn hmac<H: sha::Hash>(path: sha::Path) {
    let mut tag = [0; 20];
    for length in [0, 1, 55, 64, 300] {
        let message = vec![3; length];
        Hmac::<H>::new_on(path, &hidden::<32>()).tag_on(path, &message, &mut tag).expect("a tag");
    }
    memcheck::publish(&mut tag);
}

fn aes_cmac(path: cmac::Path) {
    let mut tag = [0; 12];
    for length in [0, 1, 16, 40, 300] {
        let message = vec![3; length];
        Cmac128::new(&hidden::<16>()).tag_on(path, &message, &mut tag).expect("a tag");
    }
    memcheck::publish(&mut tag);
}

/// Key and plaintext are secret.
fn blocks(work: impl Fn(&[u8], &mut [[u8; 16]])) {
    for count in [1, 3, 33] {
        let mut data = vec![[1; 16]; count];
        memcheck::hide(data.as_flattened_mut());
        work(&hidden::<32>(), &mut data);
    }
}

fn modes<C: BlockCipher16>() {
    let mut data = vec![1; 4096];
    memcheck::hide(&mut data);
    let both = |mode: &dyn SectorMode, data: &mut [u8]| {
        for size in [512, 4096] {
            mode.encrypt_sectors(5, 1, size, data).expect("whole sectors");
            mode.decrypt_sectors(5, 1, size, data).expect("whole sectors");
        }
    };
    both(&Xts::<C>::new(&hidden::<64>()).expect("a key"), &mut data);
    both(&Cbc::<C>::new(&hidden::<32>()).expect("a key"), &mut data);
    both(&Ctr::<C>::new(&hidden::<32>()).expect("a key"), &mut data);
    // Whether a tag is right, which opening says, is no secret, so that they are only sealed.
    let seal = |mode: &dyn AeadMode, data: &mut [u8]| {
        for length in [4096, 300, 16, 0] {
            mode.seal(&[6; 12], &[7; 20], &mut data[..length], &mut [0; 16]).expect("lengths that it has");
        }
    };
    seal(&Gcm::<C>::new(&hidden::<32>()).expect("a key"), &mut data);
    seal(&Ccm::<C>::new(&hidden::<32>()).expect("a key"), &mut data);
    for length in [4096, 300, 16, 0] {
        Cmac::<C>::new(&hidden::<32>()).expect("a key").tag(&data[..length], &mut [0; 16]).expect("a tag");
    }
}
