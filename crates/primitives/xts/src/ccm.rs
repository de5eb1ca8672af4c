//! Counter with CBC-MAC (SP 800-38C).

use crate::authenticate::{chain, verify};
use crate::ctr::keystream;
use crate::xor::{xor, xor_bytes};
use crate::{Block, BlockCipher16, Error};

/// CCM. The cipher block chaining of its tag takes one block after another.
#[derive(Clone)]
pub struct Ccm<C>(C);

impl<C: BlockCipher16> Ccm<C> {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        C::with_key(key).map(Self)
    }

    /// Encrypts a message and writes its tag (section 6.1). The nonce has 7 to 13 bytes and must never be used again
    /// under the same key; the tag has 4, 6, 8, 10, 12, 14 or 16.
    ///
    /// # Errors
    /// [`Error::NonceLength`], [`Error::TagLength`], [`Error::MessageLength`]; nothing was written then.
    pub fn encrypt(
        &self,
        nonce: &[u8],
        associated: &[u8],
        message: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let counter = first_counter(nonce, message.len(), tag.len())?;
        let whole = self.tag(&counter, associated, message, tag.len());
        keystream(&self.0, &plus_one(&counter), message);
        tag.fill(0);
        xor_bytes(tag, &whole);
        Ok(())
    }

    /// Decrypts a message and verifies its tag (section 6.2). If the tag is wrong, the message is overwritten with
    /// zeros, since CCM authenticates the plaintext.
    ///
    /// # Errors
    /// [`Error::NonceLength`], [`Error::TagLength`], [`Error::MessageLength`], [`Error::Forged`].
    pub fn decrypt(
        &self,
        nonce: &[u8],
        associated: &[u8],
        message: &mut [u8],
        tag: &[u8],
    ) -> Result<(), Error> {
        let counter = first_counter(nonce, message.len(), tag.len())?;
        keystream(&self.0, &plus_one(&counter), message);
        verify(&self.tag(&counter, associated, message, tag.len()), tag).inspect_err(|_| message.fill(0))
    }

    /// The tag at full length, encrypted.
    fn tag(&self, counter: &Block, associated: &[u8], message: &[u8], tag_length: usize) -> Block {
        // B₀ is the first counter block (both begin with the nonce) with other flags and the length at its end
        // (appendix A.2.1).
        let with_associated = if associated.is_empty() { 0 } else { 0x40 };
        let half = (tag_length as u8).wrapping_sub(2) / 2;
        let mut state = (u128::from_be_bytes(*counter) | message.len() as u128).to_be_bytes();
        xor_bytes(&mut state, &[with_associated | half << 3]);
        self.0.encrypt(core::slice::from_mut(&mut state));
        self.chain_associated(&mut state, associated);
        chain(&self.0, &mut state, message);
        let mut encrypted = [*counter];
        self.0.encrypt(&mut encrypted);
        let [encrypted] = encrypted;
        xor(&state, &encrypted)
    }

    /// The associated data behind its length (appendix A.2.2), padded with zeros.
    fn chain_associated(&self, state: &mut Block, associated: &[u8]) {
        let length = associated.len() as u64;
        let mut field = [0; 10];
        let width = match length {
            0 => return,
            1..0xff00 => {
                field[..2].copy_from_slice(&(length as u16).to_be_bytes());
                2
            }
            0xff00..=0xffff_ffff => {
                field[..2].copy_from_slice(&[0xff, 0xfe]);
                field[2..6].copy_from_slice(&(length as u32).to_be_bytes());
                6
            }
            _ => {
                field[..2].copy_from_slice(&[0xff, 0xff]);
                field[2..].copy_from_slice(&length.to_be_bytes());
                10
            }
        };
        let (beside, later) = associated.split_at(associated.len().min(16 - width));
        xor_bytes(state, &field[..width]);
        xor_bytes(&mut state[width..], beside);
        self.0.encrypt(core::slice::from_mut(state));
        chain(&self.0, state, later);
    }
}

/// Counter block 0 (appendix A.3).
fn first_counter(nonce: &[u8], message: usize, tag: usize) -> Result<Block, Error> {
    if !(7..=13).contains(&nonce.len()) {
        return Err(Error::NonceLength { found: nonce.len(), expected: "7 to 13 bytes" });
    }
    if !(4..=16).contains(&tag) || !tag.is_multiple_of(2) {
        return Err(Error::TagLength { found: tag, expected: "4, 6, 8, 10, 12, 14 or 16 bytes" });
    }
    // The length is written in what the nonce leaves of fifteen bytes.
    let width = 15 - nonce.len();
    if width < 8 && message as u64 >> (8 * width) != 0 {
        let expected = "fewer than 256^(15 - n) bytes with a nonce of n bytes";
        return Err(Error::MessageLength { found: message as u64, expected });
    }
    let mut counter = [0; 16];
    counter[0] = (width - 1) as u8;
    counter[1..=nonce.len()].copy_from_slice(nonce);
    Ok(counter)
}

fn plus_one(counter: &Block) -> Block {
    (u128::from_be_bytes(*counter) + 1).to_be_bytes()
}
