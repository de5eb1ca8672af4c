//! What must hold for every implementation of every cipher in the catalog, whatever it is.

use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::{CipherKey, Tweaks};
use proptest::prelude::*;

use super::{Algorithm, Implementation, all};
use crate::adapt::hex;

fn for_each(check: impl Fn(&Algorithm, &Implementation, &str)) {
    for algorithm in all() {
        for implementation in &algorithm.implementations {
            check(algorithm, implementation, &format!("{} by {}", algorithm.facts.name, implementation.name));
        }
    }
}

/// A key whose halves differ.
fn key(algorithm: &Algorithm, implementation: &Implementation, seed: u8) -> Box<dyn CipherKey> {
    let key: Vec<u8> = (0..algorithm.facts.kind.key).map(|i| (i as u8).wrapping_mul(73) ^ seed).collect();
    implementation.code.prepare(&key).expect("a key")
}

/// Bytes without a pattern that a cipher could share.
fn noise(length: usize) -> Vec<u8> {
    (0..length as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 23) as u8).collect()
}

#[test]
fn every_algorithm_is_implemented_and_proven() {
    assert_eq!(all().len(), 38);
    for algorithm in all() {
        assert!(!algorithm.implementations.is_empty(), "{}", algorithm.facts.name);
    }
    for_each(|algorithm, code, label| {
        let proof = code.kat().unwrap_or_else(|error| panic!("{label}: {error}"));
        assert!(!proof.origins.is_empty(), "{label}");
        let name = &algorithm.facts.name;
        let official = name.starts_with("aes") || !name.ends_with("xts");
        assert_eq!(proof.vectors > 0, official, "{label}: {proof:?}");
        assert_eq!(code.code.key_len(), algorithm.facts.kind.key, "{label}");
        assert!(code.version.starts_with(|c: char| c.is_ascii_digit()), "{label} {}", code.version);
    });
}

/// 1 to 20 sectors of either size, against the cipher's first implementation, and back again. What the first one makes
/// of several sectors must be what it makes of each alone.
#[test]
fn implementations_agree_over_sizes_and_counts() {
    for algorithm in all() {
        let Some(first) = algorithm.implementations.first() else { continue };
        for (size, count) in [512, 4096].into_iter().flat_map(|size| (1..=20).map(move |count| (size, count)))
        {
            let plaintext = noise(size * count);
            let tweaks = Tweaks { first: (1 << 64) - 3, step: size as u64 / 512 };
            let mut expected = plaintext.clone();
            for (number, sector) in (0..).zip(expected.chunks_exact_mut(size)) {
                let alone = Tweaks { first: u128::from_le_bytes(tweaks.of(number)), step: 77 };
                key(algorithm, first, count as u8).encrypt(alone, size, sector).expect("encryption");
            }
            for code in &algorithm.implementations {
                let label = format!("{} by {}: {count} × {size}", algorithm.facts.name, code.name);
                let key = key(algorithm, code, count as u8);
                let mut data = plaintext.clone();
                key.encrypt(tweaks, size, &mut data).expect("encryption");
                assert!(data == expected, "{label}, encrypted");
                key.decrypt(tweaks, size, &mut data).expect("decryption");
                assert!(data == plaintext, "{label}, decrypted");
            }
        }
    }
}

/// A counter that runs over, and sectors with a partial block, where the cipher has them.
#[test]
fn implementations_agree_at_the_edges() {
    for algorithm in all() {
        let Some(first) = algorithm.implementations.first() else { continue };
        for size in [16, 17, 31, 32, 33, 48, 100, 520, 1000, 4095] {
            let plaintext = noise(3 * size);
            let tweaks = Tweaks { first: u128::MAX - 1, step: 1 };
            let mut expected = plaintext.clone();
            let offered = key(algorithm, first, 1).encrypt(tweaks, size, &mut expected);
            for code in &algorithm.implementations {
                let label = format!("{} by {}: {size} bytes", algorithm.facts.name, code.name);
                let key = key(algorithm, code, 1);
                let mut data = plaintext.clone();
                let outcome = key.encrypt(tweaks, size, &mut data);
                assert_eq!(outcome.is_ok(), offered.is_ok(), "{label}: {outcome:?}");
                if outcome.is_ok() {
                    assert!(data == expected, "{label}, encrypted");
                    key.decrypt(tweaks, size, &mut data).expect("decryption");
                }
                assert!(data == plaintext, "{label}, decrypted or left alone");
            }
        }
    }
}

