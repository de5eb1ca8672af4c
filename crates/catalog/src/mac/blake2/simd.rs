//! Keyed BLAKE2 by `blake2s_simd` and `blake2b_simd`, which share one interface.

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::MacKey;

use super::super::keyed::{Function, check_length, write};

/// Declares the function of one of the two libraries.
macro_rules! blake2 {
    ($library:ident, $function:ident, $key:ident) => {
        #[derive(Clone)]
        pub(super) struct $function;

        impl Function for $function {
            type Key = $key;

            fn longest_tag(&self) -> usize {
                $library::OUTBYTES
            }

            fn key(&self, key: &[u8]) -> Result<$key, Error> {
                check_length(&(1..=$library::KEYBYTES), key)?;
                Ok($key($library::Params::new().key(key).to_state()))
            }
        }

        /// The state that has the key's block, cloned for each message.
        pub(super) struct $key($library::State);

        impl MacKey for $key {
            fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
                write(self.0.clone().update(message).finalize().as_bytes(), tag)
            }
        }
    };
}

blake2!(blake2s_simd, Blake2s, Blake2sKey);
blake2!(blake2b_simd, Blake2b, Blake2bKey);
