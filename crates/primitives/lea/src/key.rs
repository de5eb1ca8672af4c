//! The prepared key and what can be done with it.

use core::fmt;

use fieldtest_block::KeyLength;
use zeroize::ZeroizeOnDrop;

use crate::Block;
use crate::path::Path;
use crate::rounds::{Decryption, Encryption};
use crate::schedule::Schedule;

/// A prepared key of LEA-128, LEA-192 or LEA-256, for both directions. It takes 12 KiB, and is wiped when it
/// is dropped.
///
/// Blocks are independent of each other, as in the ECB mode, and any number of them is handled in place.
#[derive(Clone)]
pub struct Lea(Schedule);

impl Lea {
    /// Prepares a key of 16, 24 or 32 bytes.
    ///
    /// # Errors
    /// [`KeyLength`] for any other number of bytes.
    pub fn new(key: &[u8]) -> Result<Self, KeyLength> {
        fn prepared<const WORDS: usize>(words: &[[u8; 4]]) -> Option<Schedule> {
            Some(Schedule::new::<WORDS>(words.try_into().ok()?))
        }
        let (words, rest) = key.as_chunks();
        let schedule = match (words.len(), rest) {
            (4, []) => prepared::<4>(words),
            (6, []) => prepared::<6>(words),
            (8, []) => prepared::<8>(words),
            _ => None,
        };
        schedule.map(Self).ok_or(KeyLength { found: key.len() })
    }

    /// Encrypts each block.
    #[inline]
    pub fn encrypt(&self, blocks: &mut [Block]) {
        self.encrypt_on(Path::best(), blocks);
    }

    /// Decrypts each block.
    #[inline]
    pub fn decrypt(&self, blocks: &mut [Block]) {
        self.decrypt_on(Path::best(), blocks);
    }

    /// XORs each block with its mask, encrypts it, and XORs it with its mask again (XEX), which is what XTS is made of.
    ///
    /// # Panics
    /// If there are not as many masks as blocks.
    #[inline]
    pub fn encrypt_masked(&self, blocks: &mut [Block], masks: &[Block]) {
        self.encrypt_masked_on(Path::best(), blocks, masks);
    }

    /// The inverse of [`Self::encrypt_masked`]: the same with decryption in the middle.
    ///
    /// # Panics
    /// If there are not as many masks as blocks.
    #[inline]
    pub fn decrypt_masked(&self, blocks: &mut [Block], masks: &[Block]) {
        self.decrypt_masked_on(Path::best(), blocks, masks);
    }

    /// Encrypts runs of `run` blocks (the last may be shorter), each by itself: the mask of a run's first block is the
    /// run's in `first`, and that of each later one is the one before times x in GF(2^128) (IEEE 1619-2018, section
    /// 5.2). With encrypted tweaks as first masks this is XTS over sectors of `run` blocks. A multiple of 32 suits all
    /// paths.
    ///
    /// # Panics
    /// If `run` is 0 or there is not one first mask for each run.
    #[inline]
    pub fn encrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.encrypt_xex_on(Path::best(), blocks, run, first);
    }

    /// The inverse of [`Self::encrypt_xex`].
    ///
    /// # Panics
    /// As [`Self::encrypt_xex`].
    #[inline]
    pub fn decrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.decrypt_xex_on(Path::best(), blocks, run, first);
    }

    /// XORs a keystream into runs of `run` blocks (the last may be shorter): the encrypted counter blocks `first`,
    /// `first + 1`, … as big-endian numbers modulo 2^128 (CTR of SP 800-38A, section 6.5). It is its own opposite.
    ///
    /// # Panics
    /// If `run` is 0 or there is not one first counter for each run.
    #[inline]
    pub fn xor_keystream(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.xor_keystream_on(Path::best(), blocks, run, first);
    }

    /// [`Self::encrypt`] by the given path.
    #[inline]
    pub fn encrypt_on(&self, path: Path, blocks: &mut [Block]) {
        path.run::<Encryption>(&self.0, blocks, None);
    }

    /// [`Self::decrypt`] by the given path.
    #[inline]
    pub fn decrypt_on(&self, path: Path, blocks: &mut [Block]) {
        path.run::<Decryption>(&self.0, blocks, None);
    }

    /// [`Self::encrypt_masked`] by the given path.
    ///
    /// # Panics
    /// As [`Self::encrypt_masked`].
    #[inline]
    pub fn encrypt_masked_on(&self, path: Path, blocks: &mut [Block], masks: &[Block]) {
        path.run::<Encryption>(&self.0, blocks, Some(masks));
    }

    /// [`Self::decrypt_masked`] by the given path.
    ///
    /// # Panics
    /// As [`Self::decrypt_masked`].
    #[inline]
    pub fn decrypt_masked_on(&self, path: Path, blocks: &mut [Block], masks: &[Block]) {
        path.run::<Decryption>(&self.0, blocks, Some(masks));
    }

    /// [`Self::xor_keystream`] by the given path.
    ///
    /// # Panics
    /// As [`Self::xor_keystream`].
    #[inline]
    pub fn xor_keystream_on(&self, path: Path, blocks: &mut [Block], run: usize, first: &[Block]) {
        path.run_keystream(&self.0, blocks, run, first);
    }

    /// [`Self::encrypt_xex`] by the given path.
    ///
    /// # Panics
    /// As [`Self::encrypt_xex`].
    #[inline]
    pub fn encrypt_xex_on(&self, path: Path, blocks: &mut [Block], run: usize, first: &[Block]) {
        path.run_xex::<Encryption>(&self.0, blocks, run, first);
    }

    /// [`Self::decrypt_xex`] by the given path.
    ///
    /// # Panics
    /// As [`Self::encrypt_xex`].
    #[inline]
    pub fn decrypt_xex_on(&self, path: Path, blocks: &mut [Block], run: usize, first: &[Block]) {
        path.run_xex::<Decryption>(&self.0, blocks, run, first);
    }
}

impl ZeroizeOnDrop for Lea {}

impl fmt::Debug for Lea {
    /// Shows nothing of the key but its length.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lea").field("key_bits", &self.0.key_bits()).finish_non_exhaustive()
    }
}
