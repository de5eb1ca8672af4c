use std::ffi::CStr;

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::MacKey;

use crate::host::keyed::{Keyed, Keying};
use crate::mac::keyed::{Function, too_long, write};

use super::ffi::{self, KeyedContext, Libcrypto, MacMethod, Setting};

/// OpenSSL's name of a function and the setting that makes it; nothing where it has no such function, or wants a nonce
/// apart.
fn named(function: Keyed) -> Option<(&'static CStr, Setting)> {
    let hmac = |digest| (c"HMAC", Setting::Digest(digest));
    let cmac = |cipher| (c"CMAC", Setting::Cipher(cipher));
    Some(match function {
        Keyed::HmacSha1 => hmac(c"SHA1"),
        Keyed::HmacSha256 => hmac(c"SHA256"),
        Keyed::HmacSha384 => hmac(c"SHA384"),
        Keyed::HmacSha512 => hmac(c"SHA512"),
        Keyed::HmacSha3_256 => hmac(c"SHA3-256"),
        Keyed::CmacAes128 => cmac(c"AES-128-CBC"),
        Keyed::CmacAes192 => cmac(c"AES-192-CBC"),
        Keyed::CmacAes256 => cmac(c"AES-256-CBC"),
        Keyed::CmacAria128 => cmac(c"ARIA-128-CBC"),
        Keyed::CmacAria192 => cmac(c"ARIA-192-CBC"),
        Keyed::CmacAria256 => cmac(c"ARIA-256-CBC"),
        Keyed::Kmac(name, customization) => (name, Setting::Custom(customization)),
        Keyed::Blake2s => (c"BLAKE2SMAC", Setting::Size(function.output())),
        Keyed::Blake2b => (c"BLAKE2BMAC", Setting::Size(function.output())),
        Keyed::SipHash => (c"SIPHASH", Setting::Size(function.output())),
        Keyed::GmacAes128 | Keyed::Poly1305Aes => return None,
    })
}

/// Nothing, if this OpenSSL does not offer the function.
pub(super) fn keyed(libcrypto: &'static Libcrypto, function: Keyed) -> Option<impl Function> {
    let (name, setting) = named(function)?;
    let method = std::sync::Arc::new(MacMethod::named(libcrypto, name).ok()?);
    Keying::new(function, move |key: &[u8]| Ok(HostKey { function, context: method.context(key, setting)? }))
}

/// A context that has the key, duplicated for each message.
struct HostKey {
    function: Keyed,
    context: KeyedContext,
}

impl MacKey for HostKey {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        let longest = self.function.output();
        if tag.len() > longest {
            return Err(too_long(tag.len(), longest));
        }
        let size = matches!(self.function, Keyed::Kmac(..)).then_some(tag.len());
        let mut output = [0; ffi::LONGEST];
        let length = self.context.tag(message, size, &mut output)?;
        write(&output[..length], tag)
    }
}
