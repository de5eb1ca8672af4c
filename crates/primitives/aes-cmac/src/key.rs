//! The prepared key.

use core::fmt;

use zeroize::ZeroizeOnDrop;

use crate::block::Block;
use crate::chain::Chain;
use crate::{Path, TagTooLong, dispatch};

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

impl Cmac128 {
    /// Prepares a key.
    #[must_use]
    pub fn new(key: &[u8; 16]) -> Self {
        dispatch::prepare(key)
    }
}

impl Cmac256 {
    /// Prepares a key.
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        dispatch::prepare(key)
    }
}

impl<const ROUNDS: usize> Cmac<ROUNDS> {
    /// The subkeys K1 and K2 are the encrypted zero block, doubled once and twice (SP 800-38B, section 6.1).
    #[inline(always)]
    pub(crate) fn from_round_keys(
        round_keys: &RoundKeys,
        tag: impl FnOnce(&Self, Chain<'_>) -> Block,
    ) -> Self {
        let [whitening, rounds @ ..] = &round_keys.0;
        let rounds = core::array::from_fn(|round| match rounds[round] {
            last if round == ROUNDS - 1 => last.xor(*whitening),
            key => key,
        });
        let mut key = Self { whitening: *whitening, rounds, whole: Block::ZERO, partial: Block::ZERO };
        let zero = Chain { before: &[], last: Block::ZERO, subkey: &Block::ZERO };
        key.whole = tag(&key, zero).doubled();
        key.partial = key.whole.doubled();
        key
    }

    /// Overwrites `tag` with the first `tag.len()` bytes of the message's tag.
    ///
    /// # Errors
    /// [`TagTooLong`] if more than 16 bytes are asked for.
    #[inline]
    pub fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), TagTooLong> {
        self.tag_on(Path::best(), message, tag)
    }

    /// As [`Cmac::tag`], by the given path. Those that differ in how they do many messages do a single one as AES-NI does.
    ///
    /// # Errors
    /// As [`Cmac::tag`].
    #[inline]
    pub fn tag_on(&self, path: Path, message: &[u8], tag: &mut [u8]) -> Result<(), TagTooLong> {
        TagTooLong::check(tag)?;
        write_tag(&dispatch::tag(path, self, message), tag);
        Ok(())
    }
}

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
