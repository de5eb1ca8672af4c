//! `fieldtest memo`: the decision on one carrier, for the person who makes it.

use anyhow::Result;
use fieldtest_report::advice::{Advice, Decision, Request};

use crate::args;
use crate::carriers::study_sections;
use crate::commands::{advise, records};
use crate::outcome::{Outcome, coded, usage};
use crate::output::{self, Format};

pub(crate) fn run(args: &args::Memo, typed: Vec<(String, String)>, format: Format) -> Result<Outcome> {
    let carriers: Vec<String> = args.carrier.iter().cloned().collect();
    let decisions = advise::decisions(&carriers, args.by.as_deref(), study_sections(), &typed)?;
    let request =
        Request { typed, replaces: advise::replaced(args.replaces.as_deref())?, by: args.by.clone() };
    decisions.iter().try_for_each(|decision| decision.check(&request)).map_err(usage)?;
    if !matches!(format, Format::Human | Format::Md) {
        format.only_human("a memo is HTML or Markdown")?;
    }
    if let Some(path) = &args.output {
        records::check_keeps(path, &args.records)?;
        output::check_extension(path, "a page of HTML", &["html", "htm"])?;
        output::check_place(path)?;
    }
    let report = records::report(&args.records)?;
    let mut found: Vec<(&Decision, Advice)> = Vec::new();
    for decision in &decisions {
        found.extend(advise::decided(decision, &report, &request)?.map(|advice| (*decision, advice)));
    }
    let (decision, advice) = match found.as_slice() {
        [one] => one,
        [] => return Err(advise::nothing(&decisions, &request, &args.records, &report)),
        several => {
            let names: Vec<&str> = several.iter().map(|(decision, _)| decision.study).collect();
            return Err(coded(
                "several-carriers",
                usage(format!(
                    "cannot write one memo on {} carriers; choose with --carrier: {}",
                    names.len(),
                    names.join(", ")
                )),
            ));
        }
    };
    let memo = report.memo(decision, advice);
    match &args.output {
        Some(path) => output::file(path, memo.html()?.as_bytes())?,
        None => output::rendered(&memo.markdown(), Format::Md)?,
    }
    Ok(Outcome::Fine)
}
