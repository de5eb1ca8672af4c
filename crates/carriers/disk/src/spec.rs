//! Specifications of ciphers, as dm-crypt and the headers of LUKS2 write them: `aes-xts-plain64`.
//!
//! There are two spellings (Linux, `Documentation/admin-guide/device-mapper/dm-crypt.rst`):
//! `cipher[:keycount]-chainmode-ivmode[:ivopts]` and `capi:cipher_api_spec-ivmode[:ivopts]`, where the second names
//! the cipher in the form of the kernel's crypto API: `capi:xts(aes)-plain64`. What is read here is what the text
//! means; whether it is wise is judged by [`crate::judge`].

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use fieldtest_kinds::aead::Aead;
use fieldtest_kinds::cipher::Cipher;

/// A specification that was read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CipherSpec {
    text: String,
    cipher: String,
    mode: String,
    iv: Iv,
    keys: u32,
}

/// How the number of a sector becomes an initialisation vector or a tweak.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Iv {
    /// Nothing stands there, which only ECB allows.
    Missing,
    /// `null`: always zero.
    Null,
    /// `plain`: the lowest 32 bits of the number, little-endian.
    Plain,
    /// `plain64`: 64 bits, little-endian.
    Plain64,
    /// `plain64be`: 64 bits, big-endian, at the end of the vector.
    Plain64Be,
    /// `essiv:hash`: the number encrypted under the hash of the key. Without a hash function dm-crypt refuses it.
    Essiv(String),
    /// `random`: drawn anew for each write and kept beside the sector, which takes dm-integrity.
    Random,
    /// Any other, without its options.
    Other(String),
}

/// Why a text is no specification of a cipher.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid cipher specification '{}': {reason}; a valid example is aes-xts-plain64", text.escape_debug())]
pub struct SpecError {
    text: String,
    reason: &'static str,
}

/// Who knows ciphers: given a specification and how many bytes the key has, the cipher with its mode, or nothing.
///
/// Asked for are the cipher of the data and those of the key slots, which have one of their own: whoever makes containers as
/// cryptsetup does has `aes-xts-plain64` there, whatever the data has.
///
/// The vector of a sector is this crate's business; of the specification only [`CipherSpec::cipher`] and
/// [`CipherSpec::mode`] are of interest here. Any closure of this shape is one.
pub trait Ciphers: Sync {
    /// Looks it up.
    fn find(&self, spec: &CipherSpec, key_len: usize) -> Option<Arc<dyn Cipher>>;

    /// Looks up one that authenticates, such as that of `aes-gcm-random`; nobody has one unless they say so.
    fn find_aead(&self, _spec: &CipherSpec, _key_len: usize) -> Option<Arc<dyn Aead>> {
        None
    }
}

impl<F: Fn(&CipherSpec, usize) -> Option<Arc<dyn Cipher>> + Sync> Ciphers for F {
    fn find(&self, spec: &CipherSpec, key_len: usize) -> Option<Arc<dyn Cipher>> {
        self(spec, key_len)
    }
}

/// `aes-xts-plain64`, the default of cryptsetup for data and for key slots.
impl Default for CipherSpec {
    fn default() -> Self {
        CipherSpec {
            text: "aes-xts-plain64".into(),
            cipher: "aes".into(),
            mode: "xts".into(),
            iv: Iv::Plain64,
            keys: 1,
        }
    }
}

impl CipherSpec {
    /// The cipher under the mode: `aes`, `lea`; of Adiantum both, as in `xchacha12,aes`.
    pub fn cipher(&self) -> &str {
        &self.cipher
    }

    /// The mode: `xts`, `cbc`, `adiantum`, `hctr2`; empty if a `capi:` specification has none.
    pub fn mode(&self) -> &str {
        &self.mode
    }

    /// How the vectors are made.
    pub fn iv(&self) -> &Iv {
        &self.iv
    }

    /// How many keys take turns; more than one only in loop-AES's format.
    pub fn keys(&self) -> u32 {
        self.keys
    }

    /// The same cipher block by block, without a mode, which ESSIV makes its vectors by: `aes-ecb`.
    pub fn block_cipher(&self) -> CipherSpec {
        CipherSpec {
            text: format!("{}-ecb", self.cipher),
            cipher: self.cipher.clone(),
            mode: "ecb".into(),
            iv: Iv::Missing,
            keys: 1,
        }
    }

