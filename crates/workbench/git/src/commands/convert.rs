//! `fieldtest git convert`: a new repository of the other object format.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use fieldtest_frame::measuring;
use fieldtest_frame::text;
use fieldtest_git::destination::{self, Written};
use fieldtest_git::map::{Options, Scope, tsv};
use fieldtest_git::{Objects, Repository};
use serde_json::{Value, json};

use super::locate;
use super::rewrite::{self, Computed, Rewrite};
use super::scope::{self, Narrowed};
use super::shown::{self, Spent};
use crate::algorithms;
use crate::args::GitConvert;
use crate::interrupt::Unfinished;
use crate::outcome::{Outcome, coded, usage};
use crate::output::{self, Format};
use crate::progress::Progress;

/// Lines that are shown of references and notes.
const SHOWN: usize = 20;

pub(crate) fn run(args: &GitConvert, format: Format) -> Result<Outcome> {
    super::no_table("convert", format)?;
    measuring::known_implementation(args.rewrite.implementation.as_deref())?;
    // Without slashes behind it, which directories may have.
    let destination: &PathBuf = &args.destination.components().collect();
    if destination.symlink_metadata().is_ok() {
        bail!(coded("exists", anyhow!("{} already exists; choose another place", destination.display())));
    }
    if let Some(map) = &args.map {
        output::check_beside(("the map", map), ("the destination", destination))?;
    }
    for path in [destination].into_iter().chain(&args.map) {
        output::check_place(path)?;
    }
    let repository = locate::open_whole(&args.repository)?;
    super::outside(&repository, args.map.as_deref())?;
    super::placed(destination::check_place(&repository, destination))?;
    let mut rewrite = Rewrite::new(&args.rewrite, &repository)?;
    if !algorithms::is_of_git(&rewrite.to.format.name) {
        return Err(usage(format!(
            "Git has no repositories of the format {}; `fieldtest git map` writes the IDs",
            rewrite.to.format.name
        )));
    }

    let spent = Spent::start();
    // Before the objects: whatever is committed meanwhile, all that these lead to is found.
    let Narrowed { snapshot: references, others, .. } =
        Narrowed::of_one(&repository, &args.scope.references)?;
    let objects = Objects::open(&repository)?;
    let starts = scope::present_starts(&references, &objects);
    rewrite.pad_paths(&objects, || Ok(starts.clone()))?;
    let options = Options { scope: Scope::Reachable(&starts), ..rewrite.options(args.threads.or_all()) };
    let Computed { conversion, exceptions } =
        rewrite.compute(&repository, &objects, &args.scope, &options)?;
    let map = args.map.as_ref().map(|path| Ok::<_, anyhow::Error>((path, conversion.map()?))).transpose()?;
    let line = Progress::new();
    let progress = |run| shown::conversion(&line, run);
    // Who presses Ctrl-C twice leaves nothing half either.
    let unfinished = Unfinished::new();
    let options = Options { progress: &progress, begun: &Unfinished::add, ..options };
    let write = || destination::write(&conversion, &repository, &references, destination, &options);
    let written = match map {
        // First, and with its name last: without it there is to be no destination either.
        Some((path, map)) => output::whole_file(path, |out| {
            tsv::write(&map, &mut *out)?;
            out.flush()?;
            let written = write()?;
            Unfinished::add(destination);
            Ok(written)
        })?,
        None => write()?,
    };
    unfinished.keep();
    drop(line);
    let name = destination.display();
    say_what_is_left(&repository, &written, others);
    output::message(&format!("{name}: {}", summary(args, &rewrite, &objects, &written)));
    output::message(&format!("{name}: {}", spent.words()));
    if format == Format::Json {
        let mut found = found(args, &rewrite, &repository, &written, &exceptions);
        found["references_out_of_scope"] = others.into();
        super::json(&found)?;
    }
    let all_is_there = written.left.is_empty() && written.notes.unchanged.is_empty();
    Ok(if all_is_there { Outcome::Fine } else { Outcome::Failed })
}

