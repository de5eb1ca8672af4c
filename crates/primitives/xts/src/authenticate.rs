//! What the modes with tags have in common.

use core::hint::black_box;

use crate::xor::{xor, xor_bytes};
use crate::{Block, BlockCipher16, Error};

/// Accepts a tag that is the beginning of the expected one, in constant time.
pub(crate) fn verify(expected: &Block, tag: &[u8]) -> Result<(), Error> {
    let differing = expected.iter().zip(tag).fold(0, |differing, (a, b)| differing | (a ^ b));
    if black_box(differing) == 0 { Ok(()) } else { Err(Error::Forged) }
}

/// CBC-MAC: chains `message`, padded with zeros to whole blocks, into `state`.
pub(crate) fn chain<C: BlockCipher16>(cipher: &C, state: &mut Block, message: &[u8]) {
    let (blocks, rest) = message.as_chunks();
    for block in blocks {
        *state = xor(state, block);
        cipher.encrypt(core::slice::from_mut(state));
    }
    if !rest.is_empty() {
        xor_bytes(state, rest);
        cipher.encrypt(core::slice::from_mut(state));
    }
}
