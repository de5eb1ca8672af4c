//! What is known of an algorithm without running it, read from the TOML files under `facts/`.
//!
//! A file describes one family: a `[family]` table with what all its members share, then one `[[algorithm]]` each,
//! which may override it. The files are embedded, so that the program needs nothing but itself.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// Every file under `facts/`: its name and its text.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/facts.rs"));

/// One algorithm's facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The name users type, `ml-dsa-44`.
    pub name: String,
    /// The name people write, `ML-DSA-44`.
    pub title: String,
    /// The family's name as people write it, `ML-DSA`.
    pub family: String,
    /// NIST post-quantum security category, where one is claimed.
    pub level: Option<u8>,
    /// Whether it is meant to withstand a quantum computer.
    pub post_quantum: bool,
    /// Bytes of the public key as the implementations of `kinds` take it.
    pub public_key: usize,
    /// Bytes of the secret key as this workbench stores it; typical, where the length varies (RSA).
    pub secret_key: usize,
    /// Bytes of a signature; the largest, where the length varies.
    pub signature: usize,
    /// Where it stands on its way.
    pub status: Status,
    /// The document that defines it.
    pub standard: String,
    /// The problem it rests on.
    pub hardness: String,
    /// How it stands in DNSSEC.
    pub dnssec: Option<Dnssec>,
    /// Dated remarks on its security, newest first.
    pub notes: Vec<Note>,
}

/// Where an algorithm stands on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
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

impl Status {
    /// The word for it in listings and records.
    pub fn word(self) -> &'static str {
        match self {
            Status::Standard => "standard",
            Status::Provisional => "provisional",
            Status::Candidate => "candidate",
            Status::Superseded => "superseded",
            Status::Withdrawn => "withdrawn",
            Status::Broken => "broken",
            Status::Research => "research",
        }
    }
}

/// An algorithm's place in DNSSEC.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Dnssec {
    /// Bytes of the DNSKEY's Public Key field, where that differs from the public key's own length.
    #[serde(default)]
    pub public_key_field: Option<usize>,
    /// Code points by table: `iana`, `oqs`, `patad`, `private`, ….
    #[serde(default)]
    pub code_points: BTreeMap<String, u8>,
}

/// A dated remark with its source.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Note {
    /// ISO date, year and month, or year.
    pub date: String,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence.
    pub text: String,
    /// Where it is published.
    pub source: String,
}

/// How much a note matters to someone who would deploy the algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Good to know.
    Info,
    /// Think twice.
    Warning,
    /// Do not deploy.
    Broken,
}

impl Severity {
    /// The word for it in listings and records.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Broken => "broken",
        }
    }
}

/// A file under `facts/` that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FactsError {
    /// Not TOML, or not of this shape.
    #[error("{file}: {text}")]
    Parse {
        /// The file, relative to the workspace.
        file: String,
        /// What the parser says, with line and column.
        text: String,
    },
    /// Neither the algorithm nor its family states this.
    #[error("{file}: '{algorithm}' has no {field}, and [family] states none either")]
    Missing {
        /// The file, relative to the workspace.
        file: String,
        /// The algorithm.
        algorithm: String,
        /// The key that is missing.
        field: &'static str,
    },
    /// Two entries of one name.
    #[error("{file}: '{algorithm}' is described a second time")]
    Duplicate {
        /// The file, relative to the workspace.
        file: String,
        /// The algorithm.
        algorithm: String,
    },
}

/// All facts in the order of listing: classic algorithms first, then by status, the most settled first.
pub fn all() -> Result<&'static [Facts], FactsError> {
    static ALL: LazyLock<Result<Vec<Facts>, FactsError>> = LazyLock::new(|| {
        let mut all: Vec<Facts> = Vec::new();
        for (file, text) in FILES {
            for facts in parse(file, text)? {
                if all.iter().any(|known| known.name == facts.name) {
                    return Err(FactsError::Duplicate { file: file.to_string(), algorithm: facts.name });
                }
                all.push(facts);
            }
        }
        all.sort_by_key(|facts| (facts.post_quantum, facts.status));
        Ok(all)
    });
    ALL.as_deref().map_err(Clone::clone)
}

