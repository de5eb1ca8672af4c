//! The block cipher traits of RustCrypto's `cipher`, one type per key size.

use core::fmt;
use core::slice::from_mut;

use cipher::array::Array;
use cipher::consts::{U16, U24, U32};
use cipher::typenum::Unsigned;
use cipher::{
    AlgorithmName, Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt,
    BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InOut, InOutBuf, Key,
    KeyInit, KeySizeUser, ParBlocks, ParBlocksSizeUser,
};
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::path::Path;
use crate::rounds::{Decryption, Direction, Encryption};
use crate::schedule::Schedule;

/// What a mode of operation is given: a key, and the path that was chosen once for all of its blocks.
struct Backend<'a> {
    schedule: &'a Schedule,
    path: Path,
}

impl Backend<'_> {
    #[inline]
    fn run<D: Direction>(&self, blocks: &mut [Block<Self>]) {
        self.path.run::<D>(self.schedule, Array::cast_slice_to_core_mut(blocks), None);
    }
}

impl BlockSizeUser for Backend<'_> {
    type BlockSize = U16;
}

impl ParBlocksSizeUser for Backend<'_> {
    type ParBlocksSize = U32;
}

impl BlockCipherEncBackend for Backend<'_> {
    #[inline]
    fn encrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
        self.run::<Encryption>(from_mut(block.into_out_with_copied_in()));
    }

    #[inline]
    fn encrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.run::<Encryption>(blocks.into_out_with_copied_in());
    }

    #[inline]
    fn encrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
        self.run::<Encryption>(blocks.into_out_with_copied_in());
    }
}

impl BlockCipherDecBackend for Backend<'_> {
    #[inline]
    fn decrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
        self.run::<Decryption>(from_mut(block.into_out_with_copied_in()));
    }

    #[inline]
    fn decrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.run::<Decryption>(blocks.into_out_with_copied_in());
    }

    #[inline]
    fn decrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
        self.run::<Decryption>(blocks.into_out_with_copied_in());
    }
}

/// The type of one key size: its name, its bytes, and what people call it.
macro_rules! key_size {
    ($name:ident, $bytes:ty, $text:literal) => {
        #[doc = concat!($text, " with the traits of RustCrypto's `cipher`. The key is wiped when it is dropped.")]
        #[derive(Clone)]
        pub struct $name(Schedule);

        impl KeySizeUser for $name {
            type KeySize = $bytes;
        }

        impl KeyInit for $name {
            fn new(key: &Key<Self>) -> Self {
                let mut words = [[0; 4]; <$bytes>::USIZE / 4];
                words.as_flattened_mut().copy_from_slice(key);
                let schedule = Schedule::new(&words);
                words.zeroize();
                Self(schedule)
            }
        }

        impl BlockSizeUser for $name {
            type BlockSize = U16;
        }

        impl BlockCipherEncrypt for $name {
            #[inline]
            fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = U16>) {
                f.call(&Backend { schedule: &self.0, path: Path::best() });
            }
        }

        impl BlockCipherDecrypt for $name {
            #[inline]
            fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = U16>) {
                f.call(&Backend { schedule: &self.0, path: Path::best() });
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

key_size!(Lea128, U16, "LEA-128");
key_size!(Lea192, U24, "LEA-192");
key_size!(Lea256, U32, "LEA-256");
