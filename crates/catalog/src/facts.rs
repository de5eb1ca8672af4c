//! What is known of an algorithm without running it, read from the TOML files under `facts/`.

use serde::Deserialize;

/// One algorithm's facts.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Facts {
    /// The name users type, `ml-dsa-44`.
    pub name: String,
    /// The name people write, `ML-DSA-44`.
    pub title: String,
    /// NIST security category, where one is claimed.
    #[serde(default)]
    pub level: Option<u8>,
    /// Bytes of the public key as the specification writes it.
    pub public_key: usize,
    /// Bytes of the secret key as this workbench stores it.
    pub secret_key: usize,
    /// Bytes of a signature; the largest, where the length varies.
    pub signature: usize,
    /// `standard`, `provisional`, `candidate`, `superseded`, `withdrawn`, `broken`, `research`.
    pub status: Status,
    /// The document that defines it.
    pub standard: String,
    /// The problem it rests on.
    pub hardness: String,
    /// How it stands in DNSSEC.
    #[serde(default)]
    pub dnssec: Option<Dnssec>,
    /// Dated remarks on its security, newest first.
    #[serde(default)]
    pub notes: Vec<Note>,
}

/// Where an algorithm stands on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// A published standard.
    Standard,
    /// A standard is announced; this is the best public guess at it.
    Provisional,
    /// In a running competition, in its current version.
    Candidate,
    /// A version that its authors replaced.
    Superseded,
    /// Given up by its authors.
    Withdrawn,
    /// Its claimed security is disproved.
    Broken,
    /// A research paper.
    Research,
}

/// An algorithm's place in DNSSEC.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Dnssec {
    /// Bytes of the DNSKEY's Public Key field, where that differs from the public key's own length.
    #[serde(default)]
    pub public_key_field: Option<usize>,
    /// Code points by table: `iana`, `oqs`, `patad`, `private`, ….
    #[serde(default)]
    pub code_points: std::collections::BTreeMap<String, u8>,
}

/// A dated remark with its source.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Note {
    /// ISO date, or year and month.
    pub date: String,
    /// `info`, `warning`, `broken`.
    pub severity: String,
    /// One sentence.
    pub text: String,
    /// Where it is published.
    pub source: String,
}
