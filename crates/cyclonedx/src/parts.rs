//! What an asset is made of, and what follows from what stands beside what: uses, curves, hybrids.

use fieldtest_catalog::policies::{Family, Use, families};

use crate::tokens::{AUTHENTICATE, MODES};

/// One thing that an asset is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub family: &'static Family,
    /// What it is for; several where the document leaves that open.
    pub does: Vec<Use>,
    /// Its size, where that is stated.
    pub size: Option<u32>,
    /// The mode of a cipher, in capitals; of RSA `PKCS1`, where its padding is that of version 1.5.
    pub mode: Option<&'static str>,
    /// Bits of what authenticates, where that is stated.
    pub tag: Option<u32>,
    /// Whether it is the classical half of a hybrid, which protects also when quantum computers break this one.
    pub is_half: bool,
}

/// A part that is looked at: `unknown`, `unstated` or `contradiction`.
pub fn marker(name: &str) -> Part {
    part(family(name), Vec::new(), None)
}

pub(crate) fn part(family: &'static Family, does: Vec<Use>, size: Option<u32>) -> Part {
    Part { family, does, size, mode: None, tag: None, is_half: false }
}

/// Whether two parts may be the same: either may say more than the other, but not something else.
pub(crate) fn agree(one: &Part, other: &Part) -> bool {
    let is_same = one.family == other.family || (is_curve(one) && is_curve(other));
    let is_open = |one: Option<u32>, other: Option<u32>| one.is_none() || other.is_none() || one == other;
    let has_mode = one.mode.is_none() || other.mode.is_none() || one.mode == other.mode;
    is_same && is_open(one.size, other.size) && has_mode
}

pub(crate) fn family(name: &str) -> &'static Family {
    families().iter().find(|it| it.name == name).unwrap_or(&families()[0])
}

/// Families of curves.
const CURVES: [&str; 3] = ["EC", "Brainpool", "secp256k1"];

pub(crate) fn is_curve(part: &Part) -> bool {
    ["ECDSA", "ECDH"].iter().chain(&CURVES).any(|it| part.family.name == *it)
}

pub(crate) fn is_on_curve(part: &Part) -> bool {
    is_curve(part) || part.family.name == "EdDSA"
}

/// A curve beside an algorithm on curves is the algorithm's, if that has no other.
pub(crate) fn one_curve(all: &mut Vec<Part>) {
    let is_on_one = |part: &Part| ["ECDSA", "ECDH", "EdDSA"].contains(&part.family.name.as_str());
    let Some(owner) = all.iter().position(is_on_one) else { return };
    let fits = |part: &Part| {
        let size = all[owner].size;
        CURVES.contains(&part.family.name.as_str())
            && (size.is_none() || part.size.is_none() || part.size == size)
    };
    let Some(at) = all.iter().position(fits) else { return };
    let curve = all[at].clone();
    let size = all[owner].size.or(curve.size);
    let family = if curve.family.name == "EC" { all[owner].family } else { curve.family };
    all[owner] = Part { family, size, ..all[owner].clone() };
    all.remove(at);
}
/// What each part is for, by the primitive, the mode and what stands beside it.
pub(crate) fn settle_uses(all: &mut [Part], mode: Option<&'static str>, primitive: Option<&str>) {
    let has = |all: &[Part], does: Use| all.iter().any(|part| part.does.contains(&does));
    // A key encapsulation beside a curve is a hybrid, whatever the primitive.
    let is_kem = |part: &Part| part.does == [Use::KeyEstablishment] && part.family.strength.is_none();
    let agrees = ["key-agree", "kem"].iter().any(|it| primitive == Some(it))
        || (primitive != Some("signature") && all.iter().any(is_kem));
    let signs = primitive == Some("signature") || (!agrees && has(all, Use::Signature) && all.len() > 1);
    let authenticates = match mode {
        Some(mode) => MODES[..AUTHENTICATE].contains(&mode),
        None => primitive == Some("ae"),
    };
    let keyed = [Use::Mac, Use::Kdf, Use::Password, Use::Cipher, Use::Aead];
    let is_keyed = keyed.iter().any(|it| has(all, *it));
    let signs = signs && !is_keyed && has(all, Use::Signature);
    for part in all.iter_mut() {
        match part.does.as_slice() {
            [Use::Signature, Use::KeyEstablishment] => match primitive {
                Some("signature") => part.does = vec![Use::Signature],
                _ if agrees => part.does = vec![Use::KeyEstablishment],
                _ if signs => part.does = vec![Use::Signature],
                _ => {}
            },
            [Use::Cipher] => {
                part.mode = mode;
                if authenticates {
                    part.does = vec![Use::Aead];
                }
            }
            [Use::Hash] if signs => part.does = vec![Use::SignatureHash],
            [Use::Hash] if is_keyed || agrees || primitive == Some("mac") => part.does = vec![Use::MacHash],
            _ => {}
        }
    }
}

