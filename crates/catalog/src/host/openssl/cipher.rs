//! Block ciphers in a mode, with authentication and without, by the host's OpenSSL, which calls them as the catalog does, but
//! in capitals.
//!
//! The method is fetched once, and the key is set once per direction. Each call borrows a context with the key, and
//! sets nothing but the initialisation vector or the nonce.

use std::ffi::CString;
use std::sync::Arc;

use fieldtest_kinds::aead::Aead;
use fieldtest_kinds::cipher::Cipher;
use zeroize::Zeroizing;

use crate::aead;
use crate::host::keyed::BlockCipher;
use crate::host::pooled::{Direction, Maker, PooledCipher};
use crate::host::pooled_aead;

use super::ffi::{AeadContext, CipherContext, CipherMethod, Libcrypto};

/// Nothing, if this OpenSSL does not offer it.
fn method(libcrypto: &'static Libcrypto, name: &str) -> Option<CipherMethod> {
    CipherMethod::named(libcrypto, &CString::new(name.to_ascii_uppercase()).ok()?).ok()
}

pub(super) fn cipher(libcrypto: &'static Libcrypto, wanted: BlockCipher<'_>) -> Option<impl Cipher + use<>> {
    let method = method(libcrypto, &format!("{}-{}-{:?}", wanted.block, wanted.bits, wanted.mode))?;
    PooledCipher::new(wanted.mode, wanted.key_len(), move |key: &[u8], direction: Direction| {
        let keyed = method.context(key, direction)?;
        Ok(Box::new(move || keyed.copy()) as Maker<CipherContext>)
    })
}

pub(super) fn aead(
    libcrypto: &'static Libcrypto,
    block: &str,
    bits: usize,
    mode: aead::Mode,
) -> Option<Arc<dyn Aead>> {
    let method = Arc::new(method(libcrypto, &format!("{block}-{bits}-{mode:?}"))?);
    pooled_aead::aead(bits / 8, move |key, direction| {
        let (method, key) = (Arc::clone(&method), Zeroizing::new(key.to_vec()));
        Box::new(move || AeadContext::new(&method, mode, &key, direction)) as Maker<AeadContext>
    })
}
