//! `fieldtest git id`: the ID of one object under another hash function.

use anyhow::Result;
use fieldtest_git::Objects;
use fieldtest_git::map::{Options, new_id_of};

use super::rewrite::{Rewrite, with_remedy};
use super::{locate, revision, shown, threads};
use crate::args::GitId;
use crate::outcome::Outcome;
use crate::output;
use crate::progress::Progress;

pub(crate) fn run(args: &GitId) -> Result<Outcome> {
    crate::commands::known_implementation(args.rewrite.implementation.as_deref())?;
    let repository = locate::open(&args.repository, &fieldtest_git::Options::default())?;
    let rewrite = Rewrite::new(&args.rewrite, &repository)?;
    let objects = Objects::open(&repository)?;
    let old = revision::resolve(&repository, &objects, &args.revision)?;
    let line = Progress::new();
    let progress = |run| shown::conversion(&line, run);
    let options = Options { progress: &progress, ..rewrite.options(threads(None)) };
    let new = new_id_of(&objects, &rewrite.from, &rewrite.to.format, &old, &options).map_err(with_remedy)?;
    drop(line);
    output::data(&format!("{new}\n"))?;
    Ok(Outcome::Fine)
}
