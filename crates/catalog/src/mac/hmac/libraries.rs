//! HMAC of AWS-LC and `ring`, whose interfaces are alike.

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::MacKey;

use super::super::keyed::{Function, write};

/// Declares the function of one of them: its module, and the bytes of its algorithms' tags.
macro_rules! hmac {
    ($library:ident, $function:ident, $key:ident, $longest_tag:expr) => {
        #[derive(Clone)]
        pub(super) struct $function(pub(super) $library::hmac::Algorithm);

        impl Function for $function {
            type Key = $key;

            fn longest_tag(&self) -> usize {
                $longest_tag(&self.0)
            }

            fn key(&self, key: &[u8]) -> Result<$key, Error> {
                Ok($key($library::hmac::Key::new(self.0, key)))
            }
        }

        pub(super) struct $key($library::hmac::Key);

        impl MacKey for $key {
            fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
                write($library::hmac::sign(&self.0, message).as_ref(), tag)
            }
        }
    };
}

#[cfg(feature = "aws-lc")]
hmac!(aws_lc_rs, AwsLc, AwsLcKey, aws_lc_rs::hmac::Algorithm::tag_len);
#[cfg(feature = "ring")]
hmac!(ring, Ring, RingKey, |it: &ring::hmac::Algorithm| it.digest_algorithm().output_len());
