//! What the fields of an asset say against keeping what its name and its references are: it is revoked, it states another
//! strength, a public key is of a cipher.

use std::collections::BTreeSet;

use fieldtest_catalog::policies::{Strength, Use};

use crate::parts::Part;
use crate::read::Asset;

/// Bits of security under which policies ended classical algorithms before quantum computers were a reason.
pub(crate) const CLASSICAL: u32 = 112;

/// How a key contradicts what it is of.
pub(crate) fn contradiction(asset: &Asset, uses: &BTreeSet<Use>) -> Option<&'static str> {
    let of_pairs = [Use::Signature, Use::KeyEstablishment];
    let is_pair = uses.iter().any(|it| of_pairs.contains(it));
    let is_other = uses.iter().any(|it| !of_pairs.contains(it) && ![Use::Hash, Use::Mac].contains(it));
    let is_key = asset.material.as_deref().is_some_and(|it| it == "key" || it.ends_with("-key"));
    match asset.material.as_deref() {
        Some("public-key" | "private-key") if !is_pair || is_other => {
            Some("its algorithm has no pairs of keys")
        }
        Some("secret-key") if is_pair => Some("its algorithm has pairs of keys"),
        Some("digest") if !uses.contains(&Use::Hash) => Some("its algorithm does not hash"),
        Some("signature") if !uses.contains(&Use::Signature) => Some("its algorithm does not sign"),
        Some("password") if !uses.contains(&Use::Password) => Some("its algorithm is not for passwords"),
        _ if is_key && asset.size.is_some_and(|size| size < CLASSICAL) => {
            Some("no key that protects is as short")
        }
        _ => None,
    }
}

/// Whether fields that state what an algorithm offers contradict what it is made of.
pub(crate) fn contradicts_fields(asset: &Asset, parts: &[Part]) -> bool {
    let level = |part: &Part| match (part.family.name.as_str(), part.size?) {
        ("ML-KEM" | "hybrid KEM", 512) | ("SLH-DSA" | "AES", 128) => Some(1),
        ("ML-DSA" | "composite signature", 44) => Some(2),
        ("ML-KEM" | "hybrid KEM", 768)
        | ("ML-DSA" | "composite signature", 65)
        | ("SLH-DSA" | "AES", 192) => Some(3),
        ("ML-KEM" | "hybrid KEM", 1024)
        | ("ML-DSA" | "composite signature", 87)
        | ("SLH-DSA" | "AES", 256) => Some(5),
        _ => None,
    };
    // The key of a cipher is its strength; of a hash function, collisions count, or all of it.
    let fits = |part: &Part, bits: u64| match (part.family.strength, part.size.map(u64::from)) {
        (Some(Strength::Size), Some(size)) => bits == size,
        (Some(Strength::Half), Some(size)) if part.does == [Use::Hash] => (size / 2..=size).contains(&bits),
        _ => bits >= CLASSICAL.into(),
    };
    let is_weak = asset
        .classical
        .iter()
        .any(|bits| *bits < u64::from(CLASSICAL) || !parts.iter().all(|part| fits(part, *bits)));
    let is_other = asset
        .quantum
        .iter()
        .any(|stated| *stated > 6 || parts.iter().filter_map(level).any(|own| *stated != own));
    let serves = |function: &String| {
        let uses: &[Use] = match function.as_str() {
            "sign" | "verify" => &[Use::Signature, Use::Mac],
            "tag" => &[Use::Mac, Use::Aead],
            "digest" => &[Use::Hash, Use::SignatureHash, Use::MacHash],
            "encrypt" | "decrypt" => &[Use::Cipher, Use::Aead, Use::KeyEstablishment],
            "encapsulate" | "decapsulate" => &[Use::KeyEstablishment],
            "keyderive" => &[Use::Kdf, Use::Password, Use::KeyEstablishment],
            _ => return true,
        };
        parts.iter().any(|part| part.does.iter().any(|does| uses.contains(does)))
    };
    is_weak || is_other || !asset.functions.iter().all(serves)
}
