//! HMAC (RFC 2104) with the padded key absorbed in advance.

use core::fmt;
use core::marker::PhantomData;

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::block::{BLOCK, Rest, State, Tail, wipe, write_digest};
use crate::hash::{Hash, absorb, absorb_message, hmac};
use crate::path::Path;
use crate::{Sha1, Sha256};

/// HMAC-SHA-1; tags of up to 20 bytes.
pub type HmacSha1 = Hmac<Sha1>;

/// HMAC-SHA-256; tags of up to 32 bytes.
pub type HmacSha256 = Hmac<Sha256>;

/// A prepared key: the states of the inner and the outer hash after the padded key. They are as secret as the key
/// and are erased on drop.
#[derive(Clone)]
pub struct Hmac<H: Hash> {
    pub(crate) inner: State,
    pub(crate) outer: State,
    hash: PhantomData<H>,
}

impl<H: Hash> Hmac<H> {
    /// Bytes of the longest tag.
    pub const LONGEST_TAG: usize = H::DIGEST;

    /// Prepares a key of any length. A key of more than 64 bytes is replaced by its digest (RFC 2104, section 2).
    #[must_use]
    pub fn new(key: &[u8]) -> Self {
        Self::new_on(Path::best(), key)
    }

    /// [`Self::new`] by the given path.
    #[must_use]
    pub fn new_on(path: Path, key: &[u8]) -> Self {
        let mut padded = [0; BLOCK];
        if let Some(place) = padded.get_mut(..key.len()) {
            place.copy_from_slice(key);
        } else {
            let mut tail = Tail::EMPTY;
            let mut state = absorb_message::<H>(path, &[], key, &mut tail);
            write_digest(&mut padded[..H::DIGEST], &state);
            wipe(&mut state, H::INITIAL);
            tail.wipe();
        }
        let absorbed = |pad: u8| {
            let mut block = padded.map(|byte| byte ^ pad);
            let mut state = H::INITIAL;
            absorb::<H>(path.single(), core::slice::from_mut(&mut state), &[&[block]]);
            wipe(&mut block, [0; BLOCK]);
            state
        };
        let key = Self { inner: absorbed(0x36), outer: absorbed(0x5c), hash: PhantomData };
        wipe(&mut padded, [0; BLOCK]);
        key
    }

    /// Overwrites `tag` with the first `tag.len()` bytes of the message's tag.
    ///
    /// # Errors
    /// [`TagTooLong`] if `tag` is longer than [`Self::LONGEST_TAG`]; it is left as it was.
    #[inline]
    pub fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), TagTooLong> {
        self.tag_on(Path::best(), message, tag)
    }

    /// [`Self::tag`] by the given path.
    ///
    /// # Errors
    /// As [`Self::tag`].
    pub fn tag_on(&self, path: Path, message: &[u8], tag: &mut [u8]) -> Result<(), TagTooLong> {
        check_length::<H>(tag)?;
        // Written before the body is absorbed, the tail has reached the cache by the time it is read.
        let mut tail = Tail::EMPTY;
        let body = tail.end(Rest { absorbed: BLOCK, body: message });
        let state = hmac::<H>(path, &self.inner, &self.outer, body, tail.pending());
        write_digest(tag, &state);
        Ok(())
    }
}

/// Refuses a tag that is longer than the digest.
pub(crate) fn check_length<H: Hash>(tag: &[u8]) -> Result<(), TagTooLong> {
    if tag.len() > H::DIGEST { Err(TagTooLong { asked: tag.len(), longest: H::DIGEST }) } else { Ok(()) }
}

impl<H: Hash> Zeroize for Hmac<H> {
    fn zeroize(&mut self) {
        wipe(&mut self.inner, [0; 8]);
        wipe(&mut self.outer, [0; 8]);
    }
}

impl<H: Hash> Drop for Hmac<H> {
    fn drop(&mut self) {
        self.zeroize();
    }
}

impl<H: Hash> ZeroizeOnDrop for Hmac<H> {}

impl<H: Hash> fmt::Debug for Hmac<H> {
    /// Shows nothing of the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hmac").finish_non_exhaustive()
    }
}

/// A tag was asked for that is longer than the digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagTooLong {
    /// Bytes asked for.
    pub asked: usize,
    /// Bytes there are.
    pub longest: usize,
}

impl fmt::Display for TagTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a tag of {} bytes was asked for, and this HMAC has {}: ask for fewer",
            self.asked, self.longest
        )
    }
}

impl core::error::Error for TagTooLong {}
