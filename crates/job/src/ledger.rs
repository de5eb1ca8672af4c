//! What became of a job's items, in JSON Lines: one line for each time that one ended.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Id, JobError, files};

/// A file that an item left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Where it is; in JSON as [`fieldtest_text::names`] has it.
    #[serde(with = "any_path")]
    pub path: PathBuf,
    /// Its length in octets; 0 of what is no regular file.
    pub bytes: u64,
    /// When it was last modified, in nanoseconds since 1970, of a regular file alone. Ledgers of earlier versions have none.
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
        Output::at(self.path.clone()).is_ok_and(|found| {
            found.bytes == self.bytes && (self.modified.is_none() || found.modified == self.modified)
        })
    }
}

/// Paths of any octets.
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
    /// Each with the number of its line, from 0.
    entries: HashMap<Id, (usize, Entry)>,
    /// Lines in all.
    pub lines: usize,
}

impl State {
    /// The latest word on an item.
    pub fn of(&self, item: &Id) -> Option<&Entry> {
        self.entries.get(item).map(|(_, entry)| entry)
    }

    /// The latest words on all items, also on those of earlier plans, in the order in which they were entered.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        let mut entries: Vec<_> = self.entries.values().collect();
        entries.sort_unstable_by_key(|(line, _)| *line);
        entries.into_iter().map(|(_, entry)| entry)
    }

    /// Whether there is a word on an item that was entered when the ledger had so many lines, or later.
    pub(crate) fn is_heard_of(&self, item: &Id, lines: usize) -> bool {
        self.entries.get(item).is_some_and(|(line, _)| *line >= lines)
    }

    /// The reason if the latest word on an item is that it was refused.
    pub(crate) fn refusal(&self, item: &Id) -> Option<&String> {
        self.of(item).filter(|entry| entry.status == Status::Refused)?.reason.as_ref()
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
    pub fn is_done(&self, item: &Id) -> bool {
        let is_done =
            |entry: &Entry| entry.status == Status::Done && entry.outputs.iter().all(Output::is_there);
        self.of(item).is_some_and(is_done)
    }

    /// How many items the ledger says are done.
    pub fn done(&self) -> usize {
        self.entries.values().filter(|(_, entry)| entry.status == Status::Done).count()
    }
}

/// The file.
#[derive(Debug)]
pub(crate) struct Ledger {
    path: PathBuf,
    known: Mutex<Known>,
}

/// What was read so far: only what was appended since then is read the next time, so that a job of many items does not
/// read its whole ledger for each of them.
#[derive(Debug, Default)]
struct Known {
    state: State,
    /// Octets of whole lines.
    read: u64,
}

impl Ledger {
    pub(crate) fn at(path: PathBuf) -> Ledger {
        Ledger { path, known: Mutex::default() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Asks what it says. A last line without its end is being written, or was when its writer was killed: it does not
    /// count.
    pub(crate) fn ask<T>(&self, question: impl FnOnce(&State) -> T) -> Result<T, JobError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (text, is_all) = self.since(known.read).map_err(|source| self.failed("read", source))?;
        if is_all {
            *known = Known::default();
        }
        let whole = text.iter().rposition(|octet| *octet == b'\n').map_or(&[][..], |end| &text[..=end]);
        for line in whole.split(|octet| *octet == b'\n').filter(|line| !line.is_empty()) {
            let number = known.state.lines;
            let entry: Entry = serde_json::from_slice(line).map_err(|error| JobError::Damaged {
                path: self.path.clone(),
                line: number + 1,
                what: format!(
                    "no entry of a ledger from column {} on; delete the line, and its item is done again",
                    error.column()
                ),
            })?;
            known.state.lines += 1;
            known.state.entries.insert(entry.item.clone(), (number, entry));
            known.read += line.len() as u64 + 1;
        }
        Ok(question(&known.state))
    }

    /// What stands behind so many octets; or everything, where there are fewer: somebody put another file there.
    fn since(&self, read: u64) -> io::Result<(Vec<u8>, bool)> {
        let mut text = Vec::new();
        if !files::is_there(&self.path)? {
            return Ok((text, true));
        }
        let mut file = File::open(&self.path)?;
        // Whoever appends may take back what does not fit onto the disk.
        file.lock_shared()?;
        let is_all = file.metadata()?.len() < read;
        file.seek(SeekFrom::Start(if is_all { 0 } else { read }))?;
        file.read_to_end(&mut text)?;
        Ok((text, is_all))
    }

    /// Appends a line, or nothing: whoever writes holds a lock, cuts off what a killed writer left, and takes back what does
    /// not fit onto the disk.
    pub(crate) fn append(&self, entry: &Entry) -> Result<(), JobError> {
        let mut line = serde_json::to_vec(entry).map_err(|error| self.failed("write", error.into()))?;
        line.push(b'\n');
        let append = || -> io::Result<()> {
            files::is_there(&self.path)?;
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
