//! Signature algorithms: their own facts, and the adapters, one module per family.

mod prepared;
mod wycheproof;

pub(crate) mod facts;

use fieldtest_kinds::signature::Signature;

pub use self::rsa::rsa_sha512;
pub use facts::{Dnssec, Ima, Randomness, SignatureFacts, Varying};

pub(crate) use crate::adapt::{exactly, failed, hex, put, random, wrong_length};

// Every family of signature algorithms: one word each.
crate::declare::kind! {
    Signature by Signature, SignatureFacts, "signature", "Signature algorithms",
    /// Every signature algorithm: classic ones first, then by status. What is to be [attached](crate::attach()) has to be before
    /// this is asked.
    [
        rsa,
        ecdsa,
        ed25519,
        ml_dsa,
        composite,
        slh_dsa,
        falcon,
        #[cfg(feature = "sqisign")]
        sqisign,
        mayo,
        hawk,
        antrag
    ]
}

type Prove = crate::join::Prove<crate::kind::Signature>;
