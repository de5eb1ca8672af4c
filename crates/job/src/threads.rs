//! A job on this machine.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

pub use crate::summary::Summary;
use crate::{Fault, Item, Job, JobError, Made, Ran};

/// Works through a job, `workers` items at a time, one wave after another. An item that fails keeps no other of its wave from
/// being done, but the next wave is not begun, unless each item is wanted for itself. Once `stop` is set no further item is
/// begun.
///
/// # Errors
///
/// [`JobError::Failed`], [`JobError::Running`]; the folder cannot be read or written.
pub fn run<E: Into<Fault>>(
    job: &Job,
    workers: usize,
    stop: &AtomicBool,
    progress: impl Fn(&Summary) + Sync,
    work: impl Fn(&Item) -> Result<Made, E> + Sync,
) -> Result<Summary, JobError> {
    let _held = job.hold()?;
    let items = job.plan().items.len();
    if job.is_whole()? {
        return Ok(Summary { done: items, items, ..Summary::default() });
    }
    let summary = Mutex::new(Summary { items, ..Summary::default() });
    let tell = |change: &dyn Fn(&mut Summary)| {
        if let Ok(mut summary) = summary.lock() {
            change(&mut summary);
            progress(&summary);
        }
    };
    let lines = job.begin()?;
    let failed = Mutex::new(Vec::new());
    for wave in job.plan().waves() {
        let open = job.open_items(wave, lines)?;
        tell(&|summary| summary.done += wave.len() - open.len());
        let next = AtomicUsize::new(0);
        let worker = || -> Result<(), JobError> {
            while !stop.load(Ordering::Relaxed) {
                let Some(item) = open.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                match job.run_item(item, &work)? {
                    Ran::Failed(reason) => {
                        failed.lock().map(|mut failed| failed.push((item.name.clone(), reason))).ok();
                    }
                    Ran::Refused(_) => tell(&|summary| summary.refused += 1),
                    ran => tell(&|summary| {
                        summary.done += 1;
                        summary.now += usize::from(ran == Ran::Now);
                    }),
                }
            }
            Ok(())
        };
        thread::scope(|scope| {
            let workers = workers.clamp(1, open.len().max(1));
            let started: Vec<_> = (1..workers).map(|_| scope.spawn(worker)).collect();
            let own = worker();
            let others = started
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            others.fold(own, Result::and)
        })?;
        let has_failed = failed.lock().is_ok_and(|failed| !failed.is_empty());
        if stop.load(Ordering::Relaxed) || has_failed && !job.plan().each {
            break;
        }
    }
    let failed = failed.into_inner().unwrap_or_default();
    if !failed.is_empty() {
        return Err(JobError::Failed(failed));
    }
    let mut summary = summary.into_inner().unwrap_or_default();
    summary.stopped = summary.done + summary.refused < summary.items;
    Ok(summary)
}
