//! The Galois/counter mode (SP 800-38D).

use fieldtest_block::{Ciphertext, Hash, xor, xor_blocks};
use fieldtest_cpu::constant_time_eq;
use fieldtest_ghash::Ghash;

use crate::{AeadMode, Block, BlockCipher16, Error};

/// GCM: the counter mode with a tag by GHASH. A nonce of 12 bytes is what it is made for; any other is hashed first.
///
/// Tags have 12 to 16 bytes, or 8 or 4 where few messages are tried (section 5.2.1.2 and appendix C).
#[derive(Clone)]
pub struct Gcm<C> {
    cipher: C,
    ghash: Ghash,
}

/// Most bytes of a message: 2^39 - 256 bits (section 5.2.1.1).
const LONGEST: u64 = (1 << 36) - 32;

/// Most bytes of associated data, and of a nonce: 2^64 - 1 bits.
const LONGEST_BESIDE: u64 = (1 << 61) - 1;

/// Whole groups of any cipher. What is left is encrypted together with the block that hides the tag.
const GROUP: usize = 32;

/// Blocks of a short message, for which clearing room for a group would be felt.
const SHORT: usize = 7;

impl<C: BlockCipher16> Gcm<C> {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        let cipher = C::with_key(key)?;
        let mut subkey = [[0; 16]];
        cipher.encrypt(&mut subkey);
        Ok(Self { ghash: Ghash::new(&subkey[0]), cipher })
    }

    /// The pre-counter block J0 (section 7.1, step 2).
    fn pre_counter(&self, nonce: &[u8]) -> Block {
        let mut block = [0; 16];
        if let Ok(nonce) = <[u8; 12]>::try_from(nonce) {
            block[..12].copy_from_slice(&nonce);
            block[15] = 1;
        } else {
            self.ghash.update_padded(&mut block, nonce);
            self.ghash.update(&mut block, &[lengths(0, nonce.len())]);
        }
        block
    }

    /// Continues the hash over associated data and ciphertext with their lengths.
    fn finish_hash(&self, mut state: Block, ciphertext: &[u8], lengths: Block) -> Block {
        let (blocks, rest) = ciphertext.as_chunks();
        if !blocks.is_empty() {
            self.ghash.update(&mut state, blocks);
        }
        let mut last = [[0; 16], lengths];
        last[0][..rest.len()].copy_from_slice(rest);
        self.ghash.update(&mut state, &last[usize::from(rest.is_empty())..]);
        state
    }

    fn hash_associated(&self, associated: &[u8]) -> Block {
        let mut state = [0; 16];
        self.ghash.update_padded(&mut state, associated);
        state
    }

    /// XORs the keystream after the pre-counter block into blocks, and goes on with the hash over their ciphertext. Of a counter the
    /// last 32 bits alone are counted (section 6.5).
    fn keystream(
        &self,
        pre_counter: &Block,
        blocks: &mut [Block],
        state: &mut Block,
        ciphertext: Ciphertext,
    ) {
        if blocks.is_empty() {
            return;
        }
        let first = with_low(pre_counter, low(pre_counter).wrapping_add(1));
        let left = (1 << 32) - u64::from(low(&first));
        let (before, after) =
            blocks.split_at_mut(blocks.len().min(usize::try_from(left).unwrap_or(usize::MAX)));
        for (blocks, counter) in [(before, first), (after, with_low(&first, 0))] {
            if !blocks.is_empty() {
                let hash = Hash { key: &self.ghash, state: &mut *state, ciphertext };
                self.cipher.xor_keystream_hashed(blocks, &counter, hash);
            }
        }
    }

    /// XORs the keystream into what is left after whole groups, less than one of them, and returns the block that hides the
    /// tag: they are encrypted at once.
    fn last_keystream(&self, pre_counter: &Block, groups: usize, rest: &mut [u8]) -> Block {
        if rest.is_empty() {
            let mut hides = [*pre_counter];
            self.cipher.encrypt(&mut hides);
            hides[0]
        } else if rest.len() <= 16 * SHORT {
            self.last_keystream_in(&mut [[0; 16]; SHORT + 1], pre_counter, groups, rest)
        } else {
            self.last_keystream_in(&mut [[0; 16]; GROUP + 1], pre_counter, groups, rest)
        }
    }

    /// [`last_keystream`](Self::last_keystream) in a buffer with room for it.
    #[inline(always)]
    fn last_keystream_in(
        &self,
        stream: &mut [Block],
        pre_counter: &Block,
        groups: usize,
        rest: &mut [u8],
    ) -> Block {
        let stream = &mut stream[..=rest.len().div_ceil(16)];
        let first = low(pre_counter).wrapping_add(groups as u32);
        for (at, counter) in (0..).zip(stream.iter_mut()) {
            *counter = with_low(pre_counter, first.wrapping_add(at));
        }
        stream[0] = *pre_counter;
        self.cipher.encrypt(stream);
        let (hides, stream) = (stream[0], &stream[1..]);
        let (blocks, partial) = rest.as_chunks_mut();
        xor_blocks(blocks, stream);
        partial
            .iter_mut()
            .zip(stream[blocks.len()..].as_flattened())
            .for_each(|(byte, other)| *byte ^= other);
        hides
    }
}

