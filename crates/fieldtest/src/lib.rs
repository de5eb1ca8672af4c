//! `fieldtest` measures a cryptographic algorithm inside the system that has to use it.
//!
//! This is the program without its arguments: [`CARRIERS`] are the systems that it knows, and [`run`] does what was typed.
//! What a carrier does stands in its library (`fieldtest-dnssec`, …), what is measured of it in its workbench
//! (`fieldtest-workbench-dnssec`, …), the algorithms in `fieldtest-catalog`, and what a report is made of in
//! `fieldtest-report`.
//!
//! ```
//! use std::path::Path;
//!
//! use fieldtest::study_sections;
//! use fieldtest_report::{Format, Report};
//!
//! // A report of records that an earlier run left:
//! let lines = fieldtest_measure::record_file::load(Path::new("tests/records.jsonl")).expect("a records file");
//! let report = Report::from_lines(lines, study_sections()).expect("of one machine");
//! assert!(report.render(Format::Markdown).contains("## DNSSEC"));
//! ```

#![forbid(unsafe_code)]

mod args;
mod carriers;
mod commands;

pub use carriers::{CARRIERS, studied, study_sections};
pub use commands::run;
use fieldtest_frame::{outcome, output, progress};

/// Everything that can be typed.
pub fn command() -> clap::Command {
    args::command()
}
