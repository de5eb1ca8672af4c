//! What has to be refused, and that nothing else is.

use std::collections::BTreeSet;

use fieldtest_hawk::{
    Hawk256, Hawk512, Hawk1024, InvalidKey, InvalidSignature, KeyPair, ParameterSet, Path, SignError,
    SigningKey, Unsuitable, VerifyingKey,
};
use proptest::prelude::*;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::SeedableRng as _;

/// Bytes that are always the same.
struct Random(SplitMix64);

fn random(seed: u64) -> Random {
    Random(SplitMix64::seed_from_u64(seed))
}

impl Random {
    fn fill(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte = (self.0.next_u64() >> 56) as u8;
        }
    }
}

fn pair<P: ParameterSet>(seed: u64) -> KeyPair<P> {
    let mut random = random(seed);
    KeyPair::generate(|bytes| random.fill(bytes))
}

fn signed<P: ParameterSet>(key: &SigningKey<P>, message: &[u8]) -> Vec<u8> {
    let mut random = random(message.len() as u64);
    let mut signature = vec![0; P::SIGNATURE];
    key.sign(message, |bytes| random.fill(bytes), &mut signature).unwrap();
    signature
}

fn round_trips<P: ParameterSet>() {
    let pair = pair::<P>(1);
    let other = self::pair::<P>(2);
    let [key, wrong] = [&pair, &other].map(|pair| VerifyingKey::<P>::new(&pair.public).unwrap());
    for length in 0..200 {
        let message = vec![length as u8; length];
        let signature = signed(&pair.signing, &message);
        key.verify(&message, &signature).unwrap();
        let longer = [&message[..], b"."].concat();
        assert_eq!(key.verify(&longer, &signature), Err(InvalidSignature));
        assert_eq!(wrong.verify(&message, &signature), Err(InvalidSignature));
        let portable = VerifyingKey::<P>::new_on(Path::PORTABLE, &pair.public).unwrap();
        portable.verify(&message, &signature).unwrap();
        assert_eq!(portable.verify(&longer, &signature), Err(InvalidSignature));
    }
}

#[test]
fn signatures_belong_to_one_message_and_key() {
    round_trips::<Hawk256>();
    round_trips::<Hawk512>();
    round_trips::<Hawk1024>();
}

fn lengths<P: ParameterSet>() {
    let pair = pair::<P>(3);
    let key = VerifyingKey::<P>::new(&pair.public).unwrap();
    let signature = signed(&pair.signing, b"");
    let private = pair.signing.as_bytes();
    assert_eq!(private.len(), P::PRIVATE_KEY);
    for length in [0, 1, signature.len() - 1, signature.len() + 1, 5000] {
        let mut other = signature.clone();
        other.resize(length, 0);
        assert_eq!(key.verify(b"", &other), Err(InvalidSignature));
        let place = SignError::Place { given: length, expected: P::SIGNATURE };
        assert_eq!(pair.signing.sign(b"", |_| (), &mut other), Err(place));
    }
    let mut checked = 0;
    for length in [0, 1, 95, 97, 183, 185, 359, 361, 449, 451, 1023, 1025, 2439, 2441] {
        let bytes = vec![0; length];
        let wrong = |expected| Some(InvalidKey::Length { given: length, expected });
        assert_eq!(VerifyingKey::<P>::new(&bytes).err(), wrong(P::PUBLIC_KEY));
        assert_eq!(SigningKey::<P>::new(&bytes).err(), wrong(P::PRIVATE_KEY));
        assert_eq!(KeyPair::<P>::from_seed(&bytes).err(), Some(Unsuitable::Length));
        checked += 1;
    }
    assert_eq!(checked, 14);
}

#[test]
fn wrong_lengths_are_errors() {
    lengths::<Hawk256>();
    lengths::<Hawk512>();
    lengths::<Hawk1024>();
}

