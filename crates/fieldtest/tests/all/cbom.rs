//! `fieldtest cbom` and `fieldtest advise --cbom`.

use serde_json::Value;

use crate::records::RECORDS;
use crate::scratch::Scratch;

/// What others have in use: known, open, of another kind, of hostile name; a key and a certificate.
pub(crate) const IN_USE: &str = r#"{"bomFormat":"CycloneDX","specVersion":"1.6","components":[
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

/// The verdict on each asset, with what it names in its carriers.
fn marked(json: &Value) -> Vec<[String; 3]> {
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let carried = |asset: &Value| {
        let all = asset["carriers"].as_array().expect("carriers").iter();
        all.map(|it| format!("{} {}", word(&it["carrier"]), word(&it["algorithm"])))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let of = |asset: &Value| {
        let by = asset["by"].as_u64().map(|by| format!(" {by}")).unwrap_or_default();
        [word(&asset["name"]), word(&asset["verdict"]) + &by, carried(asset)]
    };
    json["assets"].as_array().expect("assets").iter().map(of).collect()
}

#[test]
fn assets_are_marked_by_a_policy() {
    let scratch = Scratch::new();
    scratch.write("in-use.json", IN_USE);
    let advise = "advise --cbom in-use.json -c ima";
    let shown = scratch.fine(advise).stdout;
    assert!(!shown.contains('\u{1b}') && shown.contains("x\\x1b]0;t\\x07"), "{shown}");
    let json = scratch.json(advise, 0);
    let found = marked(&json);
    let found: Vec<[&str; 3]> = found.iter().map(|row| row.each_ref().map(String::as_str)).collect();
    assert_eq!(
        found,
        [
            ["RSA-2048", "replace 2030", "ima ml-dsa-44"],
            ["RSA-2048", "replace 2030", "ima ml-dsa-44"],
            ["SHA256withECDSA", "replace 2035", "ima null"],
            ["ML-KEM-768", "keep", ""],
            ["x\u{1b}]0;t\u{7}", "look", ""],
            ["key@1", "look", ""],
            ["key@2", "look", ""],
            ["www", "look", ""],
        ]
    );
    let (rule, carrier) = (&json["assets"][0]["rule"], &json["assets"][0]["carriers"][0]);
    assert_eq!((&rule["document"], &rule["date"]), (&"NIST IR 8547 (draft)".into(), &"2024-11-12".into()));
    assert_eq!(carrier["measure"], "fieldtest ima study -a rsa-2048 -a ml-dsa-44");
    assert_eq!(json["assets"][2]["carriers"][0]["reason"], "ambiguous");
    assert_eq!(json["missing"], serde_json::json!([{ "from": "www", "to": "gone" }]));
    // What the carrier would take, CNSA 2.0 does not keep.
    let cnsa = scratch.json(&format!("{advise} --policy cnsa"), 0);
    assert_eq!(marked(&cnsa)[0][1], "replace 2031");
    assert_ne!(marked(&cnsa)[0][2], "ima ml-dsa-44");
    scratch.run_on("in-use.json", "advise --cbom -").tells(0, &[]);
    scratch.refuses("advise - --cbom -", 2, &["(-)"]);
    scratch.refuses_by_clap("advise --cbom in-use.json --policy fips", &["'fips'"]);
    scratch.refuses_by_clap("advise --policy bsi", &["--cbom"]);
}

/// Something takes an asset's place in the carrier that its evidence names and in no other, and it is no weaker in kind.
#[test]
fn only_the_carriers_of_the_evidence_are_asked() {
    let scratch = Scratch::new();
    let asset = |name: &str, location: &str| {
        let evidence = format!(r#""evidence":{{"occurrences":[{{"location":"{location}"}}]}}"#);
        format!(r#"{{"type":"cryptographic-asset","name":"{name}",{evidence}}}"#)
    };
    let named = [
        ("ML-DSA-65", "src/sign.rs"),
        ("AES-256-XTS", "src/disk/volume.rs"),
        ("SHA-1", "src/git/id.rs"),
        ("ECDSA P-256", "payment/ima/sign.c"),
        ("RSA-2048", "payment/sign.c"),
        ("FAEST-128s", "src/new.rs"),
    ];
    let mut assets: Vec<String> = named.iter().map(|(name, location)| asset(name, location)).collect();
    // A component around it, or one that depends on it, says where it is, too.
    assets.push(r#"{"type":"library","name":"tcp-ao","components":[{"type":"cryptographic-asset","name":"HMAC-SHA-1-96"}]}"#.into());
    assets.push(r#"{"type":"library","name":"ima","bom-ref":"i"},{"type":"cryptographic-asset","name":"RSA-2048","bom-ref":"r"}"#.into());
    let document = format!(
        r#"{{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{}],"dependencies":[{{"ref":"i","dependsOn":["r"]}}]}}"#,
        assets.join(",")
    );
    scratch.write("in-use.json", &document);
    let json = scratch.json("advise --cbom in-use.json", 0);
    let carriers: Vec<Vec<&str>> = json["assets"]
        .as_array()
        .expect("assets")
        .iter()
        .map(|it| {
            it["carriers"]
                .as_array()
                .expect("carriers")
                .iter()
                .filter_map(|it| it["carrier"].as_str())
                .collect()
        })
        .collect();
    assert_eq!(carriers, [&[][..], &[], &["git"], &["ima"], &[], &[], &["ima"], &["tcp-ao"]]);

    // The whole catalog, each algorithm in every carrier, by the policies that replace the least and the most.
    let entries = fieldtest_catalog::entries();
    let all: Vec<String> = entries.iter().map(|it| asset(it.title(), "dnssec/ima/tcp-ao/git/disk")).collect();
    let document =
        format!(r#"{{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{}]}}"#, all.join(","));
    scratch.write("catalog.json", &document);
    let mut proposed = 0;
    for policy in ["nist", "asd"] {
        let json = scratch.json(&format!("advise --cbom catalog.json --policy {policy}"), 0);
        for (asset, old) in json["assets"].as_array().expect("assets").iter().zip(&entries) {
            for new in asset["carriers"]
                .as_array()
                .expect("carriers")
                .iter()
                .filter_map(|it| it["algorithm"].as_str())
            {
                let new = entries.iter().find(|it| it.name() == new).expect("an algorithm");
                let size = |entry: &dyn fieldtest_catalog::Entry, name| {
                    entry.sizes().into_iter().find(|it| it.0 == name).map(|it| it.1)
                };
                let said = format!("{policy}: {} in place of {}", new.name(), old.name());
                assert!(
                    new.kind() == old.kind() || (old.kind() == "cipher" && new.kind() == "aead"),
                    "{said}"
                );
                assert!(
                    new.strength() >= old.strength() && new.post_quantum() >= old.post_quantum(),
                    "{said}"
                );
                assert!(size(new.as_ref(), "digest") >= size(old.as_ref(), "digest"), "{said}");
                proposed += 1;
            }
        }
    }
    assert!(proposed > 0);
}

/// One run writes every form; the inventory itself is none of its outputs.
#[test]
fn marked_inventories_are_written_in_every_form() {
    let scratch = Scratch::new();
    scratch.write("in-use.json", IN_USE);
    let forms = "-o m.cdx.json -o m.sarif -o m.csv -o m.json -o m.md -o m.html";
    scratch.fine(&format!("advise --cbom in-use.json {forms}"));
    let json = |name: &str| -> Value { serde_json::from_str(&scratch.read(name)).expect("JSON") };
    let (bom, sarif) = (json("m.cdx.json"), json("m.sarif"));
    assert_eq!((&bom["specVersion"], bom["components"].as_array().map(Vec::len)), (&"1.7".into(), Some(8)));
    assert_eq!(sarif["version"], "2.1.0");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let levels: Vec<&str> = results.iter().filter_map(|it| it["level"].as_str()).collect();
    assert_eq!(levels, ["warning", "warning", "warning", "note", "note", "note", "note"]);
    let csv = scratch.read("m.csv");
    assert_eq!(csv.lines().next(), Some("bom-ref,name,verdict,year,policy,rule,replacement"));
    assert_eq!(csv.lines().count(), 9);
    assert!(!csv.contains('\u{1b}'), "{csv}");
    assert!(scratch.read("m.html").contains("<h2>Replace (3)</h2>"));
    assert_eq!(json("m.json")["assets"].as_array().map(Vec::len), Some(8));
    // What it wrote it reads, with the same verdicts.
    assert_eq!(marked(&scratch.json("advise --cbom m.cdx.json", 0)), marked(&json("m.json")));
    // A spreadsheet computes nothing.
    scratch.write("formula.json", IN_USE.replace("SHA256withECDSA", "=SHA256withECDSA"));
    assert!(scratch.fine("advise --cbom formula.json --format csv").stdout.contains(",'=SHA256withECDSA,"));
    scratch.refuses("advise --cbom in-use.json -o m.pdf", (2, "other-extension"), &["m.pdf"]);
    scratch.refuses("advise --cbom in-use.json -o in-use.json", (2, "would-be-lost"), &["in-use.json"]);
}

#[test]
fn what_is_no_cbom_is_one_error() {
    let scratch = Scratch::new();
    for (text, words) in [
        ("<bom/>", "it is XML"),
        ("\n", "it is empty"),
        ("{\"line\":\"run\"}\n{}", "records"),
        (r#"{"bomFormat":"CycloneDX","specVersion":"1.7","components":[]}"#, "no cryptographic asset"),
    ] {
        scratch.write("bad.json", text);
        scratch.refuses("advise --cbom bad.json", 1, &[words]);
    }
    scratch.refuses("advise --cbom none.json", 1, &["none.json", "no such file"]);
    scratch.refuses("advise --cbom .", 1, &["cannot read . as a CBOM"]);
}
