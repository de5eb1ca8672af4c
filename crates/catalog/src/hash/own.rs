//! This project's own hash functions, which hash several messages at once: SHA-1 and SHA-256 by `fieldtest-sha`, SHA3-256,
//! SHAKE128 and KT128 by `fieldtest-keccak`. The two crates have the same interface, and share no code. Of
//! libraries on stable Rust one alone takes several messages, SHA-256 without refilling its lanes; side by
//! side, many messages are 2 to 6 times as fast (November 2026).

use std::marker::PhantomData;

use fieldtest_kinds::Error;
use fieldtest_kinds::hash::Job;

use super::function::{Function, State, wrong_length};

/// Declares the functions of one crate: their type, the crate, and the bytes of a digest of `H`.
macro_rules! own {
    ($function:ident, $library:ident, $hash:ident => $digest:expr) => {
        /// The hash function `H`, on one code path.
        pub(super) struct $function<H> {
            path: $library::Path,
            hash: PhantomData<fn() -> H>,
        }

        impl<H> $function<H> {
            pub(super) fn on(path: $library::Path) -> Self {
                $function { path, hash: PhantomData }
            }
        }

        impl<$hash: $library::Hash + 'static> Function for $function<$hash>
        where
            $library::Hasher<$hash>: Send,
        {
            type State = $library::Hasher<$hash>;

            fn digest_len(&self) -> usize {
                $digest
            }

            fn start(&self) -> $library::Hasher<$hash> {
                $library::Hasher::new_on(self.path)
            }

            fn digest(&self, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), Error> {
                check($digest, digest)?;
                $library::hash_on::<$hash>(self.path, head, body, digest)
                    .map_err(|error| wrong_length(error.digest, error.given))
            }

            fn digest_many(&self, jobs: &mut [Job<'_>]) -> Result<(), Error> {
                jobs.iter().try_for_each(|job| check($digest, job.digest))?;
                $library::hash_many_on::<$hash, _>(self.path, jobs, |job| $library::Message {
                    head: job.head,
                    body: job.body,
                    digest: job.digest,
                })
                .map_err(|error| wrong_length(error.digest, error.given))
            }

            fn several_at_once(&self) -> bool {
                self.path != $library::Path::PORTABLE
            }
        }

        impl<$hash: $library::Hash + 'static> State for $library::Hasher<$hash>
        where
            $library::Hasher<$hash>: Send,
        {
            fn update(&mut self, piece: &[u8]) {
                self.update(piece);
            }

            fn finish(self, digest: &mut [u8]) -> Result<(), Error> {
                check($digest, digest)?;
                self.finish(digest).map_err(|error| wrong_length(error.digest, error.given))
            }
        }
    };
}

own!(Sha, fieldtest_sha, H => H::DIGEST);
own!(Keccak, fieldtest_keccak, H => 32);

/// SHAKE128 and KT128 have digests of any length; only those of one are meant.
fn check(length: usize, digest: &[u8]) -> Result<(), Error> {
    if digest.len() == length { Ok(()) } else { Err(wrong_length(length, digest.len())) }
}
