//! Inventories of cryptography.

use fieldtest_cyclonedx::read::read;

use super::Target;

pub(super) const TARGETS: &[Target] = &[Target { name: "cbom", run: cbom, seeds }];

/// What is read is no more than what stands there.
fn cbom(input: &[u8]) {
    match read(input) {
        Ok(found) => {
            assert!(found.assets.len() <= input.len() && found.missing.len() <= input.len());
            for asset in &found.assets {
                assert!(asset.oid.as_ref().is_none_or(|oid| oid.len() <= input.len()));
            }
        }
        Err(error) => drop(error.to_string()),
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let document = |version: &str, components: &str| {
        format!(
            r#"{{"bomFormat":"CycloneDX","specVersion":"{version}","metadata":{{"component":{{"type":"application","name":"m"}}}},"components":[{components}]}}"#
        )
    };
    let algorithm = r#"{"type":"cryptographic-asset","bom-ref":"a","name":"ECDSA","cryptoProperties":{"assetType":"algorithm","oid":"urn:oid:1.2.840.10045.4.3.2","algorithmProperties":{"primitive":"signature","algorithmFamily":"ECDSA","parameterSetIdentifier":"P-256","ellipticCurve":"nist/P-256","curve":"secp256r1","mode":"other"}}}"#;
    let certificate = r#"{"type":"cryptographic-asset","name":"c","cryptoProperties":{"assetType":"certificate","certificateProperties":{"signatureAlgorithmRef":"a","subjectPublicKeyRef":"k","relatedCryptographicAssets":[{"type":"algorithm","ref":"b"}]}}}"#;
    let key = r#"{"type":"cryptographic-asset","bom-ref":"k","name":"k","cryptoProperties":{"assetType":"related-crypto-material","relatedCryptoMaterialProperties":{"algorithmRef":"a"}}}"#;
    let protocol = r#"{"type":"library","name":"l","components":[{"type":"cryptographic-asset","name":"p","cryptoProperties":{"assetType":"protocol","protocolProperties":{"cipherSuites":[{"name":"s","algorithms":["a","z"]}]}}}]}"#;
    super::texts(&[
        &document("1.7", &[algorithm, certificate, key, protocol].join(",")),
        &document("1.6", algorithm),
        &document("1.4", ""),
        "<bom/>",
    ])
}
