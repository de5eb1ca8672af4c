//! The code paths, and which of them this processor can take.

/// One way to compute the permutation. A value is the proof that this processor has the path's instructions: it comes
/// from [`Path::available`] or [`Path::best`] only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path(pub(crate) Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

#[cfg(target_arch = "x86_64")]
cpufeatures::new!(avx2, "avx2", "bmi1", "bmi2");
#[cfg(target_arch = "x86_64")]
cpufeatures::new!(avx512, "avx2", "avx512f");

impl Path {
    /// Plain Rust, one message after another: the reference for the others.
    pub const PORTABLE: Self = Self(Kind::Portable);

    /// The fastest path of this processor.
    #[inline]
    #[must_use]
    pub fn best() -> Self {
        Self::available().last().unwrap_or(Self::PORTABLE)
    }

    /// Every path that this processor can take, the fastest last.
    pub fn available() -> impl Iterator<Item = Self> {
        [
            Some(Self::PORTABLE),
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
            Kind::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "AVX-512",
        }
    }
}
