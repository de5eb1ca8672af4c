//! What is stated of ciphers of storage alone.

use fieldtest_text::words;
use serde::Deserialize;

use super::Standing;
use crate::kind::KindFacts;

/// Sizes, how it is asked for, what it hides, and where it is to be had.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CipherFacts {
    /// Bytes of a key; for XTS of both.
    pub key: usize,
    /// Bytes of a tweak or initialisation vector, as dm-crypt makes it of a sector's number; 0 if there is none.
    pub tweak: usize,
    /// What of a sector changes with a byte of it.
    pub width: Width,
    /// The mode over the block cipher, or the construction: `XTS`.
    pub mode: String,
    /// Whether it protects a disk at all. If not, it is here because it is measured beside the others, and the notes
    /// say what it betrays.
    pub for_disks: bool,
    /// The specification by which dm-crypt, `cryptsetup --cipher` and LUKS2 headers name it: `aes-xts-plain64`.
    pub dm_crypt: String,
    /// Who approves of it, who has it, and whose time depends on secrets.
    #[serde(flatten)]
    pub standing: Standing,
}

words! {
    /// What of a sector changes with a byte of it.
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Width {
        /// A block of 16 bytes, or at most a few of them: who sees two versions of a sector sees which blocks changed.
        Narrow = "narrow",
        /// The whole sector.
        Wide = "wide",
    }
}

impl KindFacts for CipherFacts {
    /// Of the block cipher or construction: XTS has two keys, and the second adds nothing (IEEE 1619, annex D.4.3).
    fn strength(&self) -> Option<u16> {
        let keys = if self.mode == "XTS" { 2 } else { 1 };
        u16::try_from(8 * self.key / keys).ok()
    }

    fn mode(&self) -> Option<&str> {
        Some(&self.mode)
    }

    fn sizes(&self) -> Vec<(&'static str, usize)> {
        vec![("key", self.key), ("tweak", self.tweak)]
    }

    fn details(&self) -> Vec<(String, String)> {
        let row = |fact: &str, value: &str| (fact.to_owned(), value.to_owned());
        let mut rows = vec![
            row("key", &format!("{} bytes", self.key)),
            row("tweak", &format!("{} bytes", self.tweak)),
            row("mode", &self.mode),
            row(
                "a changed byte changes",
                match self.width {
                    Width::Narrow => "a block, or what follows it",
                    Width::Wide => "the whole sector",
                },
            ),
            row("protects a disk", if self.for_disks { "yes" } else { "no; see the notes" }),
            row("dm-crypt", &self.dm_crypt),
        ];
        rows.extend(self.standing.details());
        rows
    }

    /// Narrow ciphers for disks, wide ones, and what is no protection for a disk.
    fn rank(&self) -> u8 {
        match (self.for_disks, self.width) {
            (true, Width::Narrow) => 0,
            (true, Width::Wide) => 1,
            (false, _) => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::Severity;

    #[test]
    fn every_embedded_file_is_sound() {
        for algorithm in crate::cipher::all() {
            let (facts, own) = (algorithm.facts, &algorithm.facts.kind);
            assert!(facts.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
            assert!(facts.notes.is_sorted_by(|a, b| a.date >= b.date), "{}", facts.name);
            assert!(
                [16, 24, 32, 64].contains(&own.key) && [0, 16, 32].contains(&own.tweak),
                "{}",
                facts.name
            );
            let warned = facts.notes.iter().any(|note| note.severity > Severity::Info);
            assert!(own.for_disks || warned, "{}: nothing says what it betrays", facts.name);
            own.standing.check(algorithm);
        }
    }
}
