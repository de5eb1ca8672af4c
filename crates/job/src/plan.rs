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
        // `Value` writes the members of an object in the order of their names.
        let told = what.to_string();
        let item = |(wave, name, needs): (u32, N, Needs)| {
            let name = name.into();
            let digest = Sha256::new()
                .chain_update((told.len() as u64).to_be_bytes())
                .chain_update(&told)
                .chain_update(wave.to_be_bytes())
                .chain_update(&name)
                .finalize();
            Item { id: Id(HEXLOWER.encode(&digest[..LENGTH])), name, wave, needs }
        };
        let mut items: Vec<Item> = items.into_iter().map(item).collect();
        items.sort_by_key(|item| item.wave);
        Plan { what, items }
    }

    /// The items of each wave.
    pub fn waves(&self) -> impl Iterator<Item = &[Item]> {
        self.items.chunk_by(|a, b| a.wave == b.wave)
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
        assert_eq!(first.items[0].id.to_string().len(), 2 * LENGTH);
    }
}
