//! Keys, signatures and verdicts against RustCrypto's `ml-dsa`, by every path; and what has to be refused.

use fieldtest_mldsa::{
    InvalidKey, InvalidSignature, MlDsa44, MlDsa65, MlDsa87, ParameterSet, Path, SignError, SigningKey,
    VerifyingKey,
};
use ml_dsa::{EncodedVerifyingKey, ExpandedSigningKey, MlDsaParams};
use proptest::prelude::*;

fn agree<P: ParameterSet, R: MlDsaParams>(seed: [u8; 32], message: &[u8], context: &[u8], damage: usize) {
    let theirs = ExpandedSigningKey::<R>::from_seed(&seed.into());
    let expected = theirs.sign_deterministic(message, context).unwrap().encode();
    for path in Path::available() {
        let ours = SigningKey::<P>::from_seed_on(path, &seed);
        assert_eq!(ours.public_key(), theirs.verifying_key().encode().as_slice(), "{}", path.name());
        let mut signature = vec![0; P::SIGNATURE];
        ours.sign(message, context, &[0; 32], &mut signature).unwrap();
        assert_eq!(signature, expected.as_slice(), "{}", path.name());

        let key = VerifyingKey::<P>::new_on(path, ours.public_key()).unwrap();
        key.verify(message, context, &signature).unwrap();
        let bit = damage % (8 * P::SIGNATURE);
        signature[bit / 8] ^= 1 << (bit % 8);
        let decoded = ml_dsa::VerifyingKey::<R>::decode(
            &EncodedVerifyingKey::<R>::try_from(ours.public_key()).unwrap(),
        );
        let verdict = ml_dsa::Signature::<R>::try_from(&signature[..])
            .is_ok_and(|signature| decoded.verify_with_context(message, context, &signature));
        assert_eq!(key.verify(message, context, &signature).is_ok(), verdict);
        assert!(!verdict, "a changed signature is none");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn with_rustcrypto(
        seed in any::<[u8; 32]>(),
        message in proptest::collection::vec(any::<u8>(), 0..400),
        context in proptest::collection::vec(any::<u8>(), 0..=255),
        damage in any::<usize>(),
    ) {
        agree::<MlDsa44, ml_dsa::MlDsa44>(seed, &message, &context, damage);
        agree::<MlDsa65, ml_dsa::MlDsa65>(seed, &message, &context, damage);
        agree::<MlDsa87, ml_dsa::MlDsa87>(seed, &message, &context, damage);
    }
}

fn wrong_use<P: ParameterSet>() {
    let key = SigningKey::<P>::from_seed(&[3; 32]);
    let mut signature = vec![0; P::SIGNATURE];
    assert_eq!(key.sign(b"", &[0; 256], &[0; 32], &mut signature), Err(SignError::Context(256)));
    key.sign(b"", &[0; 255], &[0; 32], &mut signature).unwrap();
    for length in [0, P::SIGNATURE - 1, P::SIGNATURE + 1] {
        let expected = Err(SignError::Place { given: length, expected: P::SIGNATURE });
        assert_eq!(key.sign(b"", b"", &[0; 32], &mut vec![0; length]), expected);
    }
    let public = VerifyingKey::<P>::new(key.public_key()).unwrap();
    assert_eq!(public.verify(b"", &[0; 256], &signature), Err(InvalidSignature));
    assert_eq!(public.verify(b"", b"", &signature), Err(InvalidSignature), "another context");
    for length in [0, P::SIGNATURE - 1] {
        assert_eq!(public.verify(b"", &[0; 255], &signature[..length]), Err(InvalidSignature));
    }
    signature.push(0);
    assert_eq!(public.verify(b"", &[0; 255], &signature), Err(InvalidSignature));
    for length in [0, 32, P::PUBLIC_KEY - 1, P::PUBLIC_KEY + 1] {
        let error = InvalidKey::Length { given: length, expected: P::PUBLIC_KEY };
        assert_eq!(VerifyingKey::<P>::new(&vec![0; length]).err(), Some(error));
    }
}

#[test]
fn wrong_use_is_an_error() {
    wrong_use::<MlDsa44>();
    wrong_use::<MlDsa65>();
    wrong_use::<MlDsa87>();
}

fn expanded<P: ParameterSet>() {
    let key = SigningKey::<P>::from_seed(&[9; 32]);
    let bytes = key.to_expanded();
    let again = SigningKey::<P>::from_expanded(&bytes).unwrap();
    assert_eq!(again.public_key(), key.public_key());
    assert_eq!(again.to_expanded(), bytes);
    let [mut one, mut other] = [vec![0; P::SIGNATURE], vec![0; P::SIGNATURE]];
    key.sign(b"m", b"c", &[5; 32], &mut one).unwrap();
    again.sign(b"m", b"c", &[5; 32], &mut other).unwrap();
    assert_eq!(one, other);
    // Every byte but those of K belongs to something that is checked.
    for at in (0..bytes.len()).step_by(7).filter(|at| !(32..64).contains(at)) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x40;
        assert!(SigningKey::<P>::from_expanded(&damaged).is_err(), "{} byte {at}", P::NAME);
    }
    for length in [0, 32, bytes.len() - 1] {
        let error = InvalidKey::Length { given: length, expected: P::EXPANDED_KEY };
        assert_eq!(SigningKey::<P>::from_expanded(&bytes[..length]).err(), Some(error));
    }
}

