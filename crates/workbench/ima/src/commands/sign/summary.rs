//! What became of the files, for the user.

use std::io::{self, Write as _};
use std::path::PathBuf;

use anyhow::Result;
use fieldtest_ima::tree::{Done, JobTotals, Refusal, SignOutcome, SignReport, SignedFile, Tally};
use fieldtest_report::{Cell, Kind, Table};

use super::super::shown;
use crate::args::{ImaSign, ImaStore};
use crate::output::{self, Format};

/// A table of what is not signed, and a sentence with the totals.
pub(super) fn show(
    args: &ImaSign,
    by: &str,
    report: &SignReport,
    missing_files: &[Missing],
    format: Format,
) -> Result<()> {
    let tree = shown::path(&args.tree);
    let output_is_taken = output_is_taken(args)?;
    if format != Format::Human {
        output::table(&complete(&tree, report, missing_files), format)?;
        output::message(&sentence(args, &tree, by, report));
        return Ok(());
    }
    let mut table = Table::new(format!("Not signed in {tree}"))
        .column("what", Kind::Text)
        .column("files", Kind::number(""))
        .texts(["first", "why"]);
    let mut row = |what: &str, tally: &Tally, why: String| {
        table.row([what.into(), (tally.count as f64).into(), shown::first(tally).into(), why.into()]);
    };
    for totals in &report.jobs {
        missing("signature", totals, &mut row);
    }
    if let Some(totals) = &report.evm {
        missing("EVM signature", totals, &mut row);
    }
    for (failure, tally) in &report.unread {
        row("not read", tally, failure.to_string());
    }
    if output_is_taken {
        // The other stream has the manifest or the archive. A closed one has nobody left to tell.
        if !table.is_empty() {
            let text = table.render(Format::Human.for_stdout());
            let _ = io::stderr().lock().write_all(text.as_bytes());
        }
    } else if !table.is_empty() {
        output::table(&table, format)?;
    }
    output::message(&sentence(args, &tree, by, report));
    Ok(())
}

/// A file that is not signed, or not as it should be.
pub(in crate::commands) struct Missing {
    what: &'static str,
    path: PathBuf,
    why: String,
}

/// What is to be told of a file, for programs: nothing if all is well.
pub(in crate::commands) fn missing_of(file: &SignedFile<'_>) -> Vec<Missing> {
    let missing = |what, why: String| Missing { what, path: file.path.to_path_buf(), why };
    let of = |refused, none, done: &Done| match done {
        Done::Refused(refusal) => Some(missing(refused, words(refusal))),
        Done::Failed(reason) => Some(missing(none, reason.clone())),
        _ => None,
    };
    match file.outcome {
        SignOutcome::Skipped(skip) => vec![missing("skipped", skip.to_string())],
        SignOutcome::Unread(failure) => vec![missing("not read", failure.to_string())],
        SignOutcome::Read { jobs, evm, .. } => {
            let content = jobs.iter().filter_map(|done| of("signature rejected", "no signature", done));
            let evm = evm.iter().filter_map(|done| of("EVM signature rejected", "no EVM signature", done));
            content.chain(evm).collect()
        }
    }
}

/// All counts, and every file that is not signed: what programs read.
pub(in crate::commands) fn complete(tree: &str, report: &SignReport, missing: &[Missing]) -> Table {
    let mut table = Table::new(format!("Files of {tree}"))
        .column("what", Kind::Text)
        .column("files", Kind::number(""))
        .texts(["file", "why"]);
    let mut count = |what: &str, files: u64| {
        table.row([what.into(), (files as f64).into(), Cell::default(), Cell::default()]);
    };
    let sum = |part: fn(&JobTotals) -> u64| report.jobs.iter().map(part).sum::<u64>();
    let (signed, valid) = (sum(|totals| totals.signed), sum(|totals| totals.already_valid));
    count("signed", signed);
    count("already signed", valid);
    count("not signed", report.files.saturating_sub(signed + valid));
    if let Some(evm) = &report.evm {
        count("signed for EVM", evm.signed + evm.already_valid);
        count("not signed for EVM", report.files.saturating_sub(evm.signed + evm.already_valid));
    }
    if report.broken_evm.count > 0 {
        count("with EVM signatures that are wrong now", report.broken_evm.count);
    }
    if report.elsewhere.count > 0 {
        count("with names outside of the tree", report.elsewhere.count);
    }
    for Missing { what, path, why } in missing {
        table.row([(*what).into(), 1.0.into(), shown::path(path).as_str().into(), why.as_str().into()]);
    }
    if report.interrupted {
        table.note("interrupted; finished signatures are kept, and the next run resumes there");
    }
    table
}

/// Whether standard output has what was signed. No report in another form goes with that.
fn output_is_taken(args: &ImaSign) -> Result<bool> {
    let in_one = matches!(args.kept.store, ImaStore::Manifest | ImaStore::Tar);
    Ok(in_one && args.output.as_deref().map_or(Ok(true), output::is_standard)?)
}

/// Why an xattr was not set, with the option that helps.
fn words(refusal: &Refusal) -> String {
    match refusal {
        Refusal::AttributeTaken => format!("{refusal} with --force"),
        other => other.to_string(),
    }
}

fn missing(what: &str, totals: &JobTotals, row: &mut impl FnMut(&str, &Tally, String)) {
    for (refusal, tally) in &totals.refused {
        row(&format!("{what} rejected"), tally, words(refusal));
    }
    let (failed, reason) = &totals.failed;
    if failed.count > 0 {
        row(&format!("no {what}"), failed, reason.clone().unwrap_or_default());
    }
}

fn sentence(args: &ImaSign, tree: &str, by: &str, report: &SignReport) -> String {
    let sum = |part: fn(&JobTotals) -> u64| report.jobs.iter().map(part).sum::<u64>();
    let signed = sum(|totals| totals.signed);
    let valid = sum(|totals| totals.already_valid);
    let mut text = format!("{tree}: {} signed with {by}", shown::count(signed, "file"));
    if valid > 0 {
        text.push_str(&format!(", {valid} already signed"));
    }
    let missing = report.files.saturating_sub(signed + valid);
    text.push_str(&format!(", {missing} not signed"));
    if let Some(evm) = &report.evm {
        let done = evm.signed + evm.already_valid;
        let missing = report.files.saturating_sub(done);
        text.push_str(&format!(
            "; {} signed for EVM, {missing} not signed for EVM",
            shown::count(done, "file")
        ));
    }
    if let (ImaStore::Manifest, Some(output)) = (args.kept.store, &args.output) {
        text.push_str(&format!("; apply {} in the tree with setfattr --restore", shown::path(output)));
    }
    text.push_str(&shown::skipped(&report.skipped));
    if report.interrupted {
        text.push_str("; interrupted; finished signatures are kept, and the next run resumes there");
    }
    text
}
