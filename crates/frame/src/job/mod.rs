//! Jobs larger than a host: what is typed for one, and how it runs. See `fieldtest-job`, which this is the terminal of.

mod access;
mod left;
mod orders;
mod places;
mod walk;

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use clap::{Args, ValueEnum, value_parser};
pub use fieldtest_job::{Entry, Id, Item, Job, Made, Needs, Plan, State, Status, digest, files};
use fieldtest_job::{Fault, JobError, Ran, slurm, threads};

pub use access::keep_access;
pub use left::Left;
pub use orders::Orders;
pub use places::{clear_fresh, displaced, fresh, linked, reserved};
pub use walk::{Met, walk};

use crate::outcome::{Outcome, in_one_sentence, usage};
use crate::progress::Progress;
use crate::{interrupt, output, text};

/// How a job runs.
#[derive(Debug, Clone, Args)]
pub struct JobRun {
    /// Do it as a job, piece by piece: what is done is entered in this folder, and the same command goes on after any end
    #[arg(long, value_name = "FOLDER")]
    pub job: Option<PathBuf>,
    /// Pieces at the same time on this machine; they share its threads, and each has the memory
    #[arg(long, value_name = "NUMBER", requires = "job", default_value_t = 1, value_parser = value_parser!(u16).range(1..=1024))]
    pub workers: u16,
    /// Where it runs, if not on this machine
    #[arg(long, value_name = "ENGINE", requires = "job", value_enum)]
    pub on: Option<Engine>,
    /// How the cluster is asked: partition, account, time, memory, exclusive
    #[arg(long, value_name = "FILE.toml", requires = "on")]
    pub profile: Option<PathBuf>,
    /// Print what would be handed to the cluster, and hand nothing in
    #[arg(long, requires = "on")]
    pub dry_run: bool,
    /// Do one piece of the job, as a cluster's nodes are told to
    #[arg(long, value_name = "ID", requires = "job", hide = true)]
    pub item: Option<String>,
}

/// What runs jobs beside this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Slurm, by sbatch
    Slurm,
}

/// How a job, or what was asked for of it, ended.
#[derive(Debug)]
pub enum Ended {
    /// All of it is done.
    Whole(State),
    /// The user asked for the end.
    Stopped,
    /// Nothing was to be done, or one piece, and that is done.
    Piece,
}

impl Ended {
    /// What a job that is done came to; otherwise the command's own end, of which the user is told how it goes on.
    ///
    /// # Errors
    /// How the command ends.
    pub fn whole(self) -> std::result::Result<State, Outcome> {
        match self {
            Ended::Whole(state) => Ok(state),
            Ended::Stopped => Err(stopped()),
            Ended::Piece => Err(Outcome::Fine),
        }
    }
}

/// The end of a job's command that the user asked for, of which he is told how it goes on.
pub fn stopped() -> Outcome {
    output::message("stopped; the same command goes on where this ends");
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

/// The folder of a job that cannot do without.
///
/// # Errors
///
/// A usage error if none was named.
pub fn folder(run: &JobRun) -> Result<&Path> {
    run.job.as_deref().ok_or_else(|| usage("a job needs a folder; give --job FOLDER"))
}

/// Runs a job in its folder. `work` does an item, here or on a node.
///
/// # Errors
///
/// An item failed; the folder holds another job or is in use; the engine takes nothing.
pub fn run(run: &JobRun, plan: Plan, work: impl Fn(&Item) -> Result<Made> + Sync) -> Result<Ended> {
    let folder = folder(run)?;
    // A profile that makes no sense is told before anything is made.
    let profile = profile(run)?;
    if run.dry_run {
        return dry_run(&Job::sketch(folder, plan)?, &profile, &command()?);
    }
    let job = Job::open(folder, plan)?;
    let told = |item: &Item| {
        let fit = if item.needs.alone { slurm::check_alone() } else { Ok(()) };
        fit.map_err(anyhow::Error::from).and_then(|()| work(item)).map_err(|error| match error.downcast() {
            Ok(Refused(reason)) => Fault::Refused(reason),
            Err(error) => Fault::Failed(in_one_sentence(&error)),
        })
    };
    if let Some(id) = &run.item {
        return match job.run_item(job.item(id)?, told)? {
            Ran::Failed(reason) | Ran::Refused(reason) => Err(anyhow!(reason)),
            Ran::Now | Ran::Before => Ok(Ended::Piece),
        };
    }
    let was_whole = !job.plan().each && job.is_whole()?;
    let progress = Progress::new();
    let tell =
        |summary: &threads::Summary| progress.say(&format!("{} of {} done", summary.done, summary.items));
    let summary = match run.on {
        None => threads::run(&job, run.workers.into(), interrupt::flag(), tell, told),
        Some(Engine::Slurm) => {
            let say = |words: &str| progress.above(words);
            slurm::run(&job, &profile, &command()?, interrupt::flag(), tell, say)
        }
    };
    drop(progress);
    let summary = match summary {
        // What was ended in the middle is no failure of its own.
        Err(JobError::Failed(_)) if interrupt::asked() => return Ok(Ended::Stopped),
        summary => summary.map_err(|error| refused(error, &job))?,
    };
    if was_whole {
        output::message(&format!(
            "the job in {} is done already: nothing was done again",
            text::path(folder)
        ));
    }
    if summary.stopped && run.on.is_some() {
        output::message("what was handed in goes on; scancel ends it, squeue names it");
    }
    match summary.stopped {
        true => Ok(Ended::Stopped),
        false => Ok(Ended::Whole(job.state()?)),
    }
}

/// The end of a command whose items are each wanted for itself. Where some failed, what became of the others is told all the same.
///
/// # Errors
///
/// The job's own, or that of `tell`.
pub fn conclude(
    ended: Result<Ended>,
    run: &JobRun,
    plan: &Plan,
    tell: impl FnOnce(&State) -> Result<Outcome>,
) -> Result<Outcome> {
    match ended {
        Ok(ended) => ended.whole().map_or_else(Ok, |state| tell(&state)),
        Err(error) if matches!(error.downcast_ref(), Some(JobError::Failed(_))) => {
            tell(&Job::sketch(folder(run)?, plan.clone())?.state()?)?;
            Err(error)
        }
        Err(error) => Err(error),
    }
}

/// Says the first of these lines, as many as fit onto a screen, and what `more` says of the others.
pub fn tell_first(lines: impl ExactSizeIterator<Item = String>, more: impl FnOnce(usize) -> String) {
    /// Lines that are shown.
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
        format!("{} is refused: {}", entry.name, entry.reason.as_deref().unwrap_or_default())
    };
    tell_first(refused.iter().map(line), |others| {
        format!("and {others} more; `fieldtest ledger` in the job's folder names all that are refused")
    });
}

