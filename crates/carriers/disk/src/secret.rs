//! Secrets: where they are kept in memory, volume keys, and randomness.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::{Advice, MmapMut};
use zeroize::Zeroize;

use crate::error::{Error, Result};

/// Whether some memory could not be locked.
static UNLOCKED: AtomicBool = AtomicBool::new(false);

/// Bytes on pages of their own, which are kept out of swap and of core dumps as far as the system lets us, and are
/// wiped when they are dropped.
///
/// They do not grow, since that would leave copies behind.
/// By `memmap2`: calls of `libc` are unsafe, and the crate `secrets` needs libsodium.
#[derive(Default)]
pub struct Secret {
    /// Nothing for no bytes: there is no page to be had for them.
    pages: Option<MmapMut>,
    length: usize,
}

impl Secret {
    /// So many zeros.
    ///
    /// # Errors
    /// [`Error::KeyDerivation`] if there is no memory.
    pub fn zeroed(length: usize) -> Result<Self> {
        if length == 0 {
            return Ok(Secret::default());
        }
        let pages = MmapMut::map_anon(length)
            .map_err(|_| Error::KeyDerivation(format!("cannot allocate {length} bytes of memory")))?;
        // Neither is a condition for the work to go on: the one has a limit (RLIMIT_MEMLOCK), the other is missing on
        // old kernels.
        if pages.lock().is_err() {
            UNLOCKED.store(true, Ordering::Relaxed);
        }
        let _ = pages.advise(Advice::DontDump);
        Ok(Secret { pages: Some(pages), length })
    }

    /// A copy of bytes that somebody else has, and wipes.
    ///
    /// # Errors
    /// As [`zeroed`](Self::zeroed).
    pub fn copy(bytes: &[u8]) -> Result<Self> {
        let mut secret = Self::zeroed(bytes.len())?;
        secret.copy_from_slice(bytes);
        Ok(secret)
    }

    /// Bytes of the operating system's randomness.
    ///
    /// # Errors
    /// [`Error::Randomness`], and as [`zeroed`](Self::zeroed).
    pub(crate) fn random(length: usize) -> Result<Self> {
        let mut secret = Self::zeroed(length)?;
        getrandom::fill(&mut secret).map_err(Error::Randomness)?;
        Ok(secret)
    }

    /// Leaves the first bytes only, and wipes the others.
    pub fn truncate(&mut self, length: usize) {
        if let Some(rest) = self.get_mut(length..) {
            rest.zeroize();
            self.length = length;
        }
    }
}

impl Deref for Secret {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.pages.as_deref().and_then(|pages| pages.get(..self.length)).unwrap_or_default()
    }
}

impl DerefMut for Secret {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.pages.as_deref_mut().and_then(|pages| pages.get_mut(..self.length)).unwrap_or_default()
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        if let Some(pages) = &mut self.pages {
            wipe(pages);
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({} bytes)", self.length)
    }
}

/// Whether some secret could not be kept out of swap: the limit of locked memory (`ulimit -l`) is too small.
pub fn some_may_be_swapped() -> bool {
    UNLOCKED.load(Ordering::Relaxed)
}

/// Locks memory that a library needs to have elsewhere, such as prepared keys, for as long as the result lives.
pub(crate) fn lock<T: ?Sized>(memory: &T) -> Option<region::LockGuard> {
    let size = size_of_val(memory);
    if size == 0 {
        return None;
    }
    let locked = region::lock(std::ptr::from_ref(memory).cast::<u8>(), size);
    if locked.is_err() {
        UNLOCKED.store(true, Ordering::Relaxed);
    }
    locked.ok()
}

/// Bytes of the stack that [`wipe_stack`] overwrites: more than any function here that handles keys needs.
const STACK: usize = 48 << 10;

/// Overwrites the registers, and the stack below the caller, where functions that are done have left copies of what they
/// worked with: parts of keys that a compiler had no register for. What is called with secrets ends with this.
///
/// Registers first: what is left in them comes to the stack again with the next signal.
#[inline(never)]
pub fn wipe_stack() {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fieldtest_cpu::clear_registers();
    let mut below = [0_u64; STACK / 8];
    below.zeroize();
    std::hint::black_box(&mut below);
}

/// Overwrites bytes so that no compiler leaves it out, eight at a time where that is possible.
fn wipe(bytes: &mut [u8]) {
    let (chunks, rest) = bytes.as_chunks_mut::<64>();
    for chunk in chunks {
        chunk.fill(0);
        std::hint::black_box(chunk);
    }
    rest.zeroize();
}

/// The key that the data is encrypted under. It is wiped when it is dropped, and shows nothing of itself.
pub struct VolumeKey(Secret);

impl VolumeKey {
    /// A key that the caller has.
    pub fn new(bytes: Secret) -> Self {
        VolumeKey(bytes)
    }

    /// A new key of the operating system's randomness.
    ///
    /// # Errors
    /// [`Error::Randomness`]
    pub fn generate(length: usize) -> Result<Self> {
        Ok(VolumeKey(Secret::random(length)?))
    }

    /// The key itself.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for VolumeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VolumeKey({} bytes)", self.0.len())
    }
}

/// Bytes of the operating system's randomness that are no secret: salts, and noise over what is removed.
pub(crate) fn random(length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    getrandom::fill(&mut bytes).map_err(Error::Randomness)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_have_their_length() {
        assert!(Secret::zeroed(0).unwrap().is_empty());
        let mut secret = Secret::copy(b"some bytes").unwrap();
        secret.truncate(4);
        secret.truncate(10);
        assert_eq!(&*secret, b"some");
        assert_eq!(format!("{secret:?}"), "Secret(4 bytes)");
    }

    #[test]
    fn wiping_overwrites_all() {
        let mut bytes = vec![7; 1000];
        wipe(&mut bytes);
        assert_eq!(bytes, [0; 1000]);
    }
}
