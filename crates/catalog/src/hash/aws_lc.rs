//! Hash functions of AWS-LC.

use aws_lc_rs::digest::{Algorithm, Context};
use fieldtest_kinds::Error;

use super::function::{Function, State, write};

pub(super) struct AwsLc(pub(super) &'static Algorithm);

impl Function for AwsLc {
    type State = AwsLcState;

    fn digest_len(&self) -> usize {
        self.0.output_len()
    }

    fn start(&self) -> AwsLcState {
        AwsLcState(Context::new(self.0))
    }
}

pub(super) struct AwsLcState(Context);

impl State for AwsLcState {
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    fn finish(self, digest: &mut [u8]) -> Result<(), Error> {
        write(self.0.finish().as_ref(), digest)
    }
}
