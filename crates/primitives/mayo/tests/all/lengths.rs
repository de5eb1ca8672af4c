//! Lengths of everything, and what is said about wrong ones.

use fieldtest_mayo::{InvalidSignature, ParameterSet, PublicKey, SigningError, SigningKey};

/// Secret key, public key and signature: the specifications' tables of sizes (the same in both rounds but for -one and -two).
#[test]
fn lengths_of_the_specifications() {
    let lengths: Vec<_> = ParameterSet::ALL
        .iter()
        .map(|set| (set.name(), set.secret_key_len(), set.public_key_len(), set.signature_len()))
        .collect();
    assert_eq!(
        lengths,
        [
            ("MAYO-one", 24, 1420, 454),
            ("MAYO-two", 24, 4912, 186),
            ("MAYO-three", 32, 2986, 681),
            ("MAYO-five", 40, 5554, 964),
            ("MAYO-one of round 3", 24, 1456, 464),
            ("MAYO-two of round 3", 24, 2928, 239),
            ("MAYO-three of round 3", 32, 2986, 681),
            ("MAYO-five of round 3", 40, 5554, 964),
        ]
    );
}

#[test]
fn wrong_lengths() {
    let set = ParameterSet::TWO;
    for length in [0, 23, 25, 4912] {
        let error = SigningKey::new(set, &vec![0; length]).expect_err("the length is wrong");
        assert_eq!((error.given, error.expected), (length, 24));
    }
    for length in [0, 24, 4911, 4913] {
        let error = PublicKey::new(set, &vec![0; length]).expect_err("the length is wrong");
        assert_eq!((error.given, error.expected), (length, 4912));
    }
    let key = SigningKey::new(set, &[1; 24]).expect("the length is right");
    let (prepared, public) = (key.prepare(), key.public_key().prepare());
    for length in [0, 23, 25] {
        let error = SigningError::Randomizer { set: "MAYO-two", given: length, expected: 24 };
        assert_eq!(key.sign(b"", &vec![0; length]), Err(error));
        assert_eq!(prepared.sign(b"", &vec![0; length]), Err(error));
    }
    for length in [0, 185, 187] {
        let mut memory = vec![7; length];
        let error = SigningError::SignatureLength { set: "MAYO-two", given: length, expected: 186 };
        assert_eq!(prepared.sign_into(b"", &[0; 24], &mut memory), Err(error));
        assert_eq!(memory, vec![7; length], "nothing was written");
        let error = InvalidSignature::Length { set: "MAYO-two", given: length, expected: 186 };
        assert_eq!(public.verify(b"", &memory), Err(error));
        assert_eq!(key.public_key().verify(b"", &memory), Err(error));
    }
}

/// Any bytes are a key and a signature, only not a right one: nothing panics.
#[test]
fn any_bytes() {
    for set in ParameterSet::ALL {
        for byte in [0, 0xff] {
            let public =
                PublicKey::new(*set, &vec![byte; set.public_key_len()]).expect("the length is right");
            for signature in [0, 0xff] {
                let signature = vec![signature; set.signature_len()];
                let error = InvalidSignature::Mismatch { set: set.name() };
                assert_eq!(public.verify(b"message", &signature), Err(error));
            }
        }
    }
}

/// Rounds have nothing in common, even where their lengths are the same.
#[test]
fn rounds_differ() {
    for (second, third) in
        [(ParameterSet::THREE, ParameterSet::ROUND3_THREE), (ParameterSet::FIVE, ParameterSet::ROUND3_FIVE)]
    {
        let seed = vec![9; second.secret_key_len()];
        let randomizer = vec![0; second.randomizer_len()];
        let (second, third) = (
            SigningKey::new(second, &seed).expect("the length is right"),
            SigningKey::new(third, &seed).expect("the length is right"),
        );
        assert_eq!(second.public_key().as_bytes(), third.public_key().as_bytes(), "the keys are the same");
        let signature = second.sign(b"", &randomizer).expect("the key signs");
        third.public_key().verify(b"", &signature).expect_err("the map has another term");
        let signature = third.sign(b"", &randomizer).expect("the key signs");
        second.public_key().verify(b"", &signature).expect_err("the map has another term");
    }
}

#[test]
fn debug_output_has_no_secrets() {
    let key = SigningKey::new(ParameterSet::ONE, &[0xab; 24]).expect("the length is right");
    for text in [format!("{key:?}"), format!("{:?}", key.prepare())] {
        assert!(!text.contains("171") && !text.to_lowercase().contains("ab,"), "{text}");
    }
}
