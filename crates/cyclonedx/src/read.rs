//! What a CBOM of others names: its cryptographic assets, as far as they tell algorithms.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

/// Why a CBOM could not be read. Lines and columns count from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Reading failed.
    #[error(transparent)]
    Read(#[from] std::io::Error),
    /// More than anybody's inventory holds.
    #[error("it is larger than {} MiB; keep only its cryptographic assets", MOST >> 20)]
    Large,
    /// The XML form.
    #[error("it is XML; convert it to JSON, for instance with `cyclonedx convert --output-format json`")]
    Xml,
    /// Not JSON, or not of CycloneDX's shape.
    #[error("{0}")]
    Syntax(String),
    /// Another kind of document.
    #[error("\"bomFormat\": \"CycloneDX\" is missing; give an inventory in CycloneDX 1.6 or 1.7")]
    Format,
    /// A version without cryptographic assets, or one that is not known.
    #[error("it is CycloneDX {0}; give 1.6, the first version with cryptographic assets, or 1.7")]
    Version(String),
}

/// The most bytes that are read.
const MOST: u64 = 64 << 20;

/// IBM's form from before CycloneDX had cryptographic assets is read, too.
const VERSIONS: [&str; 3] = ["1.6", "1.7", "1.4-cbom-1.0"];

/// What a CBOM names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inventory {
    /// `1.6` or `1.7`.
    pub version: String,
    /// The assets in their order, those of components within components after them.
    pub assets: Vec<Asset>,
    /// What certificates, keys and protocols refer to and the document does not hold, with the name of who refers to it.
    pub missing: Vec<(String, String)>,
}

/// A cryptographic asset.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Asset {
    /// Its kind.
    pub kind: AssetKind,
    /// `name`.
    pub name: String,
    /// `oid`, in digits and dots.
    pub oid: Option<String>,
    /// `primitive`.
    pub primitive: Option<String>,
    /// `algorithmFamily`.
    pub family: Option<String>,
    /// `parameterSetIdentifier`.
    pub set: Option<String>,
    /// `ellipticCurve` without its group, or `curve`.
    pub curve: Option<String>,
    /// `mode`.
    pub mode: Option<String>,
    /// `padding`.
    pub padding: Option<String>,
    /// Its name in the document: `bom-ref`.
    pub bom_ref: Option<String>,
    /// Where it was found: `evidence.occurrences`, each with its line.
    pub locations: Vec<(String, Option<u64>)>,
    /// The names of the components that hold it or depend on it.
    pub within: Vec<Arc<str>>,
    /// What it refers to by `bom-ref`: algorithms, keys, certificates.
    pub refers_to: Vec<String>,
    /// Of an algorithm, what it depends on, by `bom-ref`.
    pub depends_on: Vec<String>,
    /// What encrypts a key, by `bom-ref`.
    pub secured_by: Option<String>,
    /// `size` of a key, in bits.
    pub size: Option<u32>,
    /// `variant` of the form from before CycloneDX 1.6, a further name.
    pub variant: Option<String>,
    /// `classicalSecurityLevel`, in bits.
    pub classical: Option<u64>,
    /// `nistQuantumSecurityLevel`.
    pub quantum: Option<u64>,
    /// `cryptoFunctions`.
    pub functions: Vec<String>,
    /// `type` of a key or other material.
    pub material: Option<String>,
    /// Of a certificate, what signed it, by `bom-ref`.
    pub signed_by: Option<String>,
    /// Why it cannot be kept whatever it is made of, in a word and for a person: it is revoked, or the document does not say
    /// what it is.
    pub remarks: Vec<(&'static str, String)>,
    /// Of a certificate, whether its signature or its key is not stated.
    pub is_partial: bool,
    /// Of a protocol, its type and version.
    pub protocol: Option<(String, String)>,
    /// Of a protocol, the names of its cipher suites, each with its code points in hex digits.
    pub suites: Vec<(String, Vec<String>)>,
    /// Of a protocol, names of groups, signature schemes and transforms, each with its primitive.
    pub values: Vec<(&'static str, String)>,
}

/// What an asset is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AssetKind {
    /// An algorithm; also what does not say what it is.
    #[default]
    Algorithm,
    /// A certificate.
    Certificate,
    /// A protocol.
    Protocol,
    /// A key, or other material.
    Material,
}

impl AssetKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            AssetKind::Algorithm => "algorithm",
            AssetKind::Certificate => "certificate",
            AssetKind::Protocol => "protocol",
            AssetKind::Material => "key or other material",
        }
    }
}

