//! SHAKE128 and SHAKE256 (FIPS 202) of pieces. States are wiped: some hold secrets.

use fieldtest_keccak::{Path, permute};
use zeroize::Zeroize;

/// Bytes of a block of SHAKE128.
pub(crate) const RATE_128: usize = 168;
/// Bytes of a block of SHAKE256.
pub(crate) const RATE_256: usize = 136;

/// A sponge with blocks of `RATE` bytes.
pub(crate) struct Shake<const RATE: usize> {
    path: Path,
    state: [u64; 25],
    /// Where in the block the next byte goes.
    at: usize,
}

impl<const RATE: usize> Shake<RATE> {
    /// The sponge that has absorbed these pieces, ready to be squeezed.
    pub(crate) fn of(path: Path, pieces: &[&[u8]]) -> Self {
        let mut shake = Self { path, state: [0; 25], at: 0 };
        for piece in pieces {
            shake.absorb(piece);
        }
        shake.state[shake.at / 8] ^= 0x1f << (8 * (shake.at % 8));
        shake.state[RATE / 8 - 1] ^= 1 << 63;
        shake
    }

    fn absorb(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() {
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
            if self.at == RATE {
                permute(self.path, &mut self.state);
                self.at = 0;
            }
        }
    }

    /// The next block of output, as words of which the bytes are in little-endian order.
    pub(crate) fn block(&mut self) -> &[u64] {
        permute(self.path, &mut self.state);
        &self.state[..RATE / 8]
    }

    /// The beginning of the output.
    pub(crate) fn digest<const BYTES: usize>(mut self) -> [u8; BYTES] {
        const { assert!(BYTES <= RATE) };
        let mut digest = [0; BYTES];
        for (bytes, word) in digest.chunks_mut(8).zip(self.block()) {
            bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
        }
        digest
    }
}

impl<const RATE: usize> Drop for Shake<RATE> {
    fn drop(&mut self) {
        self.state.zeroize();
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use shake::{ExtendableOutput, Shake128, Shake256, Update, XofReader};

    #[test]
    fn pieces_are_hashed_as_one_message() {
        let message: [u8; 400] = core::array::from_fn(|i| (i * i) as u8);
        for length in 0..400 {
            let (one, two) = message[..length].split_at(length / 3);
            let mut expected = [0; 64];
            Shake256::default().chain(&message[..length]).finalize_xof().read(&mut expected);
            assert_eq!(Shake::<RATE_256>::of(Path::best(), &[one, two]).digest(), expected, "{length}");
            let mut expected = [0; 3 * RATE_128];
            Shake128::default().chain(&message[..length]).finalize_xof().read(&mut expected);
            let mut ours = Shake::<RATE_128>::of(Path::PORTABLE, &[one, &[], two]);
            for block in expected.chunks(RATE_128) {
                let words: std::vec::Vec<u8> =
                    ours.block().iter().flat_map(|word| word.to_le_bytes()).collect();
                assert_eq!(words, block, "{length}");
            }
        }
    }
}
