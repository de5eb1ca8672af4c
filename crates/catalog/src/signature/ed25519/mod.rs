//! Ed25519 (RFC 8032, section 5.1): 32-byte seed, 32-byte public key, 64-byte deterministic signature.

#[cfg(feature = "aws-lc")]
mod aws_lc;
#[cfg(feature = "graviola")]
mod graviola;
mod rustcrypto;
mod vectors;

use crate::host::{self, Scheme};
use crate::version;

use super::{Family, Implementation, implementation};

pub(crate) const SEED: &str = "an Ed25519 seed";
pub(crate) const PUBLIC_KEY: &str = "an Ed25519 public key";

pub(super) fn family() -> Family {
    let mut implementations = linked();
    implementations.extend(host::signatures(Scheme::Ed25519, vectors::prove));
    vec![("ed25519", implementations)]
}

/// The first of those that are linked.
pub(super) fn quickest() -> Implementation {
    linked().swap_remove(0)
}

/// The first is what signs unless another is asked for: the fastest, where the processor has what it needs.
fn linked() -> Vec<Implementation> {
    let mut implementations = Vec::new();
    #[cfg(feature = "graviola")]
    if ::graviola::util::is_cpu_supported() {
        implementations.push(implementation(
            "graviola",
            version::of("graviola"),
            graviola::Ed25519,
            vectors::prove,
        ));
    }
    #[cfg(feature = "aws-lc")]
    implementations.push(implementation("aws-lc", version::of("aws-lc-rs"), aws_lc::Ed25519, vectors::prove));
    implementations.push(implementation(
        "rustcrypto",
        version::of("ed25519-dalek"),
        rustcrypto::Ed25519,
        vectors::prove,
    ));
    implementations
}