/// Every bit of a signature counts, the padding too.
fn every_bit<P: ParameterSet>() {
    let pair = pair::<P>(4);
    let key = VerifyingKey::<P>::new(&pair.public).unwrap();
    let mut signature = signed(&pair.signing, b"bits");
    for bit in 0..8 * P::SIGNATURE {
        signature[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(key.verify(b"bits", &signature), Err(InvalidSignature), "{bit}");
        signature[bit / 8] ^= 1 << (bit % 8);
    }
    key.verify(b"bits", &signature).unwrap();
}

#[test]
fn every_bit_of_a_signature_counts() {
    every_bit::<Hawk256>();
    every_bit::<Hawk512>();
    every_bit::<Hawk1024>();
}

/// The padding of a public key has to be zero, and all of it, which is hashed, has to be that of the signer.
fn public_keys<P: ParameterSet>() {
    let pair = pair::<P>(5);
    let signature = signed(&pair.signing, b"key");
    let mut public = pair.public.clone();
    *public.last_mut().unwrap() ^= 0x80;
    assert_eq!(VerifyingKey::<P>::new(&public).err(), Some(InvalidKey::Encoding));
    for bit in 0..8 * P::PUBLIC_KEY {
        let mut public = pair.public.clone();
        public[bit / 8] ^= 1 << (bit % 8);
        let refused =
            VerifyingKey::<P>::new(&public).map_or(true, |key| key.verify(b"key", &signature).is_err());
        assert!(refused, "{bit}");
    }
    // q00 all 0, in which every number has its end bit at once: not positive at any root.
    let mut public = vec![0; P::PUBLIC_KEY];
    assert_eq!(VerifyingKey::<P>::new(&public).err(), Some(InvalidKey::Encoding));
    public.fill(0xff);
    assert_eq!(VerifyingKey::<P>::new(&public).err(), Some(InvalidKey::Encoding));
}

#[test]
fn damaged_public_keys_are_refused() {
    public_keys::<Hawk256>();
    public_keys::<Hawk512>();
    public_keys::<Hawk1024>();
}

#[test]
fn damaged_private_keys_are_refused() {
    let pair = pair::<Hawk512>(6);
    let mut private = pair.signing.as_bytes().to_vec();
    for byte in 0..Hawk512::KEY_SEED + 128 {
        private[byte] ^= 4;
        assert_eq!(SigningKey::<Hawk512>::new(&private).err(), Some(InvalidKey::Inconsistent), "{byte}");
        private[byte] ^= 4;
    }
    assert!(SigningKey::<Hawk512>::new(&private).is_ok());
}

/// Why seeds give no key: all reasons that seeds have within reach.
fn reasons<P: ParameterSet>(seeds: usize) -> BTreeSet<String> {
    let mut random = random(7);
    let mut seed = vec![0; P::KEY_SEED];
    let tried = (0..seeds).filter_map(|_| {
        random.fill(&mut seed);
        KeyPair::<P>::from_seed(&seed).err().map(|reason| format!("{reason:?}"))
    });
    tried.collect()
}

#[test]
fn seeds_without_a_key() {
    let mut all = reasons::<Hawk256>(1500);
    all.extend(reasons::<Hawk512>(600));
    all.extend(reasons::<Hawk1024>(200));
    let expected = ["Even", "Large", "LargeInverse", "NoSolution", "Short"];
    assert_eq!(all.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}

#[test]
fn bytes_that_never_change_make_deterministic_signatures() {
    let pair = pair::<Hawk256>(8);
    let sign = |message: &[u8]| {
        let mut signature = vec![0; Hawk256::SIGNATURE];
        pair.signing.sign(message, |bytes| bytes.fill(0), &mut signature).unwrap();
        signature
    };
    assert_eq!(sign(b"a"), sign(b"a"));
    assert_ne!(sign(b"a")[..14], sign(b"b")[..14]);
}

proptest! {
    #[test]
    fn any_bytes_are_a_key_or_not(bytes in prop::collection::vec(any::<u8>(), 2440)) {
        let _ = VerifyingKey::<Hawk256>::new(&bytes[..450]);
        let _ = VerifyingKey::<Hawk512>::new(&bytes[..1024]);
        let _ = VerifyingKey::<Hawk1024>::new(&bytes);
        prop_assert!(SigningKey::<Hawk256>::new(&bytes[..96]).is_err());
    }
}
