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
/// [`JobError::Failed`], [`JobError::Refused`] unless each item is wanted for itself, [`JobError::Running`]; the folder cannot be read or written.
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
    let (failed, refused) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let note = |list: &Mutex<Vec<_>>, item: &Item, reason: String| {
        list.lock().map(|mut list| list.push((item.name.clone(), reason))).ok();
    };
    let is_any = |list: &Mutex<Vec<_>>| list.lock().is_ok_and(|list| !list.is_empty());
    for wave in job.plan().waves() {
        let open = job.open_items(wave, lines)?;
        tell(&|summary| summary.done += wave.len() - open.len());
        let next = AtomicUsize::new(0);
        let worker = || -> Result<(), JobError> {
            while !stop.load(Ordering::Relaxed) {
                let Some(item) = open.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                match job.run_item(item, &work)? {
                    Ran::Failed(reason) => note(&failed, item, reason),
                    Ran::Refused(reason) => {
                        note(&refused, item, reason);
                        tell(&|summary| summary.refused += 1);
                    }
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
            let start = |_| thread::Builder::new().spawn_scoped(scope, worker).map_err(JobError::Worker);
            let (started, lacking): (Vec<_>, Vec<_>) = (1..workers).map(start).partition(Result::is_ok);
            let (started, lacking) =
                (started.into_iter().flatten(), lacking.into_iter().find_map(Result::err));
            let own = match lacking {
                // Those that are there end what they have begun.
                Some(error) => {
                    next.store(open.len(), Ordering::Relaxed);
                    Err(error)
                }
                None => worker(),
            };
            let others =
                started.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            others.fold(own, Result::and)
        })?;
        let is_in_vain = !job.plan().each && (is_any(&failed) || is_any(&refused));
        if stop.load(Ordering::Relaxed) || is_in_vain {
            break;
        }
    }
    let [failed, refused] = [failed, refused].map(|list| list.into_inner().unwrap_or_default());
    if !failed.is_empty() {
        return Err(JobError::Failed(failed));
    }
    if !refused.is_empty() && !job.plan().each {
        return Err(JobError::Refused(refused));
    }
    let mut summary = summary.into_inner().unwrap_or_default();
    summary.stopped = summary.done + summary.refused < summary.items;
    Ok(summary)
}
