//! `fieldtest speed`: the operations of an algorithm without a carrier.

use anyhow::Result;
use fieldtest_measure::lines;
use fieldtest_report::Report;
use fieldtest_study::{Choice, selection, speed};

use super::study::Session;
use crate::args::Speed;
use crate::outcome::Outcome;
use crate::output::{self, Format};

pub(crate) fn run(args: &Speed, format: Format) -> Result<Outcome> {
    let algorithms = selection::algorithms(&args.select.algorithms).map_err(super::study::refused)?;
    let choice = match &args.select.implementations[..] {
        [] => Choice::All,
        names => Choice::Named(names.to_vec()),
    };
    let mut session = Session::begin(&args.measure, &Default::default())?;
    let subjects = selection::prove(&algorithms, &choice, &mut |text| session.progress.say(text));
    let subjects = subjects.map_err(super::study::refused)?;
    session.run(|bench, book| speed::run(bench, book, &subjects, &args.baseline))?;
    let (lines, outcome) = session.end();
    if let Some(path) = &args.output {
        lines::save(path, &lines)?;
    }
    output::data(&Report::from_lines(lines)?.render(format.for_stdout()))?;
    Ok(outcome)
}
