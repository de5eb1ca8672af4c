//! `fieldtest git study`: the carrier's study alone.

use std::path::Path;

use anyhow::Result;
use fieldtest_study::{Plan, plan};

use super::locate;
use crate::args::GitStudy;
use crate::outcome::Outcome;
use crate::output::Format;

pub(crate) fn run(args: GitStudy, format: Format) -> Result<Outcome> {
    crate::commands::known_implementation(args.implementations.iter().map(String::as_str))?;
    // Where this is run, if that is a repository.
    let repository = match args.repository {
        Some(path) => Some(locate::find(&path).unwrap_or(path)),
        None => locate::find(Path::new(".")),
    };
    let part = plan::Git {
        repository,
        algorithms: args.algorithms,
        implementations: args.implementations,
        ..Default::default()
    };
    let plan = Plan { git: Some(part), ..Default::default() };
    crate::commands::study::carry_out(&plan, &args.run, format)
}
