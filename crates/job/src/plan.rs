//! What a job consists of.

use std::io;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::error::failed;
use crate::{JobError, files};

/// Hexadecimal digits of a hash that tell items apart.
const LENGTH: usize = 16;

/// A piece of work that is done as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Its name for machines: a hash of the job and of the item, so that the same item of the same job always has the same one.
    pub id: String,
    /// For people, and for whoever does the work.
    pub name: String,
    /// An item may need results of any item of a smaller wave, and of none of its own.
    pub wave: u32,
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
        // `Value` writes the members of an object in the order of their names.
        let told = what.to_string();
        let item = |(wave, name): (u32, N)| {
            let name = name.into();
            Item { id: id(&told, &[&wave.to_be_bytes(), name.as_bytes()]), name, wave }
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
        // `Value` writes the members of an object in the order of their names.
        let told = what.to_string();
        let item = |(wave, name, state): (u32, N, String)| {
            let name = name.into();
            Item { id: id(&told, &[name.as_bytes(), state.as_bytes()]), name, wave }
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

/// The plan of the job in a folder, if there is one.
///
/// # Errors
///
/// The plan cannot be read.
pub(crate) fn planned(folder: &Path) -> Result<Option<Plan>, JobError> {
    let path = plan_file(folder);
    match files::read(&path) {
        Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|error| JobError::Damaged {
            path,
            line: error.line(),
            what: format!("no plan of a job: {error}"),
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(failed("read", &path, source)),
    }
}

/// Where the plan of the job in a folder is.
pub(crate) fn plan_file(folder: &Path) -> PathBuf {
    folder.join("job.json")
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

fn id(what: &str, parts: &[&[u8]]) -> String {
    let mut id = digest(&[&[what.as_bytes()], parts].concat());
    id.truncate(LENGTH);
    id
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
