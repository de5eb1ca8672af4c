//! The code paths, and which of them this processor can take.

use core::sync::atomic::{AtomicU8, Ordering};

/// One way to compute AES. A value is the proof that this processor has the path's instructions: it comes from
/// [`Path::available`], [`Path::best`] or [`Path::PORTABLE`] only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path(pub(crate) Kind);

/// In the order of preference; each needs all that the ones before it need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    AesNi,
    #[cfg(target_arch = "x86_64")]
    Vaes256,
    #[cfg(target_arch = "x86_64")]
    Vaes512,
}

impl Path {
    /// The crate `aes` of RustCrypto, for every processor: bit-sliced and constant-time. It uses the processor's own
    /// instructions where it knows them.
    pub const PORTABLE: Self = Self(Kind::Portable);

    /// The fastest path of this processor. The processor is asked once.
    #[inline]
    #[must_use]
    pub fn best() -> Self {
        Self(match BEST.load(Ordering::Relaxed) {
            0 => detect(),
            #[cfg(target_arch = "x86_64")]
            2 => Kind::AesNi,
            #[cfg(target_arch = "x86_64")]
            3 => Kind::Vaes256,
            #[cfg(target_arch = "x86_64")]
            4 => Kind::Vaes512,
            _ => Kind::Portable,
        })
    }

    /// Every path that this processor can take.
    pub fn available() -> impl Iterator<Item = Self> {
        let best = Self::best();
        [
            Kind::Portable,
            #[cfg(target_arch = "x86_64")]
            Kind::AesNi,
            #[cfg(target_arch = "x86_64")]
            Kind::Vaes256,
            #[cfg(target_arch = "x86_64")]
            Kind::Vaes512,
        ]
        .into_iter()
        .filter(move |kind| *kind <= best.0)
        .map(Self)
    }

    /// The path's name: the instructions it uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::AesNi => "AES-NI",
            #[cfg(target_arch = "x86_64")]
            Kind::Vaes256 => "VAES-256",
            #[cfg(target_arch = "x86_64")]
            Kind::Vaes512 => "VAES-512",
        }
    }
}

/// 0 until detected, then one more than the kind's place in the order.
static BEST: AtomicU8 = AtomicU8::new(0);

#[cold]
fn detect() -> Kind {
    #[cfg(target_arch = "x86_64")]
    let best = crate::simd::cpuid::best();
    #[cfg(not(target_arch = "x86_64"))]
    let best = Kind::Portable;
    BEST.store(best as u8 + 1, Ordering::Relaxed);
    best
}