/// Reads a CBOM. What it holds beside cryptographic assets is passed over.
///
/// # Errors
/// [`Error`].
pub fn read(from: impl Read) -> Result<Inventory, Error> {
    parse(&text(from)?)
}

/// The document itself, for whoever gives it back.
///
/// # Errors
/// [`Error::Read`] and [`Error::Large`].
pub fn text(from: impl Read) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    from.take(MOST + 1).read_to_end(&mut text)?;
    match text.len() as u64 > MOST {
        true => Err(Error::Large),
        false => Ok(text),
    }
}

/// A document without the mark of its encoding.
pub(crate) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// As [`read`], of a document that is there.
///
/// # Errors
/// [`Error`].
pub fn parse(text: &[u8]) -> Result<Inventory, Error> {
    let text = without_mark(text);
    if text.trim_ascii_start().starts_with(b"<") {
        return Err(Error::Xml);
    }
    let bom: Bom = serde_json::from_slice(text).map_err(|error| Error::Syntax(in_words(&error)))?;
    if bom.bom_format.as_deref() != Some("CycloneDX") {
        return Err(Error::Format);
    }
    let version = bom.spec_version.unwrap_or_else(|| "without a version".to_owned());
    if !VERSIONS.contains(&version.as_str()) {
        return Err(Error::Version(version));
    }
    let mut found = Found::default();
    let described = bom.metadata.and_then(|metadata| metadata.component);
    found.enter_all(described.into_iter().chain(bom.components.unwrap_or_default()));
    let Found { mut assets, names, referred } = found;
    let mut by_ref: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, asset) in assets.iter().enumerate() {
        if let Some(bom_ref) = &asset.bom_ref {
            by_ref.entry(bom_ref.clone()).or_default().push(at);
        }
    }
    let of_ref = |to: &str| by_ref.get(to).into_iter().flatten().copied();
    for Dependency { of, depends_on, provides } in bom.dependencies.unwrap_or_default() {
        let Some(of) = of else { continue };
        let needs = depends_on.unwrap_or_default();
        for at in needs.iter().chain(provides.iter().flatten()).flat_map(|to| of_ref(to)) {
            assets[at].within.extend(names.get(&of).cloned());
        }
        // A key depends on the algorithm that it is of, an algorithm on its hash function.
        for at in of_ref(&of) {
            let asset = &mut assets[at];
            let known = needs.iter().filter(|to| names.contains_key(*to)).cloned();
            match asset.kind {
                AssetKind::Material if asset.refers_to.is_empty() => asset.refers_to.extend(known),
                AssetKind::Algorithm => asset.depends_on.extend(known),
                _ => {}
            }
        }
    }
    let missing = referred.into_iter().filter(|(_, to)| !names.contains_key(to)).collect();
    Ok(Inventory { version, assets, missing })
}

/// Whether a component of this type is one, also in the form from before CycloneDX had them.
pub(crate) fn is_asset(kind: &str) -> bool {
    ["cryptographic-asset", "crypto-asset"].contains(&kind)
}

fn in_words(error: &serde_json::Error) -> String {
    let what = fieldtest_text::json_fault(&error.to_string(), error.is_data());
    format!("line {}, column {}: {what}", error.line(), error.column())
}

#[derive(Default)]
struct Found {
    assets: Vec<Asset>,
    /// The name of every component by its `bom-ref`.
    names: BTreeMap<String, Arc<str>>,
    referred: Vec<(String, String)>,
}

impl Found {
    fn enter_all(&mut self, components: impl IntoIterator<Item = Component>) {
        let mut level: Vec<(Component, Vec<Arc<str>>)> =
            components.into_iter().map(|it| (it, Vec::new())).collect();
        while !level.is_empty() {
            let mut below = Vec::new();
            for (component, within) in level {
                below.extend(self.enter(component, within));
            }
            level = below;
        }
    }

