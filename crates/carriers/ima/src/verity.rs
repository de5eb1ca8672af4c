//! fs-verity digests: a Merkle tree over a file's blocks, and the digest of a descriptor of it.
//!
//! The source is the kernel's `Documentation/filesystems/fsverity.rst`, sections "Merkle tree" and "fs-verity
//! descriptor", and `struct fsverity_descriptor` of `include/uapi/linux/fsverity.h`.

use std::io::{self, Read};

use crate::digest::{Digest, Hasher, for_each_piece};
use crate::file_id::FileDigest;
use crate::hash_algorithm::HashAlgorithm;
use crate::xattr::SignatureType;

/// Bytes of `struct fsverity_descriptor`.
const DESCRIPTOR: usize = 256;

/// How a Merkle tree is built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters {
    hash: Hash,
    log_block_size: u8,
    salt: Vec<u8>,
}

/// The two hash algorithms that fs-verity has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hash {
    Sha256,
    Sha512,
}

impl Hash {
    fn algorithm(self) -> HashAlgorithm {
        match self {
            Hash::Sha256 => HashAlgorithm::Sha256,
            Hash::Sha512 => HashAlgorithm::Sha512,
        }
    }

    /// `FS_VERITY_HASH_ALG_*`.
    fn number(self) -> u8 {
        match self {
            Hash::Sha256 => 1,
            Hash::Sha512 => 2,
        }
    }

    /// Bytes of a block of the hash function, to which a salt is filled up with zeros.
    fn compression_block(self) -> usize {
        match self {
            Hash::Sha256 => 64,
            Hash::Sha512 => 128,
        }
    }
}

/// Parameters that fs-verity does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum ParameterError {
    #[error("fs-verity hashes with sha256 or sha512, not with {}; choose one of them",
        crate::hash_algorithm::name(*.0))]
    Hash(HashAlgorithm),
    #[error("invalid fs-verity block size {0}: expected a power of two from 1024 to 65536, such as 4096")]
    BlockSize(u32),
    #[error("invalid fs-verity salt: expected at most 32 bytes, not {0}")]
    Salt(usize),
}

impl Parameters {
    /// Blocks of 4096 bytes and no salt, which is what `fsverity` does unless told otherwise.
    ///
    /// # Errors
    /// [`ParameterError::Hash`].
    pub fn new(algorithm: HashAlgorithm) -> Result<Self, ParameterError> {
        let hash = match algorithm {
            HashAlgorithm::Sha256 => Hash::Sha256,
            HashAlgorithm::Sha512 => Hash::Sha512,
            _ => return Err(ParameterError::Hash(algorithm)),
        };
        Ok(Parameters { hash, log_block_size: 12, salt: Vec::new() })
    }

    /// With blocks of so many bytes.
    ///
    /// # Errors
    /// [`ParameterError::BlockSize`].
    pub fn with_block_size(self, bytes: u32) -> Result<Self, ParameterError> {
        let log = bytes.checked_ilog2().and_then(|log| u8::try_from(log).ok());
        match log {
            Some(log @ 10..=16) if bytes.is_power_of_two() => Ok(Parameters { log_block_size: log, ..self }),
            _ => Err(ParameterError::BlockSize(bytes)),
        }
    }

    /// With a salt before every block.
    ///
    /// # Errors
    /// [`ParameterError::Salt`].
    pub fn with_salt(mut self, salt: &[u8]) -> Result<Self, ParameterError> {
        if salt.len() > 32 {
            return Err(ParameterError::Salt(salt.len()));
        }
        self.salt = salt.to_vec();
        Ok(self)
    }

    /// The salt, of at most 32 bytes.
    pub fn salt(&self) -> &[u8] {
        &self.salt
    }

    /// Bytes of a block.
    pub fn block_size(&self) -> usize {
        1 << self.log_block_size
    }
}

/// An fs-verity digest that is being computed. Memory is one block for each level of the tree.
pub struct Tree {
    parameters: Parameters,
    /// Has hashed the salt, if there is one; every block starts from it.
    start: Hasher,
    /// The bytes of the file that do not fill a block yet.
    data: Vec<u8>,
    /// For each level, from the leaves up, the hashes that do not fill a block yet.
    levels: Vec<Vec<u8>>,
    length: u64,
}

