//! `fieldtest git map`: the ID of every object under another hash function.

use std::path::Path;

use anyhow::Result;
use fieldtest_frame::{measuring, text};
use fieldtest_git::map::{Map, Options, Scope, tsv};
use fieldtest_git::{ObjectType, Objects};
use serde_json::json;

use super::rewrite::{self, Rewrite};
use super::scope::{self, Narrowed};
use super::shown::{self, Spent};
use super::{locate, maps};
use crate::algorithms;
use crate::args::{GitMap, GitMapForm};
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

pub(crate) fn run(args: &GitMap, format: Format) -> Result<Outcome> {
    match (&args.output, format) {
        (Some(_), format) => super::no_table("map", format)?,
        // Refused below, with another remedy.
        (None, Format::Json) => {}
        (None, format) => {
            format.only_human("fieldtest git map prints the map in the format of --output-format")?
        }
    }
    if format == Format::Json && args.output.is_none() {
        return Err(usage("the map itself is written to standard output; give a file for it with --output"));
    }
    measuring::known_implementation(args.rewrite.implementation.as_deref())?;
    if let Some(path) = &args.output {
        output::check_place(path)?;
    }
    let repository = locate::open_whole(&args.read.repository)?;
    super::outside(&repository, args.output.as_deref())?;
    let mut rewrite = Rewrite::new(&args.rewrite, &repository)?;
    let to = &rewrite.to.format;
    let is_of_git = args.form != GitMapForm::Tsv;
    if is_of_git && !algorithms::is_of_git(&to.name) {
        return Err(usage(format!(
            "Git's own map supports only sha1 and sha256; write the map to {} with --output-format tsv",
            to.name
        )));
    }
    if is_of_git && rewrite.pads() {
        return Err(usage(
            "Git's own map cannot mark padded commits of submodules; write the map with --output-format tsv",
        ));
    }
    let known = args.since.as_deref().map(|path| maps::read(path, &rewrite.from, to)).transpose()?;
    if let (Some(known), Some(path), false) = (&known, &args.since, rewrite.pads())
        && !known.padded().is_empty()
    {
        return Err(usage(format!(
            "the map {} was made with padded commits of submodules; give --pad-submodule or --pad-submodules again, or \
             make a new map without --since",
            text::path(path)
        )));
    }
    let starts = match args.scope.references.is_any() {
        true => Some(scope::starts(&Narrowed::of_one(&repository, &args.scope.references)?.snapshot)),
        false => None,
    };

    let spent = Spent::start();
    let objects = Objects::open(&repository)?;
    rewrite.pad_paths(&objects, || Ok(scope::present_starts(&repository.snapshot()?, &objects)))?;
    let to = &rewrite.to.format;
    let options = Options {
        known: known.as_ref(),
        scope: starts.as_deref().map_or(Scope::Everything, Scope::Reachable),
        ..rewrite.options(args.read.threads.or_all())
    };
    let computed = rewrite.compute(&repository, &objects, &args.scope, &options)?;
    let map = computed.conversion.map()?;
    let path = args.output.as_deref().unwrap_or(Path::new(output::STDOUT));
    match args.form {
        GitMapForm::Tsv => output::whole_file(path, |out| Ok(tsv::write(&map, out)?))?,
        GitMapForm::LooseObjectIdx => {
            output::whole_file(path, |out| Ok(tsv::write_loose_object_idx(&map, out)?))?;
            output::message(&format!(
                "Git 2.45 and later reads this as objects/loose-object-idx of the repository, once core.repositoryFormatVersion is 1 and \
                 extensions.compatObjectFormat is {}",
                to.name
            ));
        }
    }
    output::message(&format!(
        "{}: {}",
        args.read.repository.display(),
        summary(args, &rewrite, &map, &spent)
    ));
    if format == Format::Json {
        let of = |kind: ObjectType| map.iter().filter(|pair| pair.kind == kind).count();
        super::json(&json!({
            "repository": args.read.repository.to_string_lossy(),
            "from": rewrite.from.name,
            "to": to.name,
            "implementation": rewrite.to.implementation.name,
            "map": args.output.as_ref().map(|path| path.to_string_lossy()),
            "objects": map.len(),
            "by_type": shown::types(of),
            "led_back": !args.scope.no_round_trip,
            "exceptions": computed.exceptions,
        }))?;
    }
    Ok(Outcome::Fine)
}

fn summary(args: &GitMap, rewrite: &Rewrite<'_>, map: &Map, spent: &Spent) -> String {
    let of = |kind: ObjectType| map.iter().filter(|pair| pair.kind == kind).count() as u64;
    let back = rewrite::led_back(&args.scope, ", all of which convert back");
    format!(
        "{} ({}) have IDs by {}{back}; {}",
        shown::count(map.len() as u64, "object"),
        shown::by_type(of),
        rewrite.to.words(),
        spent.words()
    )
}
