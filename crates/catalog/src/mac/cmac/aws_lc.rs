use aws_lc_rs::cmac;
use fieldtest_kinds::Error;
use fieldtest_kinds::mac::MacKey;

use super::super::keyed::{Function, check_length, write};
use crate::adapt::failed;

/// With keys of the algorithm's length.
#[derive(Clone)]
pub(super) struct Cmac(pub(super) cmac::Algorithm);

impl Function for Cmac {
    type Key = Key;

    fn longest_tag(&self) -> usize {
        self.0.tag_len()
    }

    fn key(&self, key: &[u8]) -> Result<Key, Error> {
        check_length(&(self.0.key_len()..=self.0.key_len()), key)?;
        cmac::Key::new(self.0, key).map(Key).map_err(|_| failed("preparing a key"))
    }
}

pub(super) struct Key(cmac::Key);

impl MacKey for Key {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        let whole = cmac::sign(&self.0, message).map_err(|_| failed("tagging"))?;
        write(whole.as_ref(), tag)
    }
}
