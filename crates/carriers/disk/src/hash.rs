//! The hash functions that headers of LUKS name: for PBKDF2, the anti-forensic splitter, checksums and digests.

use blake2::{Blake2b512, Blake2s256};
use pbkdf2::hmac::digest::common::BlockSizeUser;
use pbkdf2::hmac::digest::{Digest, FixedOutput, Update};
use pbkdf2::hmac::{EagerHash, Hmac, KeyInit, Mac, SimpleHmac};
use pbkdf2::pbkdf2;
use ripemd::Ripemd160;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512};
use sm3::Sm3;
use whirlpool::Whirlpool;

use crate::error::{Error, Result};

/// Declares the functions: variant, name in headers, bytes of a digest, type, and how PBKDF2 runs over it.
macro_rules! functions {
    ($($variant:ident $name:literal $length:literal $function:ty, $pbkdf2:ident;)*) => {
        /// A hash function, by the name that cryptsetup gives it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Hash {
            $(
                #[doc = concat!("`", $name, "`")]
                $variant,
            )*
        }

        impl Hash {
            /// All of them.
            pub const ALL: &[Hash] = &[$(Hash::$variant),*];

            /// As the header writes it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Hash::$variant => $name,)*
                }
            }

            /// Bytes of a digest.
            pub fn length(self) -> usize {
                match self {
                    $(Hash::$variant => $length,)*
                }
            }

            /// Hashes the concatenation of the parts and gives the digest to `take`.
            pub(crate) fn digest<T>(self, parts: &[&[u8]], take: impl FnOnce(&[u8]) -> T) -> T {
                match self {
                    $(Hash::$variant => digest_of::<$function, T>(parts, take),)*
                }
            }

            /// HMAC (RFC 2104) of the concatenation of the parts.
            pub(crate) fn hmac<T>(self, key: &[u8], parts: &[&[u8]], take: impl FnOnce(&[u8]) -> T) -> Result<T> {
                match self {
                    $(Hash::$variant => hmac_of::<$function, T>(key, parts, take),)*
                }
            }

            /// PBKDF2 with HMAC (RFC 8018, section 5.2); `out` is overwritten.
            ///
            /// # Errors
            /// [`Error::KeyDerivation`] where HMAC takes no password of that length, and it takes all.
            pub(crate) fn pbkdf2(
                self,
                password: &[u8],
                salt: &[u8],
                iterations: u32,
                out: &mut [u8],
            ) -> Result<()> {
                match self {
                    $(Hash::$variant => $pbkdf2::<$function>(password, salt, iterations, out),)*
                }
            }
        }
    };
}

functions! {
    Sha1 "sha1" 20 Sha1, pbkdf2_keyed;
    Sha224 "sha224" 28 Sha224, pbkdf2_keyed;
    Sha256 "sha256" 32 Sha256, pbkdf2_keyed;
    Sha384 "sha384" 48 Sha384, pbkdf2_keyed;
    Sha512 "sha512" 64 Sha512, pbkdf2_keyed;
    Sha3_224 "sha3-224" 28 Sha3_224, pbkdf2_simple;
    Sha3_256 "sha3-256" 32 Sha3_256, pbkdf2_simple;
    Sha3_384 "sha3-384" 48 Sha3_384, pbkdf2_simple;
    Sha3_512 "sha3-512" 64 Sha3_512, pbkdf2_simple;
    Blake2b512 "blake2b-512" 64 Blake2b512, pbkdf2_simple;
    Blake2s256 "blake2s-256" 32 Blake2s256, pbkdf2_simple;
    Whirlpool "whirlpool" 64 Whirlpool, pbkdf2_keyed;
    Ripemd160 "ripemd160" 20 Ripemd160, pbkdf2_keyed;
    Sm3 "sm3" 32 Sm3, pbkdf2_keyed;
}

impl Hash {
    /// Looks a name up, in small letters or capitals: cryptsetup opens what `luksFormat --hash SHA256` wrote.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for any other name.
    pub fn from_name(name: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|hash| hash.name().eq_ignore_ascii_case(name));
        found.copied().ok_or_else(|| Error::Unsupported {
            what: format!("the hash function '{name}'"),
            remedy: "use one of sha1, sha224, sha256, sha384, sha512, sha3-224, sha3-256, sha3-384, sha3-512, \
                     blake2b-512, blake2s-256, whirlpool, ripemd160, sm3",
        })
    }
}

fn digest_of<D: Digest, T>(parts: &[&[u8]], take: impl FnOnce(&[u8]) -> T) -> T {
    let mut state = D::new();
    parts.iter().for_each(|part| state.update(part));
    take(&state.finalize())
}

fn hmac_of<D: Digest + BlockSizeUser, T>(
    key: &[u8],
    parts: &[&[u8]],
    take: impl FnOnce(&[u8]) -> T,
) -> Result<T> {
    let mut state = <SimpleHmac<D> as KeyInit>::new_from_slice(key).map_err(|_| unfit(key))?;
    parts.iter().for_each(|part| Mac::update(&mut state, part));
    Ok(take(&state.finalize().into_bytes()))
}

fn unfit(key: &[u8]) -> Error {
    Error::KeyDerivation(format!("HMAC does not accept a key of {} bytes", key.len()))
}

/// With the state behind HMAC's padded key kept, so that an iteration is two blocks.
fn pbkdf2_keyed<D: EagerHash>(password: &[u8], salt: &[u8], iterations: u32, out: &mut [u8]) -> Result<()>
where
    Hmac<D>: KeyInit + Update + FixedOutput + Clone,
{
    by::<Hmac<D>>(password, salt, iterations, out)
}

/// For functions without such a state: BLAKE2 holds a block back until it knows whether it is the last one, and SHA-3
/// is a sponge.
fn pbkdf2_simple<D: Digest + BlockSizeUser + Clone>(
    password: &[u8],
    salt: &[u8],
    iterations: u32,
    out: &mut [u8],
) -> Result<()> {
    by::<SimpleHmac<D>>(password, salt, iterations, out)
}

fn by<H: KeyInit + Update + FixedOutput + Clone>(
    password: &[u8],
    salt: &[u8],
    iterations: u32,
    out: &mut [u8],
) -> Result<()> {
    pbkdf2::<H>(password, salt, iterations, out).map_err(|_| unfit(password))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6070, section 2, third vector; RFC 7914, section 11, first vector.
    #[test]
    fn pbkdf2_reproduces_the_rfcs() {
        let mut out = [0; 20];
        Hash::Sha1.pbkdf2(b"password", b"salt", 4096, &mut out).unwrap();
        assert_eq!(data_encoding::HEXLOWER.encode(&out), "4b007901b765489abead49d926f721d065a429c1");
        let mut out = [0; 32];
        Hash::Sha256.pbkdf2(b"passwd", b"salt", 1, &mut out).unwrap();
        assert_eq!(
            data_encoding::HEXLOWER.encode(&out),
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
        );
    }

    #[test]
    fn names_and_lengths_agree_with_the_functions() {
        for &hash in Hash::ALL {
            assert_eq!(Hash::from_name(hash.name()).unwrap(), hash);
            hash.digest(&[b"a", b"b"], |digest| assert_eq!(digest.len(), hash.length()));
        }
        assert_eq!(Hash::from_name("SHA256").unwrap(), Hash::Sha256);
        assert!(Hash::from_name("md5").is_err());
    }
}
