//! CMAC (SP 800-38B).

use fieldtest_block::masks::times_x;
use fieldtest_block::xor;
use zeroize::Zeroize;

use crate::{Block, BlockCipher16, Error};

/// CMAC: a chain over the message, whose last block is told apart by a subkey. One message after another; for many short
/// ones under AES, as TCP-AO has them, there is `fieldtest-aes-cmac`.
#[derive(Clone)]
pub struct Cmac<C> {
    cipher: C,
    /// K1: added to a last block that is whole.
    whole: Block,
    /// K2: added to a last block that was filled up.
    partial: Block,
}

impl<C> Drop for Cmac<C> {
    fn drop(&mut self) {
        self.whole.zeroize();
        self.partial.zeroize();
    }
}

/// Twice the block in the field, whose elements CMAC writes from the other end than XTS (section 5.3).
fn doubled(block: Block) -> Block {
    times_x(u128::from_be_bytes(block)).to_be_bytes()
}

impl<C: BlockCipher16> Cmac<C> {
    /// Prepares a key, and the subkeys (section 6.1).
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        let cipher = C::with_key(key)?;
        let mut zero = [[0; 16]];
        cipher.encrypt(&mut zero);
        let whole = doubled(zero[0]);
        Ok(Self { cipher, whole, partial: doubled(whole) })
    }

    /// Overwrites `tag` with the first `tag.len()` bytes of the message's tag (section 6.2).
    ///
    /// # Errors
    /// [`Error::TagLength`] if more than 16 bytes are asked for.
    pub fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        if tag.len() > 16 {
            return Err(Error::TagLength { found: tag.len(), expected: "up to 16 bytes" });
        }
        let (blocks, rest) = message.as_chunks();
        let (before, last) = match blocks.split_last() {
            Some((last, before)) if rest.is_empty() => (before, xor(last, &self.whole)),
            _ => {
                let mut last = [0; 16];
                last[..rest.len()].copy_from_slice(rest);
                last[rest.len()] = 0x80;
                (blocks, xor(&last, &self.partial))
            }
        };
        let mut state = [0; 16];
        self.cipher.absorb_chained(&mut state, before);
        self.cipher.absorb_chained(&mut state, &[last]);
        tag.copy_from_slice(&state[..tag.len()]);
        Ok(())
    }
}
