//! Which code paths this processor has.

use core::sync::atomic::{AtomicU8, Ordering};

/// A code path, in the order of preference: the last one available is the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Path {
    /// The rounds of the `aes` crate, for every processor; eight messages at once.
    Portable,
    /// AES-NI with AVX encodings; eight messages at once.
    AesNi,
    /// VAES on 256-bit registers with AVX2; sixteen messages at once, two in a register.
    Vaes256,
    /// VAES on 512-bit registers with AVX-512; sixteen messages at once, four in a register.
    Vaes512,
}

impl Path {
    /// All paths.
    pub const ALL: [Self; 4] = [Self::Portable, Self::AesNi, Self::Vaes256, Self::Vaes512];

    /// The best path of this processor. The processor is asked once.
    #[inline]
    #[must_use]
    pub fn best() -> Self {
        match BEST.load(Ordering::Relaxed) {
            0 => detect(),
            1 => Self::Portable,
            2 => Self::AesNi,
            3 => Self::Vaes256,
            _ => Self::Vaes512,
        }
    }

    /// Whether this processor has the path. Each path needs all that the ones before it need.
    #[must_use]
    pub fn is_available(self) -> bool {
        self <= Self::best()
    }

    #[inline]
    pub(crate) fn or_best(self) -> Self {
        self.min(Self::best())
    }
}

/// 0 until detected, then one more than the path's place in the order.
static BEST: AtomicU8 = AtomicU8::new(0);

#[cold]
fn detect() -> Path {
    let best = processor();
    BEST.store(best as u8 + 1, Ordering::Relaxed);
    best
}

#[cfg(not(target_arch = "x86_64"))]
fn processor() -> Path {
    Path::Portable
}

#[cfg(target_arch = "x86_64")]
use crate::cpuid::processor;