    /// The components within this one are what is returned, each with the names of those around it.
    fn enter(&mut self, component: Component, within: Vec<Arc<str>>) -> Vec<(Component, Vec<Arc<str>>)> {
        let name = component.name.unwrap_or_default();
        if let Some(bom_ref) = &component.bom_ref {
            self.names.insert(bom_ref.clone(), name.as_str().into());
        }
        let around: Vec<Arc<str>> = within.iter().cloned().chain([name.as_str().into()]).collect();
        let below =
            component.components.unwrap_or_default().into_iter().map(|it| (it, around.clone())).collect();
        if !component.kind.as_deref().is_some_and(is_asset) && component.crypto_properties.is_none() {
            return below;
        }
        let is_stated = component.crypto_properties.is_some();
        let properties = component.crypto_properties.unwrap_or_default();
        let remarks = if is_stated { properties.remarks() } else { Vec::new() };
        let refers_to = properties.referred();
        let secured_by = properties.secured_by().cloned();
        self.referred.extend(refers_to.iter().chain(&secured_by).map(|to| (name.clone(), to.clone())));
        let occurrences = component.evidence.and_then(|it| it.occurrences).unwrap_or_default();
        let locations = occurrences.into_iter().filter_map(|it| Some((it.location?, it.line.as_u64())));
        self.assets.push(Asset {
            bom_ref: component.bom_ref,
            locations: locations.collect(),
            within,
            refers_to,
            secured_by,
            remarks,
            ..properties.into_asset(name)
        });
        below
    }
}

