//! `fieldtest speed`: the operations of an algorithm without a carrier.

use std::path::Path;

use anyhow::Result;
use fieldtest_catalog::kind::{Kind as _, Signature};
use fieldtest_catalog::{self as catalog, signature};
use fieldtest_frame::carrier::Carrier;
use fieldtest_frame::measuring::{Session, known_implementation, refused};
use fieldtest_report::Report;
use fieldtest_study::part::BASELINE;
use fieldtest_study::{Choice, selection, speed};

use crate::args::Speed;
use crate::carriers::{CARRIERS, study_sections};
use crate::commands::records::RECORDS;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

/// What to do with an algorithm that is there and is no signature.
fn elsewhere(names: &[String]) -> Option<anyhow::Error> {
    let of_other_kinds = names.iter().filter_map(|name| catalog::entry(name).ok());
    let entry = of_other_kinds.into_iter().find(|entry| entry.kind() != Signature::WORD)?;
    let carries = |carrier: &&Carrier| {
        carrier.study.part("").is_ok_and(|part| part.about().kinds.contains(&entry.kind()))
    };
    let name = entry.name();
    let instead = match CARRIERS.iter().copied().find(carries) {
        Some(carrier) => format!("run: fieldtest {} study -a {name}", carrier.name()),
        None => format!("no study measures it yet; see fieldtest show {name}, and fieldtest prove {name}"),
    };
    Some(usage(format!("cannot time '{name}': not a signature algorithm; {instead}")))
}

pub(crate) fn run(args: &Speed, format: Format) -> Result<Outcome> {
    let algorithms = selection::algorithms(&args.select.algorithms)
        .map_err(|error| elsewhere(&args.select.algorithms).unwrap_or_else(|| refused(error)))?;
    for place in [&args.output, &args.windows].into_iter().flatten() {
        output::check_place(place)?;
    }
    if let Some(records) = &args.output {
        output::check_extension(records, RECORDS, &["jsonl", "json"])?;
    }
    if let Some(windows) = &args.windows {
        output::check_extension(windows, "compressed CSV", &["csv.gz", "gz"])?;
    }
    if let Some((records, windows)) = args.output.as_deref().zip(args.windows.as_deref()) {
        output::check_apart(records, windows)?;
    }
    let baseline = match &args.baseline {
        None => BASELINE,
        Some(name) => signature::find(name)
            .map_err(|error| elsewhere(std::slice::from_ref(name)).unwrap_or_else(|| usage(error)))?
            .facts
            .name
            .as_str(),
    };
    if args.baseline.is_some() && !algorithms.iter().any(|algorithm| algorithm.facts.name == baseline) {
        return Err(usage(format!("the baseline {baseline} is not among the algorithms to measure; add it")));
    }
    known_implementation(args.select.implementations.iter().map(String::as_str))?;
    let choice = Choice::in_study(&args.select.implementations, args.measure.thorough);
    let mut session = Session::begin(&args.measure, &Default::default(), Vec::new())?;
    let mut say = |text: &str| session.progress.say(text);
    let mut subjects =
        selection::prove(&algorithms, &choice, session.interrupt, &mut say, &mut session.failed)
            .map_err(refused)?;
    session.run(session.budget, |bench, writer| {
        selection::leave_out(&mut subjects, &mut bench.failed)?;
        speed::run(bench, writer, &subjects, baseline)
    })?;
    let (lines, windows, outcome) = session.end();
    let windows = args.windows.as_deref().zip(windows.into_bytes());
    let save = || {
        args.output.as_ref().map_or(Ok(()), |path| output::records(path, &lines))?;
        windows.as_ref().map_or(Ok(()), |(path, bytes)| output::file(path, bytes))
    };
    // Whatever cannot be written, the rest is.
    let saved = save();
    // Where the records go to standard output, they have it for themselves.
    if args.output.as_deref() != Some(Path::new(output::STDOUT)) {
        output::rendered(&Report::from_lines(lines, study_sections())?.render(format.for_stdout()), format)?;
    }
    saved?;
    Ok(outcome)
}
