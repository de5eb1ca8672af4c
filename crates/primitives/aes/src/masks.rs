//! The masks of XTS: multiplication by x in GF(2^128).

use crate::{Block, Path};

/// The mask of the next block: times x modulo x^128 + x^7 + x^2 + x + 1, the least significant bit being the
/// coefficient of 1 (IEEE 1619-2018, section 5.2).
#[inline(always)]
pub(crate) fn times_x(mask: u128) -> u128 {
    (mask << 1) ^ ((mask >> 127).wrapping_neg() & 0x87)
}

/// Overwrites `masks` with `first` times 1, x, x², … (IEEE 1619-2018, section 5.2).
///
/// For XTS with another cipher; [`Aes::encrypt_xex`](crate::Aes::encrypt_xex) makes its masks beside the rounds.
pub fn fill_masks(first: &Block, masks: &mut [Block]) {
    fill_masks_on(Path::best(), first, masks);
}

/// [`fill_masks`] by the given path.
pub fn fill_masks_on(path: Path, first: &Block, masks: &mut [Block]) {
    #[cfg(target_arch = "x86_64")]
    crate::simd::fill_masks(path, first, masks);
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = path;
        fill(first, masks);
    }
}

/// The portable path.
pub(crate) fn fill(first: &Block, masks: &mut [Block]) {
    let mut mask = u128::from_le_bytes(*first);
    for to in masks {
        *to = mask.to_le_bytes();
        mask = times_x(mask);
    }
}