// The parts of the schema that are read. Whatever else there is may have any shape.

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bom {
    bom_format: Option<String>,
    spec_version: Option<String>,
    metadata: Option<Metadata>,
    components: Option<Vec<Component>>,
    dependencies: Option<Vec<Dependency>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Dependency {
    #[serde(rename = "ref")]
    of: Option<String>,
    depends_on: Option<Vec<String>>,
    provides: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Metadata {
    component: Option<Component>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Component {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(rename = "bom-ref")]
    bom_ref: Option<String>,
    name: Option<String>,
    crypto_properties: Option<CryptoProperties>,
    evidence: Option<Evidence>,
    components: Option<Vec<Component>>,
}

#[derive(Deserialize)]
struct Evidence {
    occurrences: Option<Vec<Occurrence>>,
}

#[derive(Deserialize)]
struct Occurrence {
    location: Option<String>,
    #[serde(default)]
    line: Value,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct CryptoProperties {
    asset_type: Option<String>,
    oid: Option<String>,
    algorithm_properties: Option<AlgorithmProperties>,
    certificate_properties: Option<CertificateProperties>,
    related_crypto_material_properties: Option<MaterialProperties>,
    protocol_properties: Option<ProtocolProperties>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct AlgorithmProperties {
    primitive: Option<String>,
    algorithm_family: Option<String>,
    parameter_set_identifier: Option<String>,
    curve: Option<String>,
    elliptic_curve: Option<String>,
    mode: Option<String>,
    padding: Option<String>,
    #[serde(default)]
    variant: Value,
    #[serde(default)]
    classical_security_level: Value,
    #[serde(default)]
    nist_quantum_security_level: Value,
    #[serde(default)]
    crypto_functions: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CertificateProperties {
    #[serde(default)]
    certificate_state: Value,
    #[serde(default)]
    revocation_date: Value,
    #[serde(default)]
    not_valid_after: Value,
    signature_algorithm_ref: Option<String>,
    subject_public_key_ref: Option<String>,
    related_cryptographic_assets: Option<Vec<Related>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MaterialProperties {
    #[serde(rename = "type", default)]
    kind: Value,
    #[serde(default)]
    state: Value,
    #[serde(default)]
    expiration_date: Value,
    algorithm_ref: Option<String>,
    secured_by: Option<SecuredBy>,
    #[serde(default)]
    size: Value,
    related_cryptographic_assets: Option<Vec<Related>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SecuredBy {
    #[serde(default)]
    mechanism: Value,
    algorithm_ref: Option<String>,
}

/// Transforms of IKEv2: references, or objects with them. What is dropped of them would not be judged.
#[derive(Deserialize)]
#[serde(try_from = "Value")]
struct Transforms(Vec<(&'static str, Value)>);

impl TryFrom<Value> for Transforms {
    type Error = String;

    fn try_from(of: Value) -> Result<Transforms, String> {
        let refused = |what: &str| Err(format!("ikev2TransformTypes{what}"));
        let Some(of) = of.as_object() else { return refused(": expected an object") };
        let mut all = Vec::new();
        for (kind, primitive) in TRANSFORMS {
            match of.get(kind) {
                None | Some(Value::Null) => {}
                Some(Value::Array(list)) if list.iter().all(|it| it.is_string() || it.is_object()) => {
                    all.extend(list.iter().map(|it| (primitive, it.clone())));
                }
                Some(_) => return refused(&format!(".{kind}: expected a list of names or objects")),
            }
        }
        Ok(Transforms(all))
    }
}

/// Their kinds, each with its primitive.
const TRANSFORMS: [(&str, &str); 5] =
    [("encr", "block-cipher"), ("prf", "mac"), ("integ", "mac"), ("ke", "key-agree"), ("auth", "signature")];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProtocolProperties {
    #[serde(rename = "type")]
    kind: Option<String>,
    version: Option<String>,
    cipher_suites: Option<Vec<CipherSuite>>,
    crypto_ref_array: Option<Vec<String>>,
    ikev2_transform_types: Option<Transforms>,
    related_cryptographic_assets: Option<Vec<Related>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CipherSuite {
    name: Option<String>,
    algorithms: Option<Vec<String>>,
    #[serde(default)]
    identifiers: Value,
    #[serde(default)]
    tls_groups: Value,
    #[serde(default)]
    tls_signature_schemes: Value,
}

#[derive(Deserialize)]
struct Related {
    #[serde(rename = "type", default)]
    kind: Value,
    #[serde(rename = "ref")]
    to: Option<String>,
}

/// The items of a list as texts.
fn texts(list: &Value) -> impl Iterator<Item = String> + '_ {
    list.as_array().into_iter().flatten().map(|it| it.as_str().map_or_else(|| it.to_string(), str::to_owned))
}

impl CipherSuite {
    /// Its name and its code points: `c02f`.
    fn named(&self) -> Option<(String, Vec<String>)> {
        let code = texts(&self.identifiers).collect::<String>().to_ascii_lowercase();
        let code: Vec<char> = code.replace("0x", "").replace([',', ' ', '{', '}'], "").chars().collect();
        let codes: Vec<String> = code.chunks(4).map(|it| it.iter().collect()).collect();
        let name = self.name.clone().unwrap_or_default();
        (!name.is_empty() || !codes.is_empty()).then_some((name, codes))
    }
}

impl ProtocolProperties {
    /// See [`Asset::values`].
    fn values(&self) -> Vec<(&'static str, String)> {
        let mut all = Vec::new();
        for suite in self.cipher_suites.iter().flatten() {
            all.extend(texts(&suite.tls_groups).map(|it| ("key-agree", it)));
            all.extend(texts(&suite.tls_signature_schemes).map(|it| ("signature", it)));
        }
        let transforms = self.ikev2_transform_types.iter().flat_map(|it| &it.0);
        for (primitive, it) in transforms.filter(|(_, it)| it.is_object()) {
            let name = match (it.get("name"), it.get("group")) {
                (Some(name), _) => name.as_str().map_or_else(|| name.to_string(), str::to_owned),
                (None, Some(group)) => format!("DH group {group}"),
                (None, None) if it.get("algorithm").is_some_and(Value::is_string) => continue,
                (None, None) => "?".to_owned(),
            };
            let length = it.get("keyLength").map(|it| format!(" {it}")).unwrap_or_default();
            // Ciphers that authenticate need no transform for that.
            let is_none = *primitive == "mac" && name.eq_ignore_ascii_case("none");
            all.extend((!is_none).then_some((*primitive, name + &length)));
        }
        all
    }
}

/// What an asset may be, by `assetType`.
const ASSET_TYPES: [&str; 4] = ["algorithm", "certificate", "protocol", "related-crypto-material"];

/// The day of a moment, as a number that later ones exceed: 20260131 of `2026-01-31T…`.
fn day(moment: &Value) -> Option<u32> {
    let text = moment.as_str()?;
    let digits: String = text.chars().take(10).filter(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|_| digits.len() == 8)
}

/// That a moment is over, or cannot be told; nothing where there is none.
fn over(what: &str, moment: &Value) -> Option<(&'static str, String)> {
    let today = jiff::Timestamp::now().strftime("%Y%m%d").to_string().parse().unwrap_or(u32::MAX);
    match (moment.is_null(), day(moment)) {
        (true, _) => None,
        (false, None) => Some(("state", format!("its {what} is not a date"))),
        (false, Some(day)) => (day < today).then(|| ("state", format!("its {what} is over"))),
    }
}

impl CryptoProperties {
    /// See [`Asset::remarks`].
    fn remarks(&self) -> Vec<(&'static str, String)> {
        let mut all = Vec::new();
        if !self.asset_type.as_deref().is_some_and(|it| ASSET_TYPES.contains(&it)) {
            all.push(("unknown", "its assetType is none of CycloneDX".to_owned()));
        }
        if let Some(it) = &self.certificate_properties {
            let states = it.certificate_state.as_array().map_or(&[][..], Vec::as_slice);
            let state = |of: &Value| of.get("state").or(of.get("name")).unwrap_or(of).clone();
            let odd =
                states.iter().map(state).find(|it| !["active", "pre-activation"].iter().any(|ok| it == ok));
            all.extend(odd.map(|it| ("state", format!("its state is {it}"))));
            all.extend((!it.revocation_date.is_null()).then(|| ("state", "it is revoked".to_owned())));
            all.extend(over("notValidAfter", &it.not_valid_after));
        }
        if let Some(it) = &self.related_crypto_material_properties {
            let is_usual = ["active", "pre-activation"].iter().any(|ok| it.state == *ok);
            all.extend(
                (!it.state.is_null() && !is_usual).then(|| ("state", format!("its state is {}", it.state))),
            );
            all.extend(over("expirationDate", &it.expiration_date));
            let mechanism = it.secured_by.as_ref().and_then(|it| it.mechanism.as_str()).unwrap_or_default();
            let is_bare = ["none", "plaintext"].iter().any(|it| mechanism.eq_ignore_ascii_case(it));
            all.extend(
                is_bare.then(|| ("unstated", "the document says that nothing protects it".to_owned())),
            );
        }
        all
    }

    fn secured_by(&self) -> Option<&String> {
        self.related_crypto_material_properties.as_ref()?.secured_by.as_ref()?.algorithm_ref.as_ref()
    }

    fn referred(&self) -> Vec<String> {
        let mut all: Vec<&String> = Vec::new();
        let mut related: Vec<&Related> = Vec::new();
        if let Some(it) = &self.certificate_properties {
            all.extend(it.signature_algorithm_ref.iter().chain(&it.subject_public_key_ref));
            related.extend(it.related_cryptographic_assets.iter().flatten());
        }
        if let Some(it) = &self.related_crypto_material_properties {
            all.extend(&it.algorithm_ref);
            related.extend(it.related_cryptographic_assets.iter().flatten());
        }
        if let Some(it) = &self.protocol_properties {
            let suites = it.cipher_suites.iter().flatten();
            all.extend(suites.flat_map(|suite| suite.algorithms.iter().flatten()));
            all.extend(it.crypto_ref_array.iter().flatten());
            for (_, transform) in it.ikev2_transform_types.iter().flat_map(|it| &it.0) {
                all.extend(match transform.get("algorithm").unwrap_or(transform) {
                    Value::String(to) => Some(to),
                    _ => None,
                });
            }
            related.extend(it.related_cryptographic_assets.iter().flatten());
        }
        all.extend(related.into_iter().filter_map(|related| related.to.as_ref()));
        let unique: BTreeSet<&String> = all.into_iter().collect();
        unique.into_iter().cloned().collect()
    }

    fn into_asset(self, name: String) -> Asset {
        let kind = match self.asset_type.as_deref() {
            Some("certificate") => AssetKind::Certificate,
            Some("protocol") => AssetKind::Protocol,
            Some("related-crypto-material") => AssetKind::Material,
            _ => AssetKind::Algorithm,
        };
        let algorithm = self.algorithm_properties.unwrap_or_default();
        let curve = algorithm.elliptic_curve.or(algorithm.curve);
        let protocol = self.protocol_properties.map(|it| {
            let suites = it.cipher_suites.iter().flatten().filter_map(CipherSuite::named).collect();
            let values = it.values();
            (it.kind.unwrap_or_default(), it.version.unwrap_or_default(), suites, values)
        });
        let (kind_of, version, suites, values) = protocol.unwrap_or_default();
        let signed_by =
            self.certificate_properties.as_ref().and_then(|it| it.signature_algorithm_ref.clone());
        let is_partial = self.certificate_properties.is_some_and(|it| {
            let related = it.related_cryptographic_assets.unwrap_or_default();
            let has = |is_signature: bool| related.iter().any(|it| (it.kind == "algorithm") == is_signature);
            (it.signature_algorithm_ref.is_none() && !has(true))
                || (it.subject_public_key_ref.is_none() && !has(false))
        });
        let material = self.related_crypto_material_properties;
        let size = material.as_ref().and_then(|it| it.size.as_u64());
        let material = material.and_then(|it| it.kind.as_str().map(str::to_owned));
        let text = |of: &Value| of.as_str().map(str::to_owned);
        Asset {
            kind,
            name,
            oid: self.oid.map(|oid| bare(&oid).to_owned()),
            primitive: algorithm.primitive,
            family: algorithm.algorithm_family,
            set: algorithm.parameter_set_identifier,
            curve: curve.map(|curve| curve.rsplit('/').next().unwrap_or_default().to_owned()),
            mode: algorithm.mode,
            padding: algorithm.padding,
            variant: text(&algorithm.variant),
            classical: algorithm.classical_security_level.as_u64(),
            quantum: algorithm.nist_quantum_security_level.as_u64(),
            functions: texts(&algorithm.crypto_functions).collect(),
            material,
            signed_by,
            protocol: (kind == AssetKind::Protocol).then_some((kind_of, version)),
            suites,
            values,
            is_partial,
            size: size.map(|size| u32::try_from(size).unwrap_or(u32::MAX)),
            ..Asset::default()
        }
    }
}

/// An object identifier without what some write before it.
fn bare(oid: &str) -> &str {
    let oid = oid.trim();
    ["urn:oid:", "oid:", "OID."].into_iter().find_map(|prefix| oid.strip_prefix(prefix)).unwrap_or(oid)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(components: &str) -> String {
        format!(r#"{{"bomFormat":"CycloneDX","specVersion":"1.7","components":{components}}}"#)
    }

    #[test]
    fn assets_of_every_depth_and_what_is_missing() {
        let text = document(
            r#"[{"type":"library","name":"l","version":7,"components":[{"type":"cryptographic-asset","name":"inner",
                "cryptoProperties":{"assetType":"algorithm","oid":"oid:1.2.3",
                "algorithmProperties":{"primitive":"signature","ellipticCurve":"nist/P-256"}}}]},
            {"type":"cryptographic-asset","name":"bare","bom-ref":"x"},
            {"type":"cryptographic-asset","name":"c","bom-ref":"x","cryptoProperties":{"assetType":"certificate",
                "certificateProperties":{"signatureAlgorithmRef":"x","subjectPublicKeyRef":"gone",
                "relatedCryptographicAssets":[{"type":"algorithm","ref":"far"}]}}}]"#,
        );
        let found = read(text.as_bytes()).expect("a CBOM");
        let names: Vec<&str> = found.assets.iter().map(|asset| asset.name.as_str()).collect();
        assert_eq!(names, ["bare", "c", "inner"]);
        let inner = &found.assets[2];
        assert_eq!((inner.oid.as_deref(), inner.curve.as_deref()), (Some("1.2.3"), Some("P-256")));
        assert_eq!(found.assets[1].kind, AssetKind::Certificate);
        assert_eq!(found.missing, [("c".into(), "far".into()), ("c".into(), "gone".into())]);
        assert_eq!((&inner.within, &found.assets[1].refers_to.len()), (&vec!["l".into()], &3));
    }

    #[test]
    fn what_is_no_cbom_is_one_error() {
        assert!(matches!(read(&b"<bom/>"[..]), Err(Error::Xml)));
        for other in ["{}", r#"{"bomFormat":"SPDX"}"#] {
            assert!(matches!(read(other.as_bytes()), Err(Error::Format)), "{other}");
        }
        for version in ["", r#","specVersion":"1.4""#] {
            let other = format!(r#"{{"bomFormat":"CycloneDX"{version}}}"#);
            let refused = read(other.as_bytes());
            assert!(
                matches!(&refused, Err(Error::Version(is)) if version.is_empty() || is == "1.4"),
                "{refused:?}"
            );
        }
        for (text, says) in [
            ("", "ends too early"),
            (&document(r#"[{"name":5}]"#), "line 1, column"),
            (&document(r#"[{"name":"a","name":"b"}]"#), "'name' is given twice"),
            (
                &document(
                    r#"[{"cryptoProperties":{"protocolProperties":{"ikev2TransformTypes":{"encr":{}}}}}]"#,
                ),
                "ikev2TransformTypes.encr",
            ),
            (&document(&format!("{}{}", "[".repeat(200), "]".repeat(200))), "not a list"),
            (
                &document(&format!("{}{}", "[{\"components\":".repeat(200), "[]}]".repeat(200))),
                "nested too deeply",
            ),
        ] {
            let Err(Error::Syntax(what)) = read(text.as_bytes()) else { panic!("{text} was read") };
            assert!(what.contains(says), "{text}: {what}");
        }
        let endless = std::io::Read::take(std::io::repeat(b' '), MOST + 9);
        assert!(matches!(read(endless), Err(Error::Large)));
    }
}
