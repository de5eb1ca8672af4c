//! The hash functions that headers of LUKS2 name: for PBKDF2, the anti-forensic splitter, checksums and digests.

use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

use crate::error::{Error, Result};

/// A hash function, by the name that cryptsetup gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hash {
    /// `sha1`
    Sha1,
    /// `sha224`
    Sha224,
    /// `sha256`
    Sha256,
    /// `sha384`
    Sha384,
    /// `sha512`
    Sha512,
}

impl Hash {
    const ALL: [Hash; 5] = [Hash::Sha1, Hash::Sha224, Hash::Sha256, Hash::Sha384, Hash::Sha512];

    /// Looks a name up, in small letters or capitals: cryptsetup opens what `luksFormat --hash SHA256` wrote.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for any other name.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|hash| hash.name().eq_ignore_ascii_case(name)).ok_or_else(|| {
            Error::Unsupported {
                what: format!("the hash function “{name}”"),
                remedy: "those that are: sha1, sha224, sha256, sha384, sha512",
            }
        })
    }

    /// As the header writes it.
    pub fn name(self) -> &'static str {
        match self {
            Hash::Sha1 => "sha1",
            Hash::Sha224 => "sha224",
            Hash::Sha256 => "sha256",
            Hash::Sha384 => "sha384",
            Hash::Sha512 => "sha512",
        }
    }

    /// Bytes of a digest.
    pub fn length(self) -> usize {
        match self {
            Hash::Sha1 => 20,
            Hash::Sha224 => 28,
            Hash::Sha256 => 32,
            Hash::Sha384 => 48,
            Hash::Sha512 => 64,
        }
    }

    /// Hashes the concatenation of the parts and gives the digest to `take`.
    pub(crate) fn digest<T>(self, parts: &[&[u8]], take: impl FnOnce(&[u8]) -> T) -> T {
        fn of<D: Digest, T>(parts: &[&[u8]], take: impl FnOnce(&[u8]) -> T) -> T {
            let mut state = D::new();
            parts.iter().for_each(|part| state.update(part));
            take(&state.finalize())
        }
        match self {
            Hash::Sha1 => of::<Sha1, T>(parts, take),
            Hash::Sha224 => of::<Sha224, T>(parts, take),
            Hash::Sha256 => of::<Sha256, T>(parts, take),
            Hash::Sha384 => of::<Sha384, T>(parts, take),
            Hash::Sha512 => of::<Sha512, T>(parts, take),
        }
    }

    /// PBKDF2 with HMAC (RFC 8018, section 5.2); `out` is overwritten.
    pub(crate) fn pbkdf2(self, password: &[u8], salt: &[u8], iterations: u32, out: &mut [u8]) {
        use pbkdf2::pbkdf2_hmac;
        match self {
            Hash::Sha1 => pbkdf2_hmac::<Sha1>(password, salt, iterations, out),
            Hash::Sha224 => pbkdf2_hmac::<Sha224>(password, salt, iterations, out),
            Hash::Sha256 => pbkdf2_hmac::<Sha256>(password, salt, iterations, out),
            Hash::Sha384 => pbkdf2_hmac::<Sha384>(password, salt, iterations, out),
            Hash::Sha512 => pbkdf2_hmac::<Sha512>(password, salt, iterations, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6070, section 2, third vector; RFC 7914, section 11, first vector.
    #[test]
    fn pbkdf2_reproduces_the_rfcs() {
        let mut out = [0; 20];
        Hash::Sha1.pbkdf2(b"password", b"salt", 4096, &mut out);
        assert_eq!(data_encoding::HEXLOWER.encode(&out), "4b007901b765489abead49d926f721d065a429c1");
        let mut out = [0; 32];
        Hash::Sha256.pbkdf2(b"passwd", b"salt", 1, &mut out);
        assert_eq!(
            data_encoding::HEXLOWER.encode(&out),
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
        );
    }

    #[test]
    fn names_and_lengths_agree_with_the_functions() {
        for hash in Hash::ALL {
            assert_eq!(Hash::from_name(hash.name()).unwrap(), hash);
            hash.digest(&[b"a", b"b"], |digest| assert_eq!(digest.len(), hash.length()));
        }
        assert_eq!(Hash::from_name("SHA256").unwrap(), Hash::Sha256);
        assert!(Hash::from_name("whirlpool").is_err());
    }
}
