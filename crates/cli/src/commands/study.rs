//! `fieldtest study`: a plan in, a directory with records and a report out.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use fieldtest_measure::record::Line;
use fieldtest_measure::{Counter, Prefer, lines};
use fieldtest_report::Report;
use fieldtest_study::{Bench, Book, Plan, StudyError, dnssec, plan};

use crate::args::{self, Measure};
use crate::interrupt;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};
use crate::progress::Progress;

pub(crate) fn run(args: args::Study, format: Format) -> Result<Outcome> {
    let mut plan = match &args.study {
        Some(path) => Plan::read(path).map_err(refused)?,
        None => Plan::built_in()?,
    };
    if let Some(dnssec) = &mut plan.dnssec {
        if args.zone.is_some() {
            dnssec.zone = args.zone;
        }
        if !args.algorithms.is_empty() {
            dnssec.algorithms = args.algorithms;
        }
    }
    carry_out(&plan, &args.measure, &args.output, format)
}

/// Runs a plan and leaves `records.jsonl` and `report.html` in `directory`; the tables go to standard output.
pub(crate) fn carry_out(plan: &Plan, measure: &Measure, directory: &Path, format: Format) -> Result<Outcome> {
    let mut session = Session::begin(measure, &plan.measure)?;
    if let Some(part) = &plan.dnssec {
        session.run(|bench, book| dnssec::run(bench, book, part))?;
    }
    let (lines, outcome) = session.end();
    output::directory(directory)?;
    let records = directory.join("records.jsonl");
    lines::save(&records, &lines)?;
    let report = Report::from_lines(lines)?;
    let page = directory.join("report.html");
    output::file(&page, report.html()?.as_bytes())?;
    output::data(&report.render(format.for_stdout()))?;
    output::message(&format!("records in {}, report in {}", records.display(), page.display()));
    Ok(outcome)
}

/// The errors that are the fault of what was typed, as such.
pub(crate) fn refused(error: StudyError) -> anyhow::Error {
    match error {
        StudyError::Unknown(_) | StudyError::Plan { .. } | StudyError::Nothing => usage(error),
        other => other.into(),
    }
}

/// A run: the machine's condition, the book, and what the measurement needs.
pub(crate) struct Session {
    pub(crate) progress: Progress,
    book: Book,
    seed: u64,
    target: f64,
    budget: Duration,
}

impl Session {
    /// Examines the machine and opens the book. What was typed goes before what the plan says.
    pub(crate) fn begin(typed: &Measure, plan: &plan::Measure) -> Result<Session> {
        let measure = plan::Measure {
            seed: typed.seed.unwrap_or(plan.seed),
            target: typed.target.unwrap_or(plan.target),
            budget_seconds: typed.budget.unwrap_or(plan.budget_seconds),
        };
        measure.check().map_err(usage)?;
        let progress = Progress::new();
        progress.say("examining the machine");
        let command = std::env::args().collect::<Vec<_>>().join(" ");
        let run = super::doctor::diagnose().run(env!("CARGO_PKG_VERSION"), &command, measure.seed);
        interrupt::flag();
        Ok(Session {
            progress,
            book: Book::new(run),
            seed: measure.seed,
            target: measure.target,
            budget: measure.budget(),
        })
    }

    /// Lets a study write into the book.
    pub(crate) fn run(
        &mut self,
        study: impl FnOnce(&mut Bench<'_>, &mut Book) -> Result<(), StudyError>,
    ) -> Result<()> {
        let progress = &self.progress;
        let mut bench = Bench {
            counter: Counter::open(Prefer::Cycles),
            interrupt: interrupt::flag(),
            seed: self.seed,
            target: self.target,
            budget: self.budget,
            say: &mut |text| progress.say(text),
        };
        study(&mut bench, &mut self.book).map_err(refused)
    }

    /// The lines of the book, and whether the user ended the run early.
    pub(crate) fn end(self) -> (Vec<Line>, Outcome) {
        let outcome = if interrupt::asked() { Outcome::Interrupted } else { Outcome::Fine };
        (self.book.into_lines(), outcome)
    }
}
