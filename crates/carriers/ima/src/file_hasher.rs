//! The digests of a file's bytes that signatures are over: its content's, or its fs-verity digest.

use crate::digest::Hasher;
use crate::file_id::FileDigest;
use crate::hash_algorithm::HashAlgorithm;
use crate::verity;
use crate::xattr::SignatureType;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub covers: SignatureType,
    pub algorithm: HashAlgorithm,
}

impl Wanted {
    pub(crate) fn of_content(algorithm: HashAlgorithm) -> Self {
        Wanted { covers: SignatureType::File, algorithm }
    }

    /// Computes it. For what is no digest of a file's bytes, or one that fs-verity does not have, the content's is
    /// computed, which whoever asked then refuses.
    pub(crate) fn hasher(self) -> FileHasher {
        match (self.covers, verity::Parameters::new(self.algorithm)) {
            (SignatureType::Verity, Ok(parameters)) => FileHasher::Verity(verity::Tree::new(parameters)),
            _ => FileHasher::Content(Hasher::new(self.algorithm)),
        }
    }

    /// Finds it among those that were computed.
    pub(crate) fn among(self, digests: &[FileDigest]) -> Option<&FileDigest> {
        digests.iter().find(|file| (file.covers, file.digest.algorithm()) == (self.covers, self.algorithm))
    }
}

/// A digest that is being computed. It is given each piece of a file in its turn.
pub(crate) enum FileHasher {
    Content(Hasher),
    Verity(verity::Tree),
}

impl FileHasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            FileHasher::Content(hasher) => hasher.update(bytes),
            FileHasher::Verity(tree) => tree.update(bytes),
        }
    }

    pub(crate) fn finish(self) -> FileDigest {
        match self {
            FileHasher::Content(hasher) => FileDigest::of_content(hasher.finish()),
            FileHasher::Verity(tree) => tree.finish(),
        }
    }
}
