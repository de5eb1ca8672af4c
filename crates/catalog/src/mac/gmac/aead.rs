//! GCM of the two libraries whose interfaces are alike.

#[cfg(feature = "aws-lc")]
use aws_lc_rs::aead as aws_lc;
use fieldtest_kinds::Error;
use fieldtest_kinds::mac::MacKey;
#[cfg(feature = "ring")]
use ring::aead as ring_aead;

use super::super::keyed::{Function, check_length, write};
use super::super::nonce;
use super::KEY;
use crate::adapt::failed;

/// Declares the function of one of the two libraries, whose interfaces are alike.
macro_rules! gmac {
    ($library:ident, $function:ident, $key:ident) => {
        #[derive(Clone)]
        pub(super) struct $function;

        impl Function for $function {
            type Key = $key;

            fn longest_tag(&self) -> usize {
                16
            }

            fn key(&self, key: &[u8]) -> Result<$key, Error> {
                check_length(&(KEY..=KEY), key)?;
                let key = $library::UnboundKey::new(&$library::AES_128_GCM, key)
                    .map_err(|_| failed("preparing a key"))?;
                Ok($key($library::LessSafeKey::new(key)))
            }
        }

        pub(super) struct $key($library::LessSafeKey);

        impl MacKey for $key {
            fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
                let (nonce, data) = nonce::split(message)?;
                let nonce = $library::Nonce::assume_unique_for_key(*nonce);
                let whole = self
                    .0
                    .seal_in_place_separate_tag(nonce, $library::Aad::from(data), &mut [])
                    .map_err(|_| failed("tagging"))?;
                write(whole.as_ref(), tag)
            }
        }
    };
}

#[cfg(feature = "aws-lc")]
gmac!(aws_lc, AwsLc, AwsLcKey);
#[cfg(feature = "ring")]
gmac!(ring_aead, Ring, RingKey);
