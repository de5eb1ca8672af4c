//! `fieldtest git convert`: a new repository of the other object format.

use std::fs;

use anyhow::{Result, bail};
use fieldtest_git::Objects;
use fieldtest_git::destination::{self, Written};
use fieldtest_git::map::{Options, tsv};

use super::rewrite::{self, Rewrite};
use super::shown::{self, Spent};
use super::{formats, locate, threads};
use crate::args::GitConvert;
use crate::outcome::{Outcome, usage};
use crate::output;
use crate::progress::Progress;

pub(crate) fn run(args: &GitConvert) -> Result<Outcome> {
    crate::commands::known_implementation(args.rewrite.implementation.as_deref())?;
    if args.destination.symlink_metadata().is_ok() {
        bail!("{} is there already; remove it or choose another place", args.destination.display());
    }
    for path in [&args.destination].into_iter().chain(&args.map) {
        output::check_place(path)?;
    }
    let repository = locate::open(&args.repository, &fieldtest_git::Options::default())?;
    let rewrite = Rewrite::new(&args.rewrite, &repository)?;
    if !formats::is_of_git(&rewrite.to.format.name) {
        return Err(usage(format!(
            "Git has no repositories of the format {}; `fieldtest git map` writes the IDs",
            rewrite.to.format.name
        )));
    }

    let spent = Spent::start();
    let starts = rewrite::starts(&repository, &args.scope)?;
    let objects = Objects::open(&repository)?;
    let options = Options { scope: rewrite::scope(Some(&starts)), ..rewrite.options(threads(args.threads)) };
    let conversion = rewrite.compute(&objects, &args.scope, &options)?;
    let map = args.map.as_ref().map(|path| Ok::<_, anyhow::Error>((path, conversion.map()?))).transpose()?;
    let line = Progress::new();
    let progress = |run| shown::conversion(&line, run);
    let options = Options { progress: &progress, ..options };
    let written = destination::write(&conversion, &repository, &args.destination, &options)?;
    drop(line);
    if let Some((path, map)) = map {
        output::whole_file(path, |out| Ok(tsv::write(&map, out)?))?;
    }
    output::message(&format!(
        "{}: {}",
        args.destination.display(),
        summary(args, &rewrite, &objects, &written)
    ));
    output::message(&format!("{}: {}", args.destination.display(), spent.words()));
    Ok(Outcome::Fine)
}

fn summary(args: &GitConvert, rewrite: &Rewrite<'_>, objects: &Objects, written: &Written) -> String {
    let source: u64 =
        objects.packs().iter().filter_map(|pack| Some(fs::metadata(pack.path()).ok()?.len())).sum();
    let loose = match objects.loose() {
        0 => String::new(),
        loose => format!(" and {}", output::count(loose, "loose object")),
    };
    let contents = &written.contents;
    format!(
        "{} and {} by {}{}; {} copied as they were, {} written as deltas; the pack has {} where the source has {} in packs{loose}",
        shown::count(contents.objects, "object"),
        output::count(written.references, "reference"),
        rewrite.to.words(),
        if args.scope.no_round_trip { "" } else { ", which all lead back" },
        shown::count(contents.reused, "blob"),
        shown::count(contents.tree_deltas, "tree"),
        shown::size(written.pack_len),
        shown::size(source),
    )
}
