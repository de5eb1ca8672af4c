//! The post-quantum algorithms: their numbers in zones, and no input makes their code panic.

use std::collections::BTreeMap;

use fieldtest_catalog::signature::{Algorithm, Implementation, all};
use proptest::prelude::*;

fn implementations() -> impl Iterator<Item = (&'static Algorithm, &'static Implementation)> {
    all()
        .iter()
        .filter(|a| a.facts.kind.post_quantum)
        .flat_map(|a| a.implementations.iter().map(move |i| (a, i)))
}

/// Families that nobody gave a number, made for other things than zones. The ranges that are proposed are full, so that they
/// have none here either, and whoever tries them chooses one.
const WITHOUT_NUMBERS: [&str; 3] = ["Composite ML-DSA", "LMS", "XMSS"];

#[test]
fn every_private_code_point_is_used_once_and_lies_in_the_proposed_ranges() {
    let mut used = BTreeMap::new();
    for facts in all().iter().map(|a| a.facts).filter(|f| f.kind.post_quantum) {
        let Some(dnssec) = &facts.kind.dnssec else {
            assert!(
                facts.kind.public_key > 65_531 || WITHOUT_NUMBERS.contains(&facts.family.as_str()),
                "{} has no code point, and fits into a DNSKEY",
                facts.name
            );
            continue;
        };
        assert!(!WITHOUT_NUMBERS.contains(&facts.family.as_str()), "{} has a number now", facts.name);
        match (dnssec.code_points.get("iana"), dnssec.code_points.get("private")) {
            (Some(_), None) => {}
            (None, Some(number)) => {
                assert!((228..=251).contains(number), "{}: {number}", facts.name);
                assert_eq!(used.insert(*number, &facts.name), None, "{number} is used twice");
            }
            other => panic!("{}: {other:?}", facts.name),
        }
    }
    assert_eq!(used.len(), 24, "with a number to spare, families without one may have it");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// Keys and signatures of any bytes, of the right length or not, are an error or refused.
    #[test]
    fn arbitrary_bytes_never_panic(seed in any::<u64>(), change in -2isize..=2, cut in 0usize..9000) {
        for (algorithm, implementation) in implementations() {
            let facts = algorithm.facts;
            // Recomputing a public key per case is too slow in the small parameter set.
            let slow = facts.name == "slh-dsa-sha2-128s";
            for length in [|n: usize, d: isize, _| n.saturating_add_signed(d), |n, _, cut| cut % n, |n, _, _| n] {
                let bytes = |n| noise(seed, length(n, change, cut));
                if !slow {
                    let _ = implementation.code.signing_key(&bytes(facts.kind.secret_key));
                }
                if let Ok(key) = implementation.code.verifying_key(&bytes(facts.kind.public_key)) {
                    prop_assert!(key.verify(b"message", &bytes(facts.kind.signature)).is_err());
                }
            }
        }
    }

    /// A valid signature, cut or lengthened or with one bit changed, is refused by a valid key; but for bits that the
    /// verifier does not read.
    #[test]
    fn damaged_signatures_are_refused(at in any::<prop::sample::Index>(), bit in 0u8..8, more in 0usize..3) {
        for (algorithm, implementation, public, signature) in signed() {
            let key = implementation.code.verifying_key(public).unwrap();
            let mut damaged = signature.clone();
            let at = at.index(damaged.len());
            damaged[at] ^= 1 << bit;
            let refused = key.verify(b"message", &damaged).is_err();
            prop_assert!(refused || has_unread_bits(&algorithm.facts.name, at), "{} at {at}", algorithm.facts.name);
            prop_assert!(key.verify(b"message", &signature[..at]).is_err());
            let longer = [&signature[..], &vec![0; more + 1]].concat();
            prop_assert!(key.verify(b"message", &longer).is_err());
        }
    }
}

/// Whether the verifier reads only some bits of a byte of the signature. SQIsign's signatures have a matrix of four
/// little-endian integers, which count modulo a power of two that is smaller than their room and depends on the signature:
/// sqisign-rs takes them whatever their topmost bits are, so that one signature can be made another one of the same message.
/// With all bits of six signatures flipped one by one, none but these bytes' are unread.
fn has_unread_bits(algorithm: &str, at: usize) -> bool {
    match algorithm {
        "sqisign-1" => [106, 131, 156, 181].contains(&at),
        "sqisign-1-round2" => [81, 97, 113, 129].contains(&at),
        _ => false,
    }
}

type Signed = (&'static Algorithm, &'static Implementation, Vec<u8>, Vec<u8>);

/// One public key and one signature per implementation, made once.
fn signed() -> impl Iterator<Item = &'static Signed> {
    static SIGNED: std::sync::LazyLock<Vec<Signed>> = std::sync::LazyLock::new(|| {
        implementations()
            .map(|(algorithm, implementation)| {
                let pair = implementation.code.generate().unwrap();
                let mut signature = Vec::new();
                let key = implementation.code.signing_key(&pair.secret).unwrap();
                key.sign(b"message", &mut signature).unwrap();
                (algorithm, implementation, pair.public, signature)
            })
            .collect()
    });
    SIGNED.iter()
}

/// Reproducible bytes (xorshift).
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed | 1;
    std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    })
    .take(length)
    .collect()
}
