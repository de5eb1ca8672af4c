//! Hash functions of the RustCrypto project, which share two interfaces: one for digests of a fixed length, one for
//! outputs of any length.

use std::marker::PhantomData;

use fieldtest_kinds::Error;
use sha2::digest::{Digest, ExtendableOutput, Update, XofReader as _};

use super::function::{Function, State, write, wrong_length};

/// A function with digests of a fixed length, by its type.
pub(super) struct RustCrypto<D>(PhantomData<fn() -> D>);

impl<D> RustCrypto<D> {
    pub(super) fn new() -> Self {
        RustCrypto(PhantomData)
    }
}

impl<D: Digest + Send + 'static> Function for RustCrypto<D> {
    type State = Fixed<D>;

    fn digest_len(&self) -> usize {
        <D as Digest>::output_size()
    }

    fn start(&self) -> Fixed<D> {
        Fixed(D::new())
    }
}

pub(super) struct Fixed<D>(D);

impl<D: Digest + Send + 'static> State for Fixed<D> {
    fn update(&mut self, piece: &[u8]) {
        Digest::update(&mut self.0, piece);
    }

    fn finish(self, digest: &mut [u8]) -> Result<(), Error> {
        write(&self.0.finalize(), digest)
    }
}

/// The first `N` bytes of a function with an output of any length, by its type.
pub(super) struct Extendable<X, const N: usize>(PhantomData<fn() -> X>);

impl<X, const N: usize> Extendable<X, N> {
    pub(super) fn new() -> Self {
        Extendable(PhantomData)
    }
}

impl<X, const N: usize> Function for Extendable<X, N>
where
    X: Default + Update + ExtendableOutput + Send + 'static,
{
    type State = First<X, N>;

    fn digest_len(&self) -> usize {
        N
    }

    fn start(&self) -> First<X, N> {
        First(X::default())
    }
}

pub(super) struct First<X, const N: usize>(X);

impl<X, const N: usize> State for First<X, N>
where
    X: Default + Update + ExtendableOutput + Send + 'static,
{
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    fn finish(self, digest: &mut [u8]) -> Result<(), Error> {
        if digest.len() != N {
            return Err(wrong_length(N, digest.len()));
        }
        self.0.finalize_xof().read(digest);
        Ok(())
    }
}
