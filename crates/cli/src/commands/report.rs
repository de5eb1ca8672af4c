//! `fieldtest report`: records to tables or to one HTML page.

use anyhow::Result;
use fieldtest_measure::lines;
use fieldtest_report::Report;

use crate::args;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

pub(crate) fn run(args: &args::Report, format: Format) -> Result<Outcome> {
    let mut all = Vec::new();
    for path in &args.records {
        all.extend(lines::load(path)?);
    }
    let mut report = Report::from_lines(all)?;
    if let Some(baseline) = &args.baseline {
        report = report.with_baseline(baseline).map_err(usage)?;
    }
    match &args.output {
        Some(path) => output::file(path, report.html()?.as_bytes())?,
        None => output::data(&report.render(format.for_stdout()))?,
    }
    Ok(Outcome::Fine)
}
