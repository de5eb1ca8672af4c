//! The modes that make a cipher of sectors of a block cipher.

use super::sectors::Sizes;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// IEEE 1619-2018: the tweak is a sector's number.
    Xts,
    /// SP 800-38A, section 6.1: each block by itself, and no tweak.
    Ecb,
    /// SP 800-38A, section 6.2: the tweak is the initialisation vector.
    Cbc,
    /// SP 800-38A, section 6.5: the tweak is the first counter block, a big-endian number.
    Ctr,
}

impl Mode {
    /// Bytes of a key, from those of the block cipher's.
    pub(crate) fn key_len(self, block_cipher: usize) -> usize {
        match self {
            Mode::Xts => 2 * block_cipher,
            Mode::Ecb | Mode::Cbc | Mode::Ctr => block_cipher,
        }
    }

    pub(crate) fn sizes(self) -> Sizes {
        match self {
            Mode::Xts => Sizes::XTS,
            Mode::Ecb | Mode::Cbc => Sizes::BLOCKS,
            Mode::Ctr => Sizes::STREAM,
        }
    }
}
