//! What became of a job's items, in JSON Lines: one line for each time that one ended.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::failed;
use crate::{JobError, files};

/// A file that an item left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Where it is; in JSON as [`fieldtest_text::names`] has it.
    #[serde(with = "any_path")]
    pub path: PathBuf,
    /// Its length in octets; 0 of what is no regular file.
    pub bytes: u64,
    /// When it was last modified, in nanoseconds since 1970; regular files only. The length alone took an
    /// output for done that somebody had overwritten with as many bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<u64>,
}

impl Output {
    /// What is at a path, or where a link there leads.
    pub(crate) fn at(path: PathBuf) -> io::Result<Output> {
        let found = std::fs::metadata(&path)?;
        if !found.is_file() {
            return Ok(Output { path, bytes: 0, modified: None });
        }
        let since = found.modified()?.duration_since(UNIX_EPOCH);
        let modified = since.ok().and_then(|since| u64::try_from(since.as_nanos()).ok());
        Ok(Output { path, bytes: found.len(), modified })
    }

    /// Whether it is there as it was entered: neither something else in its place, nor written to.
    fn is_there(&self) -> bool {
        Output::at(self.path.clone()).is_ok_and(|found| found == *self)
    }
}

mod any_path {
    use std::path::{Path, PathBuf};

    use fieldtest_text::names;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        names::of(path).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        String::deserialize(deserializer).map(|name| names::path(&name))
    }
}

/// How an item ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Its outputs are in their places.
    Done,
    /// It left nothing, for a reason that may be gone the next time.
    Failed,
    /// It left nothing, for a reason that lies in what it is about: in one run it is not tried again.
    Refused,
}

/// A line of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The identifier of the item.
    pub item: String,
    /// Its name.
    pub name: String,
    /// How it ended.
    pub status: Status,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How long it took.
    pub seconds: f64,
    /// Octets of all outputs.
    pub bytes: u64,
    /// What it left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<Output>,
    /// What whoever did it has to say for those who sum up.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub facts: Value,
    /// When it ended, in seconds since 1970.
    pub at: u64,
}

/// The latest entry of each item.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// Each with the number of its line, from 0.
    entries: HashMap<String, (usize, Entry)>,
    /// Lines in all.
    pub lines: usize,
}

impl State {
    /// The latest word on an item.
    pub fn of(&self, item: &str) -> Option<&Entry> {
        self.entries.get(item).map(|(_, entry)| entry)
    }

    /// The latest words on all items, also on those of earlier plans, in the order in which they were entered.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        let mut entries: Vec<_> = self.entries.values().collect();
        entries.sort_unstable_by_key(|(line, _)| *line);
        entries.into_iter().map(|(_, entry)| entry)
    }

    /// The items that are done according to the ledger, by each path at which they left something.
    pub fn by_output(&self) -> HashMap<&Path, Vec<&Entry>> {
        let mut by_output: HashMap<&Path, Vec<&Entry>> = HashMap::new();
        for entry in self.entries().filter(|entry| entry.status == Status::Done) {
            for output in &entry.outputs {
                by_output.entry(&output.path).or_default().push(entry);
            }
        }
        by_output
    }

    /// Whether an item is done, and what it left is still there as it was.
    pub fn is_done(&self, item: &str) -> bool {
        let is_done =
            |entry: &Entry| entry.status == Status::Done && entry.outputs.iter().all(Output::is_there);
        self.of(item).is_some_and(is_done)
    }

    /// How many items the ledger says are done.
    pub fn done(&self) -> usize {
        self.entries.values().filter(|(_, entry)| entry.status == Status::Done).count()
    }

    fn enter(&mut self, entry: Entry) {
        self.entries.insert(entry.item.clone(), (self.lines, entry));
        self.lines += 1;
    }
}

pub(crate) fn place(folder: &Path) -> PathBuf {
    folder.join("ledger.jsonl")
}

/// What a ledger says, which need not be there, and how many octets it has. A last line without its end is being written, or
/// was when its writer was killed: it does not count.
pub(crate) fn read(path: &Path) -> Result<(State, u64), JobError> {
    let text = match files::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(source) => return Err(failed("read", path, source)),
    };
    let whole = text.iter().rposition(|octet| *octet == b'\n').map_or(&[][..], |end| &text[..=end]);
    let mut state = State::default();
    for line in whole.split(|octet| *octet == b'\n').filter(|line| !line.is_empty()) {
        state.enter(serde_json::from_slice(line).map_err(|error| JobError::Damaged {
            path: path.to_path_buf(),
            line: state.lines + 1,
            what: format!(
                "invalid ledger entry from column {}; delete the line to repeat its item",
                error.column()
            ),
        })?);
    }
    Ok((state, whole.len() as u64))
}

/// The file, to which one process writes.
#[derive(Debug)]
pub(crate) struct Ledger {
    pub(crate) path: PathBuf,
    pub(crate) state: Mutex<State>,
    file: File,
}

impl Ledger {
    /// Opens it, and cuts off what a killed writer left.
    pub(crate) fn open(path: PathBuf) -> Result<Ledger, JobError> {
        let (state, end) = read(&path)?;
        let open = || -> io::Result<File> {
            let file = File::options().create(true).append(true).open(&path)?;
            file.set_len(end)?;
            Ok(file)
        };
        let file = open().map_err(|source| failed("write", &path, source))?;
        Ok(Ledger { path, state: Mutex::new(state), file })
    }

    /// Appends a line and brings it to the disk, or takes back what does not fit there.
    pub(crate) fn append(&self, entry: Entry) -> Result<(), JobError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let append = || -> io::Result<()> {
            let mut line = serde_json::to_vec(&entry)?;
            line.push(b'\n');
            let end = self.file.metadata()?.len();
            let written = (&self.file).write_all(&line).and_then(|()| self.file.sync_data());
            if written.is_err() {
                self.file.set_len(end)?;
            }
            written
        };
        append().map_err(|source| failed("write", &self.path, source))?;
        state.enter(entry);
        Ok(())
    }
}
