//! How long the xattrs of an algorithm are.

use anyhow::Result;
use fieldtest_catalog::signature::{self, Algorithm};
use fieldtest_ima::keys::KeyAlgorithm;
use fieldtest_ima::space::{Candidate, XATTR_SIZE_MAX};
use fieldtest_ima::xattr::SIGNATURE_HEADER;
use fieldtest_kinds::signature::PublicKeyForm;

use crate::outcome::usage;

/// The word for EVM's own authentication, which the machine makes with a key that only it has.
const HMAC: &str = "hmac";
/// An EVM HMAC: its type and 20 bytes of HMAC-SHA-1.
const HMAC_LENGTH: u64 = 21;

/// What the lengths are, for readers of a table of them.
pub(super) const EXPLAINED: &str = "xattr: 9 bytes of header and the signature. ECDSA's is DER: two integers of the \
    curve's length, up to one byte more for each whose first bit is set, two bytes before each, two or three before \
    both; the longest is taken, and three quarters of all signatures are one or more bytes shorter.";

/// Bytes of `security.ima` by an algorithm: the longest that there can be.
pub(super) fn xattr(algorithm: &Algorithm) -> u64 {
    let signature = algorithm.facts.kind.signature as u64;
    with_header(if is_ecdsa(algorithm) { der(signature) } else { signature })
}

/// The same of a key that is there.
pub(super) fn xattr_of_key(key: &KeyAlgorithm, public: &[u8], algorithm: &Algorithm) -> u64 {
    match key {
        KeyAlgorithm::Rsa { bits } => with_header(bits.div_ceil(8) as u64),
        // `r ‖ s` has as many bytes as the point has coordinates.
        KeyAlgorithm::Ec { .. } => with_header(der(public.len() as u64)),
        KeyAlgorithm::Named(_) => xattr(algorithm),
    }
}

/// The longest `Ecdsa-Sig-Value` (RFC 3279, section 2.2.3) of two integers of `fixed` bytes together.
fn der(fixed: u64) -> u64 {
    let integers = 2 * (2 + 1 + fixed / 2);
    integers + if integers < 128 { 2 } else { 3 }
}

fn with_header(signature: u64) -> u64 {
    SIGNATURE_HEADER as u64 + signature
}

/// Only ECDSA has points for keys, whichever curve it is on.
fn is_ecdsa(algorithm: &Algorithm) -> bool {
    algorithm.implementations.iter().any(|i| i.code.public_key_form() == PublicKeyForm::EcPoint)
}

/// The algorithms that were named; all whose signatures fit into an xattr if none was.
pub(super) fn algorithms(names: &[String]) -> Result<Vec<&'static Algorithm>> {
    if names.is_empty() {
        return Ok(signature::all().iter().filter(|algorithm| xattr(algorithm) <= XATTR_SIZE_MAX).collect());
    }
    names.iter().map(|name| signature::find(name).map_err(usage)).collect()
}

/// Bytes of `security.evm`, by an algorithm's name or the word `hmac`.
pub(super) fn evm(name: &str) -> Result<u64> {
    if name == HMAC { Ok(HMAC_LENGTH) } else { Ok(xattr(signature::find(name).map_err(usage)?)) }
}

/// What an algorithm would set on each file.
pub(super) fn candidate(algorithm: &Algorithm, evm: Option<u64>, label: Option<u64>) -> Candidate {
    Candidate { evm, label, ..Candidate::new(&algorithm.facts.name, xattr(algorithm)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_of_each() {
        let length = |name: &str| xattr(signature::find(name).expect("an algorithm of the catalog"));
        assert_eq!(length("rsa-2048"), 265);
        assert_eq!((length("ecdsa-p256"), length("ecdsa-p384")), (81, 113));
        assert_eq!((length("ml-dsa-44"), length("ml-dsa-65"), length("ml-dsa-87")), (2429, 3318, 4636));
        // P-521: two integers of 67 bytes with their headers, and a length of two bytes before them.
        assert_eq!(der(132), 141);
        assert_eq!(evm("hmac").expect("a length"), 21);
    }

    #[test]
    fn what_fits_no_xattr_is_left_out() {
        let all = algorithms(&[]).expect("the catalog");
        assert!(all.iter().all(|algorithm| xattr(algorithm) <= XATTR_SIZE_MAX) && !all.is_empty());
        assert!(algorithms(&["rot13".to_owned()]).is_err());
    }
}
