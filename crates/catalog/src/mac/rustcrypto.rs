//! Keyed functions of the RustCrypto project, which share one interface.

use std::marker::PhantomData;
use std::ops::RangeInclusive;

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::MacKey;
use hmac::{KeyInit, Mac};

use super::keyed::{Function, check_length, write, wrong_length};

/// A function by its type. The keyed state is prepared once and cloned for each message.
#[derive(Clone)]
pub(super) struct RustCrypto<M> {
    keys: RangeInclusive<usize>,
    function: PhantomData<fn() -> M>,
}

impl<M> RustCrypto<M> {
    /// The function with keys of these lengths, in bytes.
    pub(super) fn new(keys: RangeInclusive<usize>) -> Self {
        RustCrypto { keys, function: PhantomData }
    }
}

impl<M: Mac + KeyInit + Clone + Send + Sync + 'static> Function for RustCrypto<M> {
    type Key = Key<M>;

    fn longest_tag(&self) -> usize {
        M::output_size()
    }

    fn key(&self, key: &[u8]) -> Result<Key<M>, Error> {
        check_length(&self.keys, key)?;
        // The libraries allow at least these lengths.
        M::new_from_slice(key).map(Key).map_err(|_| wrong_length(&self.keys, key.len()))
    }
}

pub(super) struct Key<M>(M);

impl<M: Mac + Clone + Send + Sync + 'static> MacKey for Key<M> {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        write(&self.0.clone().chain_update(message).finalize().into_bytes(), tag)
    }
}
