//! The checksum at the end of packs and their indexes: SHA-1 or SHA-256 as the repository's object format says
//! (gitformat-pack(5), “checksum”), whatever function names the objects elsewhere.

use sha1::{Digest, Sha1};
use sha2::Sha256;

use crate::ObjectId;

/// A checksum of a file that comes in pieces.
#[derive(Clone)]
pub struct Trailer(Function);

#[derive(Clone)]
enum Function {
    Sha1(Sha1),
    Sha256(Sha256),
}

impl Trailer {
    /// For a repository whose IDs have so many bytes: 32 of SHA-256, else SHA-1.
    pub fn new(id_len: usize) -> Trailer {
        Trailer(if id_len == 32 { Function::Sha256(Sha256::new()) } else { Function::Sha1(Sha1::new()) })
    }

    /// Appends to the file.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            Function::Sha1(hash) => hash.update(bytes),
            Function::Sha256(hash) => hash.update(bytes),
        }
    }

    /// The checksum of 20 or 32 bytes.
    pub fn finish(self) -> Option<ObjectId> {
        match self.0 {
            Function::Sha1(hash) => ObjectId::from_bytes(&hash.finalize()),
            Function::Sha256(hash) => ObjectId::from_bytes(&hash.finalize()),
        }
    }
}
