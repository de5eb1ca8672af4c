//! `fieldtest tcp-ao sign`: a capture whose TCP segments have the option.

use std::fs::File;

use anyhow::{Context, Result};
use fieldtest_tcp_ao::capture::{Reader, uncompressed};
use fieldtest_tcp_ao::sign::{self, Plan, SignError};

use super::keys;
use crate::args::SignCapture;
use crate::outcome::{Outcome, usage};
use crate::output;

/// Segments that were passed through unsigned and are named one by one.
const NAMED: usize = 5;

pub(crate) fn run(args: &SignCapture) -> Result<Outcome> {
    let (opener, answerer) = match &keys::keys(&args.keys)?[..] {
        [both] => (both.clone(), both.clone()),
        [opener, answerer] => (opener.clone(), answerer.clone()),
        _ => return Err(usage("more than two keys; give one for both ends, or one for each")),
    };
    let plan = Plan { opener, answerer, replace: args.replace };
    let known = keys::isns(&args.isns)?;
    let source = File::open(&args.capture)
        .with_context(|| format!("cannot read the capture {}", args.capture.display()))?;
    let source = uncompressed(source).with_context(|| args.capture.display().to_string())?;
    let mut reader = Reader::new(source).with_context(|| args.capture.display().to_string())?;
    let summary =
        output::whole_file(&args.output, |out| match sign::sign(&mut reader, out, &plan, &known) {
            Ok((_, summary)) => Ok(summary),
            Err(SignError::Write(error)) => Err(error.into()),
            Err(error) => Err(error).with_context(|| args.capture.display().to_string()),
        })?;
    for (number, why) in summary.reasons.iter().take(NAMED) {
        output::message(&format!("packet {number} is not signed: {why}"));
    }
    for problem in summary.problems.iter().take(NAMED) {
        output::message(&problem.to_string());
    }
    output::message(&format!(
        "{}: {} signed, {} left unsigned, {} not TCP, {} dropped to make room, {} in the file",
        args.output.display(),
        output::count(summary.signed as usize, "segment"),
        summary.unsigned,
        summary.not_tcp,
        output::count(summary.sack_blocks_dropped as usize, "SACK block"),
        output::count(summary.problem_count as usize, "fault"),
    ));
    let whole = summary.unsigned == 0 && summary.problem_count == 0 && summary.signed > 0;
    Ok(if whole { Outcome::Fine } else { Outcome::Failed })
}
