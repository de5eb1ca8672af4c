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
    /// An item may need results of any item of a smaller wave, and of none of its own. It is done whatever became of those, and
    /// says itself what it lacks.
    pub wave: u32,
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
    /// The items may be others the next time. Each has its wave, its name and its state, which is all that its result
    /// depends on beside the job: with another one it is another item, in another wave it is not.
    pub fn new<N: Into<String>>(what: Value, items: impl IntoIterator<Item = (u32, N, String)>) -> Plan {
        // `Value` writes the members of an object in the order of their names.
        let told = what.to_string();
        let item = |(wave, name, state): (u32, N, String)| {
            let name = name.into();
            Item { id: id(&told, &[name.as_bytes(), state.as_bytes()]), name, wave }
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

/// The plan of the job in a directory, if there is one.
pub(crate) fn planned(folder: &Path) -> Result<Option<Plan>, JobError> {
    let path = plan_file(folder);
    match files::read(&path) {
        Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|error| JobError::Damaged {
            path,
            line: error.line(),
            what: "it is not the plan of a job".to_owned(),
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(failed("read", &path, source)),
    }
}

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
    fn ids_are_of_what_items_are_and_not_of_waves() {
        let plan = |what: &str, wave, name: &str, state: &str| {
            Plan::new(what.into(), [(9, "last", String::new()), (wave, name, state.to_owned())])
        };
        let first = plan("a", 0, "b", "c");
        assert_eq!(first.items[0].name, "b");
        assert_eq!(first.waves().map(<[_]>::len).collect::<Vec<_>>(), [1, 1]);
        assert_eq!(first.items[0].id, plan("a", 7, "b", "c").items[0].id);
        for (what, name, state) in
            [("a", "b", "d"), ("a", "d", "c"), ("a", "bc", ""), ("ab", "", "c"), ("A", "b", "c")]
        {
            assert_ne!(first.items[0].id, plan(what, 0, name, state).items[0].id);
        }
    }
}
