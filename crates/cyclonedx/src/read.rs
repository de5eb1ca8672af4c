//! What a CBOM of others names: its cryptographic assets, as far as they tell algorithms.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

pub use crate::asset::{Asset, AssetKind};
use crate::properties;
use crate::unique::Unique;

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
const OLDER: &str = "1.4-cbom-1.0";
const VERSIONS: [&str; 3] = ["1.6", "1.7", OLDER];

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
    let is_older = bom.spec_version.as_deref() == Some(OLDER) && bom.bom_format.as_deref() == Some("CBOM");
    if bom.bom_format.as_deref() != Some("CycloneDX") && !is_older {
        return Err(Error::Format);
    }
    let version = bom.spec_version.unwrap_or_else(|| "without a version".to_owned());
    if !VERSIONS.contains(&version.as_str()) {
        return Err(Error::Version(version));
    }
    let mut found = Found::default();
    let described = bom.metadata.and_then(|metadata| metadata.component);
    let declared = bom.declarations.and_then(|it| it.targets?.components);
    let listed = bom.components.into_iter().chain(declared).flatten();
    found.enter_all(described.into_iter().chain(listed));
    let Found { mut assets, names, twice, referred } = found;
    let mut by_ref: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, asset) in assets.iter().enumerate() {
        if let Some(bom_ref) = &asset.bom_ref {
            by_ref.entry(bom_ref.clone()).or_default().push(at);
        }
    }
    let is_twice = |asset: &&mut Asset| asset.bom_ref.as_ref().is_some_and(|it| twice.contains(it));
    for asset in assets.iter_mut().filter(is_twice) {
        asset.remarks.push(("contradiction", "several components have its bom-ref".to_owned()));
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
    /// What several components have as `bom-ref`.
    twice: BTreeSet<String>,
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
        if let Some(bom_ref) = &component.bom_ref
            && self.names.insert(bom_ref.clone(), name.as_str().into()).is_some()
        {
            self.twice.insert(bom_ref.clone());
        }
        let around: Vec<Arc<str>> = within.iter().cloned().chain([name.as_str().into()]).collect();
        let below =
            component.components.unwrap_or_default().into_iter().map(|it| (it, around.clone())).collect();
        if !component.kind.as_deref().is_some_and(is_asset) && component.crypto_properties.is_none() {
            return below;
        }
        let mut own =
            component.crypto_properties.map(|Unique(it)| properties::asset(&it)).unwrap_or_default();
        if own.kind == AssetKind::Protocol {
            own.said.extend(component.version.as_str().map(str::to_owned));
        }
        let refers_to = own.refers_to.iter().chain(&own.secured_by);
        self.referred.extend(refers_to.map(|to| (name.clone(), to.clone())));
        let occurrences = component.evidence.and_then(|it| it.occurrences).unwrap_or_default();
        let locations = occurrences.into_iter().filter_map(|it| Some((it.location?, it.line.as_u64())));
        self.assets.push(Asset {
            name,
            bom_ref: component.bom_ref,
            locations: locations.collect(),
            within,
            ..own
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
    declarations: Option<Declarations>,
}

/// What a document claims of components, which are listed there.
#[derive(Deserialize)]
struct Declarations {
    targets: Option<Targets>,
}

#[derive(Deserialize)]
struct Targets {
    components: Option<Vec<Component>>,
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
    #[serde(default)]
    version: Value,
    crypto_properties: Option<Unique>,
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
        let older = r#"{"bomFormat":"CBOM","specVersion":"1.4-cbom-1.0"}"#;
        assert!(read(older.as_bytes()).is_ok());
        assert!(matches!(read(older.replace("1.4-cbom-1.0", "1.6").as_bytes()), Err(Error::Format)));
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
            (&document(r#"[{"cryptoProperties":{"x":[{"y":1,"y":2}]}}]"#), "'y' is given twice"),
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
