//! What is stated of signature algorithms alone.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::kind::KindFacts;
use crate::places::{self, Stated};

/// Sizes, security level and place in DNSSEC.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SignatureFacts {
    /// NIST post-quantum security category, where one is claimed.
    pub level: Option<u8>,
    /// Bits of security against classical attacks (SP 800-57 part 1, revision 5, table 2), where no category says it, or where an
    /// attack leaves less than the category.
    #[serde(default)]
    pub strength: Option<u16>,
    /// Whether it is meant to withstand a quantum computer.
    pub post_quantum: bool,
    /// What takes another time each time by its nature, so that its result is a mean: rejection sampling, searches for
    /// primes, hash chains whose length depends on the message (FIPS 205, section 5.3).
    #[serde(default)]
    pub varies: Vec<Varying>,
    /// Whether the same message can have the same signature twice, where that is stated.
    #[serde(default)]
    pub randomness: Option<Randomness>,
    /// Bytes of the public key as the implementations of `kinds` take it.
    pub public_key: usize,
    /// Bytes of the secret key as this workbench stores it; typical, where the length varies (RSA).
    pub secret_key: usize,
    /// Bytes of a signature; the largest, where the length varies.
    pub signature: usize,
    /// The object identifier by which X.509 and PKCS #8 name its keys; for ECDSA, that of the curve.
    pub oid: Option<String>,
    /// How it stands in DNSSEC.
    pub dnssec: Option<Dnssec>,
    /// How it stands in IMA; absent where Linux has no code for it.
    pub ima: Option<Ima>,
}

/// An operation of a signature algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Varying {
    /// Making a key pair.
    Keygen,
    /// Signing.
    Sign,
    /// Verifying.
    Verify,
}

/// What randomness a signature is made with, beside the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Randomness {
    /// None: a message has one signature.
    Never,
    /// Some or none: the algorithm has a deterministic variant beside the randomised or hedged one.
    Optional,
    /// Some: two signatures of a message differ.
    Always,
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
    /// How it stands there, with the document: `standard (RFC 6605)`. None without a document.
    #[serde(default)]
    pub standing: Option<String>,
    /// What IANA's registry recommends (RFC 9904), by the table of the number: to use for signing and for validation, to
    /// implement for signing and for validation.
    #[serde(default)]
    pub recommended: BTreeMap<String, [String; 4]>,
    /// Servers, resolvers and services that have it, and since when.
    #[serde(default)]
    pub implemented_by: Stated,
}

impl Dnssec {
    /// How it stands there: `standard (RFC 6605)`.
    pub fn standing(&self) -> &str {
        self.standing.as_deref().unwrap_or("in no document")
    }

    fn details(&self) -> impl Iterator<Item = (String, String)> {
        let row = |fact: &str, value: String| (fact.to_owned(), value);
        let number = move |(table, number): (&String, &u8)| {
            let name = table.split_once(',').map_or(table.as_str(), |(name, _)| name);
            let place = places::places("numbers").iter().find(|place| place.name == name);
            let said = format!("{number} ({table})");
            row("DNSSEC number", place.map_or(said.clone(), |place| place.told(&said)))
        };
        let columns = move |(table, [sign, validate, signer, validator]): (&String, &[String; 4])| {
            let number = self.code_points.get(table).copied().unwrap_or_default();
            let said = format!(
                "use for signing {sign}, for validation {validate}; implement for signing {signer}, for validation {validator}"
            );
            row(&format!("DNSSEC number {number}"), format!("{said} [RFC 9904, sections 2.2 and 3, 2025-11]"))
        };
        [row("in DNSSEC", self.standing().to_owned())]
            .into_iter()
            .chain(self.public_key_field.map(|field| row("DNSKEY public key", format!("{field} bytes"))))
            .chain(self.code_points.iter().map(number))
            .chain(self.recommended.iter().map(columns))
            .chain(places::having("dnssec", "DNSSEC ", &self.implemented_by))
    }
}

/// An algorithm's place in Linux's Integrity Measurement Architecture: the first release that verifies it over a file's
/// content in `security.ima`, by version of the signature's format.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ima {
    /// Over the file's digest.
    pub v2: Option<String>,
    /// Over the file's identity, which holds its digest.
    pub v3: Option<String>,
}

