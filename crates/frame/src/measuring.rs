//! What a command does that measures: a plan in, a directory with records and a report out.

use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::Result;
use fieldtest_catalog as catalog;
use fieldtest_catalog::host::extensions;
use fieldtest_measure::doctor::{self, Diagnosis};
use fieldtest_measure::record::Line;
use fieldtest_measure::record_file as record_lines;
use fieldtest_measure::tree::Tree;
use fieldtest_measure::words::INTERRUPTED;
use fieldtest_measure::{Counter, Prefer, coverage, host};
use fieldtest_report::{Report, StudySections};
use fieldtest_study::group::Stage;
use fieldtest_study::launcher::{Here, Launcher};
use fieldtest_study::part::known_implementations;
use fieldtest_study::whole_job::Surroundings;
use fieldtest_study::{Bench, Plan, RecordWriter, Signing, StudyError, Windows, plan};

use crate::arguments::{Measure, StudyRun};
use crate::calibrated::{self, Calibrated};
use crate::interrupt;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Directory, Earlier, Format};
use crate::own_program;
use crate::progress::Progress;
use crate::text;

/// Runs a plan and leaves `records.jsonl`, `windows.csv.gz` and `report.html` in the directory; the tables go to standard output. What an
/// earlier run left there is kept under names with a number.
pub fn carry_out(
    plan: Plan,
    study_sections: StudySections,
    run: &StudyRun,
    format: Format,
) -> Result<Outcome> {
    carry_out_showing(plan, study_sections, run, format, &Report::brief)
}

/// What a report says to whoever does not ask for every table; `None` for all of it.
pub type Brief<'a> = &'a dyn Fn(&Report, fieldtest_report::Format) -> Option<String>;

/// As [`carry_out`], with words of its own for whoever does not ask for every table.
pub fn carry_out_showing(
    mut plan: Plan,
    study_sections: StudySections,
    run: &StudyRun,
    format: Format,
    brief: Brief<'_>,
) -> Result<Outcome> {
    plan.settle().map_err(refused)?;
    check_inputs(&mut plan)?;
    let directory = run.output.as_path();
    Directory::check(directory)?;
    let (records, page) = (directory.join("records.jsonl"), directory.join("report.html"));
    let raw = directory.join("windows.csv.gz");
    for part in &plan.parts {
        part.check_outputs(&[directory, &records, &page, &raw]).map_err(usage)?;
    }
    // Before the measurement: a place that cannot be written to would cost all of its results.
    let _place = Directory::make(directory)?;
    output::check_place(&records)?;
    output::check_place(&page)?;
    output::check_place(&raw)?;
    let stages = plan.parts.iter().filter_map(|part| part.stage()).collect();
    let mut session = Session::begin(&run.measure, &plan.measure, stages)?;
    announce(session.budget);
    let measured = measure(&plan, &mut session);
    let (lines, windows, outcome) = session.end();
    // A failure leaves what has cost time; exact results can be had again.
    let timed = lines.iter().any(|line| matches!(line, Line::Record(record) if record.samples > 0));
    if measured.is_err() && !timed {
        return measured.map(|()| outcome);
    }
    let windows = windows.into_bytes();
    let save = || {
        output::own_whole_file(&records, |out| Ok(record_lines::write_lines(out, &lines)?))?;
        windows.as_deref().map_or(Ok(()), |windows| output::own_file(&raw, windows))
    };
    let saved = Earlier::secure(&[&records, &page, &raw]).and_then(|earlier| save().map(|()| earlier.keep()));
    let report = Report::from_lines(lines, study_sections)?;
    // Whatever cannot be written, the rest is.
    let is_short = format == Format::Human && !run.full;
    let brief = if is_short { brief(&report, format.for_stdout()) } else { None };
    let is_brief = brief.is_some();
    let text = brief.unwrap_or_else(|| report.render(format.for_stdout()));
    let shown = output::rendered(&text, format);
    if measured.is_err() && saved.is_ok() {
        output::message(&format!("the results before the failure are in {}", records.display()));
    }
    let earlier = measured.and(saved)?;
    output::own_file(&page, report.html()?.as_bytes())?;
    shown?;
    output::tell_kept(&earlier);
    output::message(&format!("records in {}, report in {}", records.display(), page.display()));
    if is_brief {
        output::message(&format!("all tables: fieldtest report {}", records.display()));
    }
    Ok(outcome)
}

/// Refuses what cannot be measured on before another carrier's part costs its time. A carrier alone says it itself.
fn check_inputs(plan: &mut Plan) -> Result<()> {
    let several = plan.parts.len() > 1;
    for part in plan.parts.iter_mut().filter(|_| several) {
        let Some(path) = part.input().and_then(|input| input.clone()) else { continue };
        let is_empty = fs::metadata(&path).map(|found| found.is_file() && found.len() == 0);
        let why = match is_empty {
            Ok(false) => continue,
            Ok(true) => "it is empty; check the path".to_owned(),
            Err(error) => error.to_string(),
        };
        return Err(
            StudyError::of(part.carrier(), format!("cannot read {}: {why}", text::path(&path))).into()
        );
    }
    Ok(())
}

