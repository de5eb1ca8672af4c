//! Cipher block chaining (SP 800-38A, section 6.2).

use fieldtest_block::{xor, xor_blocks};

use crate::sectors::{Numbers, blocks_of};
use crate::{Block, BlockCipher16, Error, SectorMode};

/// CBC over whole blocks.
///
/// Decryption takes many blocks at once. Encryption cannot within a message, but takes many sectors at once.
#[derive(Clone)]
pub struct Cbc<C>(C);

/// Sectors encrypted side by side.
const SECTORS: usize = 64;

/// Blocks decrypted at a time.
const CHUNK: usize = 128;

impl<C: BlockCipher16> Cbc<C> {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        Ok(Self(C::with_key(key)?))
    }

    /// Encrypts one message of whole blocks.
    ///
    /// # Errors
    /// [`Error::MessageLength`].
    pub fn encrypt(&self, iv: &Block, message: &mut [u8]) -> Result<(), Error> {
        let mut state = *iv;
        self.0.encrypt_chained(&mut state, whole_blocks(message)?);
        Ok(())
    }

    /// Decrypts one message of whole blocks.
    ///
    /// # Errors
    /// [`Error::MessageLength`].
    pub fn decrypt(&self, iv: &Block, message: &mut [u8]) -> Result<(), Error> {
        let mut before = *iv;
        decrypt_chunks(&self.0, whole_blocks(message)?, |blocks, ciphertext, _| {
            if let ([first, later @ ..], [earlier @ .., last]) = (blocks, ciphertext) {
                *first = xor(first, &before);
                xor_blocks(later, earlier);
                before = *last;
            }
        });
        Ok(())
    }
}

fn whole_blocks(message: &mut [u8]) -> Result<&mut [Block], Error> {
    let found = message.len() as u64;
    match message.as_chunks_mut() {
        (blocks, []) => Ok(blocks),
        _ => Err(Error::MessageLength { found, expected: "multiples of 16 bytes" }),
    }
}

/// Decrypts all blocks a chunk at a time, and calls `chain` on each chunk with what it was before, and its place.
fn decrypt_chunks<C: BlockCipher16>(
    cipher: &C,
    blocks: &mut [Block],
    mut chain: impl FnMut(&mut [Block], &[Block], usize),
) {
    let mut ciphertext = [[0; 16]; CHUNK];
    for (at, blocks) in blocks.chunks_mut(CHUNK).enumerate() {
        let ciphertext = &mut ciphertext[..blocks.len()];
        ciphertext.copy_from_slice(blocks);
        cipher.decrypt(blocks);
        chain(blocks, ciphertext, at * CHUNK);
    }
}

impl<C: BlockCipher16> SectorMode for Cbc<C> {
    fn encrypt_sectors(
        &self,
        first: u128,
        step: u64,
        sector_size: usize,
        data: &mut [u8],
    ) -> Result<(), Error> {
        let (blocks, run) = blocks_of(sector_size, data)?;
        let mut numbers = Numbers { next: first, step };
        for sectors in blocks.chunks_mut(run.saturating_mul(SECTORS)) {
            let mut states = [[0; 16]; SECTORS];
            let states = &mut states[..sectors.len() / run];
            numbers.fill(states);
            if let [state] = states {
                self.0.encrypt_chained(state, sectors);
                continue;
            }
            for at in 0..run {
                let column = sectors.iter().skip(at).step_by(run);
                states.iter_mut().zip(column).for_each(|(state, block)| *state = xor(state, block));
                self.0.encrypt(states);
                let column = sectors.iter_mut().skip(at).step_by(run);
                states.iter().zip(column).for_each(|(state, block)| *block = *state);
            }
        }
        Ok(())
    }

    fn decrypt_sectors(
        &self,
        first: u128,
        step: u64,
        sector_size: usize,
        data: &mut [u8],
    ) -> Result<(), Error> {
        let (blocks, run) = blocks_of(sector_size, data)?;
        let mut numbers = Numbers { next: first, step };
        let mut before = [0; 16];
        decrypt_chunks(&self.0, blocks, |mut blocks, mut ciphertext, mut at| {
            while let Some(left) = (run - at % run).min(blocks.len()).checked_sub(1) {
                if at.is_multiple_of(run) {
                    before = numbers.take();
                }
                let (part, rest) = blocks.split_at_mut(left + 1);
                let (was, later) = ciphertext.split_at(left + 1);
                if let ([first, others @ ..], [earlier @ .., last]) = (part, was) {
                    *first = xor(first, &before);
                    xor_blocks(others, earlier);
                    before = *last;
                }
                at += left + 1;
                (blocks, ciphertext) = (rest, later);
            }
        });
        Ok(())
    }
}
