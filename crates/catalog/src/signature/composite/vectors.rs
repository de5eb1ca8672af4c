//! Known answers of Composite ML-DSA: the draft's own test vectors.

use fieldtest_kinds::signature::Signature;

use super::Set;
use crate::kat::nist::sha256;
use crate::kat::{KnownAnswers, accepted, equal, refused, table};
use crate::{KatResult, KatError};

/// What the draft's authors let all of them sign.
const MESSAGE: &[u8] = b"The quick brown fox jumps over the lazy dog.";

/// The public key of the secret one, and the signature, which is randomised: it verifies, it does not with a bit changed in
/// either half or for another message, and a new one by the same key verifies too.
pub(super) fn prove(set: &Set, code: &dyn Signature) -> Result<KatResult, KatError> {
    let mut draft = KnownAnswers::from("draft-ietf-lamps-pq-composite-sigs-19, test vectors");
    let file = include_str!("../../../vectors/composite.txt");
    for row in table::rows(file).filter(|row| row.text(0) == set.name) {
        draft.case(set.label, || {
            let signing = code.signing_key(&row.bytes(1))?;
            let public = signing.public_key();
            equal("SHA-256 of the public key", &row.bytes(2), &sha256(&public))?;
            let key = code.verifying_key(&public)?;
            let signature = row.bytes(3);
            accepted(key.verify(MESSAGE, &signature))?;
            refused(key.verify(b"another message", &signature))?;
            // ML-DSA's half begins the signature, and the other one ends it.
            for at in [0, 1000, signature.len() - 33, signature.len() - 1] {
                let mut changed = signature.clone();
                changed[at] ^= 1;
                refused(key.verify(MESSAGE, &changed))?;
            }
            let mut again = Vec::new();
            signing.sign(MESSAGE, &mut again)?;
            accepted(key.verify(MESSAGE, &again))
        })?;
    }
    draft.skip(1, "with an application context");
    Ok(KatResult::of([draft]))
}
