//! What is written has the fields and words that CycloneDX 1.7 asks for, and is read again as what it is of.

use std::collections::BTreeSet;

use fieldtest_catalog::entries;
use fieldtest_cyclonedx::meaning::meaning;
use fieldtest_cyclonedx::parts::Part;
use fieldtest_cyclonedx::read::{AssetKind, read};
use fieldtest_cyclonedx::recognise::{Recognised, recognise};
use fieldtest_cyclonedx::write::{of_catalog, of_records};
use serde_json::Value;

/// Enumerations of `bom-1.7.schema.json` and of `cryptography-defs.schema.json`, as far as the catalog could use them.
const PRIMITIVES: [&str; 16] = [
    "drbg",
    "mac",
    "block-cipher",
    "stream-cipher",
    "signature",
    "hash",
    "pke",
    "xof",
    "kdf",
    "key-agree",
    "kem",
    "ae",
    "combiner",
    "key-wrap",
    "other",
    "unknown",
];
const FUNCTIONS: [&str; 13] = [
    "generate",
    "keygen",
    "encrypt",
    "decrypt",
    "digest",
    "tag",
    "keyderive",
    "sign",
    "verify",
    "encapsulate",
    "decapsulate",
    "other",
    "unknown",
];
const MODES: [&str; 9] = ["cbc", "ecb", "ccm", "gcm", "cfb", "ofb", "ctr", "other", "unknown"];
const PADDINGS: [&str; 7] = ["pkcs5", "pkcs7", "pkcs1v15", "oaep", "raw", "other", "unknown"];
const FAMILIES: [&str; 22] = [
    "RSASSA-PKCS1",
    "EdDSA",
    "ECDSA",
    "SHA-1",
    "SHA-2",
    "SHA-3",
    "AES",
    "HMAC",
    "CMAC",
    "Poly1305",
    "LMS",
    "ML-DSA",
    "SLH-DSA",
    "ARIA",
    "CAMELLIA",
    "BLAKE2",
    "BLAKE3",
    "Serpent",
    "SipHash",
    "SEED",
    "SM4",
    "XMSS",
];
const CURVES: [&str; 3] = ["nist/P-256", "nist/P-384", "other/Ed25519"];
/// What a component may have, as far as it is written.
const COMPONENT: [&str; 7] =
    ["type", "bom-ref", "name", "version", "description", "cryptoProperties", "properties"];

fn word<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} in {value}"))
}

fn one_of(value: &Value, key: &str, words: &[&str]) {
    if let Some(found) = value.get(key) {
        assert!(words.contains(&found.as_str().unwrap_or_default()), "{key}: {found}");
    }
}

/// The fields of each object are those of the schema, which allows no others.
fn check(document: &str) {
    let bom: Value = serde_json::from_str(document).expect("JSON");
    assert_eq!((word(&bom, "bomFormat"), word(&bom, "specVersion")), ("CycloneDX", "1.7"));
    let serial = word(&bom, "serialNumber").strip_prefix("urn:uuid:").expect("a UUID");
    assert!(serial.split('-').map(str::len).eq([8, 4, 4, 4, 12]), "{serial}");
    assert!(serial.bytes().all(|byte| byte == b'-' || b"0123456789abcdef".contains(&byte)), "{serial}");
    let mut references = BTreeSet::new();
    let components = bom["components"].as_array().expect("components");
    for component in components {
        let keys = component.as_object().expect("an object").keys();
        assert!(keys.clone().all(|key| COMPONENT.contains(&key.as_str())), "{component}");
        assert!(!word(component, "name").is_empty());
        assert!(references.insert(word(component, "bom-ref")), "{component}");
        for property in component["properties"].as_array().into_iter().flatten() {
            assert!(word(property, "name").starts_with("fieldtest:"), "{property}");
            word(property, "value");
        }
        let Some(crypto) = component.get("cryptoProperties") else {
            assert_eq!(word(component, "type"), "library");
            continue;
        };
        assert_eq!(
            (word(component, "type"), word(crypto, "assetType")),
            ("cryptographic-asset", "algorithm")
        );
        let algorithm = &crypto["algorithmProperties"];
        one_of(algorithm, "primitive", &PRIMITIVES);
        one_of(algorithm, "algorithmFamily", &FAMILIES);
        one_of(algorithm, "ellipticCurve", &CURVES);
        one_of(algorithm, "mode", &MODES);
        one_of(algorithm, "padding", &PADDINGS);
        let functions = algorithm["cryptoFunctions"].as_array().expect("functions");
        assert!(functions.iter().all(|it| FUNCTIONS.contains(&it.as_str().unwrap_or_default())));
        let level = algorithm.get("nistQuantumSecurityLevel");
        assert!(level.is_none_or(|level| level.as_u64().is_some_and(|level| level <= 6)));
    }
    for dependency in bom["dependencies"].as_array().into_iter().flatten() {
        assert!(references.contains(word(dependency, "ref")), "{dependency}");
        for provided in dependency["provides"].as_array().expect("a list") {
            assert!(references.contains(provided.as_str().unwrap_or_default()), "{provided}");
        }
    }
}

#[test]
fn the_catalog_comes_back() {
    let document = of_catalog();
    check(&document);
    assert_eq!(document, of_catalog());
    let all = entries();
    let found = read(document.as_bytes()).expect("a CBOM");
    assert!(found.missing.is_empty() && found.assets.len() == all.len());
    for (asset, entry) in found.assets.iter().zip(&all) {
        assert_eq!(asset.kind, AssetKind::Algorithm);
        assert_eq!(recognise(asset, &all), Recognised::Same(entry.name()), "{asset:?}");
        // Its name, family, set, mode and identifier say one thing.
        let is_odd = |part: &Part| part.family.name == "contradiction";
        assert!(!(entry.cyclonedx().is_some() && meaning(asset, &all, &[]).iter().any(is_odd)), "{asset:?}");
    }
}

#[test]
fn records_keep_time_machine_and_figures() {
    let run = r#"{"line":"run","schema":"fieldtest.records/2","version":"0.1.0","started":"2026-11-22T00:00:00Z","command":"fieldtest speed","seed":1,"host":{"id":"0","cpu":"c","cores":1,"features":[],"kernel":"k","system":"s","compiler":"r","counter":"ns"},"verdict":"noisy","findings":[]}"#;
    let candidate = r#"{"line":"candidate","algorithm":"ed25519","title":"Ed\u001b25519","kind":"signature","level":null,"post_quantum":false,"strength":128,"hardness":"h","standard":"s","status":"standard","sizes":[["signature",64]],"notes":[]}"#;
    let record = r#"{"line":"record","study":"speed","algorithm":"ed25519","implementation":{"name":"i","version":"1"},"operation":"sign","value":1.5,"unit":"ns","interval":[1.0,2.0],"estimator":"median","samples":9}"#;
    let lines =
        fieldtest_measure::record_file::read_lines(format!("{run}\n{candidate}\n{record}\n").as_bytes());
    let document = of_records(&lines.expect("records"));
    check(&document);
    for told in [
        r#""timestamp": "2026-11-22T00:00:00Z""#,
        r#""name": "Ed\u001b25519""#,
        r#""name": "fieldtest:speed:sign""#,
        r#""value": "1.5 ns, 95% interval 1 to 2; median of 9; i 1""#,
        r#""value": "noisy""#,
        r#""nistQuantumSecurityLevel": 0"#,
        r#""ellipticCurve": "other/Ed25519""#,
        r#""ref": "implementation/i@1""#,
    ] {
        assert!(document.contains(told), "{told} in {document}");
    }
}
