//! Ciphers that authenticate by the host's Nettle.

use std::sync::Arc;

use fieldtest_kinds::aead::Aead;

use super::ffi::{CcmContext, Gcm, Nettle};
use crate::aead::Mode;
use crate::host::pooled_aead;

pub(super) fn aead(nettle: &'static Nettle, block: &str, bits: usize, mode: Mode) -> Option<Arc<dyn Aead>> {
    if mode == Mode::Ccm {
        let block = super::block(block, bits)?;
        return pooled_aead::aead(bits / 8, move |key| CcmContext::new(&block, key));
    }
    let symbol: &[u8] = match (block, bits) {
        ("aes", 128) => b"nettle_gcm_aes128\0",
        ("aes", 192) => b"nettle_gcm_aes192\0",
        ("aes", 256) => b"nettle_gcm_aes256\0",
        _ => return None,
    };
    let gcm = Gcm::of(nettle, symbol, bits / 8)?;
    pooled_aead::aead(bits / 8, move |key| gcm.context(key))
}
