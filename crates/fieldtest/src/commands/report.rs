//! `fieldtest report`: records to tables or to one HTML page.

use anyhow::Result;
use fieldtest_frame::text;

use crate::args;
use crate::commands::records;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

pub(crate) fn run(args: &args::Report, format: Format) -> Result<Outcome> {
    if args.output.is_some() {
        format.only_human("a report in a file is a page of HTML")?;
    }
    if let Some(page) = &args.output {
        let records =
            args.records.iter().map(|path| (path.as_path(), "one of the records files, which would be lost"));
        output::check_keeps(page, records)?;
    }
    let mut report = records::report(&args.records)?;
    let figures = !(report.records().is_empty() && report.candidates().is_empty());
    if let Some(baseline) = &args.baseline {
        // As the records call it; they may be about algorithms that this catalog does not have.
        let known = fieldtest_catalog::entry(baseline).ok().map(|entry| entry.name());
        report = report.with_baseline(known.unwrap_or(baseline)).map_err(usage)?;
    }
    match &args.output {
        Some(path) => output::file(path, report.html()?.as_bytes())?,
        None => output::rendered(&report.render(format.for_stdout()), format)?,
    }
    if !figures {
        let files: Vec<String> = args.records.iter().map(|path| text::path(path)).collect();
        output::message(&format!("{}: a run, but no figures; there is nothing to report", files.join(", ")));
        return Ok(Outcome::Failed);
    }
    Ok(Outcome::Fine)
}
