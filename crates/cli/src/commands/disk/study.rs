//! `fieldtest disk study`: the carrier's study alone.

use anyhow::Result;
use fieldtest_study::{Plan, plan};

use crate::args::DiskStudy;
use crate::outcome::Outcome;
use crate::output::Format;

pub(super) fn run(args: DiskStudy, format: Format) -> Result<Outcome> {
    crate::commands::known_implementation(args.implementations.iter().map(String::as_str))?;
    let built_in = plan::Disk::default();
    let sector_sizes = match args.sector_size.is_empty() {
        true => built_in.sector_sizes,
        false => args.sector_size,
    };
    let part = plan::Disk {
        sector_sizes,
        algorithms: args.algorithms,
        implementations: args.implementations,
        ..built_in
    };
    let plan = Plan { disk: Some(part), ..Default::default() };
    crate::commands::study::carry_out(&plan, &args.run, format)
}
