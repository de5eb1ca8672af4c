//! A prepared key and what it does.

use core::fmt;

use fieldtest_block::{
    BlockCipher16, Ciphertext, Hash, KeyLength, absorbed, decrypt_chained, hashed_in_chunks,
};

use crate::path::Path;
#[cfg(target_arch = "x86_64")]
use crate::simd::{self, Absorb, Chain, Ecb, Keystream, KeystreamAbsorbed, Masked, Schedule, Unchain, Xex};
use crate::{Block, portable};

/// An AES key of any of the three lengths, prepared for both directions (FIPS 197). It is erased on drop.
#[derive(Clone)]
pub struct Aes {
    path: Path,
    form: Form,
}

#[derive(Clone)]
enum Form {
    Portable(portable::Key),
    #[cfg(target_arch = "x86_64")]
    Instructions(Schedule),
}

impl fmt::Debug for Aes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Aes").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Aes {
    /// Prepares a key of 16, 24 or 32 bytes for the fastest path.
    ///
    /// # Errors
    /// [`KeyLength`] for any other length.
    pub fn new(key: &[u8]) -> Result<Self, KeyLength> {
        Self::new_on(Path::best(), key)
    }

    /// [`new`](Self::new) for the given path.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn new_on(path: Path, key: &[u8]) -> Result<Self, KeyLength> {
        if !matches!(key.len(), 16 | 24 | 32) {
            return Err(KeyLength { found: key.len() });
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(schedule) = Schedule::new(path, key) {
            return Ok(Self { path, form: Form::Instructions(schedule) });
        }
        Ok(Self { path, form: Form::Portable(portable::Key::new(key)?) })
    }

    /// The path it was prepared for.
    #[must_use]
    pub fn path(&self) -> Path {
        self.path
    }

    fn ecb<const DECRYPT: bool>(&self, blocks: &mut [Block]) {
        match &self.form {
            Form::Portable(key) => key.ecb::<DECRYPT>(blocks),
            #[cfg(target_arch = "x86_64")]
            Form::Instructions(key) => simd::run::<_, DECRYPT>(self.path, key, Ecb { blocks }),
        }
    }

    fn masked<const DECRYPT: bool>(&self, blocks: &mut [Block], masks: &[Block]) {
        assert_eq!(blocks.len(), masks.len(), "one mask for each block");
        match &self.form {
            Form::Portable(key) => key.masked::<DECRYPT>(blocks, masks),
            #[cfg(target_arch = "x86_64")]
            Form::Instructions(key) => simd::run::<_, DECRYPT>(self.path, key, Masked { blocks, masks }),
        }
    }

    fn xex<const DECRYPT: bool>(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        one_for_each_run(blocks, run, first);
        match &self.form {
            Form::Portable(key) => key.xex::<DECRYPT>(blocks, run, first),
            #[cfg(target_arch = "x86_64")]
            Form::Instructions(key) => simd::run::<_, DECRYPT>(self.path, key, Xex { blocks, run, first }),
        }
    }
}

/// # Panics
/// If there are not as many masks as blocks, `run` is 0, or `first` has not one block for each run.
impl BlockCipher16 for Aes {
    fn with_key(key: &[u8]) -> Result<Self, KeyLength> {
        Self::new(key)
    }

    fn encrypt(&self, blocks: &mut [Block]) {
        self.ecb::<false>(blocks);
    }

    fn decrypt(&self, blocks: &mut [Block]) {
        self.ecb::<true>(blocks);
    }

    fn encrypt_masked(&self, blocks: &mut [Block], masks: &[Block]) {
        self.masked::<false>(blocks, masks);
    }

    fn decrypt_masked(&self, blocks: &mut [Block], masks: &[Block]) {
        self.masked::<true>(blocks, masks);
    }

    fn encrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.xex::<false>(blocks, run, first);
    }

    fn decrypt_xex(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        self.xex::<true>(blocks, run, first);
    }

    fn xor_keystream(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        one_for_each_run(blocks, run, first);
        match &self.form {
            Form::Portable(key) => key.keystream(blocks, run, first),
            #[cfg(target_arch = "x86_64")]
            Form::Instructions(key) => {
                simd::run::<_, false>(self.path, key, Keystream { blocks, run, first });
            }
        }
    }

    fn xor_keystream_hashed(&self, blocks: &mut [Block], first: &Block, mut hash: Hash<'_>) {
        // As far as both go at once.
        let done = match &self.form {
            Form::Portable(_) => 0,
            #[cfg(target_arch = "x86_64")]
            Form::Instructions(key) => simd::keystream_hashed(self.path, key, blocks, first, &mut hash),
        };
        let first = u128::from_be_bytes(*first).wrapping_add(done as u128).to_be_bytes();
        hashed_in_chunks(&mut blocks[done..], &first, &mut hash, |blocks, first| {
            self.xor_keystream(blocks, blocks.len(), &[first]);
        });
    }

    fn encrypt_chained(&self, state: &mut Block, blocks: &mut [Block]) {
        match &self.form {
            Form::Portable(key) => key.chain(state, blocks),
            #[cfg(target_arch = "x86_64")]
            Form::Instructions(key) => simd::run::<_, false>(self.path, key, Chain { state, blocks }),
        }
    }

    fn decrypt_chained(&self, blocks: &mut [Block], run: usize, first: &[Block]) {
        one_for_each_run(blocks, run, first);
        match &self.form {
            Form::Portable(key) => decrypt_chained(blocks, run, first, |blocks| key.ecb::<true>(blocks)),
            #[cfg(target_arch = "x86_64")]
            Form::Instructions(key) => {
                simd::run::<_, true>(self.path, key, Unchain { blocks, run, first });
            }
        }
    }

    fn absorb_chained(&self, state: &mut Block, blocks: &[Block]) {
        match &self.form {
            Form::Portable(key) => key.absorb(state, blocks),
            #[cfg(target_arch = "x86_64")]
            Form::Instructions(key) => simd::run::<_, false>(self.path, key, Absorb { state, blocks }),
        }
    }

    fn xor_keystream_absorbed(
        &self,
        state: &mut Block,
        blocks: &mut [Block],
        first: &Block,
        ciphertext: Ciphertext,
    ) {
        if blocks.is_empty() {
            return;
        }
        match &self.form {
            Form::Portable(key) => absorbed(
                blocks,
                ciphertext,
                |blocks| key.absorb(state, blocks),
                |blocks| key.keystream(blocks, blocks.len(), &[*first]),
            ),
            #[cfg(target_arch = "x86_64")]
            Form::Instructions(key) => {
                let operation = KeystreamAbsorbed { state, blocks, first, ciphertext };
                simd::run::<_, false>(self.path, key, operation);
            }
        }
    }
}

fn one_for_each_run(blocks: &[Block], run: usize, first: &[Block]) {
    assert!(
        run > 0 && first.len() == blocks.len().div_ceil(run),
        "one first block for each run of at least one"
    );
}
