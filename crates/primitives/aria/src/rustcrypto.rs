//! The block cipher traits of RustCrypto's `cipher`, one type per key size.

use core::fmt;
use core::slice::from_mut;

use cipher::array::{Array, ArraySize};
use cipher::consts::{U16, U24, U32, U64};
use cipher::{
    AlgorithmName, Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt,
    BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InOut, InOutBuf, Key,
    KeyInit, KeySizeUser, ParBlocks, ParBlocksSizeUser,
};
use zeroize::ZeroizeOnDrop;

use crate::Aria;

/// What a mode of operation is given: a key, of which it hands in 64 blocks at once, so that every path has whole
/// groups.
struct Backend<'a>(&'a Aria);

impl Backend<'_> {
    #[inline]
    fn encrypt(&self, blocks: &mut [Block<Self>]) {
        self.0.encrypt(Array::cast_slice_to_core_mut(blocks));
    }

    #[inline]
    fn decrypt(&self, blocks: &mut [Block<Self>]) {
        self.0.decrypt(Array::cast_slice_to_core_mut(blocks));
    }
}

impl BlockSizeUser for Backend<'_> {
    type BlockSize = U16;
}

impl ParBlocksSizeUser for Backend<'_> {
    type ParBlocksSize = U64;
}

impl BlockCipherEncBackend for Backend<'_> {
    #[inline]
    fn encrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
        self.encrypt(from_mut(block.into_out_with_copied_in()));
    }

    #[inline]
    fn encrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.encrypt(blocks.into_out_with_copied_in());
    }

    #[inline]
    fn encrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
        self.encrypt(blocks.into_out_with_copied_in());
    }
}

impl BlockCipherDecBackend for Backend<'_> {
    #[inline]
    fn decrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
        self.decrypt(from_mut(block.into_out_with_copied_in()));
    }

    #[inline]
    fn decrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.decrypt(blocks.into_out_with_copied_in());
    }

    #[inline]
    fn decrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
        self.decrypt(blocks.into_out_with_copied_in());
    }
}

/// Prepares a key whose length its type guarantees.
fn prepared<N: ArraySize>(key: &Array<u8, N>) -> Aria {
    match Aria::new(key) {
        Ok(aria) => aria,
        Err(error) => unreachable!("{error}"),
    }
}

/// The type of one key size: its name, its bytes, and what people call it.
macro_rules! key_size {
    ($name:ident, $bytes:ty, $text:literal) => {
        #[doc = concat!($text, " with the traits of RustCrypto's `cipher`. The key is wiped when it is dropped.")]
        #[derive(Clone)]
        pub struct $name(Aria);

        impl KeySizeUser for $name {
            type KeySize = $bytes;
        }

        impl KeyInit for $name {
            fn new(key: &Key<Self>) -> Self {
                Self(prepared(key))
            }
        }

        impl BlockSizeUser for $name {
            type BlockSize = U16;
        }

        impl BlockCipherEncrypt for $name {
            #[inline]
            fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = U16>) {
                f.call(&Backend(&self.0));
            }
        }

        impl BlockCipherDecrypt for $name {
            #[inline]
            fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = U16>) {
                f.call(&Backend(&self.0));
            }
        }

        impl AlgorithmName for $name {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($text)
            }
        }

        impl fmt::Debug for $name {
            /// Shows nothing of the key.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }

        impl ZeroizeOnDrop for $name {}
    };
}

key_size!(Aria128, U16, "ARIA-128");
key_size!(Aria192, U24, "ARIA-192");
key_size!(Aria256, U32, "ARIA-256");
