//! `fieldtest git study`: the carrier's study alone.

use std::path::Path;

use anyhow::Result;
use fieldtest_git::{Repository, repository};
use fieldtest_study::{Plan, plan};

use crate::args::GitStudy;
use crate::outcome::Outcome;
use crate::output::Format;

pub(crate) fn run(args: GitStudy, format: Format) -> Result<Outcome> {
    crate::commands::known_implementation(args.implementations.iter().map(String::as_str))?;
    // Where this is run, if that is a repository.
    let here = || {
        let options = repository::Options { partial: true, shallow: true };
        let above = std::env::current_dir().ok()?;
        above.ancestors().map(Path::to_path_buf).find(|path| Repository::open(path, &options).is_ok())
    };
    let part = plan::Git {
        repository: args.repository.or_else(here),
        algorithms: args.algorithms,
        implementations: args.implementations,
        ..Default::default()
    };
    let plan = Plan { git: Some(part), ..Default::default() };
    crate::commands::study::carry_out(&plan, &args.run, format)
}
