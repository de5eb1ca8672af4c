//! What cryptography an asset is made of, by names and object identifiers alone, whether the catalog has it or not:
//! `SHA1withRSA` is RSA of any size and SHA-1 in a signature.

use fieldtest_catalog::Entry;
use fieldtest_catalog::policies::{Use, of_oid};

use crate::parts::{Part, agree, family, marker, part};
use crate::read::Asset;
use crate::reading::Reading;
use crate::tokens::without_suffix;

/// A mode that CycloneDX has no word for.
const OTHER: &str = "OTHER";

/// What an asset is made of; nothing where neither its name nor its object identifier is known. `uses` are the names of what
/// it depends on: the hash functions among them are its own.
pub fn meaning(asset: &Asset, entries: &[Box<dyn Entry>], uses: &[&str]) -> Vec<Part> {
    let name = without_suffix(&asset.name);
    let primitive = asset.primitive.as_deref();
    let mode = asset.mode.as_deref().unwrap_or_default();
    // Digits alone are the size of what the name says first.
    let named = Reading::of(&[name]).parts;
    let has_only = |use_: Use| named.iter().all(|(part, _)| part.family.does == [use_]);
    let is_sized = |part: &Part| {
        part.size.is_some()
            && !part.family.sizes.is_empty()
            && (part.family.does != [Use::Hash] || has_only(Use::Hash))
    };
    let owner = named.iter().find(|(part, _)| is_sized(part)).map(|(part, _)| part.family.write(None));
    // Words that say nothing alone may belong to the family or the name: `MD` and `5`, `DH` and `Group 2`.
    let whole = match named.as_slice() {
        [] => asset.family.as_deref().unwrap_or_default(),
        [(one, _)] => &one.family.name,
        _ => name,
    };
    let set = asset.set.as_deref().map(|set| match &owner {
        Some(owner) if set.starts_with(|c: char| c.is_ascii_digit()) => format!("{owner} {set}"),
        _ if is_unknown(set) => format!("{whole} {set}"),
        _ => set.to_owned(),
    });
    let stated =
        |field: &Option<String>| field.clone().filter(|it| !["unknown", "other"].contains(&it.as_str()));
    let padding = asset.padding.clone().filter(|it| it != "unknown").map(|it| it.replace("raw", "nopadding"));
    let fields = [
        Some(name.to_owned()),
        asset.family.clone(),
        set,
        asset.curve.clone(),
        stated(&asset.mode),
        padding,
        asset.variant.clone(),
    ];
    let fields: Vec<String> = fields.into_iter().map(Option::unwrap_or_default).collect();
    let mut reading = Reading::of(&fields.iter().map(String::as_str).collect::<Vec<_>>());
    reading.contradict_family();
    reading.depend_on(uses);
    let is_other = mode == "other" && reading.modes.is_empty();
    // Of a MAC, so few bits may be those of its key as well as of its tag.
    let is_mac = named.iter().any(|(part, _)| part.family.does == [Use::Mac]);
    let is_short = |set: &String| set.parse::<u32>().is_ok_and(|bits| bits < SHORTEST);
    reading.is_unknown |= is_mac && asset.set.as_ref().is_some_and(is_short);
    let is_unknown = reading.is_unknown;
    let mut all = reading.finish(primitive);
    for part in all.iter_mut().filter(|part| is_other && part.family.does == [Use::Cipher]) {
        part.mode = Some(OTHER);
    }
    let Some(oid) = asset.oid.as_deref().filter(|oid| !oid.is_empty()) else { return all };
    let mut wider = titles(oid, entries, primitive, true);
    let by_oid = of_identifier(oid, entries, primitive);
    let (markers, by_name): (Vec<_>, Vec<_>) = all.into_iter().partition(|it| it.does.is_empty());
    let is_within = |some: &[Part], all: &[Part]| some.iter().all(|one| all.iter().any(|it| agree(one, it)));
    let complete = |mut all: Vec<Part>, other: &[Part]| {
        for part in all.iter_mut().filter(|part| part.size.is_none()) {
            part.size = other.iter().find(|it| it.family == part.family).and_then(|it| it.size);
        }
        all
    };
    let of_wider =
        |parts: Vec<Part>| parts.iter().any(|one| by_name.iter().any(|it| it.family == one.family));
    let mut all = match (by_name.is_empty(), by_oid.is_empty()) {
        (true, true) => return markers,
        (true, false) => [by_oid, is_unknown.then(|| marker("unknown")).into_iter().collect()].concat(),
        (false, true) if wider.clone().any(of_wider) => by_name,
        (false, true) if wider.next().is_some() => [by_name, vec![marker("contradiction")]].concat(),
        (false, true) => [by_name, vec![marker("unknown")]].concat(),
        _ if is_within(&by_oid, &by_name) => complete(by_name, &by_oid),
        _ if is_within(&by_name, &by_oid) => complete(by_oid, &by_name),
        _ => [by_name, by_oid, vec![marker("contradiction")]].concat(),
    };
    all.extend(markers);
    all
}

