//! `fieldtest dnssec project`: what the queries of a resolver's records come to at other rates.

use anyhow::{Result, anyhow};
use fieldtest_frame::input;
use fieldtest_report::Report;

use crate::args;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};
use crate::report::projection::{self, Volume};
use crate::report::{STUDY_SECTION, is_of_levels};

pub(crate) fn run(args: &args::Project, format: Format) -> Result<Outcome> {
    let own = |rate: f64, option: &str| match rate > 0.0 && rate.is_finite() {
        true => Ok(Volume { rate, of: format!("as {option} says") }),
        false => Err(usage(format!("invalid {option} '{rate}': expected queries per second above 0"))),
    };
    let clients = args.rate.map(|rate| own(rate, "--rate")).transpose()?;
    let root = args.root_rate.map(|rate| own(rate, "--root-rate")).transpose()?;
    let report = Report::from_lines(
        input::records(&args.records)?.into_iter().map(|(_, line)| line),
        &[&STUDY_SECTION],
    )?;
    let tables = [
        projection::of_resolver(&report, &clients.unwrap_or_else(Volume::of_a_million_clients)),
        projection::of_root(&report, &root.unwrap_or_else(Volume::of_a_root_server)),
    ];
    let tables: Vec<_> = tables.into_iter().flatten().collect();
    if tables.is_empty() {
        let file = args.records.display();
        return Err(anyhow!(match report.records().iter().any(is_of_levels) {
            true => format!(
                "{file} has results of 'dnssec resolver --by-level', where only one level at a time has the algorithm, as in no real chain; make \
                 records without --by-level"
            ),
            false => format!(
                "{file} has no results of a resolver under load; make some with 'fieldtest dnssec resolver'"
            ),
        }));
    }
    for table in &tables {
        output::table(table, format)?;
    }
    Ok(Outcome::Fine)
}
