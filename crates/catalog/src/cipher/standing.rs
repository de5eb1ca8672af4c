//! What is stated alike of ciphers that authenticate and of those that do not: who approves, who has it, and whose time
//! depends on secrets.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Timing;
use crate::places::{self, Stated};

/// How a cipher stands in the world.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Standing {
    /// Who approves of it, and where.
    pub approval: Stated,
    /// Whether an implementation's time depends on key and data, by the implementation's name.
    pub timing: BTreeMap<String, Timing>,
    /// Systems and libraries that have it, and since when.
    pub availability: Stated,
}

impl Standing {
    /// All of it, as pairs of words for a reader.
    pub(crate) fn details(&self) -> impl Iterator<Item = (String, String)> {
        let approving = places::rows("approval", &self.approval).map(|(body, it)| (body.name.clone(), it));
        let timing = self.timing.iter().map(|(code, timing)| (format!("time of {code}"), timing.to_string()));
        let having = places::rows("cipher", &self.availability);
        approving.chain(timing).chain(having.map(|(place, it)| (format!("in {}", place.name), it)))
    }

    /// Panics where a file names what was not looked at, or says nothing of an implementation's time.
    #[cfg(test)]
    pub(crate) fn check<K: crate::kind::Kind>(&self, algorithm: &crate::Algorithm<K>) {
        let name = &algorithm.facts.name;
        places::check("cipher", name, self.availability.keys());
        places::check("approval", name, self.approval.keys());
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