/// What an object identifier is of; nothing where it is not known.
pub(crate) fn of_identifier(oid: &str, entries: &[Box<dyn Entry>], primitive: Option<&str>) -> Vec<Part> {
    let of_catalog = || titles(oid, entries, primitive, false).next();
    of_oid(oid).map(|name| parts(name, primitive)).or_else(of_catalog).unwrap_or_default()
}

/// What the algorithms of the catalog with an object identifier are made of, or those that it is a wider one of.
fn titles<'e>(
    oid: &'e str,
    entries: &'e [Box<dyn Entry>],
    primitive: Option<&'e str>,
    is_wider: bool,
) -> impl Iterator<Item = Vec<Part>> + Clone + use<'e> {
    let has = move |entry: &dyn Entry| {
        let facts = entry.cyclonedx();
        let oids = facts.map_or(&[][..], |it| if is_wider { &it.wider_oids } else { &it.oids });
        oids.iter().any(|it| it == oid)
    };
    entries.iter().map(AsRef::as_ref).filter(move |it| has(*it)).map(move |it| parts(it.title(), primitive))
}

/// Whether names, such as a suite's and its code point's, are of the same.
pub(crate) fn is_same(one: &[Part], other: &[Part]) -> bool {
    let is_within =
        |some: &[Part], all: &[Part]| some.iter().all(|it| all.iter().any(|other| agree(it, other)));
    is_within(one, other) || is_within(other, one)
}

/// Parts with the size of a key that is of the first of them.
pub fn of_key(mut parts: Vec<Part>, size: u32) -> Vec<Part> {
    let is_keyed = |part: &Part| part.family.strength.is_some() && part.family.does != [Use::Hash];
    if let Some(part) = parts.iter_mut().find(|part| is_keyed(part)) {
        // Of XTS, a key has two halves (IEEE 1619).
        let halves = if part.mode == Some("XTS") { 2 } else { 1 };
        match part.size {
            None => part.size = Some(size / halves),
            // Some write whole octets.
            Some(own) if (own * halves).div_ceil(8) == size.div_ceil(8) => {}
            Some(_) => {
                let other = Part { size: Some(size / halves), ..part.clone() };
                parts.splice(0..0, [marker("contradiction"), other]);
            }
        }
    } else if size < SHORTEST
        && let Some(part) =
            parts.iter_mut().find(|it| [Use::Mac, Use::Kdf, Use::Drbg].iter().any(|does| it.does == [*does]))
    {
        part.size = Some(size);
    }
    parts
}

/// Bits of a key of a MAC, a KDF or a generator, under which SP 800-131A (sections 4, 8 and 10) allows none.
const SHORTEST: u32 = 112;

/// What a cipher suite is made of. OpenSSL's names of those of TLS do not say that keys are transported with RSA, and those
/// without a cipher (RFC 9150) do not encrypt.
pub fn of_suite(name: &str, is_tls: bool) -> Vec<Part> {
    let mut all = parts(name, None);
    all.retain(|part| part.does != [Use::Protocol]);
    if !is_tls || all.is_empty() {
        return all;
    }
    let has = |uses: &[Use]| {
        all.iter().any(|part| part.does.is_empty() || uses.iter().any(|it| part.does.contains(it)))
    };
    let has_keys = has(&[Use::Signature, Use::KeyEstablishment]);
    if !has(&[Use::Cipher, Use::Aead]) {
        all.push(part(family("NULL"), vec![Use::Cipher], None));
    }
    if name.contains('-') && !name.contains('_') && !has_keys {
        all.push(Part { mode: Some("PKCS1"), ..part(family("RSA"), vec![Use::KeyEstablishment], None) });
    }
    all
}

