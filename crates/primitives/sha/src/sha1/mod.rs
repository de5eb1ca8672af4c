//! SHA-1 (FIPS 180-4, section 6.1).

#[cfg(target_arch = "x86_64")]
mod ni;
mod portable;
#[cfg(target_arch = "x86_64")]
mod vector;

use crate::block::State;
use crate::hash::{digest, hash_function};
use crate::path::Path;

/// The constants of the four times twenty rounds (section 4.2.1).
const K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// SHA-1 (FIPS 180-4, section 6.1).
#[derive(Clone, Copy, Debug)]
pub enum Sha1 {}

/// The SHA-1 digest of a message.
#[must_use]
pub fn sha1(message: &[u8]) -> [u8; 20] {
    sha1_on(Path::best(), message)
}

/// [`sha1`] by the given path.
#[must_use]
pub fn sha1_on(path: Path, message: &[u8]) -> [u8; 20] {
    digest::<Sha1, 20>(path, message)
}

/// The state before the first block (section 5.3.1).
const INITIAL: State = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0, 0, 0, 0];

/// The number of messages from which on eight lanes of AVX-512VL, partly empty, beat the SHA extensions; measured on
/// an Intel server core with AMX.
const EIGHT_FROM: usize = 4;

hash_function!(Sha1, 20);
