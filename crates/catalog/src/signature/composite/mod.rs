//! Composite ML-DSA (draft-ietf-lamps-pq-composite-sigs-19): a signature by ML-DSA and one by a classic algorithm over the
//! same message representative, which both must hold. Keys and signatures are those of the two, one behind the other.

mod adapter;
mod classic;
mod vectors;

use std::sync::Arc;

use fieldtest_text::own::OWN;
use fieldtest_mldsa::{MlDsa44, MlDsa65, MlDsa87, ParameterSet};

use self::adapter::Composite;
use self::classic::Classic;
use super::{Family, Implementation, List, Prove, ecdsa, ed25519};
use crate::der::Curve;
use crate::version;

/// A row of the draft's section 6.
struct Set {
    name: &'static str,
    /// What binds both signatures to this set; for ML-DSA it is the context.
    label: &'static str,
    hash: PreHash,
    /// The other half.
    classic: Classic,
}

/// PH of the draft.
#[derive(Clone, Copy)]
enum PreHash {
    Sha256,
    Sha512,
}

const MLDSA44_ECDSA_P256: Set = Set {
    name: "mldsa44-ecdsa-p256",
    label: "COMPSIG-MLDSA44-ECDSA-P256-SHA256",
    hash: PreHash::Sha256,
    classic: Classic::Ecdsa(Curve::P256),
};

const MLDSA44_ED25519: Set = Set {
    name: "mldsa44-ed25519",
    label: "COMPSIG-MLDSA44-Ed25519-SHA512",
    hash: PreHash::Sha512,
    classic: Classic::Ed25519,
};

const MLDSA65_ECDSA_P256: Set = Set {
    name: "mldsa65-ecdsa-p256",
    label: "COMPSIG-MLDSA65-ECDSA-P256-SHA512",
    hash: PreHash::Sha512,
    classic: Classic::Ecdsa(Curve::P256),
};

const MLDSA65_ED25519: Set = Set {
    name: "mldsa65-ed25519",
    label: "COMPSIG-MLDSA65-Ed25519-SHA512",
    hash: PreHash::Sha512,
    classic: Classic::Ed25519,
};

const MLDSA87_ECDSA_P384: Set = Set {
    name: "mldsa87-ecdsa-p384",
    label: "COMPSIG-MLDSA87-ECDSA-P384-SHA512",
    hash: PreHash::Sha512,
    classic: Classic::Ecdsa(Curve::P384),
};

pub(super) fn family() -> Family {
    vec![
        of::<MlDsa44>(&MLDSA44_ECDSA_P256, |code| vectors::prove(&MLDSA44_ECDSA_P256, code)),
        of::<MlDsa44>(&MLDSA44_ED25519, |code| vectors::prove(&MLDSA44_ED25519, code)),
        of::<MlDsa65>(&MLDSA65_ECDSA_P256, |code| vectors::prove(&MLDSA65_ECDSA_P256, code)),
        of::<MlDsa65>(&MLDSA65_ED25519, |code| vectors::prove(&MLDSA65_ED25519, code)),
        of::<MlDsa87>(&MLDSA87_ECDSA_P384, |code| vectors::prove(&MLDSA87_ECDSA_P384, code)),
    ]
}

/// The set, by our ML-DSA and what is quickest of the other half.
fn of<P: ParameterSet + Send + Sync + 'static>(
    set: &'static Set,
    prove: Prove,
) -> (&'static str, Vec<Implementation>) {
    let half = match set.classic {
        Classic::Ecdsa(curve) => ecdsa::quickest(curve),
        Classic::Ed25519 => ed25519::quickest(),
    };
    let mut version = version::of("fieldtest-mldsa");
    if half.name != OWN {
        version = format!("{version} with {} {}", half.name, half.version);
    }
    let mut list = List::proven_by(prove);
    list.push(OWN, version, Arc::new(Composite::<P>::new(set, half.code)));
    (set.name, list.all)
}
