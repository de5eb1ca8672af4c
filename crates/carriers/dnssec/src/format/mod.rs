//! The two forms a zone has on disk: presentation format (RFC 1035, section 5) and BIND's raw format.

mod generate;
pub mod raw;
mod scan;
pub mod text;

use std::path::Path;

use crate::name::Name;
use crate::rtype::Rtype;
use crate::zone::ZoneBuilder;

pub use crate::rdata::parse_time;
use text::ReadError;

/// Where a reader's records go.
pub(crate) trait Records {
    /// Takes a record that the reader has checked.
    fn add(&mut self, owner: &Name, rtype: Rtype, ttl: u32, rdata: &[u8]);

    /// Notes that a file is included.
    fn include(&mut self, _: &Path) {}

    /// Why it is useless to read on, once it is: the place where the records go is full, say.
    fn failure(&mut self) -> Option<ReadError> {
        None
    }
}

impl Records for ZoneBuilder {
    fn include(&mut self, path: &Path) {
        self.note_included(path);
    }

    fn add(&mut self, owner: &Name, rtype: Rtype, ttl: u32, rdata: &[u8]) {
        self.push_checked(owner, rtype, ttl, rdata);
    }
}
