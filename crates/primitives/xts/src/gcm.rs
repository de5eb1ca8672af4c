//! The Galois/counter mode (SP 800-38D).

use ghash::GHash;
use ghash::universal_hash::UniversalHash;
use zeroize::Zeroize;

use crate::authenticate::verify;
use crate::ctr::keystream;
use crate::xor::xor;
use crate::{Block, BlockCipher16, Error};

/// GCM with tags of sixteen bytes.
#[derive(Clone)]
pub struct Gcm<C> {
    cipher: C,
    ghash: GHash,
}

/// Most bytes of a message: 2^39 − 256 bits (section 5.2.1.1).
const LONGEST: u64 = (1 << 36) - 32;

impl<C: BlockCipher16> Gcm<C> {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        let cipher = C::with_key(key)?;
        let mut subkey = ghash::Key::default();
        cipher.encrypt(core::slice::from_mut(&mut subkey.0));
        let ghash = GHash::new(&subkey);
        subkey.zeroize();
        Ok(Self { cipher, ghash })
    }

    /// Encrypts a message and returns its tag (section 7.1). The nonce, of twelve bytes or any other length but 0, must
    /// never be used again under the same key.
    ///
    /// # Errors
    /// [`Error::NonceLength`], [`Error::MessageLength`].
    pub fn encrypt(&self, nonce: &[u8], associated: &[u8], message: &mut [u8]) -> Result<Block, Error> {
        let counter = self.first_counter(nonce)?;
        within_limit(message)?;
        self.apply(counter, message);
        Ok(self.tag(counter, associated, message))
    }

    /// Verifies a tag and then decrypts the message (section 7.2), which is left as it is if the tag is wrong.
    ///
    /// # Errors
    /// [`Error::NonceLength`], [`Error::MessageLength`], [`Error::Forged`].
    pub fn decrypt(
        &self,
        nonce: &[u8],
        associated: &[u8],
        message: &mut [u8],
        tag: &Block,
    ) -> Result<(), Error> {
        let counter = self.first_counter(nonce)?;
        within_limit(message)?;
        verify(&self.tag(counter, associated, message), tag)?;
        self.apply(counter, message);
        Ok(())
    }

    /// J₀ of section 7.1.
    fn first_counter(&self, nonce: &[u8]) -> Result<u128, Error> {
        Ok(match nonce.len() {
            0 => {
                return Err(Error::NonceLength { found: 0, expected: "12 bytes, or any other number but 0" });
            }
            12 => nonce.iter().fold(0, |number, byte| number << 8 | u128::from(*byte)) << 32 | 1,
            length => {
                let mut ghash = self.ghash.clone();
                ghash.update_padded(nonce);
                ghash.update(&[(8 * length as u128).to_be_bytes().into()]);
                u128::from_be_bytes(ghash.finalize().into())
            }
        })
    }

    /// Encrypts or decrypts from the counter after `first` on. Only its last 32 bits count (section 6.2).
    fn apply(&self, first: u128, message: &mut [u8]) {
        let (prefix, mut count) = (first & !0xffff_ffff, (first as u32).wrapping_add(1));
        let mut rest = message;
        while !rest.is_empty() {
            let until_wrap = 16 * ((1 << 32) - u64::from(count));
            let length = usize::try_from(until_wrap).map_or(rest.len(), |until| until.min(rest.len()));
            let (part, after) = rest.split_at_mut(length);
            keystream(&self.cipher, &(prefix | u128::from(count)).to_be_bytes(), part);
            (rest, count) = (after, 0);
        }
    }

    fn tag(&self, first: u128, associated: &[u8], ciphertext: &[u8]) -> Block {
        let mut ghash = self.ghash.clone();
        ghash.update_padded(associated);
        ghash.update_padded(ciphertext);
        let lengths = (8 * associated.len() as u128) << 64 | (8 * ciphertext.len() as u128);
        ghash.update(&[lengths.to_be_bytes().into()]);
        let mut encrypted = [first.to_be_bytes()];
        self.cipher.encrypt(&mut encrypted);
        let [encrypted] = encrypted;
        xor(&ghash.finalize().into(), &encrypted)
    }
}

fn within_limit(message: &[u8]) -> Result<(), Error> {
    match message.len() as u64 {
        ..=LONGEST => Ok(()),
        found => Err(Error::MessageLength { found, expected: "at most 68,719,476,704 bytes" }),
    }
}
