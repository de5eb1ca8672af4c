//! `fieldtest cbom` and `fieldtest advise --cbom`.

use serde_json::Value;

use crate::records::RECORDS;
use crate::scratch::Scratch;

/// What others have in use: known, open, of another kind, of hostile name; a key and a certificate.
const IN_USE: &str = r#"{"bomFormat":"CycloneDX","specVersion":"1.6","components":[
    {"type":"cryptographic-asset","name":"RSA-2048","bom-ref":"r","cryptoProperties":{"assetType":"algorithm",
        "algorithmProperties":{"primitive":"signature","parameterSetIdentifier":"2048"},"oid":"1.2.840.113549.1.1.11"}},
    {"type":"cryptographic-asset","name":"RSA-2048","bom-ref":"r","cryptoProperties":{"assetType":"algorithm"}},
    {"type":"cryptographic-asset","name":"SHA256withECDSA","cryptoProperties":{"assetType":"algorithm",
        "algorithmProperties":{"primitive":"signature"}}},
    {"type":"cryptographic-asset","name":"ML-KEM-768","cryptoProperties":{"assetType":"algorithm",
        "algorithmProperties":{"primitive":"kem"}}},
    {"type":"cryptographic-asset","name":"x\u001b]0;t\u0007"},
    {"type":"cryptographic-asset","name":"key@1","cryptoProperties":{"assetType":"related-crypto-material"}},
    {"type":"cryptographic-asset","name":"key@2","cryptoProperties":{"assetType":"related-crypto-material"}},
    {"type":"cryptographic-asset","name":"www","cryptoProperties":{"assetType":"certificate",
        "certificateProperties":{"signatureAlgorithmRef":"gone"}}}]}"#;

#[test]
fn the_catalog_and_records_are_written() {
    let scratch = Scratch::new();
    scratch.write("records.jsonl", RECORDS);
    let catalog = scratch.fine("cbom").stdout;
    scratch.fine("cbom -o catalog.json");
    assert_eq!(scratch.read("catalog.json"), catalog);
    let measured: Value = serde_json::from_str(&scratch.fine("cbom records.jsonl").stdout).expect("JSON");
    assert_eq!(measured["metadata"]["timestamp"], "2026-01-02T03:04:05Z");
    assert!(catalog.contains("\"ML-DSA-44\"") && measured.to_string().contains("algorithm/ml-dsa-44"));
    scratch.refuses("cbom --format csv", 2, &["a CBOM is CycloneDX in JSON, not csv"]);
    scratch.refuses("cbom records.jsonl -o records.jsonl", (2, "would-be-lost"), &["write 'records.jsonl'"]);
}

#[test]
fn what_is_in_use_has_something_in_its_place() {
    let scratch = Scratch::new();
    scratch.write("in-use.json", IN_USE);
    let advise = "advise --cbom in-use.json -c ima";
    let shown = scratch.fine(advise).stdout;
    for said in [
        "rsa-2048",
        "RSA-2048 (2 times)",
        "in place of RSA-2048, use ML-DSA-44",
        "fieldtest ima study -a rsa-2048 -a ml-dsa-44",
        "could be ecdsa-p256",
        "key encapsulation: ",
        "x\\x1b]0;t\\x07",
        "key@1 and 1 other",
        "www refers to it,",
        "CycloneDX 1.6: 8 cryptographic assets; 1 algorithm ",
    ] {
        let words: Vec<&str> = shown.split_whitespace().collect();
        let is_said = shown.contains(said) || words.join(" ").contains(said);
        assert!(is_said, "{said} in {shown}");
    }
    assert!(!shown.contains('\u{1b}'));
    // Whoever reads it by a program has every name.
    let json: Value =
        serde_json::from_str(&scratch.fine(&format!("{advise} --format json")).stdout).expect("JSON");
    let others = json[1]["rows"].as_array().expect("rows");
    assert!(
        ["key@1", "key@2"].iter().all(|key| others.iter().any(|row| row["in the CBOM"] == **key)),
        "{json}"
    );
    scratch.run_on("in-use.json", "advise --cbom -").tells(0, &[]);
}

/// What is sound is kept, wherever it is; what is not is replaced in the carrier that a location names.
#[test]
fn what_is_sound_is_kept() {
    let scratch = Scratch::new();
    let asset = |name: &str, location: &str| {
        let evidence = format!(r#""evidence":{{"occurrences":[{{"location":"{location}"}}]}}"#);
        format!(r#"{{"type":"cryptographic-asset","name":"{name}",{evidence}}}"#)
    };
    let assets = [
        asset("ML-DSA-65", "src/sign.rs"),
        asset("AES-256-GCM", "src/tls.rs"),
        asset("AES-256-XTS", "src/disk/volume.rs"),
        asset("SHA-256", "src/git/id.rs"),
        asset("SHA-1", "src/git/id.rs"),
        asset("ECDSA P-256", "payment/ima/sign.c"),
        asset("RSA-2048", "payment/sign.c"),
        asset("FAEST-128s", "src/new.rs"),
        asset("MD5", "src/etag.rs"),
        asset("SHA512withRSA", "src/cert.rs"),
        asset("HMAC", "src/mac.rs"),
    ];
    let document =
        format!(r#"{{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{}]}}"#, assets.join(","));
    scratch.write("in-use.json", &document);
    let json = scratch.json("advise --cbom in-use.json", 0);
    let rows = json[0]["rows"].as_array().expect("rows").iter();
    let found: Vec<[&str; 3]> = rows
        .map(|row| ["algorithm", "carrier", "what to do"].map(|it| row[it].as_str().expect("words")))
        .collect();
    assert_eq!(
        found,
        [
            ["ml-dsa-65", "none", "keep"],
            ["aes-256-gcm", "none", "keep"],
            ["aes-256-xts", "disk", "keep"],
            ["sha-256", "git", "keep"],
            ["sha-1", "git", "replace"],
            ["ecdsa-p256", "ima", "replace"],
            ["rsa-2048", "none", "replace"],
            ["faest-128s", "none", "look"],
            // Each length of it is to be replaced, so nobody has to say which one it is.
            ["SHA512withRSA", "none", "replace"],
            ["MD5", "none", "replace"],
        ]
    );
    let open: Vec<&Value> =
        json[1]["rows"].as_array().expect("rows").iter().map(|row| &row["in the CBOM"]).collect();
    assert_eq!(open, ["HMAC"], "{json}");
}

#[test]
fn what_is_no_cbom_is_one_error() {
    let scratch = Scratch::new();
    for (text, words) in [
        ("<bom/>", "it is XML"),
        (r#"{"bomFormat":"CycloneDX","specVersion":"1.7","components":[]}"#, "no cryptographic asset"),
    ] {
        scratch.write("bad.json", text);
        scratch.refuses("advise --cbom bad.json", 1, &[words]);
    }
    scratch.refuses("advise --cbom none.json", 1, &["none.json", "no such file"]);
    scratch.refuses("advise --cbom .", 1, &["cannot read . as a CBOM"]);
}
