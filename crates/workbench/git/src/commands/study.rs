//! `fieldtest git study`: the carrier's study alone.

use std::path::Path;

use anyhow::Result;
use fieldtest_frame::measuring::carry_out;
use fieldtest_study::Plan;

use super::locate;
use crate::args::GitStudy;
use crate::outcome::Outcome;
use crate::output::Format;
use crate::report::STUDY_SECTION;
use crate::study::GitPart;

pub(crate) fn run(args: GitStudy, format: Format) -> Result<Outcome> {
    // Where this is run, if that is a repository.
    let repository = match args.repository {
        Some(path) => Some(locate::find(&path).unwrap_or(path)),
        None => locate::find(Path::new(".")),
    };
    let part = GitPart {
        repository,
        algorithms: args.algorithms,
        implementations: args.implementations,
        ..Default::default()
    };
    carry_out(Plan::of(part), &[&STUDY_SECTION], &args.run, format)
}
