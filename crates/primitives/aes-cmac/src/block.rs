//! The 128-bit block and the arithmetic on it that CMAC needs beside the cipher.

/// One block, aligned so that a vector register is filled by one aligned load.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Block(pub(crate) [u8; 16]);

impl Block {
    pub(crate) const ZERO: Self = Self([0; 16]);

    #[inline(always)]
    pub(crate) fn xor(self, other: Self) -> Self {
        Self((u128::from_ne_bytes(self.0) ^ u128::from_ne_bytes(other.0)).to_ne_bytes())
    }

    /// Twice the block in GF(2^128) as CMAC represents it (SP 800-38B, section 6.1), in constant time.
    #[inline(always)]
    pub(crate) fn doubled(self) -> Self {
        let value = u128::from_be_bytes(self.0);
        let reduction = (value >> 127).wrapping_neg() & 0x87;
        Self(((value << 1) ^ reduction).to_be_bytes())
    }

    /// The last `length` bytes of `last`, a one bit, and zeros (SP 800-38B, section 6.2, step 4).
    ///
    /// `length` is 1 to 15. The bytes in front belong to the block before; shifting them out costs less than a copy
    /// of variable length.
    #[inline(always)]
    pub(crate) fn padded(last: [u8; 16], length: usize) -> Self {
        let bits = 8 * length as u32;
        let kept = u128::from_le_bytes(last).wrapping_shr(128 - bits);
        Self((kept | 0x80 << bits).to_le_bytes())
    }

    /// As [`Block::padded`] for a message of fewer than 16 bytes, in front of which nothing may be read.
    #[inline(always)]
    pub(crate) fn short(message: &[u8]) -> Self {
        let mut block = [0; 16];
        for (to, from) in block.iter_mut().zip(message.iter().chain(&[0x80])) {
            *to = *from;
        }
        Self(block)
    }
}
