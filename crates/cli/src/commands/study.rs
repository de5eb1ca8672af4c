//! `fieldtest study`: a plan in, a directory with records and a report out.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use fieldtest_catalog as catalog;
use fieldtest_catalog::kind::{self, Kind};
use fieldtest_measure::record::Line;
use fieldtest_measure::{Counter, Prefer};
use fieldtest_report::Report;
use fieldtest_study::{Bench, Book, Plan, StudyError, disk, dnssec, git, ima, plan, tcp_ao};

use crate::args::{self, Measure, StudyRun};
use crate::interrupt;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Directory, Earlier, Format};
use crate::progress::Progress;

pub(crate) fn run(args: args::Study, format: Format) -> Result<Outcome> {
    let mut plan = match &args.study {
        Some(path) => Plan::read(path).map_err(|error| unread(path, error))?,
        None => Plan::built_in()?,
    };
    let on_zone = args.zone.is_some();
    if let Some(dnssec) = &mut plan.dnssec
        && args.zone.is_some()
    {
        dnssec.zone = args.zone;
    }
    restrict(&mut plan, args.algorithms)?;
    if plan.dnssec.is_none() && on_zone {
        return Err(usage("--zone is for DNSSEC, which takes no part in this study"));
    }
    carry_out(&plan, &args.run, format)
}

/// Only these algorithms; a carrier that can carry none of them takes no part.
fn restrict(plan: &mut Plan, names: Vec<String>) -> Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let mut by_kind: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for name in names {
        let entry = catalog::entry(&name).map_err(usage)?;
        by_kind.entry(entry.kind()).or_default().push(entry.name().to_owned());
    }
    let of = |kind: &str| by_kind.get(kind).cloned().unwrap_or_default();
    fn keep<P>(
        part: &mut Option<P>,
        names: Vec<String>,
        algorithms: impl FnOnce(&mut P) -> &mut Vec<String>,
    ) {
        *part = part.take().filter(|_| !names.is_empty());
        if let Some(part) = part {
            *algorithms(part) = names;
        }
    }
    keep(&mut plan.dnssec, of(kind::Signature::WORD), |part| &mut part.algorithms);
    keep(&mut plan.ima, of(kind::Signature::WORD), |part| &mut part.algorithms);
    keep(&mut plan.tcp_ao, of(kind::Mac::WORD), |part| &mut part.algorithms);
    keep(&mut plan.git, of(kind::Hash::WORD), |part| &mut part.algorithms);
    keep(&mut plan.disk, of(kind::Cipher::WORD), |part| &mut part.algorithms);
    match plan.is_empty() {
        true => Err(usage("no carrier of this study can carry these algorithms")),
        false => Ok(()),
    }
}

/// Runs a plan and leaves `records.jsonl` and `report.html` in the directory; the tables go to standard output. What an
/// earlier run left there is kept under names with a number.
pub(crate) fn carry_out(plan: &Plan, run: &StudyRun, format: Format) -> Result<Outcome> {
    let plan = &plan.settled().map_err(refused)?;
    let directory = run.output.as_path();
    let (records, page) = (directory.join("records.jsonl"), directory.join("report.html"));
    if let Some(part) = &plan.git {
        super::git::study_outside(part, &[directory, &records, &page])?;
    }
    // Before the measurement: a place that cannot be written to would cost all of its figures.
    let _place = Directory::make(directory)?;
    output::check_place(&records)?;
    output::check_place(&page)?;
    let mut session = Session::begin(&run.measure, &plan.measure)?;
    let measured = measure(plan, &mut session);
    let (lines, outcome) = session.end();
    // A failure leaves what has cost time; exact figures can be had again.
    let timed = lines.iter().any(|line| matches!(line, Line::Record(record) if record.samples > 0));
    if measured.is_err() && !timed {
        return measured.map(|()| outcome);
    }
    let saved = Earlier::secure(&[&records, &page])
        .and_then(|earlier| output::records(&records, &lines).map(|()| earlier.keep()));
    let report = Report::from_lines(lines)?;
    // Whatever cannot be written, the rest is.
    let shown = output::rendered(&report.render(format.for_stdout()), format);
    let earlier = measured.and(saved)?;
    output::file(&page, report.html()?.as_bytes())?;
    shown?;
    if !earlier.is_empty() {
        let names: Vec<String> = earlier.iter().map(|path| path.display().to_string()).collect();
        output::message(&format!("what was there before is kept as {}", names.join(" and ")));
    }
    output::message(&format!("records in {}, report in {}", records.display(), page.display()));
    Ok(outcome)
}

/// One carrier after the other. Where one fails, the book keeps what was measured before.
fn measure(plan: &Plan, session: &mut Session) -> Result<()> {
    let shares = plan.shares(session.budget);
    if let Some(part) = &plan.dnssec {
        session.run(shares.dnssec, |bench, book| dnssec::run(bench, book, part))?;
    }
    if let Some(part) = &plan.tcp_ao {
        session.run(shares.tcp_ao, |bench, book| tcp_ao::run(bench, book, part))?;
    }
    if let Some(part) = &plan.ima {
        session.run(shares.ima, |bench, book| ima::run(bench, book, part))?;
    }
    if let Some(part) = &plan.git {
        session.run(shares.git, |bench, book| git::run(bench, book, part))?;
    }
    if let Some(part) = &plan.disk {
        session.run(shares.disk, |bench, book| disk::run(bench, book, part))?;
    }
    Ok(())
}

/// Why there is no plan. A zone in a study's place is easily typed.
fn unread(path: &Path, error: StudyError) -> anyhow::Error {
    let toml = path.extension().is_some_and(|extension| extension == "toml");
    match error {
        StudyError::Plan { .. } if !toml => usage(format!(
            "{} is no study, which is a TOML file; to measure on a zone write --zone {}",
            path.display(),
            path.display()
        )),
        error => refused(error),
    }
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
    pub(crate) interrupt: &'static AtomicBool,
    book: Book,
    seed: u64,
    target: f64,
    pub(crate) budget: Duration,
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
        let interrupt = interrupt::flag();
        let progress = Progress::new();
        progress.say("examining the machine");
        // As it would be typed: where the program lies says nothing to a reader.
        let typed = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
        let command = std::iter::once("fieldtest".to_owned()).chain(typed).collect::<Vec<_>>().join(" ");
        let run = super::doctor::diagnose().run(env!("CARGO_PKG_VERSION"), &command, measure.seed);
        Ok(Session {
            progress,
            interrupt,
            book: Book::new(run),
            seed: measure.seed,
            target: measure.target,
            budget: measure.budget(),
        })
    }

    /// Lets a study write into the book, within `budget`.
    pub(crate) fn run(
        &mut self,
        budget: Duration,
        study: impl FnOnce(&mut Bench<'_>, &mut Book) -> Result<(), StudyError>,
    ) -> Result<()> {
        let progress = &self.progress;
        let mut bench = Bench {
            counter: Counter::open(Prefer::Cycles),
            interrupt: self.interrupt,
            seed: self.seed,
            target: self.target,
            budget,
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
