//! `fieldtest calibrate`: which differences can this machine tell, in which time, and do its intervals hold?

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use fieldtest_frame::calibrated;
use fieldtest_frame::measuring::{Session, diagnose, time};
use fieldtest_frame::text;
use fieldtest_measure::Interval;
use fieldtest_measure::coverage::{self, Cell, Coverage, EXPECTED};
use fieldtest_measure::doctor::Verdict;
use fieldtest_measure::record::{Record, Run};
use fieldtest_report::Table;
use fieldtest_report::tables::ledger::is_contended;
use fieldtest_study::calibration::{Calibration, CalibrationStage, calibrate};

use crate::args::Calibrate;
use crate::commands::records;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

/// Seconds of all runs together that a calibration is kept of.
const LEAST: f64 = 30.0;

pub(crate) fn run(args: &Calibrate, format: Format) -> Result<Outcome> {
    if !args.records.is_empty() {
        return count(args, format);
    }
    let budget = time("--seconds", args.seconds)?;
    let mut session = Session::begin(&args.measure(), &Default::default(), vec![&CalibrationStage])?;
    // It is about the intervals as they come.
    session.widening = 1.0;
    let mut found = None;
    let runs = usize::from(args.runs);
    session.run(budget * u32::from(args.runs), |bench, _| {
        // As narrow as the time allows.
        bench.target = f64::MIN_POSITIVE;
        found = Some(calibrate(bench, runs, budget)?);
        Ok(())
    })?;
    let (.., outcome) = session.end();
    if let Some(found) = found {
        output::table(&table(&found), format)?;
        let (diagnosis, time) = (diagnose(), args.seconds * found.runs as f64);
        let unfit = (diagnosis.verdict == Verdict::Unfit)
            .then_some("the machine is too busy: fieldtest doctor shows the reason");
        let short = (time < LEAST).then_some("it was too short: all runs together need at least 30 s");
        if let Some(why) = unfit.or(short) {
            output::message(&format!("not kept: {why}"));
            return Ok(outcome);
        }
        let place = calibrated::save(&diagnosis.host, found)?;
        output::message(&format!(
            "saved to {}; studies on this machine widen their intervals by it",
            place.display()
        ));
    }
    Ok(outcome)
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

fn finely(share: f64) -> String {
    format!("{:.2}%", 100.0 * share)
}

fn table(found: &Calibration) -> Table {
    let mut table = Table::new("Calibration of this machine").texts(["runs of the same code", "found"]);
    table.fact("runs", format!("{} of {:.0} s", found.runs, found.seconds));
    table.fact(
        "ratios within the interval of another run",
        format!("{} (calibrated: {})", percent(found.coverage), percent(EXPECTED)),
    );
    if let Some(coverage) = found.coverage_of_memory {
        table.fact("the same for scattered reads beyond the core's caches", percent(coverage));
    }
    table.fact("half width of an interval (median)", finely(found.half_width));
    let widening = |widening: f64| format!("{:.2} times as wide", widening.max(coverage::UNCALIBRATED));
    table.fact(
        "studies widen intervals",
        found.widening.map_or("no width suffices: too busy".to_owned(), widening),
    );
    table.fact("equal benchmarks that seem to differ", percent(found.false_differences));
    table.fact("the same source compiled twice: differs by at most", finely(found.layout));
    table.fact("1% more work is significant", format!("in {} of the runs", percent(found.told[0])));
    table.fact("3% more work is significant", format!("in {} of the runs", percent(found.told[1])));
    table
}

/// Counts over the records of runs that were made before: the same command, the same machine.
fn count(args: &Calibrate, format: Format) -> Result<Outcome> {
    records::check_once(args.records.iter().map(PathBuf::as_path))?;
    if args.records.len() < 2 {
        args.records.iter().try_for_each(|path| records::report(std::slice::from_ref(path)).map(drop))?;
        return Err(usage("cannot compare a single records file; give at least two, of the same command"));
    }
    let mut runs: Vec<BTreeMap<String, (f64, Interval)>> = Vec::new();
    let mut of: Vec<Run> = Vec::new();
    for path in &args.records {
        let mut results = BTreeMap::new();
        // What `report` and `compare` refuse is not counted either.
        let report = records::report(std::slice::from_ref(path))?;
        for record in report.records() {
            results.extend(cell(record).map(|cell| (name(record), cell)));
        }
        for run in report.runs() {
            fits(run, &of).map_err(|why| anyhow!("{}: {why}", text::path(path)))?;
            of.push(run.clone());
        }
        if !results.is_empty() && runs.contains(&results) {
            bail!("{}: all results are copies of another file's; give another run", text::path(path));
        }
        runs.push(results);
    }
    let mut table = Table::new("Results within the interval of another run").texts([
        "results",
        "pairs",
        "inside",
        "half width",
        "apart: median",
        "nine of ten",
    ]);
    type Wanted<'a> = &'a dyn Fn(&str) -> bool;
    let is_ratio = |name: &str| name.starts_with("ratio ");
    let is_job = |name: &str| ["s ", "GB/s ", "share "].iter().any(|unit| name.starts_with(unit));
    let groups: [(&str, Wanted<'_>); 3] =
        [("ratios", &is_ratio), ("costs", &|name| !is_ratio(name) && !is_job(name)), ("whole jobs", &is_job)];
    for (title, wanted) in groups {
        let names: Vec<&String> = runs.iter().flat_map(BTreeMap::keys).filter(|name| wanted(name)).collect();
        let cells = |run: &BTreeMap<String, (f64, Interval)>| -> Vec<Cell> {
            let mut once = names.clone();
            once.sort_unstable();
            once.dedup();
            once.into_iter().map(|name| run.get(name).copied()).collect()
        };
        let runs: Vec<Vec<Cell>> = runs.iter().map(cells).collect();
        let Some(found) = Coverage::of(&runs, 1.0) else { continue };
        table.row([
            title.into(),
            found.pairs.to_string().into(),
            percent(found.share()).into(),
            finely(found.half_width).into(),
            finely(found.apart[0]).into(),
            finely(found.apart[1]).into(),
        ]);
    }
    if table.is_empty() {
        bail!("no two of these runs share a result with an interval; give runs of the same command");
    }
    let (own, shared) = kept_apart(&runs);
    if shared > 0 {
        table.note(format!(
            "{shared} of {} results are uncontended in one run, and contended or measured under other load in another; they are \
             not compared.",
            own + shared
        ));
    }
    output::table(&table, format)?;
    Ok(Outcome::Fine)
}

/// How many results are of the same sort of core in all runs that have them, and how many are not.
fn kept_apart(runs: &[BTreeMap<String, (f64, Interval)>]) -> (usize, usize) {
    let mut sorts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, core) in runs.iter().flat_map(BTreeMap::keys).filter_map(|name| name.rsplit_once(' ')) {
        sorts.entry(name).or_default().insert(core);
    }
    let shared = sorts.values().filter(|cores| cores.len() > 1).count();
    (sorts.len() - shared, shared)
}

/// Whether a run can be held against these others: another one of the same program on the same machine.
fn fits(run: &Run, others: &[Run]) -> Result<(), String> {
    let Some(first) = others.first() else { return Ok(()) };
    if run.host.id != first.host.id || run.host.cpu != first.host.cpu {
        return Err("it was made on another machine than the first; results apply to one machine".to_owned());
    }
    if run.version != first.version {
        return Err(format!(
            "it was made by version {}, the first by {}; give runs of one version",
            run.version, first.version
        ));
    }
    match others.iter().any(|other| (&other.started, &other.command) == (&run.started, &run.command)) {
        true => Err("its run is given twice; give it once".to_owned()),
        false => Ok(()),
    }
}

/// What tells a result from the others of its run, the unit first. One of a shared core is another result than one of a core
/// of its own, as is one of another version or of other data: `compare` does not hold them against each other either.
fn name(record: &Record) -> String {
    let implementation = record.implementation.as_ref().map_or("", |it| it.name.as_str());
    let Record { study, algorithm, operation, subject, unit, .. } = record;
    let version = record.implementation.as_ref().map_or("", |it| it.version.as_str());
    let input = record.input.as_ref().map_or("", |input| input.sha256.as_str());
    let core = if is_contended(record) { "shared" } else { "own" };
    format!("{unit} {study} {algorithm} {implementation} {version} {operation} {subject} {input} {core}")
}

fn cell(record: &Record) -> Option<(f64, Interval)> {
    let [low, high] = record.interval?;
    Some((record.value, Interval { low, high }))
}
