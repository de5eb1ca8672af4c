//! The code paths, and which of them this processor can take.

#[cfg(target_arch = "x86_64")]
use fieldtest_cpu::Extensions;

fieldtest_cpu::paths! {
    /// One way to compute the hashes; the best is the fastest for batches. One message alone takes the SHA extensions
    /// if there are any, by every path but the portable one.
    portable: /// Plain Rust, one message after another: the reference for the others.
    Avx2 "AVX2" needs AVX2;
    // Above AVX2 for SHA-256's sake: 490 and 694 cycles for 144 bytes, 64 at once. For SHA-1 it is the
    // other way round on Intel, 525 and 336, but both functions share this order.
    ShaNi "SHA-NI" needs SHA SSSE3 SSE41;
    Avx512 "AVX-512" needs AVX2 AVX512F AVX512BW AVX512VL;
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn sha_ni() -> bool {
    Extensions::of_this_processor().has(Extensions::SHA | Extensions::SSSE3 | Extensions::SSE41)
}

impl Path {
    #[inline]
    pub(crate) fn single(self) -> Engine {
        #[cfg(target_arch = "x86_64")]
        if self.kind() != Kind::Portable && sha_ni() {
            return Engine::ShaNi1;
        }
        Engine::Portable
    }

    /// The engine for the first of `active` messages, all of them or as many as it has lanes. `eight_from` is
    /// the number from which on eight lanes of AVX-512VL, partly empty, beat the SHA extensions.
    ///
    /// Only the first engine of a step is ever left partly empty, and fewer messages never ask for a wider engine.
    #[inline]
    pub(crate) fn engine(self, active: usize, eight_from: usize) -> Engine {
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (active, eight_from);
        #[cfg(target_arch = "x86_64")]
        match (self.kind(), active) {
            (Kind::Avx512, 9..) => return Engine::Avx512,
            (Kind::Avx512, _) if active >= eight_from || !sha_ni() => return Engine::Avx512Half,
            // Intel's cores gain nothing from more than two: their SHA unit takes a compression every 105
            // to 110 cycles at best, and one alone takes 123 to 138. On AMD's Zen 3 four were 1.7 to 1.8
            // times as fast as one.
            (Kind::Avx512, 2..) => return Engine::ShaNi2,
            (Kind::Avx2, 2..) => return Engine::Avx2,
            (Kind::ShaNi, 4..) => return Engine::ShaNi4,
            (Kind::ShaNi, 2..) => return Engine::ShaNi2,
            _ => {}
        }
        self.single()
    }
}

/// A compression function for a fixed number of messages at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    Portable,
    #[cfg(target_arch = "x86_64")]
    ShaNi1,
    #[cfg(target_arch = "x86_64")]
    ShaNi2,
    #[cfg(target_arch = "x86_64")]
    ShaNi4,
    /// Eight words in AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Eight words with the rotations and ternary logic of AVX-512VL.
    #[cfg(target_arch = "x86_64")]
    Avx512Half,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Engine {
    pub(crate) const fn lanes(self) -> usize {
        match self {
            Self::Portable => 1,
            #[cfg(target_arch = "x86_64")]
            Self::ShaNi1 => 1,
            #[cfg(target_arch = "x86_64")]
            Self::ShaNi2 => 2,
            #[cfg(target_arch = "x86_64")]
            Self::ShaNi4 => 4,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 | Self::Avx512Half => 8,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => 16,
        }
    }
}
