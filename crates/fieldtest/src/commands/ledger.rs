//! `fieldtest ledger`: what became of a job's items.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Result, anyhow};
use fieldtest_frame::job::{Entry, Item, Job, State, Status};
use fieldtest_frame::text;
use fieldtest_report::{Cell, Kind, Table};

use crate::args::Ledger;
use crate::outcome::Outcome;
use crate::output::{self, Format};

pub(crate) fn run(args: &Ledger, format: Format) -> Result<Outcome> {
    let none = || anyhow!("{} does not contain a job; give the directory of --job", text::path(&args.job));
    if !args.job.is_dir() {
        let fault = if args.job.exists() { "it is not a directory" } else { "there is no such directory" };
        return Err(anyhow!("cannot read the job {}: {fault}; give that of --job", text::path(&args.job)));
    }
    let plan = Job::planned(&args.job)?.ok_or_else(none)?;
    let state = Job::look(&args.job)?;
    let ids = plan.items.iter().map(|item| &item.id);
    let done: HashSet<&String> = ids.filter(|id| state.is_done(id)).collect();
    let whole = done.len() == plan.items.len();
    let mut table = Table::new(title(&args.job, &plan.items, &state, done.len()))
        .texts(["item", "status"])
        .column("time", Kind::number("s"))
        .column("outputs", Kind::number("bytes"))
        .column("reason", Kind::Text);
    // Programs filter for themselves; people look for what is not as it should be.
    let all = args.all || format != Format::Human;
    for item in plan.items.iter().filter(|item| all || !done.contains(&item.id)) {
        let entry = state.of(&item.id);
        let reason = entry.and_then(|entry| entry.reason.clone());
        let row: [Cell; 5] = [
            item.name.as_str().into(),
            status(entry, done.contains(&item.id)).into(),
            entry.map(|entry| entry.seconds).into(),
            entry.map(|entry| entry.bytes as f64).into(),
            reason.unwrap_or_default().into(),
        ];
        table.keyed_row(item.id.clone(), row);
    }
    match table.is_empty() {
        true if format == Format::Human => output::lines(&format!("{}\n", table.title()))?,
        _ => output::table(&table, format)?,
    }
    Ok(if whole { Outcome::Fine } else { Outcome::Failed })
}

fn title(folder: &Path, items: &[Item], state: &State, done: usize) -> String {
    let count = |wanted: Status| {
        items.iter().filter(|item| state.of(&item.id).is_some_and(|entry| entry.status == wanted)).count()
    };
    format!(
        "{}: {done} of {} done, {} failed, {} rejected",
        text::path(folder),
        output::count(items.len(), "item"),
        count(Status::Failed),
        count(Status::Refused),
    )
}

fn status(entry: Option<&Entry>, is_done: bool) -> &'static str {
    match entry.map(|entry| entry.status) {
        None => "open",
        Some(Status::Failed) => "failed",
        Some(Status::Refused) => "rejected",
        Some(Status::Done) if is_done => "done",
        Some(Status::Done) => "its outputs are gone",
    }
}