    /// As it was given.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl FromStr for CipherSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let fail = |reason| SpecError { text: text.chars().take(128).collect(), reason };
        if text.is_empty() {
            return Err(fail("it is empty"));
        }
        if text.len() > 127 {
            return Err(fail("it is longer than 127 characters"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(fail("it contains characters other than ASCII letters, digits and punctuation"));
        }
        let parts = match text.strip_prefix("capi:") {
            Some(spec) => capi(spec),
            None => chain(text),
        };
        let (cipher, mode, iv, keys) = parts.map_err(fail)?;
        Ok(CipherSpec { text: text.to_owned(), cipher, mode, iv, keys })
    }
}

type Parts = (String, String, Iv, u32);

/// `cipher[:keycount]-chainmode-ivmode[:ivopts]`.
fn chain(text: &str) -> Result<Parts, &'static str> {
    let mut parts = text.splitn(3, '-');
    let first = parts.next().unwrap_or_default();
    let (cipher, keys) = match first.split_once(':') {
        Some((cipher, keys)) => {
            (cipher, keys.parse().map_err(|_| "the number of keys after ':' is not a number")?)
        }
        None => (first, 1),
    };
    let (mode, iv) = (parts.next(), parts.next());
    // The kernel's compatibility: a cipher alone, or with `plain`, means CBC with 32-bit numbers.
    let (mode, iv) = match (mode, iv) {
        (None | Some("plain"), None) => ("cbc", Iv::Plain),
        (Some(mode), None) => (mode, Iv::Missing),
        (mode, Some(iv)) => (mode.unwrap_or_default(), iv_of(iv)),
    };
    if cipher.is_empty() || mode.is_empty() || iv == Iv::Other(String::new()) {
        return Err("a part between two hyphens is empty");
    }
    Ok((cipher.to_owned(), mode.to_owned(), iv, keys))
}

/// `cipher_api_spec-ivmode[:ivopts]`.
fn capi(text: &str) -> Result<Parts, &'static str> {
    // The options of the vector may contain a hyphen, so they go first.
    let (body, options) = text.rsplit_once(':').unwrap_or((text, ""));
    let (api, iv) = match body.rsplit_once('-') {
        // A hyphen within parentheses belongs to a driver's name.
        Some((api, iv)) if !iv.contains(')') => (api, Some(iv)),
        _ => (body, None),
    };
    let iv = iv.map_or(Iv::Missing, |iv| iv_with(iv, options));
    let (mode, cipher) = match api.split_once('(') {
        Some((mode, rest)) => {
            let cipher = rest.strip_suffix(')').ok_or("its parentheses do not match")?;
            let depth = cipher.chars().try_fold(0_u32, |depth, character| match character {
                '(' => Some(depth + 1),
                ')' => depth.checked_sub(1),
                _ => Some(depth),
            });
            if depth != Some(0) {
                return Err("its parentheses do not match");
            }
            (mode, cipher)
        }
        None => ("", api),
    };
    if cipher.is_empty() {
        return Err("the cipher after 'capi:' is missing");
    }
    // The kernel's template, and what dm-crypt makes of `essiv:hash`, are the same thing.
    if let ("essiv", Iv::Plain64, Some((inner, hash))) = (mode, &iv, cipher.rsplit_once(','))
        && let Some((mode, cipher)) = inner.strip_suffix(')').and_then(|inner| inner.split_once('('))
        && !cipher.contains(['(', ','])
    {
        return Ok((cipher.to_owned(), mode.to_owned(), Iv::Essiv(hash.to_owned()), 1));
    }
    // loop-AES has so many, which this spelling cannot say.
    let keys = if iv == Iv::Other("lmk".to_owned()) { 64 } else { 1 };
    Ok((cipher.to_owned(), mode.to_owned(), iv, keys))
}

fn iv_of(text: &str) -> Iv {
    let (name, options) = text.split_once(':').unwrap_or((text, ""));
    iv_with(name, options)
}

/// A vector with what stands behind its name, which dm-crypt looks at for ESSIV alone (`crypt_ctr_ivmode`).
/// Tomb makes containers of `aes-xts-plain64:sha256`.
fn iv_with(name: &str, options: &str) -> Iv {
    match name {
        "null" => Iv::Null,
        "plain" => Iv::Plain,
        "plain64" => Iv::Plain64,
        "plain64be" => Iv::Plain64Be,
        "random" => Iv::Random,
        "essiv" => Iv::Essiv(options.to_owned()),
        other => Iv::Other(other.to_owned()),
    }
}

