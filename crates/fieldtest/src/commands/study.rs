//! `fieldtest study`: several carriers, as a study file says.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use anyhow::Result;
use fieldtest_catalog as catalog;
use fieldtest_frame::carrier::{Carrier, Input};
use fieldtest_frame::measuring::{carry_out, refused};
use fieldtest_frame::{input, text};
use fieldtest_study::{Plan, Studied, StudyError};

use crate::args;
use crate::carriers::{CARRIERS, studied, study_sections};
use crate::outcome::{Outcome, coded, usage};
use crate::output::{self, Format};

/// The study that runs when no other is named.
const BUILT_IN: &str = include_str!("../../studies/default.toml");

type Inputs<'i> = &'i [(&'static Carrier, Input, PathBuf)];

pub(crate) fn run(args: &args::Study, inputs: Inputs<'_>, format: Format) -> Result<Outcome> {
    carry_out(planned(args, inputs)?, study_sections(), &args.run, format)
}

fn planned(args: &args::Study, inputs: Inputs<'_>) -> Result<Plan> {
    let carriers = studied();
    let mut plan = match &args.study {
        Some(path) => {
            output::reads(path, "the study itself, which would be lost");
            read(path, &carriers)?
        }
        None => built_in(&[])?,
    };
    if args.study.is_none() {
        keep_asked_for(&mut plan, inputs, &args.algorithms)?;
    }
    for (carrier, _, path) in inputs {
        for part in plan.parts.iter_mut().filter(|part| part.carrier() == carrier.name()) {
            if let Some(input) = part.input() {
                *input = Some(path.clone());
            }
        }
    }
    restrict(&mut plan, &args.algorithms)?;
    for (carrier, input, _) in inputs {
        if !plan.parts.iter().any(|part| part.carrier() == carrier.name()) {
            let why = match args.algorithms.as_slice() {
                [] => "is not part of this study; remove it".to_owned(),
                names => format!("has none of the algorithms {}; add one, or remove it", names.join(", ")),
            };
            return Err(usage(format!("--{} applies to {}, which {why}", input.option, input.carrier)));
        }
    }
    Ok(plan)
}

/// The most bytes of a study file.
const LONGEST: u64 = 1 << 20;

fn read(path: &Path, carriers: &[Studied]) -> Result<Plan> {
    let read = input::read(path, LONGEST);
    let bytes = read.map_err(|source| unread(path, StudyError::Read { path: path.to_owned(), source }))?;
    let text = text::decoded(&bytes);
    let text = text.map_err(|why| {
        let error = StudyError::Plan { path: path.to_owned(), text: why.to_owned() };
        // What is no text and not known as data is nothing to measure on that could be offered either.
        if data(path).is_some() { unread(path, error) } else { refused(error) }
    })?;
    Plan::parse(text, path, carriers).map_err(|error| unread(path, error))
}

pub(crate) fn built_in(carriers: &[String]) -> Result<Plan> {
    let mut plan = Plan::parse(&of_carriers_here(BUILT_IN), Path::new("studies/default.toml"), &studied())?;
    plan.parts.retain(|part| carriers.is_empty() || carriers.iter().any(|name| name == part.carrier()));
    Ok(plan)
}

/// A study without the tables of carriers that this program was built without; its lines keep their numbers.
fn of_carriers_here(study: &str) -> String {
    let mut is_here = true;
    let mut kept = String::with_capacity(study.len());
    for line in study.lines() {
        if let Some(table) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            is_here = table == Plan::MEASURE || CARRIERS.iter().any(|carrier| carrier.name() == table);
        }
        kept.push_str(if is_here { line } else { "" });
        kept.push('\n');
    }
    kept
}

/// Whoever names what is measured on asks for its carriers, and for others only by algorithms that none of those can carry.
fn keep_asked_for(plan: &mut Plan, inputs: Inputs<'_>, algorithms: &[String]) -> Result<()> {
    let has_input = |part: &str| inputs.iter().any(|(carrier, ..)| carrier.name() == part);
    let asked = plan.parts.iter().filter(|part| has_input(part.carrier()));
    let kinds: Vec<&str> = asked.filter_map(|part| part.about().kinds.first().copied()).collect();
    if kinds.is_empty() {
        return Ok(());
    }
    let mut others = Vec::new();
    for name in algorithms {
        let kind = catalog::entry(name).map_err(usage)?.kind();
        if !kinds.contains(&kind) {
            others.push(kind);
        }
    }
    plan.parts.retain(|part| {
        has_input(part.carrier()) || part.about().kinds.first().is_some_and(|kind| others.contains(kind))
    });
    Ok(())
}

/// Only these algorithms; a carrier that can carry none of them takes no part.
fn restrict(plan: &mut Plan, names: &[String]) -> Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let mut by_kind: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for name in names {
        let entry = catalog::entry(name).map_err(usage)?;
        by_kind.entry(entry.kind()).or_default().push(entry.name().to_owned());
    }
    plan.parts.retain_mut(|part| {
        let kinds = part.about().kinds.iter();
        let names: Vec<String> = kinds.filter_map(|kind| by_kind.get(kind)).flatten().cloned().collect();
        let takes_part = !names.is_empty();
        if takes_part {
            part.restrict(names);
        }
        takes_part
    });
    match plan.parts.is_empty() {
        true => Err(coded(
            "nothing-to-carry",
            usage("no carrier of this study can use these algorithms; name others, or another study"),
        )),
        false => Ok(()),
    }
}

/// What measures on what a path has, where that is easily taken for a study.
fn data(path: &Path) -> Option<&'static Input> {
    let mut begin = Vec::new();
    // Opening a pipe again would wait for whoever writes into it.
    if path.is_file() {
        File::open(path).ok()?.take(4096).read_to_end(&mut begin).ok()?;
    }
    // A repository is a directory, too.
    let mut inputs = CARRIERS.iter().filter_map(|carrier| carrier.input.as_ref());
    inputs.rfind(|input| (input.fits)(path, &begin))
}

/// Why there is no plan. What is to be measured on is easily typed in a study's place.
fn unread(path: &Path, error: StudyError) -> anyhow::Error {
    let toml = path.extension().is_some_and(|extension| extension == "toml");
    let is_large = |error: &io::Error| error.kind() == io::ErrorKind::FileTooLarge;
    let shown = text::path(path);
    if let Some(input) = data(path).filter(|_| !toml) {
        let Input { option, carrier, .. } = input;
        return usage(format!("{shown} is not a study; to measure {carrier} on it write --{option} {shown}"));
    }
    let is_other = match &error {
        StudyError::Read { source, .. } => is_large(source),
        error => matches!(error, StudyError::Plan { .. }),
    };
    match error {
        _ if is_other && !toml => {
            let inputs = CARRIERS.iter().filter_map(|carrier| carrier.input);
            let options: Vec<String> = inputs.map(|input| format!("--{} {shown}", input.option)).collect();
            usage(format!(
                "{shown} is not a study (a TOML file); to measure on your own data write {}",
                options.join(" or ")
            ))
        }
        error => refused(error),
    }
}
