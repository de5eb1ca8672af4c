//! The Monte Carlo test: 100 × 1,000 encryptions of one block, each of what the one before made.

use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::{Cipher, Tweaks};

use crate::Mode;

type Block = [u8; 16];

/// Lines of the answer.
const ROUNDS: usize = 100;
const TIMES: usize = 1000;

/// What a line of the answer says.
pub(crate) struct Round {
    pub(crate) key: Vec<u8>,
    pub(crate) start: Block,
    pub(crate) plaintext: Block,
    pub(crate) ciphertext: Block,
}

/// All rounds from these values on. ECB has no `start`.
pub(crate) fn rounds(
    cipher: &dyn Cipher,
    mode: Mode,
    mut key: Vec<u8>,
    mut start: Block,
    mut plaintext: Block,
) -> Result<Vec<Round>, Error> {
    let mut rounds = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let prepared = cipher.prepare(&key)?;
        let encrypted = |start: Block, mut block: Block| {
            let tweaks = Tweaks { first: u128::from_le_bytes(start), step: 0 };
            prepared.encrypt(tweaks, block.len(), &mut block).map(|()| block)
        };
        let (began, mut text) = (start, plaintext);
        let (mut last, mut before) = (start, start);
        for _ in 0..TIMES {
            let found = encrypted(start, text)?;
            (before, last) = (last, found);
            match mode {
                // CBC goes on with the block before, and the initialisation vector counts as the first of them.
                Mode::Cbc => (text, start) = (before, found),
                Mode::Ctr => {
                    (text, start) = (found, u128::from_be_bytes(start).wrapping_add(1).to_be_bytes())
                }
                _ => text = found,
            }
        }
        let next = [before, last].concat();
        let next = &next[next.len() - key.len()..];
        let following = key.iter().zip(next).map(|(byte, other)| byte ^ other).collect();
        let key = std::mem::replace(&mut key, following);
        rounds.push(Round { key, start: began, plaintext, ciphertext: last });
        plaintext = text;
    }
    Ok(rounds)
}
