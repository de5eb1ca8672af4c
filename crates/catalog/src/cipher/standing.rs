//! What is stated alike of ciphers that authenticate and of those that do not: who approves, who has it, and whose time
//! depends on secrets.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Timing;

/// How a cipher stands in the world.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Standing {
    /// Who approves of it, and where: [`Self::APPROVING`] lists those that were looked at.
    pub approval: BTreeMap<String, String>,
    /// Whether an implementation's time depends on key and data, by the implementation's name.
    pub timing: BTreeMap<String, Timing>,
    /// Systems and libraries that have it, and since when. [`Self::ASKED`] lists those that were looked at: one that is
    /// missing here does not have it.
    pub availability: BTreeMap<String, String>,
}

impl Standing {
    /// Where the ciphers were looked for.
    pub const ASKED: [&str; 11] = [
        "Linux kernel",
        "cryptsetup",
        "fscrypt",
        "QEMU LUKS",
        "VeraCrypt",
        "BitLocker",
        "FileVault",
        "OpenSSL",
        "libgcrypt",
        "Botan",
        "Crypto++",
    ];

    /// Who may approve of a cipher.
    pub const APPROVING: [&str; 3] = ["NIST", "KCMVP", "ISO/IEC"];

    /// Since when this place has the cipher, in words; `None` if it does not.
    pub fn available_in(&self, place: &str) -> Option<&str> {
        self.availability.get(place).map(String::as_str)
    }

    /// All of it, as pairs of words for a reader.
    pub(crate) fn details(&self) -> impl Iterator<Item = (String, String)> {
        let or_no = |known: Option<&String>| known.map_or("no", String::as_str).to_owned();
        let approving =
            Self::APPROVING.iter().map(move |body| ((*body).to_owned(), or_no(self.approval.get(*body))));
        let timing = self.timing.iter().map(|(code, timing)| (format!("time of {code}"), timing.to_string()));
        let places = Self::ASKED
            .iter()
            .map(move |place| (format!("in {place}"), or_no(self.availability.get(*place))));
        approving.chain(timing).chain(places)
    }

    /// Panics where a file names what was not looked at, or says nothing of an implementation's time.
    #[cfg(test)]
    pub(crate) fn check<K: crate::kind::Kind>(&self, algorithm: &crate::Algorithm<K>) {
        let name = &algorithm.facts.name;
        for place in self.availability.keys() {
            assert!(Self::ASKED.contains(&place.as_str()), "{name}: {place}");
        }
        for body in self.approval.keys() {
            assert!(Self::APPROVING.contains(&body.as_str()), "{name}: {body}");
        }
        for implementation in self.timing.keys() {
            // Of the family: one of its algorithms may be without it.
            let is_known = crate::host::Host::named(implementation).is_some()
                || K::all().iter().any(|it| it.implementation(implementation).is_ok());
            assert!(is_known, "{name}: {implementation}");
        }
        for implementation in &algorithm.implementations {
            assert!(self.timing.contains_key(implementation.name), "{name} by {}", implementation.name);
        }
    }
}
