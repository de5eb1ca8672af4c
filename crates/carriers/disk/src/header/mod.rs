//! Headers: the two copies of LUKS2 and what is in them, and the one of LUKS1.

pub mod binary;
mod copies;
pub mod json;
pub mod luks1;
pub(crate) mod rules;
mod wire;

pub use binary::BinaryHeader;
pub use copies::{Condition, CopyState};
pub(crate) use copies::{is_at_the_beginning, mend, read, write};
pub use json::Metadata;
pub use luks1::Luks1;
pub use rules::MOST_KEYSLOTS;

/// A header that can be used.
#[derive(Debug, Clone)]
pub struct Header {
    /// The binary part.
    pub binary: BinaryHeader,
    /// The JSON part.
    pub metadata: Metadata,
}