/// Names everything that the new repository does not have, or has as it was.
fn say_what_is_left(repository: &Repository, written: &Written, others: usize) {
    let say = |lines: Vec<String>, what: &str| {
        lines.iter().take(SHOWN).for_each(|line| output::message(line));
        if let Some(more @ 1..) = lines.len().checked_sub(SHOWN) {
            output::message(&format!("and {} more; --format json lists all", output::count(more, what)));
        }
    };
    let left = written.left.iter();
    let left = left.map(|left| format!("{} is not carried over: {}", text::bytes(&left.name), left.reason));
    say(left.collect(), "reference");
    let notes = &written.notes;
    let unchanged = notes.unchanged.iter();
    let unchanged = unchanged.map(|(name, reason)| {
        format!("{}: its notes cannot be found by new IDs: {reason}", text::bytes(name))
    });
    say(unchanged.collect(), "reference");
    let kept = notes.kept.iter();
    let kept = kept.map(|(name, id)| {
        format!(
            "{}: the note on {id} keeps its path: that object is not converted, or the path mixes capital and small letters",
            text::bytes(name)
        )
    });
    say(kept.collect(), "note");
    let mut behind: Vec<String> =
        destination::left_behind(repository).iter().map(|what| text::bytes(what.as_bytes())).collect();
    if others > 0 {
        behind.push(format!("{} excluded by --refs or --exclude-refs", output::count(others, "reference")));
    }
    if !behind.is_empty() {
        output::message(&format!("not carried over, by design: {}", behind.join(", ")));
    }
}

fn summary(args: &GitConvert, rewrite: &Rewrite<'_>, objects: &Objects, written: &Written) -> String {
    let source: u64 =
        objects.packs().iter().filter_map(|pack| Some(fs::metadata(pack.path()).ok()?.len())).sum();
    let loose = match objects.loose() {
        0 => String::new(),
        loose => format!(" and {}", output::count(loose, "loose object")),
    };
    let notes = match written.made {
        0 => String::new(),
        made => format!(
            "; {} found by new IDs, for which {} made",
            shown::count(written.notes.renamed, "note"),
            if made == 1 { "1 object was".to_owned() } else { format!("{made} objects were") }
        ),
    };
    let left = match written.left.len() {
        0 => String::new(),
        left => format!("; {} not carried over", output::count(left, "reference")),
    };
    let contents = &written.contents;
    format!(
        "{} and {} by {}{}; {} copied unchanged, {} written as deltas{notes}{left}; the pack has {}, the source {} in packs{loose}",
        shown::count(contents.objects, "object"),
        output::count(written.references, "reference"),
        rewrite.to.words(),
        rewrite::led_back(&args.scope, ", which all convert back"),
        shown::count(contents.reused, "blob"),
        shown::count(contents.tree_deltas, "tree"),
        shown::size(written.pack_len),
        shown::size(source),
    )
}

fn found(
    args: &GitConvert,
    rewrite: &Rewrite<'_>,
    repository: &Repository,
    written: &Written,
    exceptions: &Value,
) -> Value {
    let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    let left = written.left.iter().map(|left| json!({ "name": name(&left.name), "reason": left.reason }));
    let notes = &written.notes;
    let kept =
        notes.kept.iter().map(|(reference, id)| json!({ "name": name(reference), "about": id.to_string() }));
    let unchanged = notes
        .unchanged
        .iter()
        .map(|(reference, reason)| json!({ "name": name(reference), "reason": reason }));
    json!({
        "repository": args.repository.to_string_lossy(),
        "destination": args.destination.to_string_lossy(),
        "from": rewrite.from.name,
        "to": rewrite.to.format.name,
        "implementation": rewrite.to.implementation.name,
        "objects": written.contents.objects,
        "blobs_copied": written.contents.reused,
        "trees_as_deltas": written.contents.tree_deltas,
        "pack_bytes": written.pack_len,
        "index_bytes": written.index_len,
        "references": written.references,
        "references_left": left.collect::<Vec<_>>(),
        "notes": {
            "renamed": notes.renamed,
            "objects_made": written.made,
            "kept": kept.collect::<Vec<_>>(),
            "unchanged": unchanged.collect::<Vec<_>>(),
        },
        "not_carried": destination::left_behind(repository),
        "led_back": !args.scope.no_round_trip,
        "exceptions": exceptions,
        "map": args.map.as_ref().map(|path| path.to_string_lossy()),
    })
}
