use thiserror::Error;

/// Why a repository could not be read, mapped or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The hash function failed, or found a collision attack.
    #[error("object {id}: {source}")]
    Hash {
        /// The object, by the name that the repository gives it.
        id: crate::ObjectId,
        /// Why.
        source: fieldtest_kinds::Error,
    },
}
