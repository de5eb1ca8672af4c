//! What the adapter of a hash function consists of, and how it becomes an implementation of [`Hash`].

use std::sync::Arc;

use fieldtest_kinds::Error;
use fieldtest_kinds::hash::{Hash, Job, Stream};

use crate::{join, kind};

/// A hash function as one library offers it.
pub(crate) trait Function: Send + Sync + 'static {
    /// The library's state while a message comes in pieces.
    type State: State;

    /// Bytes of a digest.
    fn digest_len(&self) -> usize;

    /// The state before the first byte.
    fn start(&self) -> Self::State;

    /// As [`Hash::digest`].
    #[inline]
    fn digest(&self, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), Error> {
        let mut state = self.start();
        state.update(head);
        state.update(body);
        state.finish(digest)
    }

    /// As [`Hash::digest_many`].
    fn digest_many(&self, jobs: &mut [Job<'_>]) -> Result<(), Error> {
        jobs.iter_mut().try_for_each(|job| self.digest(job.head, job.body, job.digest))
    }

    /// As [`Hash::hashes_several_at_once`].
    fn several_at_once(&self) -> bool {
        false
    }
}

/// A message that comes in pieces, as a library keeps it.
pub(crate) trait State: Send + 'static {
    fn update(&mut self, piece: &[u8]);

    /// Ends the message and overwrites `digest`.
    fn finish(self, digest: &mut [u8]) -> Result<(), Error>;
}

/// The implementation of [`Hash`] by a library's function.
struct Adapter<F>(F);

impl<F: Function> join::Code<kind::Hash> for F {
    fn code(self) -> Arc<dyn Hash> {
        Arc::new(Adapter(self))
    }
}

impl<F: Function> Hash for Adapter<F> {
    fn digest_len(&self) -> usize {
        self.0.digest_len()
    }

    fn digest(&self, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), Error> {
        self.0.digest(head, body, digest)
    }

    fn digest_many(&self, jobs: &mut [Job<'_>]) -> Result<(), Error> {
        self.0.digest_many(jobs)
    }

    fn hashes_several_at_once(&self) -> bool {
        self.0.several_at_once()
    }

    fn start(&self) -> Box<dyn Stream> {
        Box::new(Pieces(self.0.start()))
    }
}

/// The implementation of [`Stream`] by a library's state.
struct Pieces<S>(S);

impl<S: State> Stream for Pieces<S> {
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    fn finish(self: Box<Self>, digest: &mut [u8]) -> Result<(), Error> {
        self.0.finish(digest)
    }
}

/// Overwrites `digest` with the whole digest.
///
/// # Errors
/// [`Error::Library`] if it has another length.
#[inline]
pub(crate) fn write(whole: &[u8], digest: &mut [u8]) -> Result<(), Error> {
    if whole.len() != digest.len() {
        return Err(wrong_length(whole.len(), digest.len()));
    }
    digest.copy_from_slice(whole);
    Ok(())
}

#[cold]
pub(crate) fn wrong_length(expected: usize, found: usize) -> Error {
    Error::Library(format!(
        "a digest has {expected} bytes, and there is room for {found}; give it exactly its own"
    ))
}
