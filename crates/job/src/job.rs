//! A plan in a directory, and how it is worked through.

use std::fs::File;
use std::path::{self, Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::ledger::{self, Ledger};
use crate::{Entry, Item, JobError, Output, Plan, State, Status, plan};

/// A job that this process works on. In its directory are `job.json`, the plan; `ledger.jsonl`; `lock`; and what its items leave
/// there.
#[derive(Debug)]
pub struct Job {
    pub(crate) folder: PathBuf,
    pub(crate) plan: Plan,
    pub(crate) ledger: Ledger,
    pub(crate) _lock: File,
}

/// What an item made.
#[derive(Debug, Clone, Default)]
pub struct Made {
    /// Files and directories that are whole and in their places.
    pub outputs: Vec<PathBuf>,
    /// What is to be known of it later.
    pub facts: Value,
}

/// Why an item made nothing. Whatever can be shown is a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// For a reason that may be gone the next time.
    Failed(String),
    /// For a reason that lies in what it is about.
    Refused(String),
}

impl<E: std::fmt::Display> From<E> for Fault {
    fn from(error: E) -> Fault {
        Fault::Failed(error.to_string())
    }
}

/// How far a job has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Items that are done.
    pub done: usize,
    /// Items in all.
    pub items: usize,
    /// Of those that are done, the ones that were done now.
    pub now: usize,
    /// Items that were refused now.
    pub refused: usize,
    /// Whether the user asked for the end before all was done.
    pub stopped: bool,
}

/// A run: how far it has come, and what failed, each with its reason.
#[derive(Default)]
struct Run {
    summary: Summary,
    failed: Vec<(String, String)>,
}

impl Job {
    /// The plan of the job in a directory, if there is one, for whoever only looks on: another process may be working on it.
    ///
    /// # Errors
    ///
    /// The plan cannot be read.
    pub fn planned(folder: &Path) -> Result<Option<Plan>, JobError> {
        plan::planned(folder)
    }

    /// What the ledger in a directory says, for whoever only looks on.
    ///
    /// # Errors
    ///
    /// It cannot be read, or has a line that is no entry.
    pub fn look(folder: &Path) -> Result<State, JobError> {
        Ok(ledger::read(&ledger::place(folder))?.0)
    }

    /// The directory, as an absolute path.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Where the ledger is.
    pub fn ledger(&self) -> &Path {
        &self.ledger.path
    }

    /// What the ledger says.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.ledger.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works through the job, `workers` items at a time, one wave after another. An item that fails keeps no other from being done.
    /// Once `stop` is set no further item is begun.
    ///
    /// # Errors
    ///
    /// [`JobError::Failed`]; the ledger cannot be written.
    pub fn run<E: Into<Fault>>(
        &self,
        workers: usize,
        stop: &AtomicBool,
        progress: impl Fn(&Summary) + Sync,
        work: impl Fn(&Item) -> Result<Made, E> + Sync,
    ) -> Result<Summary, JobError> {
        let items = self.plan.items.len();
        let run = Mutex::new(Run { summary: Summary { items, ..Summary::default() }, ..Run::default() });
        let change = |change: &dyn Fn(&mut Run)| {
            let mut run = run.lock().unwrap_or_else(PoisonError::into_inner);
            change(&mut run);
            progress(&run.summary);
        };
        for wave in self.plan.waves() {
            let open: Vec<&Item> = {
                let state = self.state();
                wave.iter().filter(|item| !state.is_done(&item.id)).collect()
            };
            change(&|run| run.summary.done += wave.len() - open.len());
            let next = AtomicUsize::new(0);
            let worker = || -> Result<(), JobError> {
                while !stop.load(Ordering::Relaxed) {
                    let Some(item) = open.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    match self.run_item(item, &work)? {
                        Ok(()) => change(&|run| {
                            run.summary.done += 1;
                            run.summary.now += 1;
                        }),
                        Err(Fault::Failed(reason)) => {
                            change(&|run| run.failed.push((item.name.clone(), reason.clone())));
                        }
                        Err(Fault::Refused(_)) => change(&|run| run.summary.refused += 1),
                    }
                }
                Ok(())
            };
            thread::scope(|scope| {
                let workers = workers.clamp(1, open.len().max(1));
                let start = |_| thread::Builder::new().spawn_scoped(scope, worker).map_err(JobError::Worker);
                let others: Vec<_> = (1..workers).map(start).collect();
                let own = match others.iter().any(Result::is_err) {
                    // Those that are there end what they have begun.
                    true => {
                        next.store(open.len(), Ordering::Relaxed);
                        Ok(())
                    }
                    false => worker(),
                };
                others.into_iter().fold(own, |all, other| {
                    let end = |thread: thread::ScopedJoinHandle<'_, _>| {
                        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                    };
                    all.and(other.and_then(end))
                })
            })?;
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        let Run { mut summary, failed } = run.into_inner().unwrap_or_else(PoisonError::into_inner);
        if !failed.is_empty() {
            return Err(JobError::Failed(failed));
        }
        summary.stopped = summary.done + summary.refused < summary.items;
        Ok(summary)
    }

    /// Does an item, and enters what became of it. The same refusal is not entered again: the ledger would
    /// grow by it with every run. That the work fails is no error of its own.
    fn run_item<E: Into<Fault>>(
        &self,
        item: &Item,
        work: impl FnOnce(&Item) -> Result<Made, E>,
    ) -> Result<Result<(), Fault>, JobError> {
        let begun = Instant::now();
        let made = work(item).map_err(E::into).and_then(|made| {
            // Absolute: `fieldtest ledger` may be called in another directory.
            let outputs = made.outputs.into_iter().map(|path| {
                path::absolute(&path)
                    .and_then(Output::at)
                    .map_err(|error| Fault::from(format!("{} is not there: {error}", path.display())))
            });
            Ok((outputs.collect::<Result<Vec<_>, _>>()?, made.facts))
        });
        let mut entry = Entry {
            item: item.id.clone(),
            name: item.name.clone(),
            status: Status::Done,
            reason: None,
            seconds: begun.elapsed().as_secs_f64(),
            bytes: 0,
            outputs: Vec::new(),
            facts: Value::Null,
            at: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        };
        let ended = match made {
            Ok((outputs, facts)) => {
                let bytes = outputs.iter().map(|output| output.bytes).sum();
                entry = Entry { bytes, outputs, facts, ..entry };
                Ok(())
            }
            Err(fault) => {
                let (status, reason) = match &fault {
                    Fault::Failed(reason) => (Status::Failed, reason),
                    Fault::Refused(reason) => (Status::Refused, reason),
                };
                entry = Entry { status, reason: Some(reason.clone()), ..entry };
                Err(fault)
            }
        };
        let is_known = entry.status == Status::Refused
            && self
                .state()
                .of(&item.id)
                .is_some_and(|known| known.status == entry.status && known.reason == entry.reason);
        if !is_known {
            self.ledger.append(entry)?;
        }
        Ok(ended)
    }
}
