//! `fieldtest study --job`: a study on several kinds of host, each carrier's part of it by itself.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use fieldtest_catalog as catalog;
use fieldtest_frame::arguments::Measure;
use fieldtest_frame::job::{self, Item, Made, Needs};
use fieldtest_frame::measuring::{measured, refused};
use fieldtest_frame::stamp;
use fieldtest_measure::lines::write_lines;
use fieldtest_measure::record::Line;
use fieldtest_report::{Hosts, Report};
use fieldtest_study::Plan;
use serde_json::{Value, json};

use super::{Inputs, planned, restrict};
use crate::args::Study;
use crate::carriers::chapters;
use crate::commands::{merge, records};
use crate::outcome::{Outcome, usage};
use crate::output::{self, Directory, Earlier, Format};

/// What is measured in one run: a carrier's part, of it a group of algorithms, on one kind of host.
struct Piece {
    name: String,
    carrier: &'static str,
    /// Empty for all that the study has.
    algorithms: Vec<String>,
    class: Option<String>,
    seconds: f64,
}

pub(super) fn run(args: &Study, inputs: Inputs<'_>, folder: &Path, format: Format) -> Result<Outcome> {
    if args.job.workers > 1 {
        return Err(usage("a study's pieces are timed, so that they run one by one; leave --workers out"));
    }
    let pieces = pieces(args, inputs)?;
    let items = pieces
        .iter()
        .map(|piece| (0, piece.name.as_str(), Needs { class: piece.class.clone(), alone: true }));
    let plan = job::Plan::needing(what(args, inputs, folder)?, items);
    let all: Vec<PathBuf> = plan.items.iter().map(|item| file(folder, item)).collect();
    let directory = args.run.output.as_path();
    let together = directory.join("records.jsonl");
    output::check_beside(("the records", &together), ("the job's folder", folder))?;
    let _place = Directory::make(directory)?;
    job::check_output(&args.job, &together)?;
    let work = |item: &Item| {
        let piece = pieces.iter().find(|piece| piece.name == item.name);
        let piece = piece.with_context(|| format!("the study has no piece {}", item.name))?;
        measure(args, inputs, piece, &file(folder, item))
    };
    if let Err(end) = job::run(&args.job, plan, work)?.whole() {
        return Ok(end);
    }
    let lines = merge::merged(&all)?;
    // A job that is done says the same again, of which nobody needs a second copy.
    if !is_as_written(&together, &lines)? {
        let earlier = Earlier::secure(&[&together])?;
        output::records(&together, &lines)?;
        output::tell_kept(&earlier.keep());
    }
    let reports = records::reports(std::slice::from_ref(&together))?;
    let (full, format_of) = (args.run.full || format != Format::Human, format.for_stdout());
    let text = match &reports[..] {
        [report] => {
            (!full).then(|| report.brief(format_of)).flatten().unwrap_or_else(|| report.render(format_of))
        }
        _ => {
            let hosts = Hosts::of(reports, None)?;
            if full { hosts.render(format_of) } else { hosts.brief(format_of) }
        }
    };
    output::rendered(&text, format)?;
    output::message(&format!("records of all hosts in {}", together.display()));
    if !full {
        output::message(&format!("all tables: fieldtest report {}", together.display()));
    }
    Ok(Outcome::Fine)
}

/// Whether a file holds these records already.
fn is_as_written(path: &Path, lines: &[Line]) -> Result<bool> {
    let mut wanted = Vec::new();
    write_lines(&mut wanted, lines)?;
    let is_file = fs::metadata(path).is_ok_and(|found| found.is_file());
    Ok(is_file && fs::read(path).is_ok_and(|there| there == wanted))
}

