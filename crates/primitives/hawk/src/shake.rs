//! SHAKE256 (FIPS 202), one at a time and four side by side. States are wiped: some hold secrets.

use fieldtest_keccak::{Path, permute, permute_four};
use zeroize::Zeroize;

/// Bytes of a block.
const RATE: usize = 136;

/// SHAKE256 of pieces.
#[derive(Clone)]
pub(crate) struct Shake256 {
    path: Path,
    state: [u64; 25],
    /// Where in the block the next byte goes.
    at: usize,
}

impl Shake256 {
    /// The state after these pieces.
    pub(crate) fn of(path: Path, pieces: &[&[u8]]) -> Self {
        let mut shake = Shake256 { path, state: [0; 25], at: 0 };
        pieces.iter().for_each(|piece| shake.absorb(piece));
        shake
    }

    pub(crate) fn absorb(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() {
            if self.at == RATE {
                permute(self.path, &mut self.state);
                self.at = 0;
            }
            match piece.split_first_chunk() {
                Some((word, rest)) if self.at.is_multiple_of(8) => {
                    self.state[self.at / 8] ^= u64::from_le_bytes(*word);
                    self.at += 8;
                    piece = rest;
                }
                _ => {
                    self.state[self.at / 8] ^= u64::from(piece[0]) << (8 * (self.at % 8));
                    self.at += 1;
                    piece = &piece[1..];
                }
            }
        }
    }

    /// Ends the message and gives the beginning of the output.
    pub(crate) fn digest(mut self, output: &mut [u8]) {
        if self.at == RATE {
            permute(self.path, &mut self.state);
            self.at = 0;
        }
        self.state[self.at / 8] ^= 0x1f << (8 * (self.at % 8));
        self.state[RATE / 8 - 1] ^= 1 << 63;
        for block in output.chunks_mut(RATE) {
            permute(self.path, &mut self.state);
            for (bytes, word) in block.chunks_mut(8).zip(self.state) {
                bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
            }
        }
    }
}

impl Drop for Shake256 {
    fn drop(&mut self) {
        self.state.zeroize();
    }
}

/// SHAKE256x4 (section 3.3.2): the outputs for the seed and one byte from 0 to 3 behind it, a word of each in turn.
pub(crate) fn four(path: Path, pieces: &[&[u8]], output: &mut [[u64; 4]]) {
    // The states are equal up to the last byte, so that one state absorbs what comes before the last block.
    let mut common = Shake256::of(path, pieces);
    if common.at == RATE {
        permute(path, &mut common.state);
        common.at = 0;
    }
    let mut states = common.state.map(|word| [word; 4]);
    for (number, word) in states[common.at / 8].iter_mut().enumerate() {
        // The byte, and the end of the message behind it where the block has room for both.
        *word ^= (number as u64) << (8 * (common.at % 8));
    }
    common.at += 1;
    if common.at == RATE {
        permute_four(path, &mut states);
        common.at = 0;
    }
    states[common.at / 8].iter_mut().for_each(|word| *word ^= 0x1f << (8 * (common.at % 8)));
    states[RATE / 8 - 1].iter_mut().for_each(|word| *word ^= 1 << 63);
    for block in output.chunks_mut(RATE / 8) {
        permute_four(path, &mut states);
        block.copy_from_slice(&states[..block.len()]);
    }
    states.as_flattened_mut().zeroize();
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    #[test]
    fn four_side_by_side_are_four() {
        for path in Path::available() {
            for length in [0, 1, 7, 16, 100, 134, 135, 136, 137, 271, 272] {
                let seed: Vec<u8> = (0..length).map(|at| at as u8).collect();
                let mut words = [[0; 4]; 40];
                four(path, &[&seed[..length / 2], &seed[length / 2..]], &mut words);
                for number in 0..4_u8 {
                    let mut expected = vec![0; 320];
                    Shake256::of(path, &[&seed, &[number]]).digest(&mut expected);
                    let bytes: Vec<u8> =
                        words.iter().flat_map(|four| four[usize::from(number)].to_le_bytes()).collect();
                    assert_eq!(bytes, expected, "{} {length} {number}", path.name());
                }
            }
        }
    }

    /// The empty message (NIST, `SHAKE256_Msg0.pdf`).
    #[test]
    fn empty_message() {
        let mut digest = [0; 8];
        Shake256::of(Path::best(), &[]).digest(&mut digest);
        assert_eq!(digest, [0x46, 0xb9, 0xdd, 0x2b, 0x0b, 0xa8, 0x8d, 0x13]);
    }
}