/// What a name is made of.
pub fn parts(name: &str, primitive: Option<&str>) -> Vec<Part> {
    Reading::of(&[name]).finish(primitive)
}

/// Whether a name has a word that is not known.
pub(crate) fn is_unknown(name: &str) -> bool {
    Reading::of(&[name]).is_unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(name: &str, primitive: &str) -> String {
        let parts = parts(name, Some(primitive).filter(|it| !it.is_empty()));
        let of = |part: &Part| {
            let uses: Vec<&str> = part.does.iter().map(|it| it.word()).collect();
            let mode = part.mode.map(|mode| format!(" {mode}")).unwrap_or_default();
            format!("{}{mode} ({})", part.family.write(part.size), uses.join("|"))
        };
        parts.iter().map(of).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn names_as_others_write_them() {
        for (name, primitive, is) in [
            ("SHA1withRSA", "signature", "SHA-1 (signature-hash), RSA (signature)"),
            ("SHA512withRSA 512", "", "SHA-512 (signature-hash), RSA (signature)"),
            ("SHA256withDSA 2048", "signature", "SHA-256 (signature-hash), DSA-2048 (signature)"),
            ("RSA-2048 2048", "pke", "RSA-2048 (signature|key-establishment)"),
            ("RSA-OAEP 2048 ecb", "pke", "RSA-2048 (key-establishment)"),
            ("EC-secp521r1 secp521r1", "pke", "EC-521 (signature|key-establishment)"),
            ("EC", "key-agree", "EC (key-establishment)"),
            ("ECDH curve25519", "", "ECDH-255 (key-establishment)"),
            ("x25519 Curve25519", "key-agree", "ECDH-255 (key-establishment)"),
            ("curve25519-sha256 x25519", "key-agree", "SHA-256 (mac-hash), ECDH-255 (key-establishment)"),
            ("Ed25519 host key ed25519", "signature", "EdDSA-255 (signature)"),
            ("AES128-CBC-PKCS5 128 cbc", "block-cipher", "AES-128 CBC (cipher)"),
            ("AES 128 gcm", "ae", "AES-128 GCM (aead)"),
            ("AES256/GCM/NoPadding", "", "AES-256 GCM (aead)"),
            ("DESede/ECB/PKCS5Padding", "block-cipher", "3DES ECB (cipher)"),
            ("DES56-CFB-PKCS5 56", "block-cipher", "DES-56 CFB (cipher)"),
            ("HMAC-SHA256", "mac", "HMAC (mac), SHA-256 (mac-hash)"),
            ("hmacsha1 512", "mac", "HMAC (mac), SHA-1 (mac-hash)"),
            ("SHA-384", "hash", "SHA-384 (hash)"),
            ("SHA3-256", "hash", "SHA3-256 (hash)"),
            ("SHA-512/256", "hash", "SHA-256 (hash)"),
            ("SHA", "hash", "SHA-1 (hash)"),
            ("SHA2", "hash", "SHA-2 (hash)"),
            ("X25519MLKEM768", "kem", "ECDH-255 (key-establishment), hybrid KEM-768 (key-establishment)"),
            ("MLDSA44-ECDSA-P256", "signature", "composite signature-44 (signature), ECDSA-256 (signature)"),
            ("ML-KEM-768", "kem", "ML-KEM-768 (key-establishment)"),
            ("SLH-DSA-SHA2-256s", "signature", "SLH-DSA-256 (signature)"),
            ("LMS_SHA256_M32_H10 with W4", "signature", "LMS (signature)"),
            ("ECDSA P-256 P-256-SHA-256", "signature", "ECDSA-256 (signature), SHA-256 (signature-hash)"),
            ("ChaCha20-Poly1305", "ae", "ChaCha20-Poly1305 (aead)"),
            (
                "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
                "",
                "TLS (protocol), ECDH (key-establishment), RSA (signature|key-establishment), AES-256 GCM (aead), SHA-384 (mac-hash)",
            ),
            ("RSA-512 512", "signature", "RSA-512 (signature)"),
            ("RSA-OAEP-256", "pke", "RSA (key-establishment), SHA-256 (mac-hash)"),
            ("SHA256withRSAandMGF1", "", "SHA-256 (signature-hash), RSA (signature)"),
            ("RSAES-PKCS1-v1_5", "pke", "RSA PKCS1 (key-establishment)"),
            ("RSA 2048 pkcs1v15", "signature", "RSA-2048 PKCS1 (signature)"),
            (
                "TLS_RSA_WITH_AES_128_CBC_SHA",
                "",
                "TLS (protocol), RSA PKCS1 (key-establishment), AES-128 CBC (cipher), SHA-1 (mac-hash)",
            ),
            ("diffie-hellman-group1-sha1", "key-agree", "DH-1024 (key-establishment), SHA-1 (mac-hash)"),
            ("ECDSA secp256k1", "signature", "secp256k1 (signature)"),
            ("SIKE", "kem", "SIKE (key-establishment)"),
            ("sntrup761x25519-sha512", "key-agree", "SHA-512 (mac-hash), unknown ()"),
            ("SM2-with-SHA256", "signature", "SM2 (signature), SHA-256 (signature-hash)"),
            ("A5/1 AES-256", "", "AES-256 (cipher), unknown ()"),
            ("SHA-256", "signature", "SHA-256 (hash), contradiction ()"),
            ("ECDSA key of curve secp112r1", "", "ECDSA-112 (signature)"),
            ("P-257", "signature", ""),
            ("DH group 1", "key-agree", "DH-768 (key-establishment)"),
            ("DH group 14", "", "DH-2048 (key-establishment)"),
            ("DH group 19", "", "ECDH-256 (key-establishment)"),
            ("DH group 99", "", "unknown ()"),
            ("AES-256-GCM-SIV", "ae", "AES-256 GCMSIV (aead)"),
            ("AES/OCB/NoPadding", "", "AES OCB (aead)"),
            ("ssh-rsa", "signature", "RSA (signature), SHA-1 (signature-hash)"),
            ("rsa-sha2-512", "signature", "RSA (signature), SHA-512 (signature-hash)"),
            ("SHA-0", "hash", "SHA-0 (hash)"),
            ("ENCR_AES_CBC 256", "", "AES-256 CBC (cipher)"),
            ("rsa_pss_rsae_sha256", "signature", "RSA (signature), SHA-256 (signature-hash)"),
            ("HashML-DSA-87", "signature", "ML-DSA-87 (signature)"),
            ("PBEWithHmacSHA256AndAES_256", "kdf", "PBKDF2 (password), SHA-256 (mac-hash), AES-256 (cipher)"),
            ("DES-CBC3-SHA", "", "3DES (cipher), SHA-1 (mac-hash)"),
            ("ML-DSA-65 (Dilithium3)", "", "ML-DSA-65 (signature), Dilithium (signature), unknown ()"),
            ("RSA-512 key", "", "RSA-512 (signature|key-establishment)"),
            ("SHA1withECDSAinP1363Format", "", "SHA-1 (signature-hash), ECDSA (signature)"),
            ("ECDH-ES+A256KW", "key-agree", "ECDH (key-establishment), AES-256 KW (cipher)"),
            ("NONEwithRSA", "", "RSA (signature|key-establishment), unknown ()"),
            ("AES-CFB8", "", "AES CFB (cipher)"),
            ("CKM_AES_GCM", "ae", "AES GCM (aead)"),
            ("CKM_RSA_X_509", "pke", "RSA (signature|key-establishment)"),
            ("DH group 37", "key-agree", "ML-KEM-1024 (key-establishment)"),
            ("hmac-sha2-512-etm@openssh.com", "mac", "HMAC (mac), SHA-512 (mac-hash)"),
            ("XMSSMT-SHA2_20/2_256", "signature", "XMSSMT (signature)"),
            ("HashSLH-DSA-SHA2-128s-with-SHA1", "", "SLH-DSA-128 (signature), SHA-1 (signature-hash)"),
            ("ECs", "", ""),
            ("describe", "", ""),
            ("RAW", "other", ""),
            ("secret-key@ff11be02-d1ac-4887-ae6e-b4e49f2bc41c", "", ""),
        ] {
            assert_eq!(written(name, primitive), is, "{name}");
        }
    }
}