impl Tree {
    /// Of an empty file so far.
    pub fn new(parameters: Parameters) -> Self {
        let mut start = Hasher::new(parameters.hash.algorithm());
        if !parameters.salt.is_empty() {
            let mut salt = parameters.salt.clone();
            salt.resize(parameters.hash.compression_block(), 0);
            start.update(&salt);
        }
        let data = Vec::with_capacity(parameters.block_size());
        Tree { parameters, start, data, levels: Vec::new(), length: 0 }
    }

    /// Adds the file's next bytes.
    pub fn update(&mut self, mut bytes: &[u8]) {
        let block = self.parameters.block_size();
        self.length += bytes.len() as u64;
        if !self.data.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(block - self.data.len()));
            self.data.extend_from_slice(now);
            bytes = later;
            if self.data.len() == block {
                let full = std::mem::take(&mut self.data);
                self.add_hash(0, &self.hash_of(&full));
            }
        }
        // What is left is empty unless no part of a block waits any more.
        let mut blocks = bytes.chunks_exact(block);
        for full in &mut blocks {
            self.add_hash(0, &self.hash_of(full));
        }
        self.data.extend_from_slice(blocks.remainder());
    }

    /// The file's fs-verity digest.
    pub fn finish(mut self) -> FileDigest {
        if !self.data.is_empty() {
            let last = std::mem::take(&mut self.data);
            let hash = self.hash_of(&last);
            self.add_hash(0, &hash);
        }
        let root = self.root();
        let mut descriptor = [0; DESCRIPTOR];
        let salt = &self.parameters.salt;
        let head = [1, self.parameters.hash.number(), self.parameters.log_block_size, salt.len() as u8];
        descriptor[..4].copy_from_slice(&head);
        // Bytes 4 to 8 are zero: the length of a signature that was once part of the descriptor.
        descriptor[8..16].copy_from_slice(&self.length.to_le_bytes());
        if let Some(root) = &root {
            descriptor[16..][..root.bytes().len()].copy_from_slice(root.bytes());
        }
        descriptor[80..][..salt.len()].copy_from_slice(salt);
        let digest = Digest::of(self.parameters.hash.algorithm(), &descriptor);
        FileDigest { covers: SignatureType::Verity, digest }
    }

    /// The hash at the top; none for an empty file, whose root is zeros.
    fn root(&mut self) -> Option<Digest> {
        let hash_length = self.parameters.hash.algorithm().length();
        let mut level = 0;
        loop {
            let hashes = std::mem::take(self.levels.get_mut(level)?);
            let top = level + 1 == self.levels.len();
            if top && hashes.len() == hash_length {
                return Digest::new(self.parameters.hash.algorithm(), &hashes).ok();
            }
            if !hashes.is_empty() {
                let hash = self.hash_of(&hashes);
                self.add_hash(level + 1, &hash);
            }
            level += 1;
        }
    }

    /// Puts a hash on a level, and hashes the level's block once it is full.
    fn add_hash(&mut self, level: usize, hash: &Digest) {
        if self.levels.len() == level {
            self.levels.push(Vec::with_capacity(self.parameters.block_size()));
        }
        let Some(hashes) = self.levels.get_mut(level) else { return };
        hashes.extend_from_slice(hash.bytes());
        if hashes.len() == self.parameters.block_size() {
            let full = std::mem::take(hashes);
            self.add_hash(level + 1, &self.hash_of(&full));
        }
    }

    /// The hash of a block, filled up with zeros.
    fn hash_of(&self, block: &[u8]) -> Digest {
        const ZEROS: [u8; 1024] = [0; 1024];
        let mut hasher = self.start.clone();
        hasher.update(block);
        let mut missing = self.parameters.block_size() - block.len();
        while missing > 0 {
            let now = missing.min(ZEROS.len());
            hasher.update(&ZEROS[..now]);
            missing -= now;
        }
        hasher.finish()
    }
}

