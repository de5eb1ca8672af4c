//! Message authentication codes with the derivation of their keys, as TCP-AO carries them (RFC 5925, section 7).
//!
//! A *master key* is what two operators agree on. From it and a *context* (the two ends of one connection) a
//! *traffic key* is derived, once per connection and direction; from a traffic key an implementation prepares
//! whatever it wants to keep (a padded hash state, a key schedule), and the prepared key then authenticates every
//! segment. The three are separate here because each is a cost of its own. Linux, for one, prepares the key
//! again for every segment.

use std::any::Any;

use crate::Error;

/// One implementation of one MAC algorithm together with its key derivation function.
pub trait Mac: Send + Sync {
    /// Derives the traffic key for `context` from a master key; `traffic_key` is overwritten.
    ///
    /// # Errors
    /// [`Error::MalformedKey`] if the algorithm does not take a master key of that length.
    fn derive(&self, master_key: &[u8], context: &[u8], traffic_key: &mut Vec<u8>) -> Result<(), Error>;

    /// Prepares a traffic key for many messages.
    ///
    /// # Errors
    /// [`Error::MalformedKey`] if the algorithm has no traffic keys of that length.
    fn prepare(&self, traffic_key: &[u8]) -> Result<Box<dyn MacKey>, Error>;

    /// Bytes of the longest tag. A shorter one is the longest one's beginning, except where the algorithm binds the
    /// length into the tag (KMAC).
    fn longest_tag(&self) -> usize;

    /// Tags many messages, each under a prepared key of this implementation. Overridden where several messages at
    /// once are cheaper; the jobs' keys and lengths may all differ.
    ///
    /// # Errors
    /// As [`MacKey::tag`]; no tag of the batch may be used then.
    fn tag_many(&self, jobs: &mut [Job<'_>]) -> Result<(), Error> {
        jobs.iter_mut().try_for_each(|job| job.key.tag(job.message, job.tag))
    }
}

/// A prepared traffic key.
///
/// It is [`Any`], so that [`Mac::tag_many`] can recognise its own keys: `(key as &dyn Any).downcast_ref()`.
pub trait MacKey: Any + Send + Sync {
    /// Overwrites `tag` with the first `tag.len()` bytes of the message's tag.
    ///
    /// # Errors
    /// [`Error::Library`] if `tag` is longer than [`Mac::longest_tag`] or the library underneath fails.
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error>;
}

/// One message of a batch.
pub struct Job<'a> {
    /// The prepared key.
    pub key: &'a dyn MacKey,
    /// The whole message.
    pub message: &'a [u8],
    /// Where the tag goes; its length is the length of the tag.
    pub tag: &'a mut [u8],
}
