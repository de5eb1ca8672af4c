//! Where a signature is kept: in the file's xattr, in a file beside it, or in a list.

pub mod attribute;
pub mod manifest;
pub mod sidecar;
pub(crate) mod unnamed;

/// Where the signatures of a run are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Store {
    /// The xattr of this name on the file itself; [`attribute::IMA`] is the one that the kernel reads.
    Attribute(String),
    /// A file beside it, with this suffix; evmctl's is [`sidecar::SUFFIX`].
    Sidecar(String),
    /// Nowhere: the caller is given the values, for a [`manifest::Writer`] say.
    Returned,
}

impl Store {
    pub(crate) fn suffix(&self) -> Option<&str> {
        match self {
            Store::Sidecar(suffix) => Some(suffix),
            Store::Attribute(_) | Store::Returned => None,
        }
    }
}
