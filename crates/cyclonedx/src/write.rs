//! A CBOM of the catalog, or of what was measured of it.
//!
//! Each algorithm is a component of the type `cryptographic-asset`; each implementation that was seen a `library` that
//! provides it. What CycloneDX has no field for stands in properties, whose names begin with `fieldtest:`. The same
//! records make the same document, byte for byte: its time is the run's, its serial number a digest of the rest.

use std::collections::{BTreeMap, BTreeSet};

use fieldtest_catalog::facts::{Cyclonedx, Severity};
use fieldtest_catalog::kind::{self, Kind as _};
use fieldtest_catalog::{Entry, entries};
use fieldtest_measure::record::{Candidate, Line, Record, Run, SecurityNote};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

pub(crate) const SCHEMA: &str = "http://cyclonedx.org/schema/bom-1.7.schema.json";

/// Every algorithm of the catalog, as a document.
pub fn of_catalog() -> String {
    let all = entries().iter().map(|entry| Described::of_entry(entry.as_ref())).collect();
    document(all, &[])
}

/// The algorithms of records with what was measured of them, as a document.
pub fn of_records(lines: &[Line]) -> String {
    let known = entries();
    let mut runs: Vec<&Run> = Vec::new();
    let mut all: Vec<Described<'_>> = Vec::new();
    for line in lines {
        match line {
            Line::Run(run) => runs.push(run),
            Line::Candidate(it) if all.iter().all(|known| known.name != it.algorithm) => {
                let entry = known.iter().find(|entry| entry.name() == it.algorithm);
                all.push(Described::of_candidate(it, entry.map(AsRef::as_ref)));
            }
            Line::Candidate(_) => {}
            Line::Record(record) => {
                if let Some(it) = all.iter_mut().find(|it| it.name == record.algorithm) {
                    it.records.push(record);
                }
            }
        }
    }
    document(all, &runs)
}

/// An algorithm with all that is written of it.
struct Described<'a> {
    name: String,
    title: String,
    kind: String,
    standard: String,
    hardness: String,
    status: String,
    level: Option<u8>,
    strength: Option<u16>,
    post_quantum: Option<bool>,
    sizes: Vec<(String, u64)>,
    notes: Vec<SecurityNote>,
    words: Option<&'static Cyclonedx>,
    mode: Option<&'static str>,
    implementations: BTreeSet<(String, String)>,
    records: Vec<&'a Record>,
}

