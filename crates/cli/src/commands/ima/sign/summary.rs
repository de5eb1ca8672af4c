//! What became of the files, for the user.

use std::io;
use std::io::Write as _;

use anyhow::Result;
use fieldtest_ima::tree::{JobTotals, SignReport, Tally};
use fieldtest_report::{Kind, Table};

use super::super::shown;
use crate::args::{ImaSign, ImaStore};
use crate::output::{self, Format};

/// A table of what is not signed, and a sentence with the totals.
pub(super) fn show(args: &ImaSign, by: &str, report: &SignReport, format: Format) -> Result<()> {
    let tree = shown::path(&args.tree);
    let mut table = Table::new(format!("Not signed in {tree}"))
        .column("what", Kind::Text)
        .column("files", Kind::number(""))
        .column("first", Kind::Text)
        .column("why", Kind::Text);
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
    if format != Format::Human {
        for (skip, tally) in &report.skipped {
            row("passed over", tally, skip.to_string());
        }
    }
    if output_is_taken(args) {
        // The other stream has the manifest or the archive. A closed one has nobody left to tell.
        if !table.is_empty() {
            let text = table.render(Format::Human.for_stdout());
            let _ = io::stderr().lock().write_all(text.as_bytes());
        }
    } else if !table.is_empty() || format != Format::Human {
        output::table(&table, format)?;
    }
    output::message(&sentence(args, &tree, by, report));
    Ok(())
}

/// Whether standard output has what was signed.
fn output_is_taken(args: &ImaSign) -> bool {
    args.output.is_none() && matches!(args.walk.store, ImaStore::Manifest | ImaStore::Tar)
}

fn missing(what: &str, totals: &JobTotals, row: &mut impl FnMut(&str, &Tally, String)) {
    for (refusal, tally) in &totals.refused {
        row(&format!("{what} refused"), tally, refusal.to_string());
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
        text.push_str(&format!(", {valid} signed so already"));
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
    if let (ImaStore::Manifest, Some(output)) = (args.walk.store, &args.output) {
        text.push_str(&format!("; apply {} in the tree with setfattr --restore", output.display()));
    }
    text.push_str(&shown::skipped(&report.skipped));
    if report.interrupted {
        text.push_str("; interrupted, what is signed stays, and the next run goes on from there");
    }
    text
}