/// A file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    family: Family,
    algorithm: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Family {
    title: String,
    post_quantum: bool,
    hardness: Option<String>,
    status: Option<Status>,
    standard: Option<String>,
    #[serde(default)]
    notes: Vec<Note>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Entry {
    name: String,
    title: String,
    level: Option<u8>,
    public_key: usize,
    secret_key: usize,
    signature: usize,
    hardness: Option<String>,
    status: Option<Status>,
    standard: Option<String>,
    dnssec: Option<Dnssec>,
    #[serde(default)]
    notes: Vec<Note>,
}

fn parse(file: &str, text: &str) -> Result<Vec<Facts>, FactsError> {
    let File { family, algorithm } = toml::from_str(text)
        .map_err(|error| FactsError::Parse { file: file.to_string(), text: error.to_string() })?;
    algorithm.into_iter().map(|entry| merge(file, &family, entry)).collect()
}

/// An entry with its family's statements where it makes none itself.
fn merge(file: &str, family: &Family, entry: Entry) -> Result<Facts, FactsError> {
    let missing =
        |field| FactsError::Missing { file: file.to_string(), algorithm: entry.name.clone(), field };
    let status = entry.status.or(family.status).ok_or_else(|| missing("status"))?;
    let standard = entry.standard.clone().or(family.standard.clone()).ok_or_else(|| missing("standard"))?;
    let hardness = entry.hardness.clone().or(family.hardness.clone()).ok_or_else(|| missing("hardness"))?;
    let mut notes = [entry.notes, family.notes.clone()].concat();
    notes.sort_by(|a, b| b.date.cmp(&a.date));
    Ok(Facts {
        name: entry.name,
        title: entry.title,
        family: family.title.clone(),
        level: entry.level,
        post_quantum: family.post_quantum,
        public_key: entry.public_key,
        secret_key: entry.secret_key,
        signature: entry.signature,
        status,
        standard,
        hardness,
        dnssec: entry.dnssec,
        notes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_file_is_sound() {
        let all = all().unwrap();
        assert!(!all.is_empty());
        for facts in all {
            assert!(facts.signature > 0 && facts.public_key > 0 && facts.secret_key > 0, "{}", facts.name);
            assert!(facts.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
            assert!(facts.notes.is_sorted_by(|a, b| a.date >= b.date));
        }
    }

    #[test]
    fn an_entry_overrides_its_family_and_notes_are_joined() {
        let text = r#"
            [family]
            title = "F"
            post-quantum = true
            hardness = "h"
            status = "candidate"
            standard = "s"
            [[family.notes]]
            date = "2025-01"
            severity = "info"
            text = "old"
            source = "x"
            [[algorithm]]
            name = "f-1"
            title = "F-1"
            public-key = 1
            secret-key = 2
            signature = 3
            status = "broken"
            [[algorithm.notes]]
            date = "2026-01-02"
            severity = "broken"
            text = "new"
            source = "y"
        "#;
        let facts = parse("f.toml", text).unwrap().remove(0);
        assert_eq!((facts.status, facts.hardness.as_str()), (Status::Broken, "h"));
        assert_eq!(facts.notes.iter().map(|n| n.text.as_str()).collect::<Vec<_>>(), ["new", "old"]);
    }

    #[test]
    fn errors_name_the_file_and_what_is_missing() {
        let error = parse("facts/x.toml", "[family]\ntitle = 3").unwrap_err().to_string();
        assert!(error.starts_with("facts/x.toml: ") && error.contains("line 2"), "{error}");
        let text = "[family]\ntitle='X'\npost-quantum=false\n[[algorithm]]\nname='x'\ntitle='X'\npublic-key=1\nsecret-key=1\nsignature=1";
        let error = parse("facts/x.toml", text).unwrap_err().to_string();
        assert_eq!(error, "facts/x.toml: 'x' has no status, and [family] states none either");
    }
}
