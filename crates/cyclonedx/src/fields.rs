//! What the fields of an asset say against keeping what its name and its references are: it is revoked, it states another
//! strength, a public key is of a cipher.

use std::collections::BTreeSet;

use fieldtest_catalog::policies::{Strength, Use};

use crate::parts::Part;
use crate::read::Asset;

/// Bits of security under which policies ended classical algorithms before quantum computers were a reason.
pub(crate) const CLASSICAL: u32 = 112;

/// Types of material other than pairs of keys, and what has such.
const OF: [(&[&str], &[Use]); 8] = [
    (&["secret-key"], &[Use::Cipher, Use::Aead, Use::Mac, Use::Kdf, Use::Password, Use::Drbg]),
    (&["ciphertext"], &[Use::Cipher, Use::Aead, Use::KeyEstablishment]),
    (&["nonce", "initialization-vector"], &[Use::Cipher, Use::Aead, Use::Mac, Use::Drbg, Use::Kdf]),
    (&["digest"], &[Use::Hash]),
    (&["signature"], &[Use::Signature]),
    (&["tag"], &[Use::Mac, Use::Aead]),
    (&["shared-secret"], &[Use::KeyEstablishment, Use::Kdf]),
    (&["password", "salt"], &[Use::Password, Use::Kdf]),
];

/// How a key contradicts what it is of.
pub(crate) fn contradiction(asset: &Asset, uses: &BTreeSet<Use>) -> Option<&'static str> {
    let of_pairs = [Use::Signature, Use::KeyEstablishment];
    let is_pair = uses.iter().any(|it| of_pairs.contains(it));
    let is_other = uses.iter().any(|it| !of_pairs.contains(it) && ![Use::Hash, Use::Mac].contains(it));
    let is_key = asset.material.as_deref().is_some_and(|it| it == "key" || it.ends_with("-key"));
    let has = |all: &[Use]| uses.iter().any(|it| all.contains(it));
    let is_under = |bits: u32| asset.size.is_some_and(|size| size < bits);
    match asset.material.as_deref() {
        Some("public-key" | "private-key") if !is_pair || is_other => {
            Some("its algorithm has no pairs of keys")
        }
        Some("secret-key") if is_pair => Some("its algorithm has pairs of keys"),
        Some(kind) if OF.iter().any(|(kinds, of)| kinds.contains(&kind) && !uses.is_empty() && !has(of)) => {
            Some("its algorithm has nothing of this type")
        }
        _ if is_key && is_pair && is_under(2 * CLASSICAL) => {
            Some("no pair of keys that protects is as short")
        }
        Some("digest" | "signature" | "shared-secret") if is_under(CLASSICAL) => {
            Some("none that protects is as short")
        }
        _ if is_key && is_under(CLASSICAL) => Some("no key that protects is as short"),
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
    // CycloneDX's own examples state less for AES-256.
    let is_level =
        |stated: u64| stated <= 6 && parts.iter().filter_map(level).all(|own| (1..=own).contains(&stated));
    let is_other = !asset.quantum.iter().all(|stated| is_level(*stated));
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
