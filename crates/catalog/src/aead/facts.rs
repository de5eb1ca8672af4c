//! What is stated of ciphers that authenticate alone.

use serde::Deserialize;

use crate::cipher::Standing;
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
    /// Who approves of it, who has it, and whose time depends on secrets.
    #[serde(flatten)]
    pub standing: Standing,
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
        rows.extend(self.standing.details());
        rows
    }
}

#[cfg(test)]
mod tests {

    #[test]
    fn every_embedded_file_is_sound() {
        for algorithm in crate::aead::all() {
            let (facts, own) = (algorithm.facts, &algorithm.facts.kind);
            assert!([16, 24, 32].contains(&own.key) && (own.nonce, own.tag) == (12, 16), "{}", facts.name);
            assert!(facts.notes.is_sorted_by(|a, b| a.date >= b.date), "{}", facts.name);
            own.standing.check(algorithm);
        }
    }
}
