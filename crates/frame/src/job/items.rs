//! What is in a directory, each of it an item that is wanted for itself.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use rayon::prelude::*;

use super::places::{displaced, reserved};
use super::{Item, Job};
use crate::arguments::Threads;
use crate::progress::Progress;
use crate::text::names;

/// Something in a directory that a job makes something of.
#[derive(Debug)]
pub struct Found<K> {
    /// Its path below the directory, as [`names`] has it.
    pub name: String,
    /// Its path as the file system has it.
    pub path: PathBuf,
    /// What the look at it told.
    pub kind: K,
    /// Where its result is to be, below the destination.
    pub destination: PathBuf,
    /// Why nothing can be made of it, as far as that is known already.
    pub problem: Option<String>,
}

impl<K> Found<K> {
    /// What is at a path below the directory. The name of its result has this end.
    pub fn new(root: &Path, below: PathBuf, end: &str, kind: K, problem: Option<String>) -> Found<K> {
        let (name, path) = (names::of(&below), root.join(&below));
        let problem = problem.or_else(|| reserved(&below));
        let mut destination = below.into_os_string();
        destination.push(end);
        Found { name, path, kind, destination: destination.into(), problem }
    }
}

/// Sorts what was found by its names, and refuses the second of two that would be written to one place.
pub fn settle<K>(all: &mut [Found<K>]) {
    all.sort_by(|a, b| a.name.cmp(&b.name));
    let wanted: Vec<_> = all.iter().map(|it| (it.name.as_str(), it.destination.as_path())).collect();
    let displaced = displaced(&wanted);
    for (found, reason) in all.iter_mut().zip(displaced) {
        found.problem = found.problem.take().or(reason);
    }
}

/// Looks at each, several at a time, and says how many, of `what`. `look` is told how many threads it may take.
///
/// # Errors
///
/// As `look`.
pub fn look_at<K: Sync, S: Send>(
    all: &[Found<K>],
    what: &str,
    threads: Threads,
    look: impl Fn(&Found<K>, NonZeroUsize) -> Result<S> + Sync,
) -> Result<Vec<S>> {
    let threads = threads.or_all();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build()?;
    let each = if all.len() < threads.get() { threads } else { NonZeroUsize::MIN };
    let (line, done) = (Mutex::new(Progress::new()), AtomicUsize::new(0));
    let look = |found: &Found<K>| {
        let seen = look(found, each)?;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Ok(line) = line.try_lock() {
            line.say(&format!("checked {done} of {} {what}", all.len()));
        }
        Ok(seen)
    };
    pool.install(|| all.par_iter().map(look).collect())
}

/// What is to be done with an item.
#[derive(Debug)]
pub struct Order<T> {
    /// What the result is made of.
    pub path: PathBuf,
    /// Where the result is to be.
    pub destination: PathBuf,
    /// What is to be done; or why nothing is.
    pub task: Result<T, String>,
    /// The item of another name whose result this job left there.
    pub other: Option<String>,
}

/// The orders of a job's items, by their identifiers.
#[derive(Debug)]
pub struct Orders<T>(HashMap<String, Order<T>>);

impl<T> Orders<T> {
    /// Of a job whose items these are, each with its task; and how many are done already. Results go below `destination`.
    pub fn of<K>(
        job: &Job,
        destination: &Path,
        all: impl IntoIterator<Item = (Found<K>, Result<T, String>)>,
    ) -> (Orders<T>, usize) {
        let state = job.state();
        let by_output = state.by_output();
        let items: HashMap<&str, &Item> =
            job.plan().items.iter().map(|item| (item.name.as_str(), item)).collect();
        let (mut orders, mut done) = (HashMap::new(), 0);
        for (found, task) in all {
            let Some(item) = items.get(found.name.as_str()) else { continue };
            if state.is_done(&item.id) {
                done += 1;
                continue;
            }
            let destination = destination.join(&found.destination);
            let mut left = by_output.get(destination.as_path()).into_iter().flatten();
            let other = left.find(|entry| entry.name != found.name).map(|entry| entry.name.clone());
            orders.insert(item.id.clone(), Order { path: found.path, destination, task, other });
        }
        (Orders(orders), done)
    }

    /// That of an item that is not done.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn get(&self, item: &Item) -> Result<&Order<T>> {
        self.0.get(&item.id).ok_or_else(|| anyhow::anyhow!("{} is not an item of this run", item.name))
    }
}