impl Ima {
    /// `5.13 (version 2), 7.1 (version 3)`.
    pub fn releases(&self) -> String {
        let version = |release: &Option<String>, version| {
            release.as_ref().map(|release| format!("{release} (version {version})"))
        };
        let both: Vec<String> = [version(&self.v2, 2), version(&self.v3, 3)].into_iter().flatten().collect();
        both.join(", ")
    }
}

impl KindFacts for SignatureFacts {
    fn sizes(&self) -> Vec<(&'static str, usize)> {
        vec![("public-key", self.public_key), ("secret-key", self.secret_key), ("signature", self.signature)]
    }

    fn details(&self) -> Vec<(String, String)> {
        let row = |fact: &str, value: String| (fact.to_owned(), value);
        let mut rows = vec![
            row("post-quantum", if self.post_quantum { "yes" } else { "no" }.to_owned()),
            row(
                "classical strength",
                self.strength().map_or("not stated".to_owned(), |bits| format!("{bits} bits")),
            ),
            row("NIST level", self.level.map_or("none".to_owned(), |level| level.to_string())),
            row("public key", format!("{} bytes", self.public_key)),
            row("secret key", format!("{} bytes as stored here", self.secret_key)),
            row("signature", format!("{} bytes", self.signature)),
        ];
        rows.extend(self.oid.iter().map(|oid| row("object identifier", oid.clone())));
        let releases = self.ima.iter().map(|ima| format!("since {}", ima.releases()));
        let linux = places::places("ima").first();
        rows.extend(
            releases.map(|it| row("IMA in Linux", linux.map_or(it.clone(), |linux| linux.told(&it)))),
        );
        rows.extend(self.dnssec.iter().flat_map(Dnssec::details));
        rows
    }

    fn numbers(&self) -> Vec<(String, u32)> {
        let tables = self.dnssec.iter().flat_map(|dnssec| &dnssec.code_points);
        tables.map(|(table, number)| (format!("dnssec-{table}"), u32::from(*number))).collect()
    }

    fn standings(&self) -> Vec<(&'static str, &str)> {
        self.dnssec.iter().map(|dnssec| ("dnssec", dnssec.standing())).collect()
    }

    fn level(&self) -> Option<u8> {
        self.level
    }

    /// A category stands for the search for a key of AES, or for a collision of SHA-2, that it names (FIPS 204, appendix A).
    fn strength(&self) -> Option<u16> {
        let of_level = self.level.and_then(|level| match level {
            1 | 2 => Some(128),
            3 | 4 => Some(192),
            5 => Some(256),
            _ => None,
        });
        self.strength.or(of_level)
    }

    fn post_quantum(&self) -> Option<bool> {
        Some(self.post_quantum)
    }

    /// Classic algorithms first.
    fn rank(&self) -> u8 {
        u8::from(self.post_quantum)
    }
}

#[cfg(test)]
mod tests {
    use crate::places;

    #[test]
    fn every_embedded_file_is_sound() {
        let all = crate::signature::all();
        assert!(!all.is_empty());
        for facts in all.iter().map(|algorithm| algorithm.facts) {
            let kind = &facts.kind;
            assert!(kind.signature > 0 && kind.public_key > 0 && kind.secret_key > 0, "{}", facts.name);
            assert!(facts.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
            assert!(facts.notes.is_sorted_by(|a, b| a.date >= b.date));
            if let Some(dnssec) = &kind.dnssec {
                places::check("dnssec", &facts.name, dnssec.implemented_by.keys());
                let tables: Vec<String> = dnssec
                    .code_points
                    .keys()
                    .map(|it| it.split(',').next().unwrap_or_default().to_owned())
                    .collect();
                places::check("numbers", &facts.name, &tables);
                let of_iana = |table: &&String| table.starts_with("iana");
                let registered: Vec<&String> = dnssec.code_points.keys().filter(of_iana).collect();
                assert!(dnssec.recommended.keys().eq(registered.iter().copied()), "{}: RFC 9904", facts.name);
                assert_eq!(
                    dnssec.standing.is_some(),
                    !registered.is_empty(),
                    "{}: by which document?",
                    facts.name
                );
            }
            // What a category claims does not hold where an attack leaves less.
            let is_broken = facts.notes.iter().any(|note| note.severity == crate::facts::Severity::Broken);
            assert!(
                !is_broken || kind.level.is_none() || kind.strength.is_some(),
                "{}: what is left?",
                facts.name
            );
        }
    }
}
