//! The prepared key and what can be done with it.

use core::fmt;

use fieldtest_block::KeyLength;
use zeroize::ZeroizeOnDrop;

use crate::Block;
use crate::path::Path;
use crate::prepared::Prepared;
use crate::schedule;

/// A prepared key of ARIA-128, ARIA-192 or ARIA-256 (RFC 5794), for both directions. It is wiped when it is dropped.
///
/// Blocks are independent of each other, as in the ECB mode, and any number of them is handled in place.
#[derive(Clone)]
pub struct Aria {
    path: Path,
    encryption: Prepared,
    decryption: Prepared,
}

impl Aria {
    /// Prepares a key of 16, 24 or 32 bytes.
    ///
    /// # Errors
    /// [`KeyLength`] for any other number of bytes.
    pub fn new(key: &[u8]) -> Result<Self, KeyLength> {
        Self::new_on(Path::best(), key)
    }

    /// [`Self::new`] for the given path, which the key then always takes.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn new_on(path: Path, key: &[u8]) -> Result<Self, KeyLength> {
        let keys = schedule::encryption(key).ok_or(KeyLength { found: key.len() })?;
        Ok(Self {
            path,
            encryption: Prepared::new(&keys, path.form()),
            decryption: Prepared::new(&keys.inverted(), path.form()),
        })
    }

    /// The path that the key takes.
    #[must_use]
    pub fn path(&self) -> Path {
        self.path
    }

    /// Encrypts each block.
    #[inline]
    pub fn encrypt(&self, blocks: &mut [Block]) {
        self.path.crypt(&self.encryption, blocks, None);
    }

    /// Decrypts each block.
    #[inline]
    pub fn decrypt(&self, blocks: &mut [Block]) {
        self.path.crypt(&self.decryption, blocks, None);
    }

    /// XORs each block with its mask, encrypts it, and XORs it with its mask again (XEX), which is what XTS is made of.
    ///
    /// # Panics
    /// If there are not as many masks as blocks.
    #[inline]
    pub fn encrypt_masked(&self, blocks: &mut [Block], masks: &[Block]) {
        self.path.crypt(&self.encryption, blocks, Some(masks));
    }

    /// The inverse of [`Self::encrypt_masked`]: the same with decryption in the middle.
    ///
    /// # Panics
    /// If there are not as many masks as blocks.
    #[inline]
    pub fn decrypt_masked(&self, blocks: &mut [Block], masks: &[Block]) {
        self.path.crypt(&self.decryption, blocks, Some(masks));
    }

    /// Encrypts runs of `run` blocks (the last may be shorter), each by itself: the mask of a run's first block is the
    /// run's in `first`, and that of each later one is the one before times x in GF(2^128) (IEEE 1619-2018, section
    /// 5.2). With encrypted tweaks as first masks this is XTS over sectors of `run` blocks. Unless that is a multiple of
    /// 32, no two runs share a group of blocks.
    ///
    /// # Panics
    /// If `run` is 0 or there is not one first mask for each run.
    pub fn encrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.path.crypt_xex(&self.encryption, blocks, run, first);
    }

    /// The inverse of [`Self::encrypt_xex`].
    ///
    /// # Panics
    /// As [`Self::encrypt_xex`].
    pub fn decrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.path.crypt_xex(&self.decryption, blocks, run, first);
    }
}

impl ZeroizeOnDrop for Aria {}

impl fmt::Debug for Aria {
    /// Shows nothing of the key but its number of rounds and its path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Aria")
            .field("rounds", &self.encryption.rounds)
            .field("path", &self.path.name())
            .finish_non_exhaustive()
    }
}
