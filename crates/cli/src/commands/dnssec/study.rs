//! `fieldtest dnssec study`: the carrier's study alone.

use anyhow::Result;
use fieldtest_study::{Plan, plan};

use crate::args::DnssecStudy;
use crate::outcome::Outcome;
use crate::output::Format;

pub(crate) fn run(args: DnssecStudy, format: Format) -> Result<Outcome> {
    let part = plan::Dnssec {
        zone: args.what.zone,
        origin: args.what.origin,
        algorithms: args.what.algorithms,
        ..Default::default()
    };
    let plan = Plan { dnssec: Some(part), ..Default::default() };
    crate::commands::study::carry_out(&plan, &args.run, format)
}
