//! The prepared key.

use core::fmt;

use zeroize::ZeroizeOnDrop;

use crate::block::Block;

/// A key prepared for AES-CMAC: the key schedule and the two subkeys. Wiped when dropped.
///
/// `ROUNDS` is the number of AES rounds; use the names [`Cmac128`] and [`Cmac256`].
#[repr(C, align(16))]
pub struct Cmac<const ROUNDS: usize> {
    /// Round key 0.
    pub(crate) whitening: Block,
    /// Round keys 1 to `ROUNDS - 1`, then the link (see [`crate::chain`]).
    pub(crate) rounds: [Block; ROUNDS],
    /// K1: added to a last block that is whole.
    pub(crate) whole: Block,
    /// K2: added to a last block that was padded.
    pub(crate) partial: Block,
}

/// AES-128-CMAC (RFC 4493).
pub type Cmac128 = Cmac<10>;

/// AES-256-CMAC (NIST SP 800-38B).
pub type Cmac256 = Cmac<14>;

/// Writes the beginning of `whole` that fits `tag`. The usual lengths are copies of a known size.
#[inline(always)]
pub(crate) fn write_tag(whole: &Block, tag: &mut [u8]) {
    match tag.len() {
        12 => tag.copy_from_slice(&whole.0[..12]),
        16 => tag.copy_from_slice(&whole.0),
        _ => tag.iter_mut().zip(whole.0).for_each(|(to, from)| *to = from),
    }
}

/// Round keys, wiped when dropped; AES-128 uses the first eleven.
pub(crate) struct RoundKeys(pub(crate) [Block; 15]);

impl Drop for RoundKeys {
    fn drop(&mut self) {
        self.0 = [Block::ZERO; 15];
        zeroize::optimization_barrier(self);
    }
}

impl<const ROUNDS: usize> Drop for Cmac<ROUNDS> {
    fn drop(&mut self) {
        self.whitening = Block::ZERO;
        self.rounds = [Block::ZERO; ROUNDS];
        self.whole = Block::ZERO;
        self.partial = Block::ZERO;
        zeroize::optimization_barrier(self);
    }
}

impl<const ROUNDS: usize> ZeroizeOnDrop for Cmac<ROUNDS> {}

/// Shows nothing of the key.
impl<const ROUNDS: usize> fmt::Debug for Cmac<ROUNDS> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Cmac").finish_non_exhaustive()
    }
}
