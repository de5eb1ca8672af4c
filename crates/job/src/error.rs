use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// Why a job cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum JobError {
    /// The file system refuses.
    #[error("cannot {what} {}: {source}", path.display())]
    Io {
        /// What was tried: `read`, `write`.
        what: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// A file of the job that nobody of us wrote.
    #[error("cannot continue with {}, line {line}: {what}; remove the job's directory to start again", path.display())]
    Damaged { path: PathBuf, line: usize, what: String },
    #[error(
        "{} contains another job, which differs in {}; give another directory, or remove this one if that job is no longer needed",
        folder.display(),
        differs.join(", ")
    )]
    Other {
        folder: PathBuf,
        /// The members of what is to be done that differ, such as `destination`.
        differs: Vec<String>,
    },
    #[error(
        "{} is not a job's directory: it contains {}; give one that is empty or does not exist",
        folder.display(),
        found.display()
    )]
    Taken { folder: PathBuf, found: PathBuf },
    /// What no job makes lies in its directory: a link, a FIFO, a device.
    #[error("{} is {what}, which jobs neither make nor follow; move it away", path.display())]
    Foreign { path: PathBuf, what: &'static str },
    /// Two items of the plan have one name and state, so that the second would count as done with the first.
    #[error("two items of the job are called '{0}'; give each a unique name")]
    Twice(String),
    /// Somebody else runs the job.
    #[error("another process runs the job in {}; wait for it, or stop it first", .0.display())]
    Running(PathBuf),
    /// The system starts no more threads.
    #[error(
        "cannot start a worker: {0}; use fewer, or raise the limits of memory and threads (ulimit -v, -u)"
    )]
    Worker(io::Error),
    /// Items that failed, each with its reason.
    #[error("{}; rerun the same command to retry what is not done", failures(.0))]
    Failed(Vec<(String, String)>),
}

/// How the first failed, and how many others did.
fn failures(items: &[(String, String)]) -> String {
    let Some((name, reason)) = items.first() else { return "an item failed".to_owned() };
    match items.len() {
        1 => format!("cannot finish {name}: {reason}"),
        more => format!("{more} items failed, the first of them {name}: {reason}"),
    }
}

impl JobError {
    pub(crate) fn other(folder: &Path, one: &Value, other: &Value) -> JobError {
        let mut differs = Vec::new();
        differences(one, other, "", &mut differs);
        JobError::Other { folder: folder.to_path_buf(), differs }
    }
}

/// Where two values differ, as the names that lead there.
fn differences(one: &Value, other: &Value, at: &str, found: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for name in names {
                let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
                let value = |of: &Map<String, Value>| of.get(name).cloned().unwrap_or_default();
                differences(&value(one), &value(other), &at, found);
            }
        }
        (one, other) if one == other => {}
        _ => found.push(if at.is_empty() { "what is to be done".to_owned() } else { at.to_owned() }),
    }
}

pub(crate) fn failed(what: &'static str, path: &Path, source: io::Error) -> JobError {
    JobError::Io { what, path: path.to_path_buf(), source }
}
