//! libgcrypt and Nettle, loaded if they are there.

// Calls through a foreign interface are what this module exists for.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int};

use libloading::Library;

use super::Finding;

/// libgcrypt, which is asked for its functions by their names.
pub(super) fn libgcrypt() -> Option<Finding> {
    let library = load(&["libgcrypt.so.20", "libgcrypt.20.dylib"])?;
    // SAFETY: both are declared so in gcrypt.h of every release with this file name.
    let (check_version, map_name) = unsafe {
        (
            library
                .get::<unsafe extern "C" fn(*const c_char) -> *const c_char>(b"gcry_check_version\0")
                .ok()?,
            library.get::<unsafe extern "C" fn(*const c_char) -> c_int>(b"gcry_md_map_name\0").ok()?,
        )
    };
    // SAFETY: with NULL it initialises the library and returns its version, a string that lives as long as it.
    let version = unsafe {
        let version = check_version(std::ptr::null());
        (!version.is_null()).then(|| CStr::from_ptr(version).to_string_lossy().into_owned())
    }?;
    Some(Finding::new("libgcrypt", version, |name| {
        let gcrypt = match name {
            "sha-1" => "SHA1",
            "sha-256" => "SHA256",
            "sha-512-256" => "SHA512_256",
            "sha3-256" => "SHA3-256",
            "shake128-256" => "SHAKE128",
            "blake2b-256" => "BLAKE2B_256",
            _ => return false,
        };
        // SAFETY: takes a C string, which outlives the call, and returns a number.
        CString::new(gcrypt).is_ok_and(|gcrypt| unsafe { map_name(gcrypt.as_ptr()) } != 0)
    }))
}

/// Nettle, which has a symbol for each function.
pub(super) fn nettle() -> Option<Finding> {
    let library = load(&["libnettle.so.9", "libnettle.so.8", "libnettle.9.dylib", "libnettle.8.dylib"])?;
    let number = |symbol: &[u8]| {
        // SAFETY: both functions are declared so in version.h since Nettle 2.8: they take nothing and return a number.
        unsafe { library.get::<unsafe extern "C" fn() -> c_int>(symbol).map(|function| function()) }.ok()
    };
    let version = format!("{}.{}", number(b"nettle_version_major\0")?, number(b"nettle_version_minor\0")?);
    Some(Finding::new("Nettle", version, |name| {
        let symbol: &[u8] = match name {
            "sha-1" => b"nettle_sha1_digest\0",
            "sha-256" => b"nettle_sha256_digest\0",
            "sha-512-256" => b"nettle_sha512_256_digest\0",
            "sha3-256" => b"nettle_sha3_256_digest\0",
            "shake128-256" => b"nettle_sha3_128_shake\0",
            _ => return false,
        };
        // SAFETY: the symbol is looked for, and neither called nor read.
        unsafe { library.get::<unsafe extern "C" fn()>(symbol) }.is_ok()
    }))
}

/// The first library of these file names. It stays until the process ends: unloading is what libraries get wrong.
fn load(names: &[&str]) -> Option<&'static Library> {
    // SAFETY: the initialisers of these libraries run once and expect nothing of their caller.
    let library = names.iter().find_map(|name| unsafe { Library::new(*name) }.ok())?;
    Some(Box::leak(Box::new(library)))
}
