//! CMAC over any block cipher, one message after another: of AES the key length that TCP-AO's own code has not, of ARIA and LEA
//! all.

use std::marker::PhantomData;

use fieldtest_block::BlockCipher16;
use fieldtest_kinds::Error;
use fieldtest_kinds::mac::MacKey;
use fieldtest_modes::Cmac;

use super::super::keyed::{Function, check_length, too_long};

/// CMAC over `C` with keys of so many bytes.
pub(super) struct Generic<C> {
    key: usize,
    cipher: PhantomData<fn() -> C>,
}

impl<C> Generic<C> {
    pub(super) fn new(key: usize) -> Self {
        Generic { key, cipher: PhantomData }
    }
}

impl<C> Clone for Generic<C> {
    fn clone(&self) -> Self {
        Self::new(self.key)
    }
}

impl<C: BlockCipher16 + Send + Sync + 'static> Function for Generic<C> {
    type Key = Key<C>;

    fn longest_tag(&self) -> usize {
        16
    }

    fn key(&self, key: &[u8]) -> Result<Key<C>, Error> {
        check_length(&(self.key..=self.key), key)?;
        Cmac::new(key).map(Key).map_err(|error| Error::MalformedKey(error.to_string()))
    }
}

pub(super) struct Key<C>(Cmac<C>);

impl<C: BlockCipher16 + Send + Sync + 'static> MacKey for Key<C> {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        let length = tag.len();
        self.0.tag(message, tag).map_err(|_| too_long(length, 16))
    }
}
