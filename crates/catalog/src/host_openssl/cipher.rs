//! Ciphers of storage by the host's OpenSSL.
//!
//! The method is fetched once, and the key is set once per direction. Each call borrows a context with the key, and
//! sets nothing but the initialisation vector for each sector.

use std::ffi::CStr;
use std::sync::Arc;

use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::{Cipher, CipherKey, Tweaks};

use crate::cipher::{Mode, check_key, xts_halves};
use crate::pool::Pool;

use super::ffi::{CipherContext, CipherMethod, Direction, Libcrypto};

/// Most bytes that one call is given where sectors do not matter.
const MOST: usize = 1 << 30;

/// A cipher with its mode of the host's OpenSSL.
pub(crate) struct HostCipher {
    method: Arc<CipherMethod>,
    mode: Mode,
    key_len: usize,
}

impl HostCipher {
    /// Nothing, if this OpenSSL does not offer the cipher by that name with keys of that length.
    pub(super) fn new(
        libcrypto: &'static Libcrypto,
        name: &CStr,
        mode: Mode,
        key_len: usize,
    ) -> Option<Self> {
        let method = Arc::new(CipherMethod::named(libcrypto, name).ok()?);
        // Not all zeros: OpenSSL refuses XTS keys with equal halves.
        let key: Vec<u8> = (0..=u8::MAX).take(key_len).collect();
        method.context(&key, Direction::Encryption).ok()?;
        Some(HostCipher { method, mode, key_len })
    }
}

impl Cipher for HostCipher {
    fn key_len(&self) -> usize {
        self.key_len
    }

    fn prepare(&self, key: &[u8]) -> Result<Box<dyn CipherKey>, Error> {
        check_key(self.key_len, key)?;
        if self.mode == Mode::Xts {
            xts_halves(key)?;
        }
        let direction = |direction| {
            self.method.context(key, direction).map(|keyed| OneWay { keyed, idle: Pool::default() })
        };
        Ok(Box::new(HostKey {
            mode: self.mode,
            encryption: direction(Direction::Encryption)?,
            decryption: direction(Direction::Decryption)?,
        }))
    }
}

struct HostKey {
    mode: Mode,
    encryption: OneWay,
    decryption: OneWay,
}

/// A context that has the key and is only copied, and the copies that no thread is using.
struct OneWay {
    keyed: CipherContext,
    idle: Pool<CipherContext>,
}

impl OneWay {
    fn crypt(&self, mode: Mode, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        mode.sizes().check(sector_size, data)?;
        self.idle.with(
            || self.keyed.copy(),
            |context| {
                if mode == Mode::Ecb {
                    return data.chunks_mut(MOST).try_for_each(|part| context.update(part));
                }
                (0..).zip(data.chunks_exact_mut(sector_size)).try_for_each(|(number, sector)| {
                    context.restart(&tweaks.of(number))?;
                    context.update(sector)
                })
            },
        )
    }
}

impl CipherKey for HostKey {
    fn encrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        self.encryption.crypt(self.mode, tweaks, sector_size, data)
    }

    fn decrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        self.decryption.crypt(self.mode, tweaks, sector_size, data)
    }
}
