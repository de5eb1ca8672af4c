//! `fieldtest git id`: the ID of one object under another hash function.

use anyhow::Result;
use fieldtest_frame::arguments::Threads;
use fieldtest_frame::measuring;
use fieldtest_git::map::{Options, new_id_of};
use fieldtest_git::revision::{self, RevisionError};
use fieldtest_git::{Error, Objects};
use serde_json::json;

use super::rewrite::{Rewrite, with_remedy};
use super::{locate, shown};
use crate::args::GitId;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};
use crate::progress::Progress;

pub(crate) fn run(args: &GitId, format: Format) -> Result<Outcome> {
    super::no_table("id", format)?;
    measuring::known_implementation(args.rewrite.implementation.as_deref())?;
    let repository = locate::open_whole(&args.repository)?;
    let mut rewrite = Rewrite::new(&args.rewrite, &repository)?;
    let mut objects = Objects::open(&repository)?;
    let resolve = |objects: &Objects| revision::resolve(&repository, objects, &rewrite.from, &args.revision);
    let mut old = resolve(&objects);
    // It may have been committed since the objects were listed.
    if matches!(old, Err(RevisionError::Read(Error::Missing(_)))) {
        objects = Objects::open(&repository)?;
        old = resolve(&objects);
    }
    let old = old.map_err(reason)?;
    rewrite.pad_paths(&objects, || Ok(vec![old]))?;
    let line = Progress::new();
    let progress = |run| shown::conversion(&line, run);
    let options = Options { progress: &progress, ..rewrite.options(Threads::default().or_all()) };
    let new = new_id_of(&objects, &rewrite.from, &rewrite.to.format, &old, &options)
        .map_err(|error| with_remedy(error, rewrite.to.format.id_len()))?;
    drop(line);
    match format {
        Format::Json => super::json(&json!({
            "repository": args.repository.to_string_lossy(),
            "revision": args.revision,
            "from": rewrite.from.name,
            "old": old.to_string(),
            "to": rewrite.to.format.name,
            "new": new.to_string(),
            "implementation": rewrite.to.implementation.name,
        }))?,
        _ => output::data(&format!("{new}\n"))?,
    }
    Ok(Outcome::Fine)
}

/// A revision that nobody can read is a mistake of who typed it; one that is not there may be none.
fn reason(error: RevisionError) -> anyhow::Error {
    match error {
        RevisionError::Unread(_) => usage(error),
        RevisionError::Read(error) => error.into(),
        error => error.into(),
    }
}
