//! `fieldtest disk study`: the carrier's study alone.

use anyhow::Result;
use fieldtest_frame::measuring::carry_out;
use fieldtest_study::Plan;

use crate::args::DiskStudy;
use crate::outcome::{Outcome, usage};
use crate::output::Format;
use crate::report::STUDY_SECTION;
use crate::study::{DiskPart, check};

pub(super) fn run(args: DiskStudy, format: Format) -> Result<Outcome> {
    let built_in = DiskPart::default();
    let sector_sizes = match args.sector_size.is_empty() {
        true => built_in.sector_sizes,
        false => args.sector_size.iter().map(|&size| size as usize).collect(),
    };
    let part = DiskPart {
        disk: args.image.or(args.disk),
        sector_sizes,
        algorithms: args.algorithms,
        implementations: args.implementations,
        ..built_in
    };
    check(&part).map_err(usage)?;
    carry_out(Plan::of(part), &[&STUDY_SECTION], &args.run, format)
}
