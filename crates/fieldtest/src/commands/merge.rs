//! `fieldtest merge`: records of several hosts in one file.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use fieldtest_measure::record::{Line, Run};
use fieldtest_report::{Error as Refused, other_data};

use crate::args;
use crate::commands::records::{self, Lines, RECORDS};
use crate::outcome::{Outcome, coded};
use crate::output::{self, Format};

pub(crate) fn run(args: &args::Merge, format: Format) -> Result<Outcome> {
    format.only_human("records are JSON Lines")?;
    records::check_keeps(&args.output, &args.records)?;
    output::check_extension(&args.output, RECORDS, &["jsonl", "json"])?;
    let lines = merged(&args.records)?;
    output::records(&args.output, &lines)?;
    Ok(Outcome::Fine)
}

/// The lines of several files, those of a host together, each result once.
///
/// # Errors
///
/// A run, a record or a result that is there twice, and runs of several versions: what a reader takes for a difference of hosts would
/// be one of programs.
pub(super) fn merged(paths: &[PathBuf]) -> Result<Vec<Line>> {
    let hosts = records::of_hosts(paths)?;
    check_runs(&hosts)?;
    hosts.iter().try_for_each(check_lines)?;
    let mut lines = Vec::new();
    let mut reports = Vec::new();
    for host in hosts {
        reports.push(host.clone().report(paths).map_err(twice)?);
        lines.extend(host.of_file.into_iter().map(|(_, _, line)| line));
    }
    for words in other_data(&reports) {
        output::message(&words);
    }
    Ok(lines)
}

/// No run is there twice, and all are of one version.
fn check_runs(hosts: &[Lines<'_>]) -> Result<()> {
    let mut seen: Vec<(String, &Run)> = Vec::new();
    for (path, number, line) in hosts.iter().flat_map(|host| &host.of_file) {
        let Line::Run(run) = line else { continue };
        let place = format!("{}: line {number}", records::name(path));
        if let Some((other, same)) = seen.iter().find(|(_, other)| *other == run) {
            bail!(coded(
                "same-run",
                anyhow!("{place} and {other} are the same run of {}; give its records once", same.started)
            ));
        }
        if let Some((other, first)) = seen.first().filter(|(_, first)| first.version != run.version) {
            bail!(coded(
                "other-version",
                anyhow!(
                    "{place} was measured by fieldtest {}, and {other} by {}: differences may come from the program, not the host; measure \
                 with one version everywhere, or compare the files with `fieldtest compare`",
                    run.version,
                    first.version
                )
            ));
        }
        seen.push((place, run));
    }
    Ok(())
}

/// No record is there twice within a run, also not word for word: whoever has it twice joined files by hand.
fn check_lines(host: &Lines<'_>) -> Result<()> {
    let mut of_run: HashMap<String, usize> = HashMap::new();
    for (path, number, line) in &host.of_file {
        match line {
            Line::Run(_) => of_run.clear(),
            Line::Record(record) => {
                if let Some(first) = of_run.insert(serde_json::to_string(record)?, *number) {
                    bail!(coded(
                        "doubled-record",
                        anyhow!(
                            "{}: line {number} repeats the record of line {first}: its run already has this result; remove one of them",
                            records::name(path)
                        )
                    ));
                }
            }
            Line::Candidate(_) => {}
        }
    }
    Ok(())
}

/// A result that two runs of a host have, told for those who merge.
fn twice(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref() {
        Some(Refused::TwoRuns { what, first, second }) => coded(
            "two-runs",
            anyhow!(
                "the runs of {first} and of {second}, of one host, both have the result '{what}'; omit one of their files, or \
             compare them with `fieldtest compare`"
            ),
        ),
        _ => error,
    }
}
