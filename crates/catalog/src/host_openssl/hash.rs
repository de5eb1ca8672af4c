//! Hash functions by the host's OpenSSL.
//!
//! The method is fetched once. A context costs more than a short message, so that it is kept for the next one: one
//! per call, or per batch, or per message that comes in pieces.

use std::ffi::CStr;
use std::sync::Arc;

use fieldtest_kinds::Error;
use fieldtest_kinds::hash::Job;

use crate::hash::{Function, State};
use crate::pool::Pool;

use super::ffi::{Digest, HashContext, Length, Libcrypto};

/// The hash functions of OpenSSL by its own names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HashFunction {
    /// A function with digests of so many bytes.
    Fixed(&'static CStr, usize),
    /// A function with an output of any length, of which so many bytes are taken.
    Extendable(&'static CStr, usize),
}

/// A hash function of the host's OpenSSL.
pub(crate) struct HostHash {
    method: Arc<Digest>,
    length: Length,
    idle: Pool<HashContext>,
}

impl HostHash {
    /// Nothing, if this OpenSSL does not offer the function.
    pub(super) fn new(libcrypto: &'static Libcrypto, function: HashFunction) -> Option<Self> {
        let (name, length) = match function {
            HashFunction::Fixed(name, bytes) => (name, Length::Fixed(bytes)),
            HashFunction::Extendable(name, bytes) => (name, Length::Chosen(bytes)),
        };
        let method = Digest::named(libcrypto, name).ok()?;
        Some(HostHash { method: Arc::new(method), length, idle: Pool::default() })
    }

    fn with<R>(&self, work: impl FnOnce(&mut HashContext) -> Result<R, Error>) -> Result<R, Error> {
        self.idle.with(|| HashContext::new(self.method.clone()), work)
    }

    fn hash(
        &self,
        context: &mut HashContext,
        head: &[u8],
        body: &[u8],
        digest: &mut [u8],
    ) -> Result<(), Error> {
        context.begin()?;
        context.update(head)?;
        context.update(body)?;
        context.finish(self.length, digest)
    }
}

impl Function for HostHash {
    type State = HostState;

    fn digest_len(&self) -> usize {
        self.length.bytes()
    }

    fn start(&self) -> HostState {
        let begun = HashContext::new(self.method.clone()).and_then(|mut context| {
            context.begin()?;
            Ok(context)
        });
        HostState { context: begun, length: self.length }
    }

    fn digest(&self, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), Error> {
        self.with(|context| self.hash(context, head, body, digest))
    }

    fn digest_many(&self, jobs: &mut [Job<'_>]) -> Result<(), Error> {
        self.with(|context| {
            jobs.iter_mut().try_for_each(|job| self.hash(context, job.head, job.body, job.digest))
        })
    }
}

/// A message that comes in pieces; what failed on the way is said at its end.
pub(crate) struct HostState {
    context: Result<HashContext, Error>,
    length: Length,
}

impl State for HostState {
    fn update(&mut self, piece: &[u8]) {
        if let Ok(context) = &mut self.context
            && let Err(error) = context.update(piece)
        {
            self.context = Err(error);
        }
    }

    fn finish(self, digest: &mut [u8]) -> Result<(), Error> {
        self.context?.finish(self.length, digest)
    }
}
