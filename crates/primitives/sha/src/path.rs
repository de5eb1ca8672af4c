//! The code paths, and which of them this processor can take.

/// One way to compute the hashes. A value is the proof that this processor has the path's instructions: it comes
/// from [`Path::available`] or [`Path::best`] only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    ShaNi,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

#[cfg(target_arch = "x86_64")]
cpufeatures::new!(sha_ni, "sha", "ssse3", "sse4.1");
#[cfg(target_arch = "x86_64")]
cpufeatures::new!(avx2, "avx2");
#[cfg(target_arch = "x86_64")]
cpufeatures::new!(avx512, "avx2", "avx512f", "avx512bw", "avx512vl");

impl Path {
    /// Plain Rust, one message after another: the reference for the others.
    pub const PORTABLE: Self = Self(Kind::Portable);

    /// The fastest path of this processor for batches; one message alone takes the SHA extensions if there are any.
    #[inline]
    #[must_use]
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if avx512::get() {
                return Self(Kind::Avx512);
            }
            if sha_ni::get() {
                return Self(Kind::ShaNi);
            }
            if avx2::get() {
                return Self(Kind::Avx2);
            }
        }
        Self::PORTABLE
    }

    /// Every path that this processor can take.
    pub fn available() -> impl Iterator<Item = Self> {
        [
            Some(Self::PORTABLE),
            #[cfg(target_arch = "x86_64")]
            sha_ni::get().then_some(Self(Kind::ShaNi)),
            #[cfg(target_arch = "x86_64")]
            avx2::get().then_some(Self(Kind::Avx2)),
            #[cfg(target_arch = "x86_64")]
            avx512::get().then_some(Self(Kind::Avx512)),
        ]
        .into_iter()
        .flatten()
    }

    /// The path's name: the instructions it uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::ShaNi => "SHA-NI",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "AVX-512",
        }
    }

    /// The engine for one message alone.
    #[inline]
    pub(crate) fn single(self) -> Engine {
        #[cfg(target_arch = "x86_64")]
        if self.0 != Kind::Portable && sha_ni::get() {
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
        match (self.0, active) {
            (Kind::Avx512, 9..) => return Engine::Avx512,
            (Kind::Avx512, _) if active >= eight_from || !sha_ni::get() => return Engine::Avx512Half,
            // Intel's cores gain nothing from more than two, AMD's do.
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
    /// Messages at once.
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