/// What follows of a plan without measuring anything: sizes, facts, and what is published.
pub fn without_measuring(mut plan: Plan) -> Result<Vec<Line>> {
    plan.settle().map_err(refused)?;
    let mut session = Session::begin(&Measure::default(), &plan.measure, Vec::new())?;
    session.exact = true;
    measure(&plan, &mut session)?;
    Ok(session.end().0)
}

/// How long it will take, where somebody waits for it: what is begun is ended, and proofs of everything may take longer than
/// half of a short budget.
fn announce(budget: Duration) {
    if budget < Duration::from_secs(10) || !io::stderr().is_terminal() {
        return;
    }
    let words = |seconds: f64| match seconds {
        seconds if seconds < 90.0 => format!("{seconds:.0} seconds"),
        seconds => format!("{:.1} minutes", seconds / 60.0),
    };
    let (least, most) = (budget.as_secs_f64(), 1.1 * budget.as_secs_f64() + 10.0);
    output::message(&format!(
        "this takes {} to {}; Ctrl-C stops it and keeps the results so far",
        words(least),
        words(most)
    ));
}

/// One carrier after the other. Where one fails, the book keeps what was measured before.
fn measure(plan: &Plan, session: &mut Session) -> Result<()> {
    let start = Instant::now();
    for (at, part) in plan.parts.iter().enumerate() {
        // Proofs and keys of a carrier take seconds, of which none would be timed.
        if at > 0 && interrupt::asked() {
            break;
        }
        let share = plan.share(at, session.budget, session.budget.saturating_sub(start.elapsed()));
        session.run(share, |bench, writer| part.run(bench, writer))?;
    }
    Ok(())
}

/// The errors that are the fault of what was typed, as such.
pub fn refused(error: StudyError) -> anyhow::Error {
    match error {
        StudyError::UnknownName(_) | StudyError::Plan { .. } | StudyError::Nothing => usage(error),
        other => other.into(),
    }
}

/// What a run takes beyond twice its budget before that is worth a word.
const SLACK: Duration = Duration::from_secs(10);

/// A run: the machine's condition, the book, and what the measurement needs.
pub struct Session {
    /// Where its progress is shown.
    pub progress: Progress,
    /// Set when the user asks for its end.
    pub interrupt: &'static AtomicBool,
    begun: Instant,
    writer: RecordWriter,
    stages: Vec<&'static dyn Stage>,
    seed: u64,
    target: f64,
    thorough: bool,
    exact: bool,
    /// Time for all of it.
    pub budget: Duration,
    /// How many times as wide intervals are made, by this machine's calibration.
    pub widening: f64,
    /// Engines that took no part, as they failed their proofs or did wrong later.
    pub failed: Vec<StudyError>,
}

impl Session {
    /// Examines the machine and opens the book. What was typed goes before what the plan says. `stages` are those of
    /// carriers, which set up what is timed where there are no processes for that.
    pub fn begin(
        typed: &Measure,
        plan: &plan::Measure,
        mut stages: Vec<&'static dyn Stage>,
    ) -> Result<Session> {
        stages.push(&Signing);
        let measure = plan::Measure {
            seed: typed.seed.unwrap_or(plan.seed),
            target: typed.target.unwrap_or(plan.target),
            budget_seconds: typed.budget.unwrap_or(plan.budget_seconds),
            thorough: typed.thorough || plan.thorough,
        };
        if let Some(seconds) = typed.budget {
            time("--budget", seconds)?;
        }
        if let Some(target) = typed.target.filter(|target| !(*target > 0.0 && *target < 1.0)) {
            return Err(usage(format!(
                "invalid --target '{target}': expected a share between 0 and 1, such as 0.01"
            )));
        }
        measure.check().map_err(usage)?;
        let interrupt = interrupt::flag();
        let progress = Progress::within(measure.budget());
        progress.say("examining the machine");
        // As it would be typed: where the program lies says nothing to a reader.
        let command = format!("fieldtest {}", crate::words::followed().join(" "));
        let mut run = diagnose().run(env!("CARGO_PKG_VERSION"), &command, measure.seed);
        let calibration = calibrated::load(&run.host);
        let widening = calibration.as_ref().map_or(coverage::UNCALIBRATED, Calibrated::widening);
        run.findings.extend(calibration.as_ref().map(Calibrated::remark));
        run.calibration = calibration.as_ref().map(Calibrated::told);
        // Only now: a calibration is of the machine, however much of it is used.
        if let Some(level) = extensions::restriction() {
            run.host = host::restricted(run.host, level.word());
        }
        Ok(Session {
            progress,
            interrupt,
            begun: Instant::now(),
            writer: RecordWriter::new(run),
            stages,
            seed: measure.seed,
            target: measure.target,
            thorough: measure.thorough,
            exact: false,
            budget: measure.budget(),
            widening,
            failed: Vec::new(),
        })
    }

