//! Headers of LUKS2: the two copies, and what is in them.

pub mod binary;
mod copies;
pub mod json;
pub(crate) mod rules;
mod wire;

pub use binary::BinaryHeader;
pub use copies::{Condition, CopyState};
pub(crate) use copies::{read, write, write_copy};
pub use json::Metadata;
pub use rules::MOST_KEYSLOTS;

/// A header that can be used.
#[derive(Debug, Clone)]
pub struct Header {
    /// The binary part.
    pub binary: BinaryHeader,
    /// The JSON part.
    pub metadata: Metadata,
}
