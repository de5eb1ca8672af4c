//! MAC algorithms with their key derivation: their own facts, and the adapters, one module per family.

pub(crate) mod derivation;
mod facts;
mod kats;
pub(crate) mod keyed;
mod nonce;
mod rfc5925;
mod rustcrypto;

use fieldtest_kinds::mac::Mac;

pub use facts::MacFacts;

// Every family of MAC algorithms: one word each.
crate::declare::kind! {
    Mac by Mac, MacFacts, "mac", "Message authentication codes",
    /// Every MAC algorithm, by status.
    [hmac, cmac, kmac, blake2, blake3, siphash, gmac, poly1305, tcp_md5]
}

type Prove = crate::join::Prove<crate::kind::Mac>;
