//! Ed25519 (RFC 8032, section 5.1): 32-byte seed, 32-byte public key, 64-byte deterministic signature.

#[cfg(feature = "aws-lc")]
mod aws_lc;
#[cfg(feature = "graviola")]
mod graviola;
mod rustcrypto;
mod vectors;

use crate::host::{self, Scheme};

use super::{Family, Implementation, List};

pub(crate) const SEED: &str = "an Ed25519 seed";
pub(crate) const PUBLIC_KEY: &str = "an Ed25519 public key";

pub(super) fn family() -> Family {
    vec![("ed25519", linked().with_hosts(|host| host::signature(host, Scheme::Ed25519)))]
}

/// The first of those that are linked.
pub(super) fn quickest() -> Implementation {
    linked().all.swap_remove(0)
}

/// The first is what signs unless another is asked for: the fastest, where the processor has what it needs.
fn linked() -> List {
    let mut list = List::proven_by(vectors::prove);
    #[cfg(feature = "graviola")]
    if ::graviola::util::is_cpu_supported() {
        list.add("graviola", "graviola", graviola::Ed25519);
    }
    #[cfg(feature = "aws-lc")]
    list.add("aws-lc", "aws-lc-rs", aws_lc::Ed25519);
    list.add("rustcrypto", "ed25519-dalek", rustcrypto::Ed25519);
    list
}
