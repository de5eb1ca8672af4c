//! Ciphers of storage: their own facts, and the adapters, one module per family.

pub mod availability;
#[cfg(feature = "aws-lc")]
mod aws_lc;
mod facts;
mod kats;
mod mode;
mod own;
mod published_lea;
mod rustcrypto;
mod sectors;
mod standing;
#[cfg(test)]
mod tests;
mod timing;
mod unmeasured;
mod wide;

use fieldtest_kinds::cipher::Cipher;

pub use facts::{CipherFacts, Width};
pub(crate) use mode::Mode;
pub(crate) use own::Portable;
pub(crate) use sectors::{check_key, xts_halves};
pub use standing::Standing;
pub use timing::{Instructions, Timing};
pub use unmeasured::{Unmeasured, unmeasured, unmeasured_keys};

// Every family of ciphers: one word each.
crate::declare::kind! {
    Cipher by Cipher, CipherFacts, "cipher", "Ciphers of storage",
    /// Every cipher of storage: those for disks with narrow blocks, those with wide blocks, and last the modes that are no
    /// protection for a disk; within these by status.
    [blocks, adiantum, hctr2]
}

type Prove = crate::join::Prove<crate::kind::Cipher>;
