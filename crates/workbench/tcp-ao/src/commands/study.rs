//! `fieldtest tcp-ao study`: the carrier's study alone.

use anyhow::Result;
use fieldtest_frame::measuring::carry_out;
use fieldtest_study::Plan;

use crate::args::TcpAoStudy;
use crate::outcome::Outcome;
use crate::output::Format;
use crate::report::STUDY_SECTION;
use crate::study::TcpAoPart;

pub(crate) fn run(args: TcpAoStudy, format: Format) -> Result<Outcome> {
    let part = TcpAoPart {
        capture: args.capture.or(args.named),
        algorithms: args.algorithms,
        implementations: args.implementations,
        ..Default::default()
    };
    carry_out(Plan::of(part), &[&STUDY_SECTION], &args.run, format)
}
