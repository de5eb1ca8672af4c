//! Hash functions, as Git names objects with them: short and long messages, many of them independent of each other.
//!
//! A message comes in two parts, a head and a body, because a carrier puts a few bytes of its own before content that
//! lies somewhere else (Git's `blob 1234\0`), and copying the content to join them would cost as much as some of the
//! hashes do.

use crate::Error;

/// One implementation of one hash function with a fixed length of digests.
pub trait Hash: Send + Sync {
    /// Bytes of a digest.
    fn digest_len(&self) -> usize;

    /// Hashes the message that is `head` followed by `body`; `digest` is overwritten.
    ///
    /// # Errors
    /// [`Error::CollisionAttack`] from a function that detects them; [`Error::Library`] if `digest` is not
    /// [`digest_len`](Self::digest_len) bytes long or the library underneath fails.
    fn digest(&self, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), Error>;

    /// Hashes many independent messages. Overridden where several at once are cheaper; their lengths may all differ.
    ///
    /// # Errors
    /// As [`digest`](Self::digest); no digest of the batch may be used then.
    fn digest_many(&self, jobs: &mut [Job<'_>]) -> Result<(), Error> {
        jobs.iter_mut().try_for_each(|job| self.digest(job.head, job.body, job.digest))
    }

    /// Whether [`digest_many`](Self::digest_many) is more than a loop, so that it is worth collecting messages.
    fn hashes_several_at_once(&self) -> bool {
        false
    }

    /// Begins a message that comes in pieces, such as a file larger than memory.
    fn start(&self) -> Box<dyn Stream>;
}

/// A message that comes in pieces.
pub trait Stream: Send {
    /// Appends to the message.
    fn update(&mut self, piece: &[u8]);

    /// Ends the message and overwrites `digest`.
    ///
    /// # Errors
    /// As [`Hash::digest`].
    fn finish(self: Box<Self>, digest: &mut [u8]) -> Result<(), Error>;
}

/// One message of a batch.
pub struct Job<'a> {
    /// How the message begins.
    pub head: &'a [u8],
    /// The rest of it.
    pub body: &'a [u8],
    /// Where the digest goes.
    pub digest: &'a mut [u8],
}
