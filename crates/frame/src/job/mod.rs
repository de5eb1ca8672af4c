//! Jobs that go on after any end: what is typed for one, and how it runs. See `fieldtest-job`, which this is the terminal of.

mod access;
mod earlier_result;
mod items;
mod places;
mod walk;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, value_parser};
pub use fieldtest_job::{Claim, Entry, Item, Job, Made, Plan, State, Status, digest, files};
use fieldtest_job::{Fault, JobError, Summary};

pub use access::keep_access;
pub use earlier_result::Left;
pub use items::{Found, Order, Orders, look_at, settle};
use places::clear_fresh;
pub use places::{fresh, linked};
pub use walk::{Met, walk};

use crate::outcome::{Outcome, in_one_sentence};
use crate::progress::Progress;
use crate::{interrupt, output, text};

/// How a job runs.
#[derive(Debug, Clone, Args)]
pub struct JobRun {
    /// Run as a resumable job with its progress stored in DIRECTORY; rerun the same command to resume
    #[arg(long, value_name = "DIRECTORY")]
    pub job: PathBuf,
    /// Number of items to process in parallel; they share the threads
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = value_parser!(u16).range(1..=1024))]
    pub workers: u16,
}

/// The end of a job's command that the user asked for, of which he is told how it goes on.
pub fn stopped() -> Outcome {
    output::message("stopped; rerun the same command to resume");
    Outcome::Interrupted
}

/// Why an item of a job cannot be done, for a reason that lies in what it is about. As the error of its work it is entered as
/// such, and the item is not begun again in the same run.
#[derive(Debug)]
pub struct Refused(pub String);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// Works through a job; whether all is done, and not the end asked for by the user before.
fn run(run: &JobRun, job: &Job, work: impl Fn(&Item) -> Result<Made> + Sync) -> Result<bool> {
    let told = |item: &Item| {
        work(item).map_err(|error| match error.downcast() {
            Ok(Refused(reason)) => Fault::Refused(reason),
            Err(error) => Fault::Failed(in_one_sentence(&error)),
        })
    };
    let progress = Progress::new();
    let tell = |summary: &Summary| progress.say(&format!("{} of {} done", summary.done, summary.items));
    match job.run(run.workers.into(), interrupt::flag(), tell, told) {
        // What was ended in the middle is no failure of its own.
        Err(JobError::Failed(_)) if interrupt::asked() => Ok(false),
        Err(error @ JobError::Failed(_)) => {
            let told = format!("{error}; the ledger is {}", job.ledger().display());
            Err(anyhow::Error::new(error).context(told))
        }
        ended => Ok(!ended?.stopped),
    }
}

/// Works through a job, of which the items write their results to [`fresh`] below this directory first. `tell` says what became of
/// them, also where some failed.
///
/// # Errors
///
/// An item failed; the ledger cannot be written; that of `tell`.
pub fn run_each(
    root: &Path,
    typed: &JobRun,
    job: &Job,
    work: impl Fn(&Item) -> Result<Made> + Sync,
    tell: impl FnOnce() -> Result<Outcome>,
) -> Result<Outcome> {
    // Of one that was killed.
    clear_fresh(root, job);
    let ended = run(typed, job, work);
    clear_fresh(root, job);
    match ended {
        Ok(true) => tell(),
        Ok(false) => Ok(stopped()),
        Err(error) => {
            if let Some(JobError::Failed(_)) = error.downcast_ref() {
                tell()?;
            }
            Err(error)
        }
    }
}

/// A name for files, of any length that names of items have.
pub fn key(name: &str) -> String {
    digest(&[name.as_bytes()])[..16].to_owned()
}

/// Makes directories of a job's own.
///
/// # Errors
///
/// The system refuses.
pub fn make_folders<'p>(folders: impl IntoIterator<Item = &'p PathBuf>) -> Result<()> {
    folders.into_iter().try_for_each(|folder| {
        files::make_folder(folder)
            .with_context(|| format!("cannot create the directory {}", text::path(folder)))
    })
}

/// Says the first of these lines, as many as fit onto a screen, and what `more` says of the others.
pub fn tell_first(lines: impl ExactSizeIterator<Item = String>, more: impl FnOnce(usize) -> String) {
    const SHOWN: usize = 20;
    let others = lines.len().saturating_sub(SHOWN);
    lines.take(SHOWN).for_each(|line| output::message(&line));
    if others > 0 {
        output::message(&more(others));
    }
}

/// Names what was refused, as far as that fits onto a screen: the ledger names all.
pub fn tell_refused(refused: &[&Entry]) {
    let line = |entry: &&Entry| {
        format!("{} is rejected: {}", entry.name, entry.reason.as_deref().unwrap_or_default())
    };
    tell_first(refused.iter().map(line), |others| {
        format!("and {others} more; `fieldtest ledger` in the job's directory lists all rejected ones")
    });
}

/// Names what failed where that is more than one, of which the job's own error names the first; and how many, for a summary.
pub fn tell_failed(failed: &[&Entry]) -> String {
    let line = |entry: &&Entry| {
        format!("cannot finish {}: {}", entry.name, entry.reason.as_deref().unwrap_or_default())
    };
    if failed.len() > 1 {
        tell_first(failed.iter().map(line), |others| {
            format!("and {others} more; `fieldtest ledger` in the job's directory lists all failed ones")
        });
    }
    if failed.is_empty() { String::new() } else { format!(", {} failed", failed.len()) }
}
