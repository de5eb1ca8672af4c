//! The counter mode with CBC-MAC (SP 800-38C).

use fieldtest_block::{Ciphertext, absorbed, xor};
use fieldtest_cpu::constant_time_eq;

use crate::{AeadMode, Block, BlockCipher16, Ctr, Error};

/// CCM: the counter mode with a tag by CBC-MAC, whose blocks wait for one another.
///
/// A nonce of 7 to 13 bytes leaves the 15 minus as many to the message's length: with 13 it may have 65,535 bytes.
#[derive(Clone)]
pub struct Ccm<C>(Ctr<C>);

/// Of one call.
struct Formatted {
    /// The first block of the MAC (appendix A.2.1).
    first: Block,
    /// The counter block 0 (appendix A.3).
    counter: Block,
}

impl<C: BlockCipher16> Ccm<C> {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        Ctr::new(key).map(Self)
    }

    fn cipher(&self) -> &C {
        self.0.cipher()
    }

    /// The MAC of what stands before the message (section 6.1, steps 1 to 3).
    fn mac_before(&self, first: Block, associated: &[u8]) -> Block {
        let mut state = [0; 16];
        self.cipher().absorb_chained(&mut state, &[first]);
        if !associated.is_empty() {
            self.absorb_associated(&mut state, associated);
        }
        state
    }

    /// Associated data stands after its length, which has 2, 6 or 10 bytes (appendix A.2.2).
    fn absorb_associated(&self, state: &mut Block, associated: &[u8]) {
        let mut first = [0; 16];
        let length = associated.len() as u64;
        let room = if length < 0xff00 {
            first[..2].copy_from_slice(&(length as u16).to_be_bytes());
            2
        } else if let Ok(length) = u32::try_from(length) {
            first[..2].copy_from_slice(&[0xff, 0xfe]);
            first[2..6].copy_from_slice(&length.to_be_bytes());
            6
        } else {
            first[..2].copy_from_slice(&[0xff, 0xff]);
            first[2..10].copy_from_slice(&length.to_be_bytes());
            10
        };
        let (beginning, later) = associated.split_at(associated.len().min(16 - room));
        first[room..room + beginning.len()].copy_from_slice(beginning);
        self.cipher().absorb_chained(state, &[first]);
        self.absorb_padded(state, later);
    }

    /// The last block is filled up with zeros.
    fn absorb_padded(&self, state: &mut Block, bytes: &[u8]) {
        let (blocks, rest) = bytes.as_chunks();
        self.cipher().absorb_chained(state, blocks);
        if !rest.is_empty() {
            let mut last = [0; 16];
            last[..rest.len()].copy_from_slice(rest);
            self.cipher().absorb_chained(state, &[last]);
        }
    }

    /// XORs the keystream after the counter block 0 into the message, and goes on with the MAC over its plaintext (section 6.1, steps
    /// 4 to 8).
    fn crypt(&self, mac: &mut Block, counter: Block, message: &mut [u8], ciphertext: Ciphertext) {
        let (blocks, rest) = message.as_chunks_mut();
        // The message is too short for the counter to run into the nonce.
        let after = |blocks: usize| (u128::from_be_bytes(counter) + 1 + blocks as u128).to_be_bytes();
        self.cipher().xor_keystream_absorbed(mac, blocks, &after(0), ciphertext);
        absorbed(
            rest,
            ciphertext,
            |rest| self.absorb_padded(mac, rest),
            |rest| self.0.apply(&after(blocks.len()), rest),
        );
    }

    /// The whole tag of a MAC.
    fn hidden(&self, mac: Block, counter: Block) -> Block {
        let mut hides = [counter];
        self.cipher().encrypt(&mut hides);
        xor(&mac, &hides[0])
    }
}

/// Checks all lengths, and formats the blocks that hold them.
fn format(nonce: &[u8], associated: &[u8], message: &[u8], tag: &[u8]) -> Result<Formatted, Error> {
    if !(7..=13).contains(&nonce.len()) {
        return Err(Error::NonceLength { found: nonce.len(), expected: "7 to 13 bytes" });
    }
    if !matches!(tag.len(), 4 | 6 | 8 | 10 | 12 | 14 | 16) {
        return Err(Error::TagLength { found: tag.len(), expected: "even lengths of 4 to 16 bytes" });
    }
    let for_length = 15 - nonce.len();
    let length = (message.len() as u64).to_be_bytes();
    let (unused, length) = length.split_at(8 - for_length);
    if unused.iter().any(|byte| *byte != 0) {
        return Err(Error::MessageLength {
            found: message.len() as u64,
            expected: "less than 256^(15 - n) bytes with a nonce of n bytes; take a shorter nonce",
        });
    }
    let flags =
        |associated: bool, tag: usize| (u8::from(associated) << 6) | (8 * tag as u8) | (for_length - 1) as u8;
    let block = |flags: u8, length: &[u8]| {
        let mut block = [0; 16];
        block[0] = flags;
        block[1..=nonce.len()].copy_from_slice(nonce);
        block[16 - length.len()..].copy_from_slice(length);
        block
    };
    Ok(Formatted {
        first: block(flags(!associated.is_empty(), (tag.len() - 2) / 2), length),
        counter: block(flags(false, 0), &[]),
    })
}

impl<C: BlockCipher16> AeadMode for Ccm<C> {
    fn seal(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        let Formatted { first, counter } = format(nonce, associated, message, tag)?;
        let mut mac = self.mac_before(first, associated);
        self.crypt(&mut mac, counter, message, Ciphertext::After);
        let whole = self.hidden(mac, counter);
        tag.copy_from_slice(&whole[..tag.len()]);
        Ok(())
    }

    fn open(&self, nonce: &[u8], associated: &[u8], message: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        let Formatted { first, counter } = format(nonce, associated, message, tag)?;
        let mut mac = self.mac_before(first, associated);
        self.crypt(&mut mac, counter, message, Ciphertext::Before);
        let whole = self.hidden(mac, counter);
        if constant_time_eq(&whole[..tag.len()], tag) {
            return Ok(());
        }
        // What was decrypted is not given away.
        self.crypt(&mut [0; 16], counter, message, Ciphertext::After);
        Err(Error::WrongTag)
    }
}