/// The part of a counter that is counted.
fn low(counter: &Block) -> u32 {
    u128::from_be_bytes(*counter) as u32
}

fn with_low(counter: &Block, low: u32) -> Block {
    // One store of the whole, which the cipher can then load whole.
    ((u128::from_be_bytes(*counter) >> 32 << 32) | u128::from(low)).to_be_bytes()
}

/// Two lengths in bits (section 7.1, step 5).
fn lengths(first: usize, second: usize) -> Block {
    (u128::from(8 * first as u64) << 64 | u128::from(8 * second as u64)).to_be_bytes()
}

fn check(nonce: &[u8], associated: &[u8], message: &[u8], tag: &[u8]) -> Result<(), Error> {
    if !(1..=LONGEST_BESIDE).contains(&(nonce.len() as u64)) {
        return Err(Error::NonceLength { found: nonce.len(), expected: "1 byte or more, and best 12" });
    }
    if !matches!(tag.len(), 4 | 8 | 12..=16) {
        return Err(Error::TagLength { found: tag.len(), expected: "4, 8 or 12 to 16 bytes" });
    }
    if associated.len() as u64 > LONGEST_BESIDE {
        return Err(Error::MessageLength {
            found: associated.len() as u64,
            expected: "less than 2^61 bytes in addition",
        });
    }
    if message.len() as u64 > LONGEST {
        return Err(Error::MessageLength {
            found: message.len() as u64,
            expected: "up to 68,719,476,704 bytes",
        });
    }
    Ok(())
}

/// Splits off the whole groups of blocks.
fn split_groups(message: &mut [u8]) -> (&mut [Block], &mut [u8]) {
    let (groups, rest) = message.split_at_mut(message.len() / (16 * GROUP) * (16 * GROUP));
    (groups.as_chunks_mut().0, rest)
}

impl<C: BlockCipher16> AeadMode for Gcm<C> {
    fn seal(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        check(nonce, associated, message, tag)?;
        let lengths = lengths(associated.len(), message.len());
        let pre_counter = self.pre_counter(nonce);
        let mut state = self.hash_associated(associated);
        let (groups, rest) = split_groups(message);
        self.keystream(&pre_counter, groups, &mut state, Ciphertext::After);
        let hides = self.last_keystream(&pre_counter, groups.len(), rest);
        let whole = xor(&self.finish_hash(state, rest, lengths), &hides);
        tag.copy_from_slice(&whole[..tag.len()]);
        Ok(())
    }

    fn open(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        check(nonce, associated, message, tag)?;
        let pre_counter = self.pre_counter(nonce);
        let mut state = self.hash_associated(associated);
        let lengths = lengths(associated.len(), message.len());
        // What is decrypted while it is hashed is encrypted again if the tag is wrong. Hashing all of it
        // first is a second pass: with it, a page of AES took 1,520 cycles to open, and takes 1,250 now
        // (AVX-512).
        let (groups, rest) = split_groups(message);
        self.keystream(&pre_counter, groups, &mut state, Ciphertext::Before);
        let state = self.finish_hash(state, rest, lengths);
        let hides = self.last_keystream(&pre_counter, groups.len(), rest);
        if constant_time_eq(&xor(&state, &hides)[..tag.len()], tag) {
            return Ok(());
        }
        self.keystream(&pre_counter, groups, &mut [0; 16], Ciphertext::After);
        self.last_keystream(&pre_counter, groups.len(), rest);
        Err(Error::WrongTag)
    }
}
