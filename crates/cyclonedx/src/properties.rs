//! What an asset's `cryptoProperties` say of it, whatever shape they have: [`members`](crate::members) says what is of
//! another one than CycloneDX's.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::asset::{Asset, AssetKind};
use crate::members::remarks;

/// Kinds of IKEv2's transforms, each with its primitive.
const TRANSFORMS: [(&str, &str); 5] =
    [("encr", "block-cipher"), ("prf", "mac"), ("integ", "mac"), ("ke", "key-agree"), ("auth", "signature")];

/// An asset without what its component says: name, place, `bom-ref`.
pub(crate) fn asset(crypto: &Value) -> Asset {
    let kind = match crypto["assetType"].as_str() {
        Some("certificate") => AssetKind::Certificate,
        Some("protocol") => AssetKind::Protocol,
        Some("related-crypto-material") => AssetKind::Material,
        _ => AssetKind::Algorithm,
    };
    let algorithm = &crypto["algorithmProperties"];
    let certificate = &crypto["certificateProperties"];
    let material = &crypto["relatedCryptoMaterialProperties"];
    let protocol = &crypto["protocolProperties"];
    let mut curves = ["ellipticCurve", "curve"].into_iter().filter_map(|name| text(algorithm, name));
    let curve = curves.next();
    // A curve that is stated in both forms is one name more.
    let further: Vec<String> = text(algorithm, "variant").into_iter().chain(curves).collect();
    let level = |name: &str| [algorithm, crypto].iter().filter_map(|it| it[name].as_u64()).collect();
    let mut remarks = remarks(crypto);
    let secured = &material["securedBy"];
    let is_secret =
        |it: &str| ["secret-key", "private-key", "password", "token", "shared-secret"].contains(&it);
    if material["type"].as_str().is_some_and(is_secret)
        && material["value"].as_str().is_some_and(|it| !it.is_empty())
    {
        remarks.push(("disclosed", "its value is in the document".to_owned()));
    }
    let (values, of_transforms, lacks_integrity) = transforms(protocol);
    let suites = || list(protocol, "cipherSuites");
    let in_lists = |name: &'static str, primitive: &'static str| {
        suites().flat_map(move |it| texts(it, name)).map(move |it| (primitive, it))
    };
    let of_suites: Vec<String> = suites().flat_map(|it| texts(it, "algorithms")).collect();
    let related = [certificate, material, protocol].map(|it| list(it, "relatedCryptographicAssets"));
    let refers_to: BTreeSet<String> = [
        text(certificate, "signatureAlgorithmRef"),
        text(certificate, "subjectPublicKeyRef"),
        text(material, "algorithmRef"),
    ]
    .into_iter()
    .flatten()
    .chain(texts(protocol, "cryptoRefArray"))
    .chain(related.into_iter().flatten().filter_map(|it| text(it, "ref")))
    .chain(of_suites.iter().cloned())
    .chain(of_transforms.iter().map(|(_, to)| to.clone()))
    .collect();
    let signed_by = text(certificate, "signatureAlgorithmRef");
    let has = |is_signature: bool| {
        let mut all = list(certificate, "relatedCryptographicAssets");
        all.any(|it| (it["type"] == "algorithm") == is_signature)
    };
    Asset {
        kind,
        oid: text(crypto, "oid").map(|oid| bare(&oid).to_owned()),
        primitive: text(algorithm, "primitive"),
        family: text(algorithm, "algorithmFamily"),
        set: text(algorithm, "parameterSetIdentifier"),
        curve: curve.map(|curve| curve.rsplit('/').next().unwrap_or_default().to_owned()),
        mode: text(algorithm, "mode"),
        padding: text(algorithm, "padding"),
        variant: Some(further.join(" ")).filter(|it| !it.is_empty()),
        classical: level("classicalSecurityLevel"),
        quantum: level("nistQuantumSecurityLevel"),
        functions: texts(algorithm, "cryptoFunctions").collect(),
        material: text(material, "type"),
        said: text(material, "format").into_iter().collect(),
        mechanism: text(secured, "mechanism"),
        secured_by: text(secured, "algorithmRef"),
        size: material["size"].as_u64().map(|size| u32::try_from(size).unwrap_or(u32::MAX)),
        is_partial: certificate.is_object()
            && ((signed_by.is_none() && !has(true))
                || (certificate["subjectPublicKeyRef"].is_null() && !has(false))),
        signed_by,
        protocol: (kind == AssetKind::Protocol)
            .then(|| ["type", "version"].map(|name| text(protocol, name).unwrap_or_default()).into()),
        suites: suites().filter_map(suite).collect(),
        refers_to_ciphers: !of_suites.is_empty()
            || of_transforms.iter().any(|(kind, _)| *kind == TRANSFORMS[0].1),
        values: in_lists("tlsGroups", "key-agree")
            .chain(in_lists("tlsSignatureSchemes", "signature"))
            .chain(values)
            .collect(),
        lacks_integrity,
        refers_to: refers_to.into_iter().collect(),
        remarks,
        ..Asset::default()
    }
}

