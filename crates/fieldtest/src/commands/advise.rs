//! `fieldtest advise`: which algorithm to take, who else would do, and why the others do not.

use std::path::PathBuf;

use anyhow::Result;
use fieldtest_catalog as catalog;
use fieldtest_frame::measuring::without_measuring;
use fieldtest_frame::text;
use fieldtest_report::advice::{ANY, Advice, Decision, Request};
use fieldtest_report::{Error, Report, StudySections};

use crate::args::Advise;
use crate::carriers::study_sections;
use crate::commands::{in_use, records, replacing, study};
use crate::outcome::{Outcome, coded, usage};
use crate::output::{self, Format};

pub(crate) fn run(args: &Advise, typed: Vec<(String, String)>, format: Format) -> Result<Outcome> {
    let decisions = decisions(&args.carriers, args.by.as_deref(), study_sections(), &typed)?;
    let request = Request { typed, replaces: replaced(args.replaces.as_deref())?, by: args.by.clone() };
    decisions.iter().try_for_each(|decision| decision.check(&request)).map_err(usage)?;
    if let Some(cbom) = &args.cbom {
        // Before the studies: a document that cannot be read is told at once.
        records::check_once(std::iter::once(cbom).chain(&args.records).map(PathBuf::as_path))?;
        in_use::check_outputs(&args.outputs, cbom, &args.records)?;
        let document = in_use::read(cbom)?;
        let asked = in_use::Asked {
            decisions,
            is_typed: !args.carriers.is_empty(),
            policy: &args.policy,
            request,
            outputs: &args.outputs,
            report: &|| report(args, &args.carriers),
        };
        return in_use::run(&document, &asked, format);
    }
    if !args.outputs.is_empty() {
        return Err(usage("--output has no effect without --cbom; a recommendation goes to standard output"));
    }
    // What follows without measuring takes seconds to compose, and contains no times.
    let typed = request.typed.iter().filter(|(_, value)| value != ANY).map(|(id, _)| id);
    let unit = |id: &str| decisions.iter().find_map(|decision| decision.property(id)?.unit());
    let is_time = |id: &&String| {
        unit(id.as_str())
            .is_some_and(|unit| unit.starts_with("cycles") || ["per-second", "GB/s"].contains(&unit))
    };
    if let Some(id) = typed.chain(&request.by).find(is_time).filter(|_| args.records.is_empty()) {
        let said = format!("--{id} needs measurements; give records of a study");
        return Err(coded("constraint", usage(said)));
    }
    let carriers: Vec<String> = decisions.iter().map(|decision| decision.study.to_owned()).collect();
    let report = report(args, &carriers)?;
    let mut found: Vec<Advice> = Vec::new();
    for decision in &decisions {
        found.extend(decided(decision, &report, &request)?);
    }
    if found.is_empty() {
        return Err(nothing(&decisions, &request, &args.records, &report));
    }
    output::rendered(&Advice::render(&found, format.for_stdout()), format)?;
    Ok(Outcome::Fine)
}

/// Why nothing can be decided: what is replaced belongs to another carrier, or the records are of another study.
pub(super) fn nothing(
    decisions: &[&Decision],
    request: &Request,
    records: &[PathBuf],
    report: &Report,
) -> anyhow::Error {
    let carriers = decisions.iter().map(|it| it.study).collect::<Vec<_>>().join(", ");
    let (what, remedy) = match (&request.replaces, records.is_empty()) {
        (Some(name), true) => {
            return usage(format!("{name} cannot be used in {carriers}; give another --carrier"));
        }
        (Some(name), false) => (format!(" about {name}"), "give those of a study with it"),
        (None, _) => (String::new(), "give records of a study of it"),
    };
    let all = study_sections().iter().filter_map(|it| it.decision).map(|it| it.study);
    let there: Vec<&str> =
        all.filter(|it| report.records().iter().any(|record| record.study == *it)).collect();
    let there = if there.is_empty() { String::new() } else { format!(", only of {}", there.join(", ")) };
    anyhow::anyhow!("no record{what} is of {carriers}{there}; {remedy}")
}

/// The catalog's name of what was typed to be replaced.
pub(super) fn replaced(typed: Option<&str>) -> Result<Option<String>> {
    Ok(typed.map(catalog::entry).transpose().map_err(usage)?.map(|entry| entry.name().to_owned()))
}

pub(super) fn decided(decision: &Decision, report: &Report, request: &Request) -> Result<Option<Advice>> {
    replacing::decide(decision, report, request).map_err(|error| match error {
        Error::Constraint { .. } => usage(error),
        error => error.into(),
    })
}

/// The report of the files, or of what the built-in study says of these carriers without measuring.
fn report(args: &Advise, carriers: &[String]) -> Result<Report> {
    if args.records.is_empty() {
        return Ok(Report::from_lines(without_measuring(study::built_in(carriers)?)?, study_sections())?);
    }
    records::report(&args.records)
}

/// The carriers that were asked for, or those that have every property that was typed.
pub(super) fn decisions(
    carriers: &[String],
    by: Option<&str>,
    study_sections: StudySections,
    typed: &[(String, String)],
) -> Result<Vec<&'static Decision>> {
    let all: Vec<&'static Decision> =
        study_sections.iter().filter_map(|study_section| study_section.decision).collect();
    let names = || all.iter().map(|it| it.study).collect::<Vec<_>>().join(", ");
    if let Some(unknown) = carriers.iter().find(|name| !all.iter().any(|it| it.study == **name)) {
        let meant = text::near::meant(unknown, all.iter().map(|it| it.study));
        let list = if meant.is_empty() { format!("; expected one of {}", names()) } else { String::new() };
        return Err(usage(format!("unknown carrier '{unknown}'{meant}{list}")));
    }
    let is_known = |by: &str| all.iter().any(|decision| decision.property(by).is_some());
    if let Some(by) = by.filter(|by| !is_known(by)) {
        let known =
            all.iter().flat_map(|it| it.properties()).filter(|it| it.unit().is_some()).map(|it| it.id);
        let meant = text::near::meant(by, known);
        let list = if meant.is_empty() { "; 'fieldtest advise --help' lists them" } else { "" };
        return Err(usage(format!("unknown property '{by}' in --by{meant}{list}")));
    }
    for (id, value) in typed.iter().filter(|(_, value)| value.contains(',')) {
        if value.split(',').any(|word| word.trim().is_empty()) {
            let words = value.split(',').filter(|word| !word.trim().is_empty()).collect::<Vec<_>>();
            return Err(usage(format!(
                "invalid --{id} '{value}': expected names separated by commas, such as {}",
                if words.is_empty() { "standard,candidate".to_owned() } else { words.join(",") }
            )));
        }
    }
    let asked = |decision: &&&Decision| match carriers.is_empty() {
        true => typed.iter().map(|(id, _)| id.as_str()).chain(by).all(|id| decision.property(id).is_some()),
        false => carriers.iter().any(|name| *name == decision.study),
    };
    let asked: Vec<&'static Decision> = all.iter().filter(asked).copied().collect();
    match asked.is_empty() {
        true => Err(usage(
            "no carrier has all of these properties; fieldtest advise --help lists them by carrier",
        )),
        false => Ok(asked),
    }
}
