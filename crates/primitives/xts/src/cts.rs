//! CBC with ciphertext stealing, the variant CS3 (addendum to SP 800-38A), which Kerberos (RFC 3962, section 5) and
//! fscrypt use.

use crate::cbc::{decrypt_chained, encrypt_chained};
use crate::xor::{xor, xor_bytes};
use crate::{Block, BlockCipher16, Error};

/// CBC-CS3: messages keep their length, from 16 bytes on, and the last two blocks of the ciphertext always change
/// places. A message of one block is plain CBC.
#[derive(Clone)]
pub struct CbcCts<C>(C);

impl<C: BlockCipher16> CbcCts<C> {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        C::with_key(key).map(Self)
    }

    /// Encrypts a message.
    ///
    /// # Errors
    /// [`Error::MessageLength`] for one of less than 16 bytes.
    pub fn encrypt(&self, iv: &Block, message: &mut [u8]) -> Result<(), Error> {
        let (blocks, last) = split(message)?;
        let before = encrypt_chained(&self.0, iv, blocks);
        if let Some(stolen) = blocks.last_mut().filter(|_| !last.is_empty()) {
            // The last plaintext block is padded with zeros; its place gets the beginning of the ciphertext before it.
            let mut padded = [before];
            xor_bytes(padded.as_flattened_mut(), last);
            self.0.encrypt(&mut padded);
            last.copy_from_slice(&before[..last.len()]);
            [*stolen] = padded;
        }
        Ok(())
    }

    /// Decrypts a message.
    ///
    /// # Errors
    /// [`Error::MessageLength`] for one of less than 16 bytes.
    pub fn decrypt(&self, iv: &Block, message: &mut [u8]) -> Result<(), Error> {
        let (blocks, last) = split(message)?;
        if last.is_empty() {
            decrypt_chained(&self.0, iv, blocks);
        } else if let Some((swapped, blocks)) = blocks.split_last_mut() {
            let before = decrypt_chained(&self.0, iv, blocks);
            self.0.decrypt(core::slice::from_mut(swapped));
            // What was stolen is the end of the block before, since it met only zeros.
            let mut stolen = *swapped;
            for (to, from) in stolen.iter_mut().zip(last.iter()) {
                *to = *from;
            }
            xor_bytes(last, swapped);
            let mut whole = [stolen];
            self.0.decrypt(&mut whole);
            let [whole] = whole;
            *swapped = xor(&whole, &before);
        }
        Ok(())
    }
}

/// The whole blocks but the last, and what is left: 1 to 16 bytes, or nothing after a single block.
fn split(message: &mut [u8]) -> Result<(&mut [Block], &mut [u8]), Error> {
    let last = match message.len() {
        found @ ..16 => {
            return Err(Error::MessageLength { found: found as u64, expected: "16 bytes or more" });
        }
        16 => 0,
        length => (length - 1) % 16 + 1,
    };
    let (blocks, last) = message.split_at_mut(message.len() - last);
    Ok((blocks.as_chunks_mut().0, last))
}