fn text(of: &Value, name: &str) -> Option<String> {
    of[name].as_str().map(str::to_owned)
}

fn list<'v>(of: &'v Value, name: &'static str) -> impl Iterator<Item = &'v Value> {
    of[name].as_array().into_iter().flatten()
}

fn texts(of: &Value, name: &'static str) -> impl Iterator<Item = String> {
    list(of, name).filter_map(|it| it.as_str().map(str::to_owned))
}

/// The name of a cipher suite and its code points: `c02f`.
fn suite(of: &Value) -> Option<(String, Vec<String>)> {
    let code = texts(of, "identifiers").collect::<String>().to_ascii_lowercase();
    let code: Vec<char> = code.replace("0x", "").replace([',', ' ', '{', '}'], "").chars().collect();
    let codes: Vec<String> = code.chunks(4).map(|it| it.iter().collect()).collect();
    let name = text(of, "name").unwrap_or_default();
    (!name.is_empty() || !codes.is_empty()).then_some((name, codes))
}

/// Names, or references, each with its primitive.
type Typed = Vec<(&'static str, String)>;

/// The names of IKEv2's transforms, what others refer to, and whether peers may do without an integrity transform.
fn transforms(protocol: &Value) -> (Typed, Typed, bool) {
    let (mut named, mut referred) = (Typed::new(), Typed::new());
    let is_none = |it: &Value| it["name"].as_str().is_some_and(|name| name.eq_ignore_ascii_case("none"));
    let of_kind = |kind| list(&protocol["ikev2TransformTypes"], kind);
    let lacks_integrity = of_kind("encr").next().is_some()
        && (of_kind("integ").next().is_none() || of_kind("integ").any(is_none));
    let all = TRANSFORMS.iter().flat_map(|(kind, primitive)| {
        list(&protocol["ikev2TransformTypes"], kind).map(move |it| (*primitive, it))
    });
    for (primitive, it) in all {
        let to = it.as_str().or_else(|| it["algorithm"].as_str());
        referred.extend(to.map(|to| (primitive, to.to_owned())));
        let name = match (text(it, "name"), it["group"].as_u64()) {
            (Some(name), _) => name,
            (None, Some(group)) => format!("DH group {group}"),
            (None, None) if to.is_some() => continue,
            (None, None) => "?".to_owned(),
        };
        let length = it["keyLength"].as_u64().map(|it| format!(" {it}")).unwrap_or_default();
        // Ciphers that authenticate need no transform for that.
        named.extend((primitive != "mac" || !is_none(it)).then_some((primitive, name + &length)));
    }
    (named, referred, lacks_integrity)
}

/// An object identifier without what some write before it.
fn bare(oid: &str) -> &str {
    let oid = oid.trim();
    ["urn:oid:", "oid:", "OID."].into_iter().find_map(|prefix| oid.strip_prefix(prefix)).unwrap_or(oid)
}