/// Each carrier that takes part, each group of algorithms that it can carry, each kind of host.
fn pieces(args: &Study, inputs: Inputs<'_>) -> Result<Vec<Piece>> {
    let classes: Vec<Option<String>> = match job::classes(&args.job)? {
        none if none.is_empty() => vec![None],
        some => some.into_iter().map(Some).collect(),
    };
    let groups: Vec<Vec<String>> = match args.groups.is_empty() {
        true => vec![args.algorithms.clone()],
        false => args.groups.iter().map(|group| group.split(',').map(str::to_owned).collect()).collect(),
    };
    let mut grouped = HashMap::new();
    for (number, name) in
        (1..).zip(&groups).flat_map(|(number, group)| group.iter().map(move |it| (number, it)))
    {
        let name = catalog::entry(name).map_err(usage)?.name();
        if grouped.insert(name, number).is_some_and(|other| other != number) {
            return Err(usage(format!(
                "{name} is in two groups, so that its figures would be there twice; leave it in one"
            )));
        }
    }
    let mut pieces = Vec::new();
    for (number, algorithms) in (1..).zip(&groups) {
        let mut plan = planned(args, inputs)?;
        restrict(&mut plan, algorithms)?;
        let budget = args.run.measure.budget.unwrap_or(plan.measure.budget_seconds) / groups.len() as f64;
        let whole = Duration::try_from_secs_f64(budget)
            .map_err(|_| usage(format!("the budget of {budget} seconds is not a time")))?;
        let all: f64 = plan.parts.iter().map(|part| part.weight()).sum();
        for part in &plan.parts {
            for class in &classes {
                let group = if groups.len() > 1 { format!(" group {number}") } else { String::new() };
                let on = class.as_ref().map(|class| format!(" on {class}")).unwrap_or_default();
                pieces.push(Piece {
                    name: format!("{}{group}{on}", part.carrier()),
                    carrier: part.carrier(),
                    algorithms: algorithms.clone(),
                    class: class.clone(),
                    seconds: whole.mul_f64(part.weight() / all).as_secs_f64(),
                });
            }
        }
    }
    Ok(pieces)
}

/// All on which the records depend, as JSON. Refuses what would change with the job's folder in it.
fn what(args: &Study, inputs: Inputs<'_>, folder: &Path) -> Result<Value> {
    let mut measured_on = json!({});
    for part in planned(args, inputs)?.parts {
        let paths = part.inputs().map_err(refused)?;
        for path in paths.iter().filter(|path| path.is_dir()) {
            output::check_beside(("the job's folder", folder), ("what is measured", path))?;
        }
        measured_on[part.carrier()] = paths.iter().map(|path| stamp::of_any(path)).collect::<Result<_>>()?;
    }
    let Measure { budget, target, seed, thorough } = args.run.measure;
    Ok(json!({
        "command": "study",
        "version": env!("CARGO_PKG_VERSION"),
        "study": args.study.as_deref().map(stamp::of_file).transpose()?,
        "inputs": measured_on,
        "algorithms": args.algorithms,
        "groups": args.groups,
        "budget": budget,
        "target": target,
        "seed": seed,
        "thorough": thorough,
    }))
}

/// Where the records of a piece are.
fn file(folder: &Path, item: &Item) -> PathBuf {
    folder.join(format!("{}.jsonl", item.name.replace([' ', '/'], "-")))
}

fn measure(args: &Study, inputs: Inputs<'_>, piece: &Piece, path: &Path) -> Result<Made> {
    let mut plan: Plan = planned(args, inputs)?;
    restrict(&mut plan, &piece.algorithms)?;
    plan.parts.retain(|part| part.carrier() == piece.carrier);
    let typed = Measure { budget: Some(piece.seconds), ..args.run.measure.clone() };
    let (mut lines, outcome) = measured(plan, &typed)?;
    // Pieces have one command, and may begin in one second: what they are tells their runs apart.
    for line in &mut lines {
        if let Line::Run(run) = line {
            run.command = format!("{} # {}", run.command, piece.name);
        }
    }
    // What no report would take is measured again.
    Report::from_lines(lines.iter().cloned(), chapters())?;
    match outcome {
        Outcome::Fine => output::records(path, &lines)?,
        Outcome::Interrupted => bail!("interrupted"),
        _ => bail!("something failed its known answers; the log says what"),
    }
    let run = lines.iter().find_map(|line| if let Line::Run(run) = line { Some(run) } else { None });
    let facts =
        run.map(|run| json!({ "host": run.host.id, "processor": run.host.cpu, "verdict": run.verdict }));
    Ok(Made { outputs: vec![path.to_owned()], facts: facts.unwrap_or_default() })
}
