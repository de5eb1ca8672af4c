//! A message as the chain of steps that every code path runs.
//!
//! CMAC encrypts `state ^ block` for one block after another. AES begins with `^ round_keys[0]` (*whitening*) and
//! ends with `^ round_keys[ROUNDS]`, so between two blocks three values are added to the state. The paths add their
//! sum instead: a *step* does the rounds 1 to `ROUNDS - 1`, the last round without its key, and then
//! `^ link ^ block`, where `link = round_keys[ROUNDS] ^ round_keys[0]`. AESENCLAST does that addition itself, so
//! that only the rounds remain on the chain whose latency decides. The first state is `first_block ^ whitening`, and
//! the step whose block is the whitening itself leaves exactly `^ round_keys[ROUNDS]`: the tag.

use crate::block::Block;
use crate::key::{Cmac, RoundKeys};

/// A message cut where CMAC treats its blocks differently.
pub(crate) struct Chain<'a> {
    pub(crate) before: &'a [[u8; 16]],
    /// The last block, padded if it was not whole.
    pub(crate) last: Block,
    /// What is added to the last block: K1 if it was whole, otherwise K2.
    pub(crate) subkey: &'a Block,
}

impl<'a> Chain<'a> {
    #[inline(always)]
    pub(crate) fn new<const ROUNDS: usize>(key: &'a Cmac<ROUNDS>, message: &'a [u8]) -> Self {
        let (blocks, rest) = message.as_chunks::<16>();
        match (blocks.split_last(), message.last_chunk::<16>()) {
            (Some((last, before)), _) if rest.is_empty() => {
                Self { before, last: Block(*last), subkey: &key.whole }
            }
            (_, Some(last)) => {
                Self { before: blocks, last: Block::padded(*last, rest.len()), subkey: &key.partial }
            }
            (_, None) => Self { before: &[], last: Block::short(rest), subkey: &key.partial },
        }
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
}