/// Reads a file to its end and gives its fs-verity digest.
///
/// # Errors
/// Those of the reader; an interrupted read is repeated.
pub fn digest_of_reader(mut reader: impl Read, parameters: &Parameters) -> io::Result<FileDigest> {
    let mut tree = Tree::new(parameters.clone());
    for_each_piece(&mut reader, |piece| tree.update(piece))?;
    Ok(tree.finish())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parameters(algorithm: HashAlgorithm, block_size: u32, salt: &[u8]) -> Parameters {
        Parameters::new(algorithm).unwrap().with_block_size(block_size).unwrap().with_salt(salt).unwrap()
    }

    /// The tree as the documentation describes it: level by level, everything in memory.
    fn by_the_book(content: &[u8], parameters: &Parameters) -> Digest {
        let (algorithm, block) = (parameters.hash.algorithm(), parameters.block_size());
        let mut salt = parameters.salt.clone();
        if !salt.is_empty() {
            salt.resize(parameters.hash.compression_block(), 0);
        }
        let level_above = |level: &[u8]| -> Vec<u8> {
            level
                .chunks(block)
                .flat_map(|part| {
                    let mut padded = part.to_vec();
                    padded.resize(block, 0);
                    Digest::of(algorithm, &[&salt[..], &padded].concat()).bytes().to_vec()
                })
                .collect()
        };
        let mut level = level_above(content);
        while level.len() > algorithm.length() {
            level = level_above(&level);
        }
        level.resize(64, 0);
        let mut descriptor =
            vec![1, parameters.hash.number(), block.ilog2() as u8, parameters.salt.len() as u8];
        descriptor.extend([0; 4]);
        descriptor.extend((content.len() as u64).to_le_bytes());
        descriptor.extend(level);
        descriptor.extend(&parameters.salt);
        descriptor.resize(256, 0);
        Digest::of(algorithm, &descriptor)
    }

    #[test]
    fn every_shape_of_tree() {
        let content: Vec<u8> = (0..70_000_u32).map(|at| (at / 7) as u8).collect();
        for (algorithm, hashes) in [(HashAlgorithm::Sha256, 32), (HashAlgorithm::Sha512, 16)] {
            for salt in [&[][..], &[1, 2, 3], &[7; 32]] {
                let parameters = parameters(algorithm, 1024, salt);
                let full_level = 1024 * hashes;
                for length in [
                    0,
                    1,
                    1023,
                    1024,
                    1025,
                    full_level - 1,
                    full_level,
                    full_level + 1,
                    2 * full_level,
                    2 * full_level + 1,
                    70_000,
                ] {
                    let content = &content[..length.min(content.len())];
                    let digest = digest_of_reader(content, &parameters).unwrap();
                    assert_eq!(digest.covers, SignatureType::Verity);
                    assert_eq!(digest.digest, by_the_book(content, &parameters), "{algorithm:?} {length}");
                }
            }
        }
    }

    #[test]
    fn what_fs_verity_does_not_have_is_refused() {
        assert_eq!(Parameters::new(HashAlgorithm::Sha384), Err(ParameterError::Hash(HashAlgorithm::Sha384)));
        let sha256 = || Parameters::new(HashAlgorithm::Sha256).unwrap();
        for size in [0, 1, 512, 4095, 131_072] {
            assert_eq!(sha256().with_block_size(size), Err(ParameterError::BlockSize(size)));
        }
        assert_eq!(sha256().with_salt(&[0; 33]), Err(ParameterError::Salt(33)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn pieces_do_not_matter(length in 0_usize..40_000, cuts in prop::collection::vec(1_usize..9000, 1..8)) {
            let content: Vec<u8> = (0..length).map(|at| (at % 253) as u8).collect();
            let parameters = parameters(HashAlgorithm::Sha256, 1024, b"salt");
            let mut tree = Tree::new(parameters.clone());
            let mut rest = &content[..];
            for cut in cuts {
                let (now, later) = rest.split_at(cut.min(rest.len()));
                tree.update(now);
                rest = later;
            }
            tree.update(rest);
            prop_assert_eq!(tree.finish().digest, by_the_book(&content, &parameters));
        }
    }
}
