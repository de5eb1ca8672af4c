//! SHA3-256, SHAKE128 and KT128 by `fieldtest-keccak`, the latter two with 32 bytes of output.

use std::marker::PhantomData;

use fieldtest_keccak::{DigestLength, Hash, Hasher, Message, Path, hash_many_on, hash_on};
use fieldtest_kinds::Error;
use fieldtest_kinds::hash::Job;

use super::super::function::{Function, State, wrong_length};

const DIGEST: usize = 32;

/// The hash function `H`, on one code path.
pub(in super::super) struct Keccak<H> {
    path: Path,
    hash: PhantomData<fn() -> H>,
}

impl<H> Keccak<H> {
    pub(in super::super) fn on(path: Path) -> Self {
        Keccak { path, hash: PhantomData }
    }
}

impl<H: Hash + 'static> Function for Keccak<H>
where
    Hasher<H>: Send,
{
    type State = Hasher<H>;

    fn digest_len(&self) -> usize {
        DIGEST
    }

    fn start(&self) -> Hasher<H> {
        Hasher::new_on(self.path)
    }

    fn digest(&self, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), Error> {
        check(digest)?;
        hash_on::<H>(self.path, head, body, digest).map_err(refused)
    }

    fn digest_many(&self, jobs: &mut [Job<'_>]) -> Result<(), Error> {
        jobs.iter().try_for_each(|job| check(job.digest))?;
        hash_many_on::<H, _>(self.path, jobs, |job| Message {
            head: job.head,
            body: job.body,
            digest: job.digest,
        })
        .map_err(refused)
    }

    fn several_at_once(&self) -> bool {
        self.path != Path::PORTABLE
    }
}

impl<H: Hash + 'static> State for Hasher<H>
where
    Hasher<H>: Send,
{
    fn update(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    fn finish(self, digest: &mut [u8]) -> Result<(), Error> {
        check(digest)?;
        self.finish(digest).map_err(refused)
    }
}

/// SHAKE128 and KT128 have digests of any length; only those of this one are meant.
fn check(digest: &[u8]) -> Result<(), Error> {
    if digest.len() == DIGEST { Ok(()) } else { Err(wrong_length(DIGEST, digest.len())) }
}

fn refused(error: DigestLength) -> Error {
    wrong_length(error.digest, error.given)
}
