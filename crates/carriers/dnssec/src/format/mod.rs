//! The two forms a zone has on disk: presentation format (RFC 1035, section 5) and BIND's raw format.

mod generate;
pub mod raw;
mod scan;
pub mod text;

pub use crate::rdata::parse_time;
