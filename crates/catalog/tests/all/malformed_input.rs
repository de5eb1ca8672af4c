//! Nonsense in place of keys and signatures: always an error or a harmless key, never a panic.

use std::fmt;
use std::sync::LazyLock;

use fieldtest_catalog::signature::{Algorithm, Implementation, all};
use fieldtest_kinds::signature::{KeyPair, PublicKeyForm, SecretKeyForm};
use proptest::prelude::*;

/// An implementation and a key pair that it made.
struct Case {
    algorithm: &'static Algorithm,
    code: &'static Implementation,
    pair: KeyPair,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by {}", self.algorithm.facts.name, self.code.name)
    }
}

/// Every implementation that can make keys.
static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    all()
        .iter()
        .flat_map(|algorithm| algorithm.implementations.iter().map(move |code| (algorithm, code)))
        .filter_map(|(algorithm, code)| Some(Case { algorithm, code, pair: code.code.generate().ok()? }))
        .collect()
});

fn any_case() -> impl Strategy<Value = &'static Case> {
    (0..CASES.len()).prop_map(|at| &CASES[at])
}

#[test]
fn keys_of_a_wrong_length_are_refused() {
    for case @ Case { code, pair, .. } in CASES.iter() {
        for length in [0, 1, pair.public.len() / 2, pair.public.len() - 1] {
            assert!(code.code.verifying_key(&pair.public[..length]).is_err(), "{case:?}: public, {length}");
        }
        for length in [0, 1, pair.secret.len() / 2, pair.secret.len() - 1] {
            assert!(code.code.signing_key(&pair.secret[..length]).is_err(), "{case:?}: secret, {length}");
        }
        let longer = |key: &[u8]| [key, &[0]].concat();
        assert!(code.code.verifying_key(&longer(&pair.public)).is_err(), "{case:?}: longer public key");
        assert!(code.code.signing_key(&longer(&pair.secret)).is_err(), "{case:?}: longer secret key");
    }
}

#[test]
fn errors_say_what_was_expected() {
    for case @ Case { code, pair, .. } in CASES.iter() {
        let Err(error) = code.code.verifying_key(&pair.public[1..]) else {
            panic!("a short key was accepted")
        };
        let error = error.to_string();
        assert!(error.len() > 20 && error.starts_with("malformed key: "), "{case:?}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(Case { code, .. } in any_case(), bytes in prop::collection::vec(any::<u8>(), 0..3000)) {
        let mut signature = Vec::new();
        if let Ok(key) = code.code.signing_key(&bytes) {
            let _ = key.sign(&bytes, &mut signature);
        }
        if let Ok(key) = code.code.verifying_key(&bytes) {
            prop_assert!(key.verify(b"message", &bytes).is_err());
        }
    }

    #[test]
    fn random_bytes_of_the_right_length_never_panic(
        Case { algorithm, code, .. } in any_case(),
        bytes in prop::collection::vec(any::<u8>(), 8192),
    ) {
        let facts = algorithm.facts;
        let of = |length: usize| bytes.iter().copied().cycle().take(length).collect::<Vec<u8>>();
        let mut signature = Vec::new();
        if let Ok(key) = code.code.signing_key(&of(facts.kind.secret_key)) {
            let _ = key.sign(&bytes, &mut signature);
        }
        if let Ok(key) = code.code.verifying_key(&of(facts.kind.public_key)) {
            prop_assert!(key.verify(b"message", &of(facts.kind.signature)).is_err());
        }
    }

    #[test]
    fn changed_public_keys_never_panic(
        Case { algorithm, code, pair } in any_case(),
        at in any::<prop::sample::Index>(),
        value in any::<u8>(),
        signature in any::<u8>(),
    ) {
        let mut public = pair.public.clone();
        *at.get_mut(&mut public) = value;
        if let Ok(key) = code.code.verifying_key(&public) {
            prop_assert!(key.verify(b"message", &vec![signature; algorithm.facts.kind.signature]).is_err());
        }
    }

    #[test]
    fn changed_structures_of_secret_keys_never_panic(
        Case { code, pair, .. } in any_case(),
        at in any::<prop::sample::Index>(),
        value in any::<u8>(),
    ) {
        // A changed seed is a seed; only keys with an inner structure can become inconsistent.
        if code.code.secret_key_form() == SecretKeyForm::RsaPkcs1 {
            let mut secret = pair.secret.clone();
            *at.get_mut(&mut secret) = value;
            if let Ok(key) = code.code.signing_key(&secret) {
                let _ = key.sign(b"message", &mut Vec::new());
            }
        }
    }

    #[test]
    fn scalars_out_of_range_are_refused(Case { code, pair, .. } in any_case()) {
        if code.code.public_key_form() == PublicKeyForm::EcPoint {
            prop_assert!(code.code.signing_key(&vec![0; pair.secret.len()]).is_err());
            prop_assert!(code.code.signing_key(&vec![0xff; pair.secret.len()]).is_err());
            prop_assert!(code.code.verifying_key(&vec![0; pair.public.len()]).is_err());
            prop_assert!(code.code.verifying_key(&vec![0xff; pair.public.len()]).is_err());
        }
    }
}
