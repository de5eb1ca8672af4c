//! `fieldtest tcp-ao study`: the carrier's study alone.

use anyhow::Result;
use fieldtest_study::{Plan, plan};

use crate::args::TcpAoStudy;
use crate::outcome::Outcome;
use crate::output::Format;

pub(crate) fn run(args: TcpAoStudy, format: Format) -> Result<Outcome> {
    crate::commands::known_implementation(args.implementations.iter().map(String::as_str))?;
    let part = plan::TcpAo {
        algorithms: args.algorithms,
        implementations: args.implementations,
        ..Default::default()
    };
    let plan = Plan { tcp_ao: Some(part), ..Default::default() };
    crate::commands::study::carry_out(&plan, &args.run, format)
}