/// Names what failed where that is more than one, of which the job's own error names the first; and how many, for a summary.
pub fn tell_failed(failed: &[&Entry]) -> String {
    let line =
        |entry: &&Entry| format!("{} failed: {}", entry.name, entry.reason.as_deref().unwrap_or_default());
    if failed.len() > 1 {
        tell_first(failed.iter().map(line), |others| {
            format!("and {others} more; `fieldtest ledger` in the job's folder names all that failed")
        });
    }
    if failed.is_empty() { String::new() } else { format!(", {} failed", failed.len()) }
}

/// Refuses an output of a job that cannot be written, or that is what the job is told by.
///
/// # Errors
///
/// As [`output::check_place`].
pub fn check_output(run: &JobRun, output: &Path) -> Result<()> {
    if let Some(profile) = &run.profile {
        output::reads(profile, "the profile of the cluster, which would be lost");
    }
    output::check_place(output)
}

fn profile(run: &JobRun) -> Result<slurm::Profile> {
    Ok(run.profile.as_deref().map(slurm::Profile::read).transpose()?.unwrap_or_default())
}

/// The kinds of host that the profile of the cluster has.
///
/// # Errors
///
/// The profile cannot be read or makes no sense.
pub fn classes(run: &JobRun) -> Result<Vec<String>> {
    Ok(profile(run)?.classes.into_keys().collect())
}

/// This very command, of which a node does one item.
fn command() -> Result<Vec<String>> {
    let program = env::current_exe().context("cannot find out which program this is")?;
    let words = env::args_os().skip(1).filter(|word| word != "--dry-run");
    let words = [program.into_os_string()].into_iter().chain(words).chain(["--item".into()]);
    let words = words.map(|word| word.into_string()).collect::<Result<Vec<_>, _>>();
    words.map_err(|word| usage(format!("{} is not UTF-8, which no script can hold", word.display())))
}

fn dry_run(job: &Job, profile: &slurm::Profile, command: &[String]) -> Result<Ended> {
    // What was made on the way to the last wave may be gone since.
    if !job.plan().each && job.is_whole()? {
        return Ok(Ended::Piece);
    }
    let state = job.state()?;
    for wave in job.plan().waves() {
        let items: Vec<&Item> = wave.iter().filter(|item| !state.is_done(&item.id)).collect();
        if items.is_empty() {
            continue;
        }
        for script in slurm::scripts(job, profile, command, &items)? {
            output::data(&script)?;
        }
    }
    Ok(Ended::Piece)
}

/// Says where to look.
fn refused(error: JobError, job: &Job) -> anyhow::Error {
    match error {
        JobError::Failed(_) => {
            let told = format!("{error}; the ledger is {}", job.ledger().display());
            anyhow::Error::new(error).context(told)
        }
        other => other.into(),
    }
}
