//! A key is prepared, a message is tagged, by the path that is asked for.

use crate::dispatch;
use crate::key::{Cmac, Cmac128, Cmac256, write_tag};
use crate::lane::TagTooLong;
use crate::path::Path;

impl Cmac128 {
    /// Prepares a key.
    #[must_use]
    pub fn new(key: &[u8; 16]) -> Self {
        dispatch::prepare(key)
    }
}

impl Cmac256 {
    /// Prepares a key.
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        dispatch::prepare(key)
    }
}

impl<const ROUNDS: usize> Cmac<ROUNDS> {
    /// Overwrites `tag` with the first `tag.len()` bytes of the message's tag.
    ///
    /// # Errors
    /// [`TagTooLong`] if more than 16 bytes are asked for.
    #[inline]
    pub fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), TagTooLong> {
        self.tag_on(Path::best(), message, tag)
    }

    /// As [`Cmac::tag`], by the given path. Those that differ in how they do many messages do a single one as AES-NI does.
    ///
    /// # Errors
    /// As [`Cmac::tag`].
    #[inline]
    pub fn tag_on(&self, path: Path, message: &[u8], tag: &mut [u8]) -> Result<(), TagTooLong> {
        TagTooLong::check(tag)?;
        write_tag(&dispatch::tag(path, self, message), tag);
        Ok(())
    }
}
