//! How long the xattrs of an algorithm are.

use fieldtest_catalog::signature::{Algorithm, Randomness};
use fieldtest_ima::xattr::SIGNATURE_HEADER;
use fieldtest_kinds::signature::PublicKeyForm;

/// Bytes of `security.ima` by an algorithm: the longest that there can be. ECDSA's signatures are DER there.
pub(crate) fn longest(algorithm: &Algorithm) -> u64 {
    let signature = algorithm.facts.kind.signature as u64;
    with_header(if is_ecdsa(algorithm) { der(signature) } else { signature })
}

/// By how many bytes signatures of an algorithm may be shorter. Of ECDSA's, one in 2^47 is shorter than that.
pub(crate) fn shorter(algorithm: &Algorithm) -> u64 {
    if is_ecdsa(algorithm) { 8 } else { 0 }
}

pub(crate) fn with_header(signature: u64) -> u64 {
    SIGNATURE_HEADER as u64 + signature
}

/// The longest `Ecdsa-Sig-Value` (RFC 3279, section 2.2.3) of two integers of `fixed` bytes together.
pub(crate) fn der(fixed: u64) -> u64 {
    let integers = 2 * (2 + 1 + fixed / 2);
    integers + if integers < 128 { 2 } else { 3 }
}

/// Whether `sign` makes the same signature of equal files: it takes the deterministic variant where there is one. Of an
/// algorithm without an implementation that is not known.
pub(crate) fn is_deterministic(algorithm: &Algorithm) -> bool {
    !algorithm.implementations.is_empty()
        && matches!(algorithm.facts.kind.randomness, Some(Randomness::Never | Randomness::Optional))
}

/// Whether equal files are given different signatures by `sign`, or by `sign --hedged`: only algorithms that sign messages
/// can be given randomness there.
pub(crate) fn differs(algorithm: &Algorithm, hedged: bool) -> bool {
    !is_deterministic(algorithm) || hedged && can_be_hedged(algorithm)
}

fn can_be_hedged(algorithm: &Algorithm) -> bool {
    let signs_messages =
        algorithm.implementations.iter().all(|it| it.code.public_key_form() == PublicKeyForm::Plain);
    signs_messages && algorithm.facts.kind.randomness == Some(Randomness::Optional)
}

/// Only ECDSA has points for keys, whichever curve it is on.
fn is_ecdsa(algorithm: &Algorithm) -> bool {
    algorithm.implementations.iter().any(|i| i.code.public_key_form() == PublicKeyForm::EcPoint)
}

#[cfg(test)]
mod tests {
    use fieldtest_catalog::signature::find;
    use fieldtest_ima::HashAlgorithm;

    use super::*;

    #[test]
    fn who_signs_equal_files_alike() {
        // The small variants of SLH-DSA take their time, and are the fast ones' code.
        let all = fieldtest_catalog::signature::all().iter().filter(|algorithm| {
            let name = &algorithm.facts.name;
            let slow = name.starts_with("slh-dsa") && name.ends_with('s');
            !algorithm.implementations.is_empty() && !slow
        });
        for algorithm in all {
            let Ok(signer) = crate::algorithms::signer(algorithm, None, None, HashAlgorithm::Sha256) else {
                continue;
            };
            let tried = crate::algorithms::is_deterministic(signer, None, HashAlgorithm::Sha256);
            assert_eq!(tried, is_deterministic(algorithm), "{}", algorithm.facts.name);
        }
    }

    #[test]
    fn the_longest_of_each() {
        let length = |name: &str| longest(find(name).expect("an algorithm of the catalog"));
        assert_eq!(length("rsa-2048"), 265);
        assert_eq!((length("ecdsa-p256"), length("ecdsa-p384")), (81, 113));
        assert_eq!((length("ml-dsa-44"), length("ml-dsa-65"), length("ml-dsa-87")), (2429, 3318, 4636));
        // P-521: two integers of 67 bytes with their headers, and a length of two bytes before them.
        assert_eq!(der(132), 141);
    }
}
