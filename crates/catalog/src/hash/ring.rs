//! Hash functions of `ring`.

use ::ring::digest::{Algorithm, Context};
use fieldtest_kinds::Error;

use super::function::{Function, State, write};

pub(super) struct Ring(pub(super) &'static Algorithm);

impl Function for Ring {
    type State = RingState;

    fn digest_len(&self) -> usize {
        self.0.output_len()
    }

    fn start(&self) -> RingState {
        RingState(Context::new(self.0))
    }
}

pub(super) struct RingState(Context);

impl State for RingState {
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    fn finish(self, digest: &mut [u8]) -> Result<(), Error> {
        write(self.0.finish().as_ref(), digest)
    }
}
