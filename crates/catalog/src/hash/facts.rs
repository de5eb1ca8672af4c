//! What is stated of hash functions alone.

use serde::Deserialize;

use crate::kind::KindFacts;
use crate::places::{self, Stated};

/// Sizes, security, and where the function is to be had.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HashFacts {
    /// Bytes of a digest.
    pub digest: usize,
    /// Security against collisions in bits: the best known attack's cost, or what the designers claim. `None` where no
    /// such result can be given; the notes say why.
    pub collision: Option<u16>,
    /// Security against preimages in bits, likewise.
    pub preimage: u16,
    /// What of the function's state or output the digest is.
    pub output: String,
    /// Git's names for it as an object format, where it is one.
    pub git: Option<GitFormat>,
    /// Libraries, languages and systems that have it, in their own or their usual spelling, and since when.
    #[serde(default)]
    pub availability: Stated,
}

/// Git's names for an object format (gitformat-hash and the hash function transition plan).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GitFormat {
    /// The value of `extensions.objectFormat`.
    pub name: String,
    /// The number that stands for it in files: four ASCII letters, the first in the highest byte.
    pub id: u32,
}

impl KindFacts for HashFacts {
    fn strength(&self) -> Option<u16> {
        self.collision
    }

    fn sizes(&self) -> Vec<(&'static str, usize)> {
        vec![("digest", self.digest)]
    }

    fn numbers(&self) -> Vec<(String, u32)> {
        self.git.iter().map(|format| ("git".to_owned(), format.id)).collect()
    }

    fn details(&self) -> Vec<(String, String)> {
        let row = |fact: &str, value: String| (fact.to_owned(), value);
        let bits = |bits: u16| format!("2^{bits}");
        let mut rows = vec![
            row("digest", format!("{} bytes", self.digest)),
            row("collision", self.collision.map_or("see the notes".to_owned(), bits)),
            row("preimage", bits(self.preimage)),
            row("output", self.output.clone()),
        ];
        if let Some(git) = &self.git {
            rows.push(row("Git's object format", format!("{} ({:#010x})", git.name, git.id)));
        }
        rows.extend(
            places::rows("hash", &self.availability).map(|(place, it)| (format!("in {}", place.name), it)),
        );
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_file_is_sound() {
        for facts in crate::hash::all().iter().map(|algorithm| algorithm.facts) {
            let own = &facts.kind;
            assert!(facts.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
            assert!(facts.notes.is_sorted_by(|a, b| a.date >= b.date), "{}", facts.name);
            let bits = u16::try_from(8 * own.digest).expect("a short digest");
            assert!(own.collision.is_none_or(|c| c <= bits / 2), "{}: birthday bound", facts.name);
            assert!(own.preimage <= bits, "{}", facts.name);
            places::check("hash", &facts.name, own.availability.keys());
            if let Some(git) = &own.git {
                let letters = git.id.to_be_bytes();
                assert!(letters.iter().all(u8::is_ascii_alphanumeric), "{}: {:#x}", facts.name, git.id);
            }
        }
    }
}
