//! SHA-1 and SHA-256 by `fieldtest-sha`.

use std::marker::PhantomData;

use fieldtest_kinds::Error;
use fieldtest_kinds::hash::Job;
use fieldtest_sha::{DigestLength, Hash, Hasher, Message, Path, hash_many_on, hash_on};

use super::super::function::{Function, State, wrong_length};

/// The hash function `H`, on one code path.
pub(in super::super) struct Sha<H> {
    path: Path,
    hash: PhantomData<fn() -> H>,
}

impl<H> Sha<H> {
    pub(in super::super) fn on(path: Path) -> Self {
        Sha { path, hash: PhantomData }
    }
}

impl<H: Hash + Send> Function for Sha<H> {
    type State = Hasher<H>;

    fn several_at_once(&self) -> bool {
        self.path != Path::PORTABLE
    }

    fn digest_len(&self) -> usize {
        H::DIGEST
    }

    fn start(&self) -> Hasher<H> {
        Hasher::new_on(self.path)
    }

    fn digest(&self, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), Error> {
        hash_on::<H>(self.path, head, body, digest).map_err(refused)
    }

    fn digest_many(&self, jobs: &mut [Job<'_>]) -> Result<(), Error> {
        hash_many_on::<H, _>(self.path, jobs, |job| Message {
            head: job.head,
            body: job.body,
            digest: job.digest,
        })
        .map_err(refused)
    }
}

impl<H: Hash + Send> State for Hasher<H> {
    fn update(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    fn finish(self, digest: &mut [u8]) -> Result<(), Error> {
        self.finish(digest).map_err(refused)
    }
}

fn refused(error: DigestLength) -> Error {
    wrong_length(error.digest, error.given)
}
