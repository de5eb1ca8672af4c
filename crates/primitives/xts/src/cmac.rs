//! CMAC (SP 800-38B).

use zeroize::Zeroize;

use crate::authenticate::{chain, verify};
use crate::xor::{xor, xor_bytes};
use crate::{Block, BlockCipher16, Error};

/// The message authentication code of a block cipher.
#[derive(Clone)]
pub struct Cmac<C> {
    cipher: C,
    /// The subkeys K1, for a whole last block, and K2, for a partial one.
    subkeys: [Block; 2],
}

impl<C> Drop for Cmac<C> {
    fn drop(&mut self) {
        self.subkeys.zeroize();
    }
}

impl<C: BlockCipher16> Cmac<C> {
    /// Prepares a key (section 6.1).
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        let cipher = C::with_key(key)?;
        let mut zero = [[0; 16]];
        cipher.encrypt(&mut zero);
        let [l] = zero;
        let k1 = double(&l);
        Ok(Self { cipher, subkeys: [k1, double(&k1)] })
    }

    /// The tag of a message (section 6.2). Shorter tags are its beginning.
    #[must_use]
    pub fn tag(&self, message: &[u8]) -> Block {
        let last = if message.is_empty() { 0 } else { (message.len() - 1) % 16 + 1 };
        let (before, last) = message.split_at(message.len() - last);
        let mut state = [0; 16];
        chain(&self.cipher, &mut state, before);
        xor_bytes(&mut state, last);
        let [whole, partial] = &self.subkeys;
        match state.get_mut(last.len()) {
            None => state = xor(&state, whole),
            Some(end) => {
                *end ^= 0x80;
                state = xor(&state, partial);
            }
        }
        self.cipher.encrypt(core::slice::from_mut(&mut state));
        state
    }

    /// Accepts a tag of 4 to 16 bytes, in constant time.
    ///
    /// # Errors
    /// [`Error::TagLength`], [`Error::Forged`].
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), Error> {
        if !(4..=16).contains(&tag.len()) {
            return Err(Error::TagLength { found: tag.len(), expected: "4 to 16 bytes" });
        }
        verify(&self.tag(message), tag)
    }
}

/// Times x in GF(2^128) with the most significant bit first.
fn double(block: &Block) -> Block {
    let number = u128::from_be_bytes(*block);
    ((number << 1) ^ ((number >> 127).wrapping_neg() & 0x87)).to_be_bytes()
}