impl Described<'_> {
    fn of_entry(entry: &dyn Entry) -> Self {
        Described {
            name: entry.name().to_owned(),
            title: entry.title().to_owned(),
            kind: entry.kind().to_owned(),
            standard: entry.standard().to_owned(),
            hardness: entry.hardness().to_owned(),
            status: entry.status().word().to_owned(),
            level: entry.level(),
            strength: entry.strength(),
            post_quantum: entry.post_quantum(),
            sizes: entry.sizes().into_iter().map(|(name, bytes)| (name.to_owned(), bytes as u64)).collect(),
            notes: entry
                .notes()
                .iter()
                .map(|note| SecurityNote {
                    date: note.date.clone(),
                    severity: note.severity.word().to_owned(),
                    text: note.text.clone(),
                    source: note.source.clone(),
                })
                .collect(),
            words: entry.cyclonedx(),
            mode: entry.mode(),
            implementations: entry
                .implementations()
                .into_iter()
                .map(|(name, version)| (name.to_owned(), version.to_owned()))
                .collect(),
            records: Vec::new(),
        }
    }

    fn of_candidate<'a>(it: &Candidate, entry: Option<&dyn Entry>) -> Described<'a> {
        Described {
            name: it.algorithm.clone(),
            title: it.title.clone(),
            kind: it.kind.clone(),
            standard: it.standard.clone(),
            hardness: it.hardness.clone(),
            status: it.status.clone(),
            level: it.level,
            strength: it.strength,
            post_quantum: it.post_quantum,
            sizes: it.sizes.clone(),
            notes: it.notes.clone(),
            words: entry.and_then(Entry::cyclonedx),
            mode: entry.and_then(Entry::mode),
            implementations: BTreeSet::new(),
            records: Vec::new(),
        }
    }

    fn reference(&self) -> String {
        format!("algorithm/{}", self.name)
    }

    fn implementations(&self) -> BTreeSet<(String, String)> {
        let seen = self.records.iter().filter_map(|record| record.implementation.as_ref());
        let seen = seen.map(|it| (it.name.clone(), it.version.clone()));
        self.implementations.iter().cloned().chain(seen).collect()
    }

    fn component(&self) -> Component {
        let (primitive, functions): (&str, &[&str]) = match self.kind.as_str() {
            word if word == kind::Signature::WORD => ("signature", &["keygen", "sign", "verify"]),
            word if word == kind::Mac::WORD => ("mac", &["keyderive", "tag"]),
            word if word == kind::Hash::WORD => ("hash", &["digest"]),
            word if word == kind::Cipher::WORD => ("block-cipher", &["encrypt", "decrypt"]),
            word if word == kind::Aead::WORD => ("ae", &["encrypt", "decrypt"]),
            _ => ("unknown", &["unknown"]),
        };
        // Whoever is not meant to withstand a quantum computer meets no category (`nistQuantumSecurityLevel`, 0), nor does
        // whoever is broken.
        let is_broken = self.notes.iter().any(|note| note.severity == Severity::Broken.word());
        let quantum = if is_broken || self.post_quantum == Some(false) { Some(0) } else { self.level };
        let words = self.words;
        let oid = words.and_then(|it| it.oids.first().or(it.wider_oids.first()));
        Component {
            kind: "cryptographic-asset",
            reference: self.reference(),
            name: self.title.clone(),
            version: None,
            description: Some(format!("{}; rests on {}", self.standard, self.hardness)),
            crypto_properties: Some(CryptoProperties {
                asset_type: "algorithm",
                algorithm_properties: AlgorithmProperties {
                    primitive,
                    algorithm_family: words.map(|it| it.family.as_str()),
                    parameter_set_identifier: words.map(|it| it.set.as_str()),
                    elliptic_curve: words.and_then(|it| it.curve.as_deref()),
                    mode: self.mode.map(mode),
                    padding: words.and_then(|it| it.padding.as_deref()),
                    crypto_functions: functions,
                    classical_security_level: self.strength,
                    nist_quantum_security_level: quantum,
                },
                oid: oid.map(String::as_str),
            }),
            properties: self.properties(),
        }
    }

    fn properties(&self) -> Vec<Property> {
        let mut all = vec![
            Property::new("fieldtest:name", &self.name),
            Property::new("fieldtest:status", &self.status),
        ];
        all.extend(self.mode.map(|mode| Property::new("fieldtest:mode", mode)));
        for (size, bytes) in &self.sizes {
            all.push(Property::new(format!("fieldtest:size:{size}"), format!("{bytes} bytes")));
        }
        for note in &self.notes {
            let told = format!("{} {}: {} [{}]", note.date, note.severity, note.text, note.source);
            all.push(Property::new("fieldtest:security-note", told));
        }
        all.extend(self.records.iter().map(|record| measured(record)));
        all
    }
}

/// The word of CycloneDX 1.7 for a mode, which has none for those of disks.
fn mode(mode: &str) -> &'static str {
    ["cbc", "ecb", "ctr"].into_iter().find(|known| known.eq_ignore_ascii_case(mode)).unwrap_or("other")
}

/// A record as a property: what was done in the name; figure, unit, interval and where it is from in the value.
fn measured(record: &Record) -> Property {
    let mut name = format!("fieldtest:{}:{}", record.study, record.operation);
    if !record.subject.is_empty() {
        name.push_str(&format!(":{}", record.subject));
    }
    let mut value = format!("{} {}", record.value, record.unit);
    if let Some([low, high]) = record.interval {
        value.push_str(&format!(", 95% interval {low} to {high}"));
    }
    value.push_str(&format!("; {}", record.estimator));
    if record.samples > 0 {
        value.push_str(&format!(" of {}", record.samples));
    }
    if let Some(it) = &record.implementation {
        value.push_str(&format!("; {} {}", it.name, it.version));
    }
    if let Some(input) = &record.input {
        value.push_str(&format!("; on {}", input.name));
    }
    Property::new(name, value)
}

