//! `fieldtest compare`: what changed between runs, and what cannot be told.

use anyhow::Result;
use fieldtest_report::Report;
use fieldtest_report::compare::{Comparison, Labelled, Wanted};

use crate::args::Compare;
use crate::commands::{labelled, records};
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

pub(crate) fn run(args: &Compare, format: Format) -> Result<Outcome> {
    let threshold = args.threshold.map(|percent| percent / 100.0);
    if threshold.is_some_and(|most| !(0.0..=1e6).contains(&most)) {
        let typed = args.threshold.unwrap_or_default();
        return Err(usage(format!(
            "invalid --threshold '{typed}': expected a percentage from 0 to 100000000, such as 5"
        )));
    }
    let files = labelled::files(&args.records)?;
    let labels = labelled::labels(&files);
    let reports = files.iter().map(labelled::File::report).collect::<Result<Vec<Report>>>()?;
    reports.iter().skip(1).try_for_each(|other| reports[0].check_other(other))?;
    let runs: Vec<Labelled<'_>> =
        labels.iter().zip(&reports).map(|(label, report)| Labelled { label, report }).collect();
    let [first, others @ ..] = runs.as_slice() else { return Ok(Outcome::Fine) };
    // As the records call it; they may be about algorithms that this catalog does not have.
    let known = args.baseline.as_deref().and_then(|name| fieldtest_catalog::entry(name).ok());
    let baseline = known.map(|entry| entry.name()).or(args.baseline.as_deref());
    let found =
        Comparison::of(*first, others, &Wanted { baseline, threshold }).map_err(|error| match error {
            fieldtest_report::Error::UnknownBaseline { .. } => records::unknown_baseline(error),
            error => error.into(),
        })?;
    output::rendered(&found.render(format.for_stdout(), args.all), format)?;
    let Some(most) = threshold else { return Ok(Outcome::Fine) };
    let percent = args.threshold.unwrap_or_default();
    Ok(match (found.beyond(), found.undecided(most)) {
        (0, 0) => Outcome::Fine,
        (0, undecided) => {
            output::message(&format!(
                "cannot decide whether {} got worse by more than {percent}%: the interval contains that value, or there is none \
                 for the reason in the table; measure longer, or on a machine with less other load",
                output::count(undecided, "result")
            ));
            Outcome::Undecided
        }
        (beyond, _) => {
            output::message(&format!("worse by more than {percent}%: {}", output::count(beyond, "result")));
            Outcome::TooSlow
        }
    })
}
