//! What must hold for every implementation of every cipher that authenticates.

use fieldtest_kinds::Error;
use proptest::collection::vec;
use proptest::prelude::*;

use super::all;

#[test]
fn every_algorithm_is_implemented_and_proven() {
    assert_eq!(all().len(), 18);
    for algorithm in all() {
        let name = &algorithm.facts.name;
        assert!(algorithm.implementations.len() >= 2, "{name}");
        for code in &algorithm.implementations {
            let proof = code.kat().unwrap_or_else(|error| panic!("{name} by {}: {error}", code.name));
            assert!(!proof.origins.is_empty(), "{name} by {}", code.name);
            // KISA has ten for each key length of LEA.
            let least = if name.starts_with("lea") { 10 } else { 1 };
            assert!(proof.vectors >= least, "{name} by {}: {proof:?}", code.name);
            assert_eq!(code.code.key_len(), algorithm.facts.kind.key, "{name}");
            assert!(code.version.starts_with(|c: char| c.is_ascii_digit()), "{name} by {}", code.name);
        }
    }
}

#[test]
fn refuses_malformed_keys() {
    for algorithm in all() {
        for code in &algorithm.implementations {
            let length = algorithm.facts.kind.key;
            for wrong in [0, length - 1, length + 1, 2 * length] {
                let refused = code.code.prepare(&vec![7; wrong]).err();
                assert!(
                    matches!(refused, Some(Error::MalformedKey(_))),
                    "{} by {}",
                    algorithm.facts.name,
                    code.name
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// All implementations are one function, which opening undoes, and nothing else opens.
    #[test]
    fn implementations_agree(
        bytes in vec(any::<u8>(), 32),
        nonce in vec(any::<u8>(), 12),
        associated in vec(any::<u8>(), 0..80),
        message in prop_oneof![vec(any::<u8>(), 0..70), vec(any::<u8>(), 0..5000)],
        wrong in 0..128_usize,
    ) {
        for algorithm in all() {
            let mut expected = None;
            for code in &algorithm.implementations {
                let label = format!("{} by {}", algorithm.facts.name, code.name);
                let key = code.code.prepare(&bytes[..algorithm.facts.kind.key]).expect("a key");
                let (mut data, mut tag) = (message.clone(), [0; 16]);
                key.seal(&nonce, &associated, &mut data, &mut tag).expect("sealed");
                let expected = expected.get_or_insert_with(|| (data.clone(), tag));
                prop_assert_eq!((&data, &tag), (&expected.0, &expected.1), "{}", label);
                let mut other = tag;
                other[wrong / 8] ^= 1 << (wrong % 8);
                let refused = key.open(&nonce, &associated, &mut data.clone(), &other);
                prop_assert_eq!(refused, Err(Error::InvalidTag), "{}", label);
                let refused = key.open(&nonce, &[&associated[..], &[1]].concat(), &mut data.clone(), &tag);
                prop_assert_eq!(refused, Err(Error::InvalidTag), "{}", label);
                prop_assert_eq!(key.open(&nonce, &associated, &mut data, &tag), Ok(()), "{}", label);
                prop_assert_eq!(&data, &message, "{}", label);
            }
        }
    }
}