fn document(algorithms: Vec<Described<'_>>, runs: &[&Run]) -> String {
    let mut components: Vec<Component> = algorithms.iter().map(Described::component).collect();
    let mut provided: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for algorithm in &algorithms {
        for implementation in algorithm.implementations() {
            provided.entry(implementation).or_default().insert(algorithm.reference());
        }
    }
    let mut dependencies = Vec::new();
    for ((name, version), provides) in provided {
        let reference = format!("implementation/{name}@{version}");
        dependencies.push(Dependency { reference: reference.clone(), provides });
        components.push(Component {
            kind: "library",
            reference,
            name,
            version: Some(version),
            description: None,
            crypto_properties: None,
            properties: Vec::new(),
        });
    }
    let latest = runs.iter().max_by(|a, b| a.started.cmp(&b.started));
    let version = latest.map_or(env!("CARGO_PKG_VERSION"), |run| run.version.as_str()).to_owned();
    let mut bom = Bom {
        schema: SCHEMA,
        bom_format: "CycloneDX",
        spec_version: "1.7",
        serial_number: None,
        version: 1,
        metadata: Metadata {
            timestamp: latest.map(|run| run.started.clone()),
            tools: Tools {
                components: vec![Component {
                    kind: "application",
                    reference: "fieldtest".to_owned(),
                    name: "fieldtest".to_owned(),
                    version: Some(version),
                    description: None,
                    crypto_properties: None,
                    properties: Vec::new(),
                }],
            },
            properties: runs.iter().flat_map(|run| of_run(run)).collect(),
        },
        components,
        dependencies,
    };
    bom.serial_number = Some(serial_number(&text(&bom)));
    text(&bom)
}

/// The run that figures are from, since they are true of its machine alone.
fn of_run(run: &Run) -> Vec<Property> {
    let host = &run.host;
    vec![
        Property::new("fieldtest:run", format!("{}; {}; seed {}", run.started, run.command, run.seed)),
        Property::new(
            "fieldtest:host",
            format!("{}; {}; {}; {}", host.id, host.processor(), host.kernel, host.system),
        ),
        Property::new("fieldtest:condition", &run.verdict),
    ]
}

fn text(bom: &Bom) -> String {
    // Strings and numbers, which JSON carries.
    let mut text = serde_json::to_string_pretty(bom).unwrap_or_default();
    text.push('\n');
    text
}

/// A UUID of version 8 (RFC 9562, section 5.8) made of a digest.
fn serial_number(text: &str) -> String {
    let mut bytes: Vec<u8> = Sha256::digest(text.as_bytes()).iter().take(16).copied().collect();
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = |part: &[u8]| part.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let parts = [&bytes[..4], &bytes[4..6], &bytes[6..8], &bytes[8..10], &bytes[10..]].map(hex);
    format!("urn:uuid:{}", parts.join("-"))
}

// The document's shape: `bom-1.7.schema.json`, as far as it is used.

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Bom {
    #[serde(rename = "$schema")]
    schema: &'static str,
    bom_format: &'static str,
    spec_version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    serial_number: Option<String>,
    version: u32,
    metadata: Metadata,
    components: Vec<Component>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dependencies: Vec<Dependency>,
}

#[derive(Serialize)]
struct Metadata {
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
    tools: Tools,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    properties: Vec<Property>,
}

#[derive(Serialize)]
struct Tools {
    components: Vec<Component>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Component {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(rename = "bom-ref")]
    reference: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    crypto_properties: Option<CryptoProperties>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    properties: Vec<Property>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CryptoProperties {
    asset_type: &'static str,
    algorithm_properties: AlgorithmProperties,
    #[serde(skip_serializing_if = "Option::is_none")]
    oid: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AlgorithmProperties {
    primitive: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    algorithm_family: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter_set_identifier: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elliptic_curve: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    padding: Option<&'static str>,
    crypto_functions: &'static [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    classical_security_level: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nist_quantum_security_level: Option<u8>,
}

#[derive(Serialize)]
struct Property {
    name: String,
    value: String,
}

impl Property {
    fn new(name: impl Into<String>, value: impl Into<String>) -> Property {
        Property { name: name.into(), value: value.into() }
    }
}

#[derive(Serialize)]
struct Dependency {
    #[serde(rename = "ref")]
    reference: String,
    provides: BTreeSet<String>,
}
