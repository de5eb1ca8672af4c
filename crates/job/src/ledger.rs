//! What became of a job's items, in JSON Lines: one line for each time that one ended.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Id, JobError};

/// A file that an item left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Where it is.
    pub path: PathBuf,
    /// Its length in octets.
    pub bytes: u64,
}

/// How an item ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Its outputs are in their places.
    Done,
    /// It left nothing.
    Failed,
}

/// A line of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The item.
    pub item: Id,
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
    /// The most memory, in octets, that its process had taken until then; that of one process for each item on a cluster, and
    /// of all items so far on one machine. 0 where the system does not tell.
    #[serde(default)]
    pub peak: u64,
    /// What whoever did it has to say for those who sum up.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub facts: Value,
    /// The host and process that it was done by.
    pub worker: String,
    /// When it ended, in seconds since 1970.
    pub at: u64,
}

/// The latest entry of each item.
#[derive(Debug, Clone, Default)]
pub struct State {
    entries: HashMap<Id, Entry>,
    /// Lines in all.
    pub lines: usize,
}

impl State {
    /// The latest word on an item.
    pub fn of(&self, item: &Id) -> Option<&Entry> {
        self.entries.get(item)
    }

    /// Whether an item is done, and what it left is still there.
    pub fn is_done(&self, item: &Id) -> bool {
        let there = |output: &Output| {
            std::fs::metadata(&output.path).is_ok_and(|found| !found.is_file() || found.len() == output.bytes)
        };
        self.of(item).is_some_and(|entry| entry.status == Status::Done && entry.outputs.iter().all(there))
    }

    /// How many items the ledger says are done.
    pub fn done(&self) -> usize {
        self.entries.values().filter(|entry| entry.status == Status::Done).count()
    }
}

/// The file.
#[derive(Debug)]
pub(crate) struct Ledger {
    path: PathBuf,
}

impl Ledger {
    pub(crate) fn at(path: PathBuf) -> Ledger {
        Ledger { path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What it says. A last line without its end is being written, or was when its writer was killed: it does not count.
    pub(crate) fn read(&self) -> Result<State, JobError> {
        let text = match std::fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(self.failed("read", source)),
        };
        let whole = text.iter().rposition(|octet| *octet == b'\n').map_or(&[][..], |end| &text[..end]);
        let mut state = State::default();
        for (at, line) in
            whole.split(|octet| *octet == b'\n').enumerate().filter(|(_, line)| !line.is_empty())
        {
            let entry: Entry = serde_json::from_slice(line).map_err(|error| JobError::Damaged {
                path: self.path.clone(),
                line: at + 1,
                what: format!("no entry of a ledger: {error}"),
            })?;
            state.lines += 1;
            state.entries.insert(entry.item.clone(), entry);
        }
        Ok(state)
    }

    /// Appends a line, or nothing: whoever writes holds a lock, cuts off what a killed writer left, and takes back what does
    /// not fit onto the disk.
    pub(crate) fn append(&self, entry: &Entry) -> Result<(), JobError> {
        let mut line = serde_json::to_vec(entry).map_err(|error| self.failed("write", error.into()))?;
        line.push(b'\n');
        let append = || -> io::Result<()> {
            let mut file = OpenOptions::new().create(true).read(true).append(true).open(&self.path)?;
            file.lock()?;
            let end = whole_lines(&mut file)?;
            file.set_len(end)?;
            let written = file.write_all(&line).and_then(|()| file.sync_data());
            if written.is_err() {
                file.set_len(end)?;
            }
            written
        };
        append().map_err(|source| self.failed("write", source))
    }

    fn failed(&self, what: &'static str, source: io::Error) -> JobError {
        JobError::Io { what, path: self.path.clone(), source }
    }
}

/// Where the last whole line ends.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    const PIECE: u64 = 4096;
    let mut end = file.metadata()?.len();
    while end > 0 {
        let start = end.saturating_sub(PIECE);
        let mut piece = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        Read::by_ref(file).take(end - start).read_to_end(&mut piece)?;
        if let Some(at) = piece.iter().rposition(|octet| *octet == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}
