//! `fieldtest dnssec load`: a name server under queries that come when they come.

mod picture;
mod plan;
mod results;

use std::io::Write as _;
use std::time::Duration;

use anyhow::Result;
use fieldtest_dns_load::engine;
use fieldtest_frame::interrupt;
use fieldtest_frame::progress::Progress;

use crate::args::Load;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

pub(crate) fn run(args: &Load, format: Format) -> Result<Outcome> {
    const FORMS: [Format; 2] = [Format::Human, Format::Json];
    format.one_of(&FORMS, "fieldtest dnssec load prints tables or JSON; -o FILE gets every second")?;
    if let Some(lines) = &args.output {
        output::check_extension(lines, "JSON Lines", &["jsonl", "json"])?;
    }
    if let Some(picture) = &args.picture {
        output::check_extension(picture, "a picture in SVG", &["svg"])?;
    }
    let files = [args.output.as_deref(), args.picture.as_deref()];
    if let [Some(lines), Some(picture)] = files {
        output::check_apart(lines, picture)?;
    }
    for file in files.into_iter().flatten() {
        format.apart_from(Some(file), "the file", &FORMS, "-o")?;
        output::check_place(file)?;
        check_sources(args, file)?;
    }
    let target = plan::target(args)?;
    let plan = plan::read(args, target)?;
    let stop = interrupt::flag();
    output::message(&plan.told);
    let outcome = {
        let progress = Progress::within(plan.time + Duration::from_secs_f64(args.timeout));
        progress.say("sending");
        engine::run(&*plan.schedule, &plan.options, stop).map_err(|error| match error {
            engine::LoadError::TooFast { .. } => usage(error),
            other => other.into(),
        })?
    };
    if let Some(file) = &args.output {
        output::whole_file(file, |out| {
            for line in results::lines(&plan, &outcome) {
                writeln!(out, "{line}")?;
            }
            Ok(())
        })?;
    }
    if let Some(file) = &args.picture {
        match picture::draw(&outcome) {
            Some(svg) => output::file(file, svg.as_bytes())?,
            None => output::message("no picture: nothing was answered"),
        }
    }
    if format == Format::Json {
        super::report(&results::document(&plan, &outcome))?;
    } else if !args.output.as_deref().map_or(Ok(false), output::is_standard)? {
        results::tables(&plan, &outcome, format)?;
    }
    for remark in results::remarks(&outcome) {
        output::message(&remark);
    }
    Ok(match (outcome.interrupted, outcome.answered, outcome.refused_here) {
        (true, ..) => Outcome::Interrupted,
        // Failed: for want of files or ports on this machine, the results say nothing of the server.
        (false, 0, _) | (false, _, 1..) => Outcome::Failed,
        (false, ..) => Outcome::Fine,
    })
}

fn check_sources(args: &Load, file: &std::path::Path) -> Result<()> {
    let sources = [&args.questions, &args.zone, &args.csv, &args.capture];
    let kept =
        sources.into_iter().flatten().map(|source| (source.as_path(), "an input, which would be lost"));
    output::check_keeps(file, kept)
}
