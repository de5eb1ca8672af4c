//! The code paths, and which of them this processor can take.

#![allow(unsafe_code)] // code for processors that have certain instructions is called after the path was checked

use crate::rounds::Direction;
use crate::schedule::Schedule;
use crate::{Block, portable};
#[cfg(target_arch = "x86_64")]
use crate::{avx2, avx512};

/// One way to run the cipher. A value is the proof that this processor has the path's instructions: it comes from
/// [`Path::available`], [`Path::best`] or [`Path::PORTABLE`] only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

#[cfg(target_arch = "x86_64")]
cpufeatures::new!(has_avx2, "avx2");
#[cfg(target_arch = "x86_64")]
cpufeatures::new!(has_avx512, "avx2", "avx512f", "avx512vl");

impl Path {
    /// Plain Rust, one block after another.
    pub const PORTABLE: Self = Self(Kind::Portable);

    /// The fastest path of this processor.
    #[inline]
    #[must_use]
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if has_avx512::get() {
                return Self(Kind::Avx512);
            }
            if has_avx2::get() {
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
            has_avx2::get().then_some(Self(Kind::Avx2)),
            #[cfg(target_arch = "x86_64")]
            has_avx512::get().then_some(Self(Kind::Avx512)),
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

    /// Runs the cipher over each block. Each is XORed with its mask before and after if there are masks.
    ///
    /// # Panics
    /// If there are masks, but not as many as blocks.
    #[inline]
    pub(crate) fn run<D: Direction>(
        self,
        schedule: &Schedule,
        blocks: &mut [Block],
        masks: Option<&[Block]>,
    ) {
        if let Some(masks) = masks {
            assert_eq!(masks.len(), blocks.len(), "each block has one mask: pass as many masks as blocks");
        }
        match self.0 {
            Kind::Portable => portable::run::<D>(schedule, blocks, masks),
            // SAFETY: the processor has the path; the lengths were compared.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { avx2::run::<D>(schedule, blocks, masks) },
            // SAFETY: the processor has the path; the lengths were compared.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { avx512::run::<D>(schedule, blocks, masks) },
        }
    }
}
