//! HMAC by AWS-LC.

use aws_lc_rs::hmac;
use fieldtest_kinds::Error;
use fieldtest_kinds::mac::MacKey;

use super::super::keyed::{Function, write};

#[derive(Clone)]
pub(super) struct Hmac(pub(super) hmac::Algorithm);

impl Function for Hmac {
    type Key = Key;

    fn longest_tag(&self) -> usize {
        self.0.tag_len()
    }

    fn key(&self, key: &[u8]) -> Result<Key, Error> {
        Ok(Key(hmac::Key::new(self.0, key)))
    }
}

pub(super) struct Key(hmac::Key);

impl MacKey for Key {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        write(hmac::sign(&self.0, message).as_ref(), tag)
    }
}
