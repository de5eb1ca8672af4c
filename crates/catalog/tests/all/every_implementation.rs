//! What must hold for every implementation of every algorithm in the catalog, whatever it is.

use fieldtest_catalog::signature::{Algorithm, Implementation, all};
use fieldtest_catalog::{Proven, prove_all};
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, PublicKeyForm, SecretKeyForm};

const MESSAGE: &[u8] = b"example.com. 3600 IN A 192.0.2.1";

/// Runs `check` for every implementation, algorithms in parallel, and collects what went wrong.
fn for_each(check: impl Fn(&Algorithm, &Implementation) -> Result<(), String> + Sync) {
    let failures: Vec<String> = std::thread::scope(|scope| {
        let check = &check;
        let threads: Vec<_> = all()
            .iter()
            .map(|algorithm| {
                scope.spawn(move || {
                    let mut failures = Vec::new();
                    for code in &algorithm.implementations {
                        if let Err(why) = check(algorithm, code) {
                            failures.push(format!("{} by {}: {why}", algorithm.facts.name, code.name));
                        }
                    }
                    failures
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no check panics")).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn ensure(holds: bool, what: impl Into<String>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.into()) }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Signs [`MESSAGE`]; `None` where the implementation only verifies.
fn sign(code: &Implementation, secret: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let mut signature = vec![0xff; 3];
    match code.code.signing_key(secret).and_then(|key| key.sign(MESSAGE, &mut signature)) {
        Ok(()) => Ok(Some(signature)),
        Err(Error::Unsupported(_)) => Ok(None),
        Err(error) => Err(text(error)),
    }
}

fn generate(code: &Implementation) -> Result<Option<KeyPair>, String> {
    match code.code.generate() {
        Ok(pair) => Ok(Some(pair)),
        Err(Error::Unsupported(_)) => Ok(None),
        Err(error) => Err(text(error)),
    }
}

#[test]
fn reproduces_its_known_answers() {
    let mut proven = 0;
    for Proven { algorithm, implementation, outcome, .. } in prove_all(|_, _| true) {
        match outcome {
            Ok(proof) => {
                assert!(!proof.origins.is_empty(), "{algorithm} by {implementation}");
                proven += 1;
            }
            Err(error) => panic!("{algorithm} by {implementation}: {error}"),
        }
    }
    assert!(proven > 0);
}

#[test]
fn states_its_version() {
    for_each(|_, code| {
        ensure(code.version.starts_with(|c: char| c.is_ascii_digit()), format!("version {}", code.version))
    });
}

#[test]
fn has_the_sizes_that_the_facts_state() {
    for_each(|algorithm, code| {
        let Some(pair) = generate(code)? else { return Ok(()) };
        let facts = algorithm.facts;
        ensure(pair.public.len() == facts.kind.public_key, format!("public key of {}", pair.public.len()))?;
        // Leading zeros shorten the numbers of an RSA key.
        let tolerance = if code.code.secret_key_form() == SecretKeyForm::RsaPkcs1 { 8 } else { 0 };
        let difference = pair.secret.len().abs_diff(facts.kind.secret_key);
        ensure(difference <= tolerance, format!("secret key of {}", pair.secret.len()))?;
        let Some(signature) = sign(code, &pair.secret)? else { return Ok(()) };
        // The composites with ECDSA have its signature in DER, whose numbers are without leading zeros.
        let shorter = if facts.name.contains("-ecdsa-") { 12 } else { 0 };
        let lengths = facts.kind.signature - shorter..=facts.kind.signature;
        ensure(lengths.contains(&signature.len()), format!("signature of {}", signature.len()))
    });
}

#[test]
fn accepts_what_it_signed_and_refuses_what_was_changed() {
    for_each(|_, code| {
        let Some(pair) = generate(code)? else { return Ok(()) };
        let signing = code.code.signing_key(&pair.secret).map_err(text)?;
        ensure(signing.public_key() == pair.public, "the public key differs from the generated one")?;
        let Some(signature) = sign(code, &pair.secret)? else { return Ok(()) };
        let key = code.code.verifying_key(&pair.public).map_err(text)?;
        key.verify(MESSAGE, &signature).map_err(text)?;
        key.verify_many(&[(MESSAGE, &signature), (MESSAGE, &signature)]).map_err(|(_, e)| text(e))?;
        ensure(key.verify(b"another message", &signature).is_err(), "another message was accepted")?;
        ensure(key.verify(b"", &signature).is_err(), "the empty message was accepted")?;
        let last = signature.len() - 1;
        for (byte, bit) in [(0, 0), (last / 3, 3), (last / 2, 7), (2 * last / 3, 1)] {
            let mut changed = signature.clone();
            changed[byte] ^= 1 << bit;
            ensure(key.verify(MESSAGE, &changed).is_err(), format!("bit {bit} of byte {byte} was flipped"))?;
        }
        for length in [0, 1, signature.len() / 2, last] {
            ensure(
                key.verify(MESSAGE, &signature[..length]).is_err(),
                format!("{length} bytes were accepted"),
            )?;
        }
        let longer = [&signature[..], &[0]].concat();
        ensure(key.verify(MESSAGE, &longer).is_err(), "a longer signature was accepted")?;
        ensure(key.verify(MESSAGE, &vec![0; signature.len()]).is_err(), "zeros were accepted")?;
        // A refusal must leave the key as it was.
        key.verify(MESSAGE, &signature).map_err(text)
    });
}

#[test]
fn signs_deterministically_or_says_that_it_cannot() {
    for_each(|_, code| {
        let Some(pair) = generate(code)? else { return Ok(()) };
        let signing = code.code.signing_key(&pair.secret).map_err(text)?;
        let (mut first, mut second) = (Vec::new(), Vec::new());
        match signing.sign_deterministic(MESSAGE, &mut first) {
            Err(Error::Unsupported(_)) => Ok(()),
            outcome => {
                outcome.and_then(|()| signing.sign_deterministic(MESSAGE, &mut second)).map_err(text)?;
                ensure(first == second, "two deterministic signatures differ")?;
                let key = code.code.verifying_key(&pair.public).map_err(text)?;
                key.verify(MESSAGE, &first).map_err(text)
            }
        }
    });
}

#[test]
fn understands_the_keys_and_signatures_of_every_other() {
    for_each(|algorithm, maker| {
        let Some(pair) = generate(maker)? else { return Ok(()) };
        for signer in &algorithm.implementations {
            let Some(signature) = sign(signer, &pair.secret).map_err(|e| format!("{}: {e}", signer.name))?
            else {
                continue;
            };
            for verifier in &algorithm.implementations {
                let verify =
                    |key: Box<dyn fieldtest_kinds::signature::VerifyingKey>| key.verify(MESSAGE, &signature);
                verifier
                    .code
                    .verifying_key(&pair.public)
                    .and_then(verify)
                    .map_err(|e| format!("signed by {}, verified by {}: {e}", signer.name, verifier.name))?;
            }
        }
        Ok(())
    });
}

#[test]
fn one_key_signs_and_verifies_in_several_threads() {
    for_each(|_, code| {
        let Some(pair) = generate(code)? else { return Ok(()) };
        if sign(code, &pair.secret)?.is_none() {
            return Ok(());
        }
        let signing = code.code.signing_key(&pair.secret).map_err(text)?;
        let verifying = code.code.verifying_key(&pair.public).map_err(text)?;
        let (signing, verifying) = (signing.as_ref(), verifying.as_ref());
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4_u8)
                .map(|thread| {
                    scope.spawn(move || {
                        let mut signature = Vec::new();
                        (0..2_u8).try_for_each(|round| {
                            let message = [thread, round];
                            signing.sign(&message, &mut signature)?;
                            verifying.verify(&message, &signature)
                        })
                    })
                })
                .collect();
            threads.into_iter().try_for_each(|t| t.join().expect("no thread panics")).map_err(text)
        })
    });
}

#[test]
fn every_form_belongs_to_one_algorithm() {
    for algorithm in all() {
        let forms: Vec<(PublicKeyForm, SecretKeyForm)> = algorithm
            .implementations
            .iter()
            .map(|code| (code.code.public_key_form(), code.code.secret_key_form()))
            .collect();
        assert!(forms.windows(2).all(|pair| pair[0] == pair[1]), "{}: {forms:?}", algorithm.facts.name);
    }
}
