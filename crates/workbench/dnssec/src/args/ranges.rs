//! What is typed for a zone larger than memory.

use clap::{Args as ClapArgs, value_parser};
use fieldtest_frame::job::JobRun;

/// The most ranges of a job. What each leaves for every other one is a table of so many numbers: 134 MB of them in all.
pub(crate) const MOST: u32 = 4096;

#[derive(Debug, ClapArgs)]
pub(crate) struct Ranges {
    #[command(flatten)]
    pub(crate) run: JobRun,
    /// Ranges of names that a job works on one by one, at most 4096; as many as the memory asks for if absent
    #[arg(long, value_name = "NUMBER", requires = "job", value_parser = value_parser!(u32).range(1..=i64::from(MOST)))]
    pub(crate) ranges: Option<u32>,
    /// Mebibytes of memory that a piece of a job may take
    #[arg(long, value_name = "MIB", requires = "job", default_value_t = 1024, value_parser = value_parser!(u32).range(64..=1 << 24))]
    pub(crate) memory: u32,
}
