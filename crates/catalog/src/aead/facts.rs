//! What is stated of ciphers that authenticate alone.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::cipher::CipherFacts;
use crate::kind::KindFacts;

/// Sizes, how a disk asks for it, and where it is to be had.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AeadFacts {
    /// Bytes of a key.
    pub key: usize,
    /// Bytes of the nonce that it is used with.
    pub nonce: usize,
    /// Bytes of the whole tag.
    pub tag: usize,
    /// The mode over the block cipher: `GCM`.
    pub mode: String,
    /// The cipher by which `cryptsetup luksFormat --integrity aead` names it, where it takes it: `aes-gcm-random`.
    pub dm_crypt: Option<String>,
    /// Who approves of it, and where: of [`CipherFacts::APPROVING`].
    #[serde(default)]
    pub approval: BTreeMap<String, String>,
    /// Whether an implementation's time depends on key and data, by the implementation's name: it begins with
    /// `constant-time` or with `tables`.
    #[serde(default)]
    pub timing: BTreeMap<String, String>,
    /// Systems and libraries that have it, and since when: of [`CipherFacts::ASKED`].
    #[serde(default)]
    pub availability: BTreeMap<String, String>,
}

impl KindFacts for AeadFacts {
    fn strength(&self) -> Option<u16> {
        u16::try_from(8 * self.key).ok()
    }

    fn mode(&self) -> Option<&str> {
        Some(&self.mode)
    }

    fn sizes(&self) -> Vec<(&'static str, usize)> {
        vec![("key", self.key), ("nonce", self.nonce), ("tag", self.tag)]
    }

    fn details(&self) -> Vec<(String, String)> {
        let row = |fact: &str, value: &str| (fact.to_owned(), value.to_owned());
        let mut rows = vec![
            row("key", &format!("{} bytes", self.key)),
            row("nonce", &format!("{} bytes", self.nonce)),
            row("tag", &format!("{} bytes", self.tag)),
            row("mode", &self.mode),
            row("dm-crypt", self.dm_crypt.as_deref().unwrap_or("no")),
        ];
        for body in CipherFacts::APPROVING {
            rows.push(row(body, self.approval.get(body).map_or("no", String::as_str)));
        }
        for (implementation, timing) in &self.timing {
            rows.push(row(&format!("time of {implementation}"), timing));
        }
        for place in CipherFacts::ASKED {
            rows.push(row(&format!("in {place}"), self.availability.get(place).map_or("no", String::as_str)));
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_file_is_sound() {
        for algorithm in crate::aead::all() {
            let (facts, own) = (algorithm.facts, &algorithm.facts.kind);
            assert!([16, 24, 32].contains(&own.key) && (own.nonce, own.tag) == (12, 16), "{}", facts.name);
            assert!(facts.notes.is_sorted_by(|a, b| a.date >= b.date), "{}", facts.name);
            for place in own.availability.keys() {
                assert!(CipherFacts::ASKED.contains(&place.as_str()), "{}: {place}", facts.name);
            }
            for body in own.approval.keys() {
                assert!(CipherFacts::APPROVING.contains(&body.as_str()), "{}: {body}", facts.name);
            }
            for implementation in &algorithm.implementations {
                let timing = own.timing.get(implementation.name);
                let timing = timing.unwrap_or_else(|| panic!("{}: {}", facts.name, implementation.name));
                assert!(timing.starts_with("constant-time") || timing.starts_with("tables"), "{timing}");
            }
        }
    }
}
