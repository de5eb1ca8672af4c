//! An asset as the document states it.

use std::sync::Arc;

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
    /// `classicalSecurityLevel`, in bits; two where two members state it.
    pub classical: Vec<u64>,
    /// `nistQuantumSecurityLevel`.
    pub quantum: Vec<u64>,
    /// `cryptoFunctions`.
    pub functions: Vec<String>,
    /// `type` of a key or other material.
    pub material: Option<String>,
    /// Of a key, its `format`, of a protocol, its component's version: words as those of its name.
    pub said: Vec<String>,
    /// The `mechanism` that protects a key.
    pub mechanism: Option<String>,
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
    /// Of a protocol, whether a cipher suite or an encryption transform refers to its algorithms.
    pub refers_to_ciphers: bool,
    /// Of a protocol, whether its peers may encrypt without an integrity transform.
    pub lacks_integrity: bool,
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
