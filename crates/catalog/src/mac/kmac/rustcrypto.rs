//! KMAC (NIST SP 800-185, section 4) on the cSHAKE of the RustCrypto project.

use cshake::CShake;
use cshake::digest::{ExtendableOutput as _, Update as _, XofReader as _};
use fieldtest_kinds::Error;
use fieldtest_kinds::mac::MacKey;
use zeroize::Zeroizing;

use super::super::keyed::{Function, too_long};
use super::LONGEST_TAG;

/// KMAC128 with a `RATE` of 168 bytes, KMAC256 with one of 136.
#[derive(Clone)]
pub(super) struct Kmac<const RATE: usize> {
    pub(super) customization: &'static [u8],
}

impl<const RATE: usize> Function for Kmac<RATE> {
    type Key = Key<RATE>;

    fn longest_tag(&self) -> usize {
        LONGEST_TAG
    }

    /// The state after the key's block, which is absorbed once.
    fn key(&self, key: &[u8]) -> Result<Key<RATE>, Error> {
        let mut state = CShake::<RATE>::new_with_function_name(b"KMAC", self.customization);
        let (bytes, from) = encoded(RATE as u64);
        let mut block = Zeroizing::new(left_encoded(&bytes, from));
        let (bytes, from) = encoded(8 * key.len() as u64);
        // Room for all of it, so that the key is not left behind where the vector was before it grew.
        block.reserve_exact(9 + key.len() + RATE);
        block.extend(left_encoded(&bytes, from));
        block.extend(key);
        let padded = block.len().next_multiple_of(RATE);
        block.resize(padded, 0);
        state.update(&block);
        Ok(Key(state))
    }
}

pub(super) struct Key<const RATE: usize>(CShake<RATE>);

impl<const RATE: usize> MacKey for Key<RATE> {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        if tag.len() > LONGEST_TAG {
            return Err(too_long(tag.len(), LONGEST_TAG));
        }
        let mut state = self.0.clone();
        state.update(message);
        // right_encode of the tag's bits (SP 800-185, section 2.3.1).
        let (bytes, from) = encoded(8 * tag.len() as u64);
        state.update(&bytes[from..]);
        state.update(&[(bytes.len() - from) as u8]);
        state.finalize_xof().read(tag);
        Ok(())
    }
}

/// The bytes of a number, and where the first that counts is; zero has one.
fn encoded(number: u64) -> ([u8; 8], usize) {
    let zeros = number.leading_zeros() as usize / 8;
    (number.to_be_bytes(), zeros.min(7))
}

/// `left_encode` (SP 800-185, section 2.3.1).
fn left_encoded(bytes: &[u8; 8], from: usize) -> Vec<u8> {
    [&[(bytes.len() - from) as u8], &bytes[from..]].concat()
}
