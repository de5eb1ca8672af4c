//! `fieldtest dnssec study`: the carrier's study alone.

use anyhow::Result;
use fieldtest_frame::measuring::carry_out;
use fieldtest_study::Plan;

use crate::args::DnssecStudy;
use crate::outcome::Outcome;
use crate::output::Format;
use crate::report::STUDY_SECTION;
use crate::study::DnssecPart;

pub(crate) fn run(args: DnssecStudy, format: Format) -> Result<Outcome> {
    super::origin(args.what.origin.as_deref())?;
    let part = DnssecPart {
        zone: args.what.zone,
        origin: args.what.origin,
        algorithms: args.what.algorithms,
        signer: args.signer,
        ..Default::default()
    };
    carry_out(Plan::of(part), &[&STUDY_SECTION], &args.run, format)
}
