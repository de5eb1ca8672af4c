use std::marker::PhantomData;

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::MacKey;
use graviola::hashing::{Hash, hmac};

use super::super::keyed::{Function, write};

/// HMAC with the hash function `H`. The keyed state is prepared once and cloned for each message.
#[derive(Clone)]
pub(super) struct Hmac<H>(pub(super) PhantomData<fn() -> H>);

impl<H: Hash<Context: Send + Sync> + Clone + 'static> Function for Hmac<H> {
    type Key = Key<H>;

    fn longest_tag(&self) -> usize {
        H::zeroed_output().as_ref().len()
    }

    fn key(&self, key: &[u8]) -> Result<Key<H>, Error> {
        Ok(Key(hmac::Hmac::new(key)))
    }
}

pub(super) struct Key<H: Hash>(hmac::Hmac<H>);

impl<H: Hash<Context: Send + Sync> + Clone + 'static> MacKey for Key<H> {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        let mut state = self.0.clone();
        state.update(message);
        write(state.finish().as_ref(), tag)
    }
}