#[test]
fn expanded_keys_come_back_and_damaged_ones_are_refused() {
    expanded::<MlDsa44>();
    expanded::<MlDsa65>();
    expanded::<MlDsa87>();
}

/// Each rule of algorithm 21 and of line 13 of algorithm 8, broken alone in a signature that is good otherwise.
fn rules<P: ParameterSet>(omega: usize, k: usize, gamma1_bits: usize, beta: u32) {
    let key = SigningKey::<P>::from_seed(&[1; 32]);
    let public = VerifyingKey::<P>::new(key.public_key()).unwrap();
    let mut good = vec![0; P::SIGNATURE];
    // One with two hints in the first polynomial, and room left.
    let message = (0_u32..)
        .find(|message| {
            key.sign(&message.to_le_bytes(), b"", &[0; 32], &mut good).unwrap();
            let hints = &good[P::SIGNATURE - omega - k..];
            hints[omega] >= 2 && usize::from(hints[omega + k - 1]) + 1 < omega
        })
        .unwrap()
        .to_le_bytes();
    let refused = |what: &str, change: &dyn Fn(&mut [u8])| {
        let mut signature = good.clone();
        change(&mut signature);
        assert_ne!(signature, good, "{what}");
        assert_eq!(public.verify(&message, b"", &signature), Err(InvalidSignature), "{} {what}", P::NAME);
    };
    public.verify(&message, b"", &good).unwrap();
    let hints = P::SIGNATURE - omega - k;
    let count = usize::from(good[P::SIGNATURE - 1]);
    refused("more hints than ω", &|s| s[P::SIGNATURE - 1] = omega as u8 + 1);
    refused("ends that go back", &|s| s[hints + omega + 1] = 0);
    refused("places that are not in order", &|s| s.swap(hints, hints + 1));
    refused("the same place twice", &|s| s[hints] = s[hints + 1]);
    refused("something behind the last hint", &|s| s[hints + count] = 1);
    refused("something at the end of the places", &|s| s[hints + omega - 1] = 255);
    // The first coefficient of z at the bound, ± (γ1 - β): the number that stands for it is γ1 - z.
    let challenge = hints - 32 * (gamma1_bits + 1) * ((hints - 32) / (32 * (gamma1_bits + 1)));
    for number in [beta, (2 << gamma1_bits) - beta] {
        refused("a coefficient of z at its bound", &|s| {
            let mut word = u32::from_le_bytes(s[challenge..challenge + 4].try_into().unwrap());
            word = word >> (gamma1_bits + 1) << (gamma1_bits + 1) | number;
            s[challenge..challenge + 4].copy_from_slice(&word.to_le_bytes());
        });
    }
}

#[test]
fn every_rule_of_decoding_refuses() {
    rules::<MlDsa44>(80, 4, 17, 78);
    rules::<MlDsa65>(55, 6, 19, 196);
    rules::<MlDsa87>(75, 8, 19, 120);
}
