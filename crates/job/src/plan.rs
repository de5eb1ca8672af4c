//! What a job consists of.

use std::fmt;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Octets of a hash that tell items apart.
const LENGTH: usize = 8;

/// An item's name for machines: a hash of what it is, so that the same item of the same job always has the same one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Id(String);

impl Id {
    /// Whether a text has the form of an identifier, so that a file of this name is an item's.
    pub fn is_form_of(text: &str) -> bool {
        text.len() == 2 * LENGTH && text.bytes().all(|octet| matches!(octet, b'0'..=b'9' | b'a'..=b'f'))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A piece of work that is done as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// A hash of the job and of the item.
    pub id: Id,
    /// For people, and for whoever does the work.
    pub name: String,
    /// An item may need results of any item of a smaller wave, and of none of its own.
    pub wave: u32,
    /// What it asks of its host.
    #[serde(default, flatten)]
    pub needs: Needs,
}

/// What an item asks of the host that does it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needs {
    /// The kind of host, one of those that the profile of the cluster has; any if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Whether it has to have its node to itself, as whatever is timed has.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
}

/// All items of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// What is to be done, in words of whoever does it: everything on which results depend.
    pub what: Value,
    /// Whether each item is wanted for itself, and not for the last wave alone: it is done whatever became of others, and
    /// says itself what it would need of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub each: bool,
    /// In the order of their waves.
    pub items: Vec<Item>,
}

impl Plan {
    /// The items of a job, each with its wave and its name, which no other has.
    pub fn new<N: Into<String>>(what: Value, items: impl IntoIterator<Item = (u32, N)>) -> Plan {
        Plan::needing(what, items.into_iter().map(|(wave, name)| (wave, name, Needs::default())))
    }

    /// As [`new`](Self::new), of items that ask something of their hosts.
    pub fn needing<N: Into<String>>(what: Value, items: impl IntoIterator<Item = (u32, N, Needs)>) -> Plan {
        let ids = Ids::of(&what);
        let item = |(wave, name, needs): (u32, N, Needs)| {
            let name = name.into();
            Item { id: ids.id(wave, &[&name]), name, wave, needs }
        };
        Plan::of(items.into_iter().map(item).collect(), what, false)
    }

    /// Items that are each wanted for itself, and that may be others the next time. Each has its wave, its name and its state,
    /// which is all that its result depends on beside the job: with another one it is another item, in another wave it is
    /// not.
    pub fn of_states<N: Into<String>>(
        what: Value,
        items: impl IntoIterator<Item = (u32, N, String)>,
    ) -> Plan {
        let ids = Ids::of(&what);
        let item = |(wave, name, state): (u32, N, String)| {
            let name = name.into();
            Item { id: ids.id(u32::MAX, &[&name, "\0", &state]), name, wave, needs: Needs::default() }
        };
        Plan::of(items.into_iter().map(item).collect(), what, true)
    }

    fn of(mut items: Vec<Item>, what: Value, each: bool) -> Plan {
        items.sort_by_key(|item| item.wave);
        Plan { what, each, items }
    }

    /// The items of each wave.
    pub fn waves(&self) -> impl Iterator<Item = &[Item]> {
        self.items.chunk_by(|a, b| a.wave == b.wave)
    }
}

/// SHA-256 of several things, each with its length, in hexadecimal digits: for states, and for names of files.
pub fn digest(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    HEXLOWER.encode(&hasher.finalize())
}

/// Makes identifiers of a job's items.
struct Ids(Sha256);

impl Ids {
    fn of(what: &Value) -> Ids {
        // `Value` writes the members of an object in the order of their names.
        let told = what.to_string();
        Ids(Sha256::new().chain_update((told.len() as u64).to_be_bytes()).chain_update(&told))
    }

    fn id(&self, wave: u32, words: &[&str]) -> Id {
        let digest = self.0.clone().chain_update(wave.to_be_bytes());
        let digest = words.iter().fold(digest, |digest, word| digest.chain_update(word)).finalize();
        Id(HEXLOWER.encode(&digest[..LENGTH]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_of_what_items_are() {
        let plan = |what: &str, name: &str| Plan::new(what.into(), [(1, "last"), (0, name)]);
        let first = plan("a", "b");
        assert_eq!(first, plan("a", "b"));
        assert_eq!(first.items[0].name, "b");
        assert_eq!(first.waves().map(<[_]>::len).collect::<Vec<_>>(), [1, 1]);
        for other in [plan("a", "c"), plan("ab", ""), plan("A", "b")] {
            assert_ne!(first.items[0].id, other.items[0].id);
        }
        assert!(Id::is_form_of(&first.items[0].id.to_string()));
        assert!(!Id::is_form_of("runner") && !Id::is_form_of("0123456789ABCDEF"));
    }
    #[test]
    fn a_state_tells_items_apart_and_a_wave_does_not() {
        let id = |wave, name: &str, state: &str| {
            let plan = Plan::of_states("a".into(), [(wave, name, state.to_owned())]);
            plan.items[0].id.clone()
        };
        assert_eq!(id(0, "b", "c"), id(7, "b", "c"));
        for (name, state) in [("b", "d"), ("d", "c"), ("bc", "")] {
            assert_ne!(id(0, "b", "c"), id(0, name, state));
        }
    }
}
