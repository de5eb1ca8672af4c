//! MACs by the host's OpenSSL.

use std::ffi::CStr;
use std::ops::RangeInclusive;
use std::sync::Arc;

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::MacKey;

use crate::host::keyed::Keyed;
use crate::mac::keyed::{self, check_length, too_long, write};
use crate::mac::kmac;

use super::ffi::{self, KeyedContext, Libcrypto, Method, Setting};

/// The keyed functions of OpenSSL by its own names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    /// HMAC with a hash function, and the bytes of its digests.
    Hmac(&'static CStr, usize),
    /// CMAC with a block cipher in CBC mode, and the bytes of its keys.
    Cmac(&'static CStr, usize),
    /// `KMAC-128` or `KMAC-256`, with a customization string.
    Kmac(&'static CStr, &'static [u8]),
    /// `BLAKE2SMAC` or `BLAKE2BMAC`, and the bytes of its longest keys and digests.
    Blake2(&'static CStr, usize),
    /// SipHash-2-4 with 16 bytes of output.
    SipHash,
}

impl Function {
    /// OpenSSL's names for it; nothing where it has no such function, or wants a nonce apart.
    pub(super) fn of(keyed: Keyed) -> Option<Function> {
        let longest = keyed.output();
        Some(match keyed {
            Keyed::HmacSha1 => Function::Hmac(c"SHA1", longest),
            Keyed::HmacSha256 => Function::Hmac(c"SHA256", longest),
            Keyed::HmacSha384 => Function::Hmac(c"SHA384", longest),
            Keyed::HmacSha512 => Function::Hmac(c"SHA512", longest),
            Keyed::HmacSha3_256 => Function::Hmac(c"SHA3-256", longest),
            Keyed::CmacAes128 => Function::Cmac(c"AES-128-CBC", 16),
            Keyed::CmacAes192 => Function::Cmac(c"AES-192-CBC", 24),
            Keyed::CmacAes256 => Function::Cmac(c"AES-256-CBC", 32),
            Keyed::CmacAria128 => Function::Cmac(c"ARIA-128-CBC", 16),
            Keyed::CmacAria192 => Function::Cmac(c"ARIA-192-CBC", 24),
            Keyed::CmacAria256 => Function::Cmac(c"ARIA-256-CBC", 32),
            Keyed::Blake2s => Function::Blake2(c"BLAKE2SMAC", longest),
            Keyed::Blake2b => Function::Blake2(c"BLAKE2BMAC", longest),
            Keyed::SipHash => Function::SipHash,
            Keyed::GmacAes128 | Keyed::Poly1305Aes => return None,
        })
    }

    fn name(self) -> &'static CStr {
        match self {
            Function::Hmac(..) => c"HMAC",
            Function::Cmac(..) => c"CMAC",
            Function::Kmac(name, _) | Function::Blake2(name, _) => name,
            Function::SipHash => c"SIPHASH",
        }
    }

    fn setting(self) -> Setting {
        match self {
            Function::Hmac(digest, _) => Setting::Digest(digest),
            Function::Cmac(cipher, _) => Setting::Cipher(cipher),
            Function::Kmac(_, customization) => Setting::Custom(customization),
            Function::Blake2(_, size) => Setting::Size(size),
            Function::SipHash => Setting::Size(16),
        }
    }

    /// Bytes of a key. OpenSSL's KMAC has none shorter than 4 and none longer than 512 (`man 7 EVP_MAC-KMAC`).
    fn keys(self) -> RangeInclusive<usize> {
        match self {
            Function::Hmac(..) => 0..=usize::MAX,
            Function::Cmac(_, key) => key..=key,
            Function::Kmac(..) => 4..=512,
            Function::Blake2(_, longest) => 1..=longest,
            Function::SipHash => 16..=16,
        }
    }

    fn longest_tag(self) -> usize {
        match self {
            Function::Hmac(_, longest) | Function::Blake2(_, longest) => longest,
            Function::Cmac(..) | Function::SipHash => 16,
            Function::Kmac(..) => kmac::LONGEST_TAG,
        }
    }
}

/// A keyed function of the host's OpenSSL.
#[derive(Clone)]
pub(crate) struct HostMac {
    function: Function,
    method: Arc<Method>,
}

impl HostMac {
    /// Nothing, if this OpenSSL does not offer the function: that shows when a key is set.
    pub(super) fn new(libcrypto: &'static Libcrypto, function: Function) -> Option<Self> {
        let method = Arc::new(Method::named(libcrypto, function.name()).ok()?);
        let mac = HostMac { function, method };
        keyed::Function::key(&mac, &vec![0; (*mac.function.keys().end()).min(32)]).ok()?;
        Some(mac)
    }
}

impl keyed::Function for HostMac {
    type Key = HostKey;

    fn longest_tag(&self) -> usize {
        self.function.longest_tag()
    }

    fn key(&self, key: &[u8]) -> Result<HostKey, Error> {
        check_length(&self.function.keys(), key)?;
        let context = self.method.context(key, &[self.function.setting()])?;
        Ok(HostKey { function: self.function, context })
    }
}

/// A context that has the key, duplicated for each message.
pub(crate) struct HostKey {
    function: Function,
    context: KeyedContext,
}

impl MacKey for HostKey {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        let longest = self.function.longest_tag();
        if tag.len() > longest {
            return Err(too_long(tag.len(), longest));
        }
        let size = matches!(self.function, Function::Kmac(..)).then_some(tag.len());
        let mut output = [0; ffi::LONGEST];
        let length = self.context.tag(message, size, &mut output)?;
        write(&output[..length], tag)
    }
}
