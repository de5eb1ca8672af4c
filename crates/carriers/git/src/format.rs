//! Object formats: under which hash function a repository names its objects.

use std::sync::Arc;

use fieldtest_kinds::hash::Hash;

use crate::{Header, ObjectId, ObjectType};

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

    /// The ID of an object.
    ///
    /// # Errors
    /// Those of the hash function; [`Library`](fieldtest_kinds::Error::Library) also if its digests are longer than any ID.
    pub fn id_of(&self, kind: ObjectType, content: &[u8]) -> Result<ObjectId, fieldtest_kinds::Error> {
        let too_long =
            || fieldtest_kinds::Error::Library(format!("digests of {} have no place in an ID", self.name));
        let header = Header::new(kind, content.len() as u64);
        let mut digest = [0; ObjectId::LONGEST];
        let digest = digest.get_mut(..self.id_len()).ok_or_else(too_long)?;
        self.hash.digest(header.as_bytes(), content, digest)?;
        ObjectId::from_bytes(digest).ok_or_else(too_long)
    }
}
