//! `fieldtest report`: records to tables or to one HTML page.

use anyhow::Result;
use fieldtest_frame::text;
use fieldtest_report::Hosts;

use crate::args;
use crate::commands::records;
use crate::outcome::{Outcome, coded, usage};
use crate::output::{self, Format};

pub(crate) fn run(args: &args::Report, format: Format) -> Result<Outcome> {
    if args.output.is_some() {
        format.only_human("a report in a file is a page of HTML")?;
    }
    if let Some(page) = &args.output {
        records::check_keeps(page, &args.records)?;
        output::check_extension(page, "a page of HTML", &["html", "htm"])?;
        output::check_place(page)?;
    }
    let mut reports = records::reports(&args.records)?;
    let results = reports.iter().any(|it| !(it.records().is_empty() && it.candidates().is_empty()));
    // As the records call it; they may be about algorithms that this catalog does not have.
    let called = |typed| fieldtest_catalog::entry(typed).map_or(typed, |entry| entry.name());
    let baseline = args.baseline.as_deref().map(called);
    if reports.len() > 1 {
        if args.output.is_some() {
            return Err(coded(
                "several-hosts",
                usage(format!(
                    "a page covers one host, but these records are of {}; give those of one, or omit --output",
                    reports.len()
                )),
            ));
        }
        let hosts = Hosts::of(reports, baseline).map_err(records::unknown_baseline)?;
        output::rendered(&hosts.render(format.for_stdout()), format)?;
    } else if let Some(mut report) = reports.pop() {
        if let Some(baseline) = baseline {
            report = report.with_baseline(baseline).map_err(records::unknown_baseline)?;
        }
        match &args.output {
            Some(path) => output::file(path, report.html()?.as_bytes())?,
            None => output::rendered(&report.render(format.for_stdout()), format)?,
        }
    }
    if !results {
        let files: Vec<String> = args.records.iter().map(|path| text::path(path)).collect();
        output::message(&format!("{}: a run without results; there is nothing to report", files.join(", ")));
        return Ok(Outcome::Failed);
    }
    Ok(Outcome::Fine)
}
