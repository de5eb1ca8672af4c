//! What the fields of an asset say against keeping what its name and its references are: it is revoked, it states another
//! strength, a public key is of a cipher.

use std::collections::BTreeSet;

use fieldtest_catalog::policies::Use;

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
    let is_weak = asset.classical.is_some_and(|bits| bits < u64::from(CLASSICAL));
    let is_other =
        asset.quantum.is_some_and(|stated| parts.iter().filter_map(level).any(|own| stated != own));
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

#[cfg(test)]
mod tests {
    use fieldtest_catalog::entries;
    use fieldtest_catalog::policies::{Mark, policies};

    use crate::read::parse;
    use crate::verdict::verdicts;

    /// The verdict of NIST on the first of some components: `look state`.
    fn first(components: &str) -> String {
        let text = format!(r#"{{"bomFormat":"CycloneDX","specVersion":"1.7","components":[{components}]}}"#);
        let inventory = parse(text.as_bytes()).expect("a CBOM");
        let found = &verdicts(&inventory, &policies()[0], &entries())[0];
        match found.mark {
            Mark::Look => format!("look {}", found.reason),
            mark => mark.word().to_owned(),
        }
    }

    /// What the fields of an asset say against keeping what its name is.
    #[test]
    fn fields_that_forbid_to_keep() {
        let asset = |name: &str, properties: &str| {
            format!(r#"{{"type":"cryptographic-asset","name":"{name}","cryptoProperties":{{{properties}}}}}"#)
        };
        let algorithm =
            |properties: &str| format!(r#""assetType":"algorithm","algorithmProperties":{{{properties}}}"#);
        let key = |properties: &str| {
            format!(
                r#""assetType":"related-crypto-material","relatedCryptoMaterialProperties":{{"algorithmRef":"a",{properties}}}"#
            )
        };
        let certificate = |properties: &str| {
            format!(
                r#""assetType":"certificate","certificateProperties":{{"signatureAlgorithmRef":"a","subjectPublicKeyRef":"a",{properties}}}"#
            )
        };
        let of_key = |of: &str, properties: &str| {
            let referred = asset(of, &algorithm("")).replace(r#""name""#, r#""bom-ref":"a","name""#);
            format!("{},{referred}", asset("k", properties))
        };
        for (components, is) in [
            (asset("AES-256-GCM", &algorithm(r#""classicalSecurityLevel":56"#)), "look contradiction"),
            (asset("ML-KEM-1024", &algorithm(r#""nistQuantumSecurityLevel":0"#)), "look contradiction"),
            (asset("ML-KEM-1024", &algorithm(r#""nistQuantumSecurityLevel":5"#)), "keep"),
            (asset("SHA-384", &algorithm(r#""cryptoFunctions":["sign"]"#)), "look contradiction"),
            (asset("SHA-384", &algorithm(r#""cryptoFunctions":["digest","keygen"]"#)), "keep"),
            (asset("AES", &algorithm(r#""variant":"DES-CBC""#)), "replace"),
            (asset("SHA-384", r#""assetType":"wibble""#), "look unknown"),
            (asset("SHA-384", ""), "look unknown"),
            (asset("SecP256r1MLKEM768", &algorithm("")), "keep"),
            (asset("p384_mlkem1024", &algorithm(r#""primitive":"combiner""#)), "keep"),
            (asset("HMAC-SHA-512 key:40", &algorithm("")), "look unknown"),
            (of_key("ML-DSA-87", &key(r#""type":"private-key""#)), "keep"),
            (of_key("ML-DSA-87", &key(r#""type":"private-key","state":"active""#)), "keep"),
            (of_key("ML-DSA-87", &key(r#""type":"private-key","state":"compromised""#)), "look state"),
            (
                of_key("ML-DSA-87", &key(r#""type":"private-key","expirationDate":"2020-01-01""#)),
                "look state",
            ),
            (
                of_key("ML-DSA-87", &key(r#""type":"private-key","expirationDate":"9999-01-01T00:00:00Z""#)),
                "keep",
            ),
            (of_key("ML-DSA-87", &key(r#""type":"private-key","size":40"#)), "look contradiction"),
            (of_key("ML-DSA-87", &key(r#""type":"secret-key""#)), "look contradiction"),
            (of_key("SHA-384", &key(r#""type":"public-key""#)), "look contradiction"),
            (
                of_key("AES-256", &key(r#""type":"secret-key","securedBy":{"mechanism":"None"}"#)),
                "look unstated",
            ),
            (of_key("ML-DSA-87", &certificate(r#""certificateState":[{"state":"active"}]"#)), "keep"),
            (of_key("ML-DSA-87", &certificate(r#""certificateState":[{"state":"revoked"}]"#)), "look state"),
            (of_key("ML-DSA-87", &certificate(r#""notValidAfter":"2020-01-01T00:00:00Z""#)), "look state"),
            (of_key("ML-DSA-87", &certificate(r#""notValidAfter":"never""#)), "look state"),
            (of_key("SHA-384", &certificate(r#""x":1"#)), "look contradiction"),
        ] {
            assert_eq!(first(&components), is, "{components}");
        }
        let twice = [("MD5", ""), ("SHA-384", "")]
            .map(|(name, of)| asset(name, &algorithm(of)).replace(r#""name""#, r#""bom-ref":"a","name""#));
        let both = format!("{},{}", asset("k", &key(r#""type":"key""#)), twice.join(","));
        assert!(first(&both).starts_with("replace"), "one of two with this bom-ref is MD5");
    }
}
