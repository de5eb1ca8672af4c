//! `fieldtest dnssec study`: the carrier's study alone.

use anyhow::Result;
use fieldtest_study::{Plan, plan};

use crate::args::DnssecStudy;
use crate::outcome::Outcome;
use crate::output::Format;

pub(crate) fn run(args: DnssecStudy, format: Format) -> Result<Outcome> {
    let part = plan::Dnssec {
        zone: args.zone,
        origin: args.origin,
        algorithms: args.algorithms,
        ..Default::default()
    };
    let plan = Plan { measure: plan::Measure::default(), dnssec: Some(part) };
    crate::commands::study::carry_out(&plan, &args.measure, &args.output, format)
}