    /// Lets a study write into the book, within `budget`. Where an engine does wrong after its proof, what was entered is taken out and
    /// the study is made anew without it.
    pub fn run(
        &mut self,
        budget: Duration,
        mut study: impl FnMut(&mut Bench<'_>, &mut RecordWriter) -> Result<(), StudyError>,
    ) -> Result<()> {
        let (begun, end) = (Instant::now(), self.writer.end());
        let mut taken = None;
        loop {
            let left = budget.saturating_sub(begun.elapsed()).max(budget / 2);
            match self.try_once(left, &mut study) {
                // Whoever was not waited for any longer did not fail.
                Err(_) if interrupt::asked() => return Ok(()),
                Err(error) => match self.blamed(&error) {
                    Some(algorithm) => {
                        self.progress.say(&format!("{algorithm} is skipped"));
                        let source = Box::new(error);
                        self.failed.push(StudyError::Engine { algorithm: algorithm.to_owned(), source });
                        taken = Some(self.writer.take_back(end));
                    }
                    None => {
                        // Nothing is left that could be measured without it.
                        if let Some(taken) = taken.filter(|_| error.engine().is_some()) {
                            self.writer.put_back(taken);
                        }
                        return Err(refused(error));
                    }
                },
                Ok(()) => return Ok(()),
            }
        }
    }

    /// The algorithm whose engine an error is the fault of, if it takes part still.
    fn blamed(&self, error: &StudyError) -> Option<&'static str> {
        let is_in = |name: &&str| !self.failed.iter().any(|failed| failed.engine() == Some(*name));
        let attached: Vec<&'static str> = catalog::attached().filter(is_in).collect();
        // It was the only one, and is what the study fails by.
        if error.engine().is_some() { None } else { error.blames(&attached) }
    }

    fn try_once(
        &mut self,
        budget: Duration,
        study: &mut dyn FnMut(&mut Bench<'_>, &mut RecordWriter) -> Result<(), StudyError>,
    ) -> Result<(), StudyError> {
        let progress = &self.progress;
        let here = Here { stages: &self.stages, interrupt: self.interrupt };
        let processes = own_program::processes();
        let mut bench = Bench {
            launcher: processes.as_ref().map_or(&here as &dyn Launcher, |processes| processes),
            interrupt: self.interrupt,
            seed: self.seed,
            target: self.target,
            exact: self.exact,
            thorough: self.thorough,
            budget,
            begun: Instant::now(),
            surroundings: Surroundings::new(self.widening),
            say: &mut |text| progress.say(text),
            failed: std::mem::take(&mut self.failed),
        };
        let studied = study(&mut bench, &mut self.writer);
        self.failed = bench.failed;
        studied
    }

    /// The lines of the book, every window that was timed, and whether the user ended the run early.
    pub fn end(self) -> (Vec<Line>, Windows, Outcome) {
        let outcome = match interrupt::asked() {
            true => Outcome::Interrupted,
            false if self.failed.is_empty() => Outcome::Fine,
            false => Outcome::ProofFailed,
        };
        for failed in &self.failed {
            crate::message::failure(&format!("{failed}; the others were measured without it"));
        }
        let taken = self.begun.elapsed();
        if taken > 2 * self.budget + SLACK {
            output::message(&format!(
                "this took {:.0} s instead of {}: each benchmark runs at least once, and one that was started is completed",
                taken.as_secs_f64(),
                self.budget.as_secs_f64(),
            ));
        }
        let (mut lines, windows) = self.writer.into_parts();
        if outcome == Outcome::Interrupted {
            for line in &mut lines {
                if let Line::Run(run) = line {
                    run.findings.insert(0, INTERRUPTED.to_owned());
                }
            }
        }
        (lines, windows, outcome)
    }
}

/// The longest time that anybody may ask for, in seconds: 30 years.
const LONGEST: f64 = fieldtest_study::plan::LONGEST;

/// A time that an option says.
///
/// # Errors
/// Not above 0, or above 10⁹ s.
pub fn time(option: &str, seconds: f64) -> Result<Duration> {
    if !(seconds > 0.0 && seconds <= LONGEST) {
        let said = format!("invalid {option} '{seconds}': expected seconds above 0, at most {LONGEST}");
        return Err(usage(said));
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Examines the machine that is here, with the counter that would be used.
pub fn diagnose() -> Diagnosis {
    let mut diagnosis =
        doctor::examine(&Tree::default(), &Counter::open(Prefer::Cycles), Some(Path::new(".")), doctor::SPIN);
    // `measure` adds this for its own crate only. CI builds just that crate without debug assertions, and
    // records of such builds named a plain compiler.
    let (compiler, remark) = (&mut diagnosis.host.compiler, ", with debug assertions");
    if cfg!(debug_assertions) && !compiler.ends_with(remark) {
        compiler.push_str(remark);
    }
    diagnosis
}

/// Refuses names that no algorithm's implementation has; an algorithm may well lack one that others have.
///
/// # Errors
/// A usage error that names the nearest.
pub fn known_implementation<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<()> {
    known_implementations(names).map_err(refused)
}
