//! `fieldtest ima study`: the carrier's study alone.

use anyhow::Result;
use fieldtest_study::{Plan, plan};

use crate::args::ImaStudy;
use crate::outcome::Outcome;
use crate::output::Format;

pub(crate) fn run(args: ImaStudy, format: Format) -> Result<Outcome> {
    let part = plan::Ima { tree: Some(args.tree), algorithms: args.algorithms, ..Default::default() };
    let plan = Plan { ima: Some(part), ..Default::default() };
    crate::commands::study::carry_out(&plan, &args.run, format)
}
