//! Hash functions of AWS-LC and `ring`, whose interfaces are alike.

use fieldtest_kinds::Error;

use super::function::{Function, State, write};

/// Declares the function of one of them.
macro_rules! digest {
    ($library:ident, $function:ident, $state:ident) => {
        pub(super) struct $function(pub(super) &'static $library::digest::Algorithm);

        impl Function for $function {
            type State = $state;

            fn digest_len(&self) -> usize {
                self.0.output_len()
            }

            fn start(&self) -> $state {
                $state($library::digest::Context::new(self.0))
            }
        }

        pub(super) struct $state($library::digest::Context);

        impl State for $state {
            fn update(&mut self, piece: &[u8]) {
                self.0.update(piece);
            }

            fn finish(self, digest: &mut [u8]) -> Result<(), Error> {
                write(self.0.finish().as_ref(), digest)
            }
        }
    };
}

#[cfg(feature = "aws-lc")]
digest!(aws_lc_rs, AwsLc, AwsLcState);
#[cfg(feature = "ring")]
digest!(ring, Ring, RingState);
