//! What is stated of MAC algorithms alone.

use serde::Deserialize;

use crate::kind::KindFacts;
use crate::places::{self, Stated};

/// Sizes, key derivation, and place in TCP-AO.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MacFacts {
    /// Bytes of the tag that a segment carries.
    pub tag: usize,
    /// Bytes of a traffic key; `None` where it is as long as the master key (TCP-MD5 has no derivation).
    pub traffic_key: Option<usize>,
    /// Bytes that a master key should have, in words: `any; 32 recommended`.
    pub master_key: String,
    /// The key derivation function, with its source.
    pub derivation: String,
    /// Whether the derivation extracts the entropy of a long, weak master key (RFC 5869, section 3.3).
    pub extracts: bool,
    /// Whether its security ends when two messages share a nonce: TCP-AO has none to give (RFC 5925 repeats sequence
    /// numbers in retransmissions and pure acknowledgments).
    #[serde(default)]
    pub needs_nonce: bool,
    /// Whether a shorter tag is another tag, and not the beginning of the longer one (KMAC).
    #[serde(default)]
    pub binds_length: bool,
    /// Bits of strength, where they are not those of the traffic key.
    pub strength: Option<u16>,
    /// How it stands in TCP-AO.
    #[serde(default)]
    pub tcp_ao: TcpAo,
    /// Systems that implement it for TCP, and since when or until when.
    #[serde(default)]
    pub implemented_by: Stated,
}

/// A MAC's place in TCP-AO.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TcpAo {
    /// Linux's name for it in `struct tcp_ao_add`, where it has one.
    pub linux: Option<String>,
    /// The identity of the model `ietf-key-chain` for it (RFC 8177), where there is one; it names neither the MAC's length
    /// nor how keys are derived.
    pub rfc8177: Option<String>,
}

impl MacFacts {
    /// Whether it is TCP-MD5 (RFC 2385), which has an option and a message of its own and derives no traffic keys.
    pub fn is_tcp_md5(&self) -> bool {
        self.traffic_key.is_none()
    }

    /// The chance of a forgery by guessing, per attempt, as a power of one half: the bits of the tag.
    pub fn forgery_bits(&self) -> usize {
        8 * self.tag
    }
}

impl KindFacts for MacFacts {
    /// The bits of a traffic key where the facts say nothing else (of HMAC, SP 800-57 part 1, table 3); what a forgery by guessing takes is the tag's ([`Self::forgery_bits`]).
    fn strength(&self) -> Option<u16> {
        self.strength.or_else(|| u16::try_from(8 * self.traffic_key?).ok())
    }

    fn sizes(&self) -> Vec<(&'static str, usize)> {
        let mut sizes = vec![("tag", self.tag)];
        sizes.extend(self.traffic_key.map(|bytes| ("traffic-key", bytes)));
        sizes
    }

    fn details(&self) -> Vec<(String, String)> {
        let row = |fact: &str, value: String| (fact.to_owned(), value);
        let yes = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
        let mut rows = vec![
            row("tag", format!("{} bytes", self.tag)),
            row("forgery by guessing", format!("1 in 2^{} per attempt", self.forgery_bits())),
            row(
                "traffic key",
                self.traffic_key.map_or("the master key itself".to_owned(), |bytes| format!("{bytes} bytes")),
            ),
            row("master key", self.master_key.clone()),
            row("key derivation", self.derivation.clone()),
            row("extracts entropy", yes(self.extracts)),
            row("needs a nonce", yes(self.needs_nonce)),
            row("binds the tag's length", yes(self.binds_length)),
        ];
        rows.extend(self.tcp_ao.linux.iter().map(|name| row("Linux name", name.clone())));
        rows.extend(places::having("mac", "", &self.implemented_by));
        rows
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_embedded_file_is_sound() {
        for facts in crate::mac::all().iter().map(|algorithm| algorithm.facts) {
            assert!(facts.kind.tag > 0, "{}", facts.name);
            assert!(facts.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
            assert!(facts.notes.is_sorted_by(|a, b| a.date >= b.date));
            crate::places::check("mac", &facts.name, facts.kind.implemented_by.keys());
        }
    }
}
