//! As on a smaller machine: ft_restrict_extensions().

use std::ffi::{c_char, c_int};

use fieldtest_catalog::host::extensions::{Refused, restrict};

use crate::error::{FT_EARGUMENT, FT_ELATE, Failure, call};
use crate::memory::text;

/// Restricts our own code to a level of the processor's extensions, as on a smaller machine, until the process ends: "avx512", "avx2", "sse"
/// (AES-NI, PCLMULQDQ and SHA-NI on 128 bits) or "none". To be called before any other function but those of errors and the version.
/// Other libraries have words of their own: AWS-LC reads OPENSSL_ia32cap from the environment when it is loaded.
///
/// Returns FT_EARGUMENT where there is no such level, or the processor is below it, and FT_ELATE where code chose by them already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_restrict_extensions(level: *const c_char) -> c_int {
    call(|| {
        // SAFETY: a text, as this function asks for.
        let level = unsafe { text(level) }?;
        restrict(level).map(drop).map_err(|error| {
            let code = if error == Refused::Late { FT_ELATE } else { FT_EARGUMENT };
            Failure::new(code, format!("cannot restrict extensions to '{level}': {error}"))
        })
    })
}