impl fmt::Display for CipherSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for Iv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Iv::Missing => f.write_str("(none)"),
            Iv::Null => f.write_str("null"),
            Iv::Plain => f.write_str("plain"),
            Iv::Plain64 => f.write_str("plain64"),
            Iv::Plain64Be => f.write_str("plain64be"),
            Iv::Random => f.write_str("random"),
            Iv::Essiv(hash) => write!(f, "essiv:{hash}"),
            Iv::Other(text) => f.write_str(text),
        }
    }
}

pub(crate) type Prepare =
    fn(
        &dyn Cipher,
        &[u8],
    ) -> std::result::Result<Box<dyn fieldtest_kinds::cipher::CipherKey>, fieldtest_kinds::Error>;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(text: &str) -> (String, String, Iv, u32) {
        let spec: CipherSpec = text.parse().unwrap();
        assert_eq!(spec.to_string(), text);
        (spec.cipher, spec.mode, spec.iv, spec.keys)
    }

    #[test]
    fn both_spellings_are_read() {
        let of = |cipher: &str, mode: &str, iv| (cipher.to_owned(), mode.to_owned(), iv, 1);
        assert_eq!(parts("lea-xts-plain64"), of("lea", "xts", Iv::Plain64));
        assert_eq!(parts("xchacha12,aes-adiantum-plain64"), of("xchacha12,aes", "adiantum", Iv::Plain64));
        assert_eq!("aes-xts-plain64".parse(), Ok(CipherSpec::default()));
        assert_eq!(parts("aes-cbc-essiv:sha256"), of("aes", "cbc", Iv::Essiv("sha256".into())));
        assert_eq!(parts("aes"), of("aes", "cbc", Iv::Plain));
        assert_eq!(parts("aes-plain"), of("aes", "cbc", Iv::Plain));
        assert_eq!(parts("chacha20-plain64"), of("chacha20", "plain64", Iv::Missing));
        assert_eq!(parts("capi:xts(aes)-plain64be"), of("aes", "xts", Iv::Plain64Be));
        assert_eq!(
            parts("capi:adiantum(xchacha12,aes)-plain64"),
            of("xchacha12,aes", "adiantum", Iv::Plain64)
        );
        assert_eq!(parts("capi:xts(ecb-aes-aesni)"), of("ecb-aes-aesni", "xts", Iv::Missing));
        assert_eq!(
            parts("capi:essiv(authenc(hmac(sha256),cbc(aes)),sha256)-random"),
            of("authenc(hmac(sha256),cbc(aes)),sha256", "essiv", Iv::Random)
        );
        assert_eq!(parts("capi:essiv(cbc(aes),sha256)-plain64"), parts("aes-cbc-essiv:sha256"));
        assert_eq!(parts("capi:essiv(cbc(aes),sha256)-null").1, "essiv");
        assert_eq!(parts("capi:cbc(aes)-lmk").3, 64);
        assert_eq!(parts("aes:64-cbc-lmk"), ("aes".into(), "cbc".into(), Iv::Other("lmk".into()), 64));
    }

    #[test]
    fn what_dm_crypt_ignores_is_ignored() {
        for (text, same) in [
            ("aes-xts-plain64:sha256", "aes-xts-plain64"),
            ("aes-xts-plain:", "aes-xts-plain"),
            ("capi:cbc(aes)-null:x-y", "capi:cbc(aes)-null"),
            ("aes-xts-plain64be:sha256:x", "aes-xts-plain64be"),
            ("aes-xts-random:x", "aes-xts-random"),
            ("aes-lrw-benbi:x", "aes-lrw-benbi"),
        ] {
            assert_eq!(parts(text), parts(same), "{text}");
        }
        assert_eq!(parts("aes-cbc-essiv:sha256:x").2, Iv::Essiv("sha256:x".into()));
        assert_eq!(parts("aes-cbc-essiv").2, Iv::Essiv(String::new()));
    }

    #[test]
    fn what_is_none_is_said() {
        for text in ["", "-xts-plain64", "aes--plain64", "aes-xts-", "aes:x-cbc-lmk", "capi:", "capi:xts(aes"]
        {
            assert!(text.parse::<CipherSpec>().is_err(), "{text}");
        }
        assert!("aes xts".parse::<CipherSpec>().is_err() && "a".repeat(200).parse::<CipherSpec>().is_err());
    }

    proptest! {
        #[test]
        fn nothing_panics(text in any::<String>(), rest in "[a-z():,0-9-]{0,20}") {
            let _ = text.parse::<CipherSpec>();
            let _ = rest.parse::<CipherSpec>();
            let _ = format!("capi:{rest}").parse::<CipherSpec>();
        }
    }
}
