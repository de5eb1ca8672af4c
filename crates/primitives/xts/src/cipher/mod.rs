//! The ciphers that the modes are made of.

mod bulk;

pub(crate) use bulk::times_x;

use fieldtest_aes::Aes;
use fieldtest_aria::Aria;
use fieldtest_lea::Lea;

use crate::{Block, Error};

/// A block cipher with blocks of sixteen bytes that takes many blocks at once.
///
/// The last three methods are made of the others; a cipher overrides them if it can make masks or counters beside its
/// rounds.
pub trait BlockCipher16: Sized {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`Error::KeyLength`] if the cipher has no keys of that length.
    fn with_key(key: &[u8]) -> Result<Self, Error>;

    /// Encrypts each block in place.
    fn encrypt(&self, blocks: &mut [Block]);

    /// Decrypts each block in place.
    fn decrypt(&self, blocks: &mut [Block]);

    /// XORs `masks[i]` into block `i` before and after encrypting it. There are as many masks as blocks.
    fn encrypt_masked(&self, blocks: &mut [Block], masks: &[Block]);

    /// XORs `masks[i]` into block `i` before and after decrypting it. There are as many masks as blocks.
    fn decrypt_masked(&self, blocks: &mut [Block], masks: &[Block]);

    /// Encrypts runs of `run` blocks (the last may be shorter), each by itself: the mask of a run's first block is the
    /// run's in `first`, and that of each later one is the one before times x in GF(2^128) (IEEE 1619-2018, section
    /// 5.2). There is one first mask for each run, and `run` is not 0.
    fn encrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        bulk::in_masked_chunks(blocks, run, first, |blocks, masks| self.encrypt_masked(blocks, masks));
    }

    /// The opposite of [`encrypt_xex`](Self::encrypt_xex).
    fn decrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        bulk::in_masked_chunks(blocks, run, first, |blocks, masks| self.decrypt_masked(blocks, masks));
    }

    /// XORs a keystream into runs of `run` blocks (the last may be shorter): the encrypted counter blocks `first`,
    /// `first + 1`, … as big-endian numbers modulo 2^128. There is one first counter for each run, and `run` is not 0.
    fn xor_keystream(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        bulk::xor_keystream(blocks, run, first, |counters| self.encrypt(counters));
    }
}

impl BlockCipher16 for Aes {
    fn with_key(key: &[u8]) -> Result<Self, Error> {
        Aes::new(key).map_err(|error| Error::KeyLength { found: error.found })
    }

    fn encrypt(&self, blocks: &mut [Block]) {
        self.encrypt(blocks);
    }

    fn decrypt(&self, blocks: &mut [Block]) {
        self.decrypt(blocks);
    }

    fn encrypt_masked(&self, blocks: &mut [Block], masks: &[Block]) {
        self.encrypt_masked(blocks, masks);
    }

    fn decrypt_masked(&self, blocks: &mut [Block], masks: &[Block]) {
        self.decrypt_masked(blocks, masks);
    }

    fn encrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.encrypt_xex(blocks, run, first);
    }

    fn decrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.decrypt_xex(blocks, run, first);
    }

    fn xor_keystream(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.xor_keystream(blocks, run, first);
    }
}

/// The ciphers that make the masks of long runs beside their rounds, but no counters.
macro_rules! ciphers_with_masks {
    ($($cipher:ty)*) => { $(
        impl BlockCipher16 for $cipher {
            fn with_key(key: &[u8]) -> Result<Self, Error> {
                Self::new(key).map_err(|_| Error::KeyLength { found: key.len() })
            }

            fn encrypt(&self, blocks: &mut [Block]) {
                self.encrypt(blocks);
            }

            fn decrypt(&self, blocks: &mut [Block]) {
                self.decrypt(blocks);
            }

            fn encrypt_masked(&self, blocks: &mut [Block], masks: &[Block]) {
                self.encrypt_masked(blocks, masks);
            }

            fn decrypt_masked(&self, blocks: &mut [Block], masks: &[Block]) {
                self.decrypt_masked(blocks, masks);
            }

            fn encrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
                if beside_the_rounds(blocks, run) {
                    self.encrypt_xex(blocks, run, first);
                } else {
                    bulk::in_masked_chunks(blocks, run, first, |blocks, masks| {
                        self.encrypt_masked(blocks, masks);
                    });
                }
            }

            fn decrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
                if beside_the_rounds(blocks, run) {
                    self.decrypt_xex(blocks, run, first);
                } else {
                    bulk::in_masked_chunks(blocks, run, first, |blocks, masks| {
                        self.decrypt_masked(blocks, masks);
                    });
                }
            }
        }
    )* };
}

/// Whether whole registers of masks fit the runs. Otherwise a group of blocks is better filled across their borders.
fn beside_the_rounds(blocks: &[Block], run: usize) -> bool {
    blocks.len() <= run || run.is_multiple_of(32)
}

ciphers_with_masks!(Aria Lea);