#[test]
fn refuses_malformed_keys_and_data() {
    for_each(|algorithm, code, label| {
        let length = algorithm.facts.kind.key;
        for wrong in [0, 1, length - 1, length + 1, 2 * length, length / 2] {
            let refused = code.code.prepare(&vec![7; wrong]).err();
            assert!(matches!(refused, Some(Error::MalformedKey(_))), "{label}: {wrong}");
        }
        let equal_halves = code.code.prepare(&vec![7; length]).err();
        assert_eq!(equal_halves.is_some(), algorithm.facts.kind.mode == "XTS", "{label}");

        let key = key(algorithm, code, 0);
        let tweaks = Tweaks { first: 0, step: 1 };
        for (size, bytes) in [(0, 0), (0, 512), (512, 511), (512, 513), (4096, 512), (usize::MAX, 512)] {
            let mut data = noise(bytes);
            for outcome in [key.encrypt(tweaks, size, &mut data), key.decrypt(tweaks, size, &mut data)] {
                assert!(matches!(outcome, Err(Error::Library(_))), "{label}: {bytes} in sectors of {size}");
            }
            assert!(data == noise(bytes), "{label}: data that was refused is left alone");
        }
        assert_eq!(key.encrypt(tweaks, 512, &mut []), Ok(()), "{label}: no sectors");
    });
}

/// IEEE 1619-2018, annex B, vector 1: both keys are zeros, and so are the sector's number and its text.
#[test]
fn keys_that_xts_forbids_are_there_to_read() {
    let aes = super::find("aes-128-xts").expect("an algorithm");
    for name in ["fieldtest", "fieldtest-portable", "rustcrypto"] {
        let code = aes.implementation(name).expect(name);
        let mut data = hex("917cf69ebd68b2ec9b9fe9a3eadda692cd43d2f59598ed858c02c2652fbf922e");
        let key = code.code.prepare_to_read(&[0; 32]).unwrap_or_else(|error| panic!("{name}: {error}"));
        key.decrypt(Tweaks { first: 0, step: 0 }, 32, &mut data).expect("decryption");
        assert_eq!(data, [0; 32], "{name}");
        assert!(matches!(code.code.prepare_to_read(&[0; 31]), Err(Error::MalformedKey(_))), "{name}");
    }
}

/// The facts say what of a sector changes with a byte of it: here the last byte of the plaintext is changed, and the
/// first block of the ciphertext is looked at.
#[test]
fn width_is_what_the_facts_say() {
    for_each(|algorithm, code, label| {
        let key = key(algorithm, code, 0);
        let encrypted = |data: &mut [u8]| key.encrypt(Tweaks { first: 5, step: 1 }, 512, data);
        let (mut one, mut other) = (noise(512), noise(512));
        other[511] ^= 1;
        encrypted(&mut one).expect("encryption");
        encrypted(&mut other).expect("encryption");
        let wide = algorithm.facts.kind.width == super::Width::Wide;
        assert_eq!(one[..16] != other[..16], wide, "{label}");
        // And whether the sector's number matters at all.
        let mut elsewhere = noise(512);
        key.encrypt(Tweaks { first: 6, step: 1 }, 512, &mut elsewhere).expect("encryption");
        assert_eq!(elsewhere != one, algorithm.facts.kind.tweak > 0, "{label}");
    });
}

#[test]
fn threads_share_a_key() {
    for_each(|algorithm, code, label| {
        let key = key(algorithm, code, 0);
        let tweaks = Tweaks { first: 1, step: 1 };
        let mut expected = noise(4 * 512);
        key.encrypt(tweaks, 512, &mut expected).expect("encryption");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let mut data = noise(4 * 512);
                        key.encrypt(tweaks, 512, &mut data).expect("encryption");
                        assert!(data == expected, "{label}");
                        key.decrypt(tweaks, 512, &mut data).expect("decryption");
                        assert!(data == noise(4 * 512), "{label}");
                    }
                });
            }
        });
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Under random keys and tweaks all implementations are one function, which decryption undoes.
    #[test]
    fn implementations_agree_on_random_input(
        bytes in prop::collection::vec(any::<u8>(), 64),
        first in any::<u128>(),
        step in any::<u64>(),
        count in 1..=20_usize,
        large in any::<bool>(),
    ) {
        let size = if large { 4096 } else { 512 };
        for algorithm in all() {
            let tweaks = Tweaks { first, step };
            let plaintext: Vec<u8> = noise(size * count).iter().zip(bytes.iter().cycle()).map(|(a, b)| a ^ b).collect();
            let mut expected = None;
            for code in &algorithm.implementations {
                let key = code.code.prepare(&bytes[..algorithm.facts.kind.key]).expect("a key");
                let mut data = plaintext.clone();
                key.encrypt(tweaks, size, &mut data).expect("encryption");
                let expected = expected.get_or_insert_with(|| data.clone());
                prop_assert!(&data == expected, "{} by {}", algorithm.facts.name, code.name);
                key.decrypt(tweaks, size, &mut data).expect("decryption");
                prop_assert!(data == plaintext, "{} by {}", algorithm.facts.name, code.name);
            }
        }
    }
}
