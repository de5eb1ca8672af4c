//! `fieldtest git study`: the carrier's study alone.

use std::path::Path;

use anyhow::Result;
use fieldtest_git::{Options, Repository, destination};
use fieldtest_study::{Plan, plan};

use super::locate;
use crate::args::GitStudy;
use crate::outcome::{Outcome, usage};
use crate::output::Format;

pub(crate) fn run(args: GitStudy, format: Format) -> Result<Outcome> {
    crate::commands::known_implementation(args.implementations.iter().map(String::as_str))?;
    // Where this is run, if that is a repository.
    let repository = match args.repository {
        Some(path) => Some(locate::find(&path).unwrap_or(path)),
        None => locate::find(Path::new(".")),
    };
    // One that cannot be opened is the study's to refuse.
    let read =
        repository.as_ref().map(|path| Repository::open(path, &Options { partial: true, shallow: true }));
    if let Some(Ok(read)) = read {
        let directory = &args.run.output;
        for path in [directory.clone(), directory.join("records.jsonl"), directory.join("report.html")] {
            destination::check_output(&read, &path).map_err(usage)?;
        }
    }
    let part = plan::Git {
        repository,
        algorithms: args.algorithms,
        implementations: args.implementations,
        ..Default::default()
    };
    let plan = Plan { git: Some(part), ..Default::default() };
    crate::commands::study::carry_out(&plan, &args.run, format)
}
