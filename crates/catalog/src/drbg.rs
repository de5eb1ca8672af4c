//! The random generator behind NIST's known-answer files: CTR_DRBG of SP 800-90A, section 10.2.1, with AES-256, no
//! derivation function, no reseeding.
//!
//! A `.rsp` file states a 48-byte seed per case; key generation and signing then draw from this generator. Libraries
//! that want a generator which cannot fail get one too, seeded from the system.

use std::convert::Infallible;

use aes::Aes256;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::Randomness;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::adapt::random;

/// Bytes of a seed: an AES-256 key and a block.
pub(crate) const SEED: usize = 48;

#[derive(Zeroize, ZeroizeOnDrop)]
pub(crate) struct Drbg {
    key: [u8; 32],
    counter: [u8; 16],
}

impl Drbg {
    /// A generator with this entropy input, and no personalisation string.
    pub(crate) fn new(seed: &[u8; SEED]) -> Self {
        let mut drbg = Drbg { key: [0; 32], counter: [0; 16] };
        drbg.update(seed);
        drbg
    }

    /// CTR_DRBG_Generate. What one call yields does not continue what the call before yielded: 16 + 16 bytes are not
    /// 32 bytes, which known answers depend on.
    pub(crate) fn fill(&mut self, out: &mut [u8]) {
        self.blocks(out);
        self.update(&[0; SEED]);
    }

    /// CTR_DRBG_Update.
    fn update(&mut self, provided: &[u8; SEED]) {
        let mut next = [0; SEED];
        self.blocks(&mut next);
        next.iter_mut().zip(provided).for_each(|(n, p)| *n ^= p);
        self.key.copy_from_slice(&next[..32]);
        self.counter.copy_from_slice(&next[32..]);
        next.zeroize();
    }

    /// The key stream; the counter is raised before each block.
    fn blocks(&mut self, out: &mut [u8]) {
        let cipher = Aes256::new(&self.key.into());
        for chunk in out.chunks_mut(16) {
            self.counter = u128::from_be_bytes(self.counter).wrapping_add(1).to_be_bytes();
            let mut block = self.counter.into();
            cipher.encrypt_block(&mut block);
            chunk.copy_from_slice(&block[..chunk.len()]);
        }
    }
}

/// Runs `work` with randomness that no one can predict.
pub(crate) fn with_system<T>(work: impl FnOnce(&mut Randomness) -> Result<T, Error>) -> Result<T, Error> {
    let mut drbg = Drbg::new(&*random()?);
    work(&mut |out| drbg.fill(out))
}

/// Randomness that was written down: these bytes in order, and zeros when they are used up.
pub(crate) fn replay(bytes: &[u8]) -> impl FnMut(&mut [u8]) {
    let mut rest = bytes;
    move |out| {
        let (now, later) = rest.split_at(out.len().min(rest.len()));
        out.fill(0);
        out[..now.len()].copy_from_slice(now);
        rest = later;
    }
}

/// Given randomness, as the generator traits of the `rand_core` versions that the libraries ask for.
pub(crate) struct Given<'a, 'b>(pub(crate) &'a mut Randomness<'b>);

impl rand_core::TryRng for Given<'_, '_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        (self.0)(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        (self.0)(&mut bytes);
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        (self.0)(out);
        Ok(())
    }
}

impl rand_core::TryCryptoRng for Given<'_, '_> {}

impl rand_core_06::RngCore for Given<'_, '_> {
    fn next_u32(&mut self) -> u32 {
        rand_core_06::impls::next_u32_via_fill(self)
    }

    fn next_u64(&mut self) -> u64 {
        rand_core_06::impls::next_u64_via_fill(self)
    }

    fn fill_bytes(&mut self, out: &mut [u8]) {
        (self.0)(out);
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), rand_core_06::Error> {
        (self.0)(out);
        Ok(())
    }
}

impl rand_core_06::CryptoRng for Given<'_, '_> {}

impl hawk512::Rng for Given<'_, '_> {
    fn fill(&mut self, out: &mut [u8]) {
        (self.0)(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapt::hex;

    /// The first seed and the first message of every NIST signature `.rsp` file (`PQCsignKAT_24_MAYO_1.rsp`, say):
    /// the entropy input 00 01 … 2f, then 48 bytes of seed, then 33 bytes of message.
    #[test]
    fn the_first_case_of_every_known_answer_file() {
        let mut drbg = Drbg::new(&std::array::from_fn(|i| i as u8));
        let mut seed = [0; 48];
        drbg.fill(&mut seed);
        assert_eq!(
            seed.to_vec(),
            hex(
                "061550234d158c5ec95595fe04ef7a25767f2e24cc2bc479d09d86dc9abcfde7056a8c266f9ef97ed08541dbd2e1ffa1"
            )
        );
        let mut message = [0; 33];
        drbg.fill(&mut message);
        assert_eq!(
            message.to_vec(),
            hex("d81c4d8d734fcbfbeade3d3f8a039faa2a2c9957e835ad55b22e75bf57bb556ac8")
        );
    }
}