/// A post-quantum algorithm and one classical one under one name protect as long as one of them does. Whatever else there is,
/// and a second classical one, is judged as if it were alone.
/// Returned is whether one post-quantum algorithm has two sizes, of which a hybrid can have only one.
pub(crate) fn combine(all: &mut [Part]) -> bool {
    let mut is_contradiction = false;
    for (post_quantum, does, both) in
        [("ML-KEM", Use::KeyEstablishment, "hybrid KEM"), ("ML-DSA", Use::Signature, "composite signature")]
    {
        let Some(at) = all.iter().position(|part| part.family.name == post_quantum) else { continue };
        is_contradiction |= all[at + 1..].iter().any(|part| part.family.name == post_quantum);
        // What a standard grew out of is not classical.
        let is_classical = |part: &Part| part.family.strength.is_some() || is_curve(part);
        let is_other = |part: &Part| is_classical(part) && part.does.contains(&does);
        let halves: Vec<usize> = (0..all.len()).filter(|at| is_other(&all[*at])).collect();
        if let [half] = halves[..] {
            (all[half].is_half, all[half].does) = (true, vec![does]);
            all[at].family = family(both);
        }
    }
    // Others that a policy wants beside a classical algorithm; they have no standard whose hybrids it could name.
    for name in ["FrodoKEM", "Classic McEliece"] {
        let is_classical = |part: &&mut Part| {
            (part.family.strength.is_some() || is_curve(part)) && part.does.contains(&Use::KeyEstablishment)
        };
        if all.iter().any(|part| part.family.name == name)
            && let [half] = all.iter_mut().filter(is_classical).collect::<Vec<_>>().as_mut_slice()
        {
            half.is_half = true;
        }
    }
    is_contradiction
}

/// Whether a MAC, a KDF or a generator is stated without the hash function or the cipher that it is made of. A protocol alone,
/// or with its version, is no algorithm, but what makes its keys: `TLS12-PRF-SHA384`.
pub(crate) fn lacks_a_part(all: &[Part]) -> bool {
    let has = |uses: &[Use]| all.iter().any(|part| uses.iter().any(|it| part.family.does == [*it]));
    let is_protocol = |part: &Part| part.family.does == [Use::Protocol];
    let is_version = |part: &Part| is_protocol(part) && part.size.is_some();
    all.iter().all(is_protocol)
        || all.iter().any(is_version)
        || all.iter().any(|part| match part.family.name.as_str() {
            "HMAC" | "HKDF" | "PBKDF2" | "one-step KDF" => !has(&[Use::Hash]),
            "CMAC" | "GMAC" => !has(&[Use::Cipher]),
            "DRBG" => !has(&[Use::Hash, Use::Cipher]),
            _ => false,
        })
}

/// Whether something of a primitive of CycloneDX is among the parts; nothing of a word that is none.
pub(crate) fn suits(primitive: Option<&str>, all: &[Part]) -> Option<bool> {
    let uses: &[Use] = match primitive {
        None | Some("other" | "unknown" | "") => return Some(true),
        Some("signature") => &[Use::Signature],
        Some("kem" | "key-agree") => &[Use::KeyEstablishment],
        Some("pke" | "combiner") => &[Use::Signature, Use::KeyEstablishment],
        Some("hash" | "xof") => &[Use::Hash],
        Some("mac") => &[Use::Mac],
        Some("kdf") => &[Use::Kdf, Use::Password],
        Some("drbg") => &[Use::Drbg],
        Some("ae") if all.iter().any(|part| part.does == [Use::Mac]) => &[Use::Cipher],
        Some("ae") => &[Use::Aead],
        Some("block-cipher" | "stream-cipher") => &[Use::Cipher, Use::Aead],
        Some("key-wrap") => &[Use::Cipher, Use::Aead, Use::KeyEstablishment],
        Some(_) => return None,
    };
    Some(all.iter().any(|part| uses.iter().any(|it| part.does.contains(it))))
}
