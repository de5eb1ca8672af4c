//! KMAC (NIST SP 800-185, section 4). It binds the length of the tag into the tag.

mod rustcrypto;
mod vectors;

use crate::host;

use super::derivation::Derivation;
use super::keyed::Adapter;
use super::{Family, Implementation, List, Prove};

/// Bytes of the longest tag offered; the algorithm itself sets no limit.
pub(crate) const LONGEST_TAG: usize = 64;

/// The customization of a MAC, and of the key derivation (draft-ietf-tcpm-tcp-ao-algs-07).
const TAGS: &[u8] = b"";
const KEYS: &[u8] = b"KDF";

pub(super) fn family() -> Family {
    vec![
        ("kmac256-128", implementations::<136>(c"KMAC-256", vectors::prove_256)),
        ("kmac128-128", implementations::<168>(c"KMAC-128", vectors::prove_128)),
    ]
}

fn implementations<const RATE: usize>(
    openssl: &'static std::ffi::CStr,
    prove: Prove,
) -> Vec<Implementation> {
    let rustcrypto = |customization| rustcrypto::Kmac::<RATE> { customization };
    let adapter = Adapter::with_prf(rustcrypto(TAGS), rustcrypto(KEYS), Derivation::OneStep);
    let mut list = List::proven_by(prove);
    list.add("rustcrypto", "cshake", adapter);
    list.with_hosts(|host| host::kmac(host, openssl, [TAGS, KEYS]))
}
