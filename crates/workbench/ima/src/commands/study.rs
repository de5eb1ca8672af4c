//! `fieldtest ima study`: the carrier's study alone.

use anyhow::Result;
use fieldtest_frame::measuring::carry_out;
use fieldtest_study::Plan;

use crate::args::ImaStudy;
use crate::outcome::Outcome;
use crate::output::Format;
use crate::report::STUDY_SECTION;
use crate::study::ImaPart;

pub(crate) fn run(args: ImaStudy, format: Format) -> Result<Outcome> {
    let part = ImaPart { tree: Some(args.tree), algorithms: args.algorithms, ..Default::default() };
    carry_out(Plan::of(part), &[&STUDY_SECTION], &args.run, format)
}
