//! Wide-block ciphers: every bit of a sector depends on every other one.
//!
//! Their tweaks are longer than the number of a sector. dm-crypt gives a cipher as many bytes as it asks for, the
//! number first and zeros after it (`crypt_iv_plain64_gen` of drivers/md/dm-crypt.c); both ciphers here ask for 32
//! (`ivsize` in crypto/adiantum.c and crypto/hctr2.c).

use std::sync::Arc;

use ::hctr2_rs::Hctr2_256;
use aes::Aes256;
use chacha20::{XChaCha12, XChaCha20};
use cipher::KeyInit as _;
use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::Cipher;

use super::sectors::{Keyed, OneByOne, SectorKey, Sizes, wrong_key};

/// Bytes of a key of each of them.
const KEY: usize = 32;

/// A cipher as its library offers it, with tweaks of any length, which is how its authors' vectors have them.
pub(super) trait Wide: Send + Sync + Sized + 'static {
    /// Prepares a key of 32 bytes.
    ///
    /// # Errors
    /// [`Error::MalformedKey`] for any other length.
    fn key(key: &[u8]) -> Result<Self, Error>;

    /// Encrypts a message of 16 to 4096 bytes in place, under a tweak of any length that the cipher has.
    fn encrypt(&self, tweak: &[u8], message: &mut [u8]) -> Result<(), Error>;

    fn decrypt(&self, tweak: &[u8], message: &mut [u8]) -> Result<(), Error>;
}

/// The cipher `W` over sectors.
pub(super) fn cipher<W: Wide>() -> Arc<dyn Cipher> {
    Arc::new(Keyed { key_len: KEY, prepare: |key| W::key(key).map(|key| OneByOne(Sectors(key))) })
}

/// The tweak that dm-crypt makes of a number.
pub(super) fn padded(number: &[u8; 16]) -> [u8; 32] {
    let mut tweak = [0; 32];
    tweak[..16].copy_from_slice(number);
    tweak
}

struct Sectors<W>(W);

impl<W: Wide> SectorKey for Sectors<W> {
    fn sizes(&self) -> Sizes {
        Sizes::PAGE
    }

    fn encrypt(&self, tweak: &[u8; 16], sector: &mut [u8]) -> Result<(), Error> {
        self.0.encrypt(&padded(tweak), sector)
    }

    fn decrypt(&self, tweak: &[u8; 16], sector: &mut [u8]) -> Result<(), Error> {
        self.0.decrypt(&padded(tweak), sector)
    }
}

/// Adiantum of the crate `adiantum`, with AES-256 and a stream cipher.
pub(super) type Adiantum<Stream> = adiantum::Cipher<Stream, Aes256>;

macro_rules! adiantum {
    ($($stream:ty),*) => { $(
        impl Wide for Adiantum<$stream> {
            fn key(key: &[u8]) -> Result<Self, Error> {
                Self::new_from_slice(key).map_err(|_| wrong_key(KEY, key.len()))
            }

            fn encrypt(&self, tweak: &[u8], message: &mut [u8]) -> Result<(), Error> {
                self.encrypt(message, tweak);
                Ok(())
            }

            fn decrypt(&self, tweak: &[u8], message: &mut [u8]) -> Result<(), Error> {
                self.decrypt(message, tweak);
                Ok(())
            }
        }
    )* };
}

adiantum!(XChaCha12, XChaCha20);

/// HCTR2 of the crate `hctr2-rs`, with AES-256. It writes elsewhere than it reads, so that a sector is copied first.
impl Wide for Hctr2_256 {
    fn key(key: &[u8]) -> Result<Self, Error> {
        if key.len() == KEY { Ok(Self::new(key)) } else { Err(wrong_key(KEY, key.len())) }
    }

    fn encrypt(&self, tweak: &[u8], message: &mut [u8]) -> Result<(), Error> {
        let mut copy = [0; 4096];
        self.encrypt(copied(message, &mut copy)?, tweak, message).map_err(failed)
    }

    fn decrypt(&self, tweak: &[u8], message: &mut [u8]) -> Result<(), Error> {
        let mut copy = [0; 4096];
        self.decrypt(copied(message, &mut copy)?, tweak, message).map_err(failed)
    }
}

fn copied<'a>(message: &[u8], copy: &'a mut [u8; 4096]) -> Result<&'a [u8], Error> {
    let length = message.len();
    let copy = copy.get_mut(..length).ok_or_else(|| {
        Error::Library(format!("a message of {length} bytes; at most 4096 are encrypted at once"))
    })?;
    copy.copy_from_slice(message);
    Ok(copy)
}

fn failed(error: hctr2_rs::Error) -> Error {
    Error::Library(format!("{error:?}"))
}
