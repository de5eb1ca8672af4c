//! Object formats: under which hash function a repository names its objects.

use std::sync::Arc;

use fieldtest_kinds::hash::Hash;

/// A hash function as a repository's object format.
#[derive(Clone)]
pub struct Format {
    /// The name in `extensions.objectFormat` where Git has one (`sha1`, `sha256`), else the catalog's.
    pub name: String,
    /// What names objects.
    pub hash: Arc<dyn Hash>,
}

impl Format {
    /// Bytes of an ID.
    pub fn id_len(&self) -> usize {
        self.hash.digest_len()
    }
}
