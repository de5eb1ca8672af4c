use std::marker::PhantomData;

use ::graviola::hashing::{Hash, HashContext};
use fieldtest_kinds::Error;

use super::function::{Function, State, write};

pub(super) struct Graviola<H>(PhantomData<fn() -> H>);

impl<H> Graviola<H> {
    /// Nothing where the processor lacks what the library is written for.
    pub(super) fn new() -> Option<Self> {
        ::graviola::util::is_cpu_supported().then_some(Graviola(PhantomData))
    }
}

impl<H: Hash<Context: Send + 'static> + 'static> Function for Graviola<H> {
    type State = GraviolaState<H::Context>;

    fn digest_len(&self) -> usize {
        H::zeroed_output().as_ref().len()
    }

    fn start(&self) -> GraviolaState<H::Context> {
        GraviolaState(H::new())
    }
}

pub(super) struct GraviolaState<C>(C);

impl<C: HashContext + Send + 'static> State for GraviolaState<C> {
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    fn finish(self, digest: &mut [u8]) -> Result<(), Error> {
        write(self.0.finish().as_ref(), digest)
    }
}
