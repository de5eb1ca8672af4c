//! SHA-1 (FIPS 180-4, section 6.1).

#![allow(unsafe_code)] // calls of functions with target features

#[cfg(target_arch = "x86_64")]
mod ni;
mod portable;
#[cfg(target_arch = "x86_64")]
mod vector;

use crate::block::{Block, State, Tail, write_digest};
use crate::hash::{Compression, Hash, absorb_message};
use crate::path::Path;

/// The constants of the four times twenty rounds (section 4.2.1).
const K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// SHA-1 (FIPS 180-4, section 6.1).
#[derive(Clone, Copy, Debug)]
pub enum Sha1 {}

impl Hash for Sha1 {
    const DIGEST: usize = 20;
}

/// The SHA-1 digest of a message.
#[must_use]
pub fn sha1(message: &[u8]) -> [u8; 20] {
    sha1_on(Path::best(), message)
}

/// [`sha1`] by the given path.
#[must_use]
pub fn sha1_on(path: Path, message: &[u8]) -> [u8; 20] {
    let mut digest = [0; 20];
    let mut tail = Tail::EMPTY;
    write_digest(&mut digest, &absorb_message::<Sha1>(path, message, &mut tail));
    digest
}

impl Compression for Sha1 {
    const INITIAL: State = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0, 0, 0, 0]; // section 5.3.1

    const EIGHT_FROM: usize = 4; // measured on an Intel server core with AMX

    fn portable(state: &mut State, blocks: &[Block]) {
        portable::compress(state, blocks);
    }

    #[cfg(target_arch = "x86_64")]
    unsafe fn sha_ni<const L: usize>(states: &mut [State; L], messages: &[&[Block]; L]) -> usize {
        // SAFETY: as for this function.
        unsafe { ni::compress(states, messages) }
    }

    #[cfg(target_arch = "x86_64")]
    unsafe fn hmac_sha_ni(inner: &State, outer: &State, body: &[Block], tail: &[Block]) -> State {
        // SAFETY: as for this function.
        unsafe { ni::hmac(inner, outer, body, tail) }
    }
}
