//! Sectors encrypted in place, as disks are.
//!
//! What differs between sectors is a tweak of 16 bytes: it is a number, little endian, and that of sector i of the data is
//! first + i * step. It is the tweak of XTS (IEEE 1619-2018, section 5.1), Adiantum and HCTR2, the initialisation vector of
//! CBC, and the first counter block of CTR. A key has the size "key" of its algorithm.

use std::ffi::c_int;

use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::{self, Tweaks};

use crate::catalog::Implementation;
use crate::error::{FT_EARGUMENT, Failure, call};
use crate::handle::{Handle, borrow, free, give};
use crate::memory::{bytes, bytes_mut};

/// A key that is prepared for many sectors.
pub struct CipherKey {
    _opaque: [u8; 0],
}

impl Handle for CipherKey {
    type Inner = Box<dyn cipher::CipherKey>;
    const TAG: [u8; 8] = *b"ft-ciphk";
}

/// Prepares a key for many sectors. ft_cipher_key_free() frees it.
///
/// Returns FT_EKEY if the bytes are no key, or one that the standard forbids, such as two equal halves for XTS.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_cipher_key_new(
    implementation: *const Implementation,
    key_bytes: *const u8,
    key_length: usize,
    key: *mut *mut CipherKey,
) -> c_int {
    call(|| {
        let made = || {
            // SAFETY: a handle and bytes, as this function asks for.
            let (code, secret) =
                unsafe { (borrow(implementation)?.cipher()?, bytes(key_bytes, key_length)?) };
            Ok(code.prepare(secret)?)
        };
        // SAFETY: a place for a handle, as this function asks for.
        unsafe { give(key, made) }
    })
}

/// Encrypts consecutive sectors in place. first_tweak has 16 bytes.
///
/// Returns FT_EARGUMENT if the data is no whole number of sectors or a sector is of no bytes, and FT_ELIBRARY if the cipher has
/// no sectors of that size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_cipher_encrypt(
    key: *const CipherKey,
    first_tweak: *const u8,
    step: u64,
    sector_size: usize,
    data: *mut u8,
    data_length: usize,
) -> c_int {
    // SAFETY: as this function asks for.
    call(|| unsafe {
        crypt(key, first_tweak, step, sector_size, (data, data_length), |key, tweaks, data| {
            key.encrypt(tweaks, sector_size, data)
        })
    })
}

/// Decrypts consecutive sectors in place. All is as with ft_cipher_encrypt().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_cipher_decrypt(
    key: *const CipherKey,
    first_tweak: *const u8,
    step: u64,
    sector_size: usize,
    data: *mut u8,
    data_length: usize,
) -> c_int {
    // SAFETY: as this function asks for.
    call(|| unsafe {
        crypt(key, first_tweak, step, sector_size, (data, data_length), |key, tweaks, data| {
            key.decrypt(tweaks, sector_size, data)
        })
    })
}

/// Frees a prepared key and wipes it, as far as the implementation does so. NULL is nothing to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_cipher_key_free(key: *mut CipherKey) -> c_int {
    // SAFETY: a handle that nobody uses any more, as this function asks for.
    call(|| unsafe { free(key) })
}

/// # Safety
/// A handle, 16 bytes, and data that nobody else uses meanwhile.
unsafe fn crypt(
    key: *const CipherKey,
    first_tweak: *const u8,
    step: u64,
    sector_size: usize,
    (data, data_length): (*mut u8, usize),
    work: impl FnOnce(&dyn cipher::CipherKey, Tweaks, &mut [u8]) -> Result<(), Error>,
) -> Result<(), Failure> {
    // SAFETY: as promised above. The tweak is copied, as it may lie in the data.
    let (key, tweak) = unsafe { (borrow(key)?, <[u8; 16]>::try_from(bytes(first_tweak, 16)?)) };
    let tweak = tweak.map_err(|_| Failure::plain(FT_EARGUMENT))?;
    if sector_size == 0 || !data_length.is_multiple_of(sector_size) {
        let text =
            format!("{data_length} bytes are not a multiple of the sector size of {sector_size} bytes");
        return Err(Failure::new(FT_EARGUMENT, text));
    }
    // SAFETY: as promised above.
    let data = unsafe { bytes_mut(data, data_length) }?;
    Ok(work(key.as_ref(), Tweaks { first: u128::from_le_bytes(tweak), step }, data)?)
}
