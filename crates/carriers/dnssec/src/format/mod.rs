//! The two forms a zone has on disk: presentation format (RFC 1035, section 5) and BIND's raw format.

mod generate;
pub mod raw;
pub(crate) mod rdata;
mod scan;
pub mod text;

pub use rdata::parse_time;
