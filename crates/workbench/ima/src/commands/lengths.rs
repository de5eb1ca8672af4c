//! How long the xattrs of an algorithm are.

use anyhow::Result;
use fieldtest_catalog::signature::{self, Algorithm};
use fieldtest_ima::keys::KeyAlgorithm;
use fieldtest_ima::space::{Candidate, XATTR_SIZE_MAX};

use crate::outcome::usage;
use crate::study::xattr::{der, differs, longest, shorter, with_header};

/// The word for EVM's own authentication, which the machine makes with a key that only it has.
const HMAC: &str = "hmac";
/// An EVM HMAC: its type and 20 bytes of HMAC-SHA-1.
const HMAC_LENGTH: u64 = 21;

/// What the lengths are, for readers of a table of them.
pub(super) const EXPLAINED: &str = "xattr: 9 bytes of header and the signature. ECDSA's is DER: two integers of the \
    curve's length, up to one byte more for each whose first bit is set, two bytes before each, two or three before \
    both; the longest is taken, and three quarters of all signatures are one or more bytes shorter.";

/// Bytes of `security.ima` by a key that is there: the longest that there can be.
pub(super) fn xattr_of_key(key: &KeyAlgorithm, public: &[u8], algorithm: &Algorithm) -> u64 {
    match key {
        KeyAlgorithm::Rsa { bits } => with_header(bits.div_ceil(8) as u64),
        // `r ‖ s` has as many bytes as the point has coordinates.
        KeyAlgorithm::Ec { .. } => with_header(der(public.len() as u64)),
        // All others have the signatures of their specification.
        _ => longest(algorithm),
    }
}

/// The algorithms that were named; all whose signatures fit into an xattr if none was.
pub(super) fn algorithms(names: &[String]) -> Result<Vec<&'static Algorithm>> {
    if names.is_empty() {
        return Ok(signature::all()
            .iter()
            .filter(|algorithm| longest(algorithm) <= XATTR_SIZE_MAX)
            .collect());
    }
    names.iter().map(|name| signature::find(name).map_err(usage)).collect()
}

/// Bytes of `security.evm`, by an algorithm's name or the word `hmac`, and by how many it may be shorter.
pub(super) fn evm(name: &str) -> Result<(u64, u64)> {
    if name == HMAC {
        return Ok((HMAC_LENGTH, 0));
    }
    let algorithm = signature::find(name).map_err(usage)?;
    Ok((longest(algorithm), shorter(algorithm)))
}

/// What an algorithm would set on each file, `hedged` with randomness in it.
pub(super) fn candidate(
    algorithm: &Algorithm,
    evm: Option<(u64, u64)>,
    label: Option<u64>,
    hedged: bool,
) -> Candidate {
    let hedged = differs(algorithm, hedged);
    let candidate = Candidate::new(&algorithm.facts.name, longest(algorithm));
    let shorter = [shorter(algorithm), evm.map_or(0, |(_, shorter)| shorter)];
    Candidate { shorter, evm: evm.map(|(length, _)| length), label, hedged, ..candidate }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_no_xattr_is_left_out() {
        let all = algorithms(&[]).expect("the catalog");
        assert!(all.iter().all(|algorithm| longest(algorithm) <= XATTR_SIZE_MAX) && !all.is_empty());
        assert!(algorithms(&["rot13".to_owned()]).is_err());
    }
}
