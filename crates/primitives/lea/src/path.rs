//! The code paths, and which of them this processor can take.

#![allow(unsafe_code)] // code for processors that have certain instructions is called after the path was checked

use fieldtest_block::xor_keystream;

use crate::rounds::{Direction, Encryption};
use crate::schedule::Schedule;
use crate::{Block, portable};
#[cfg(target_arch = "x86_64")]
use crate::{avx2, avx512};

fieldtest_cpu::paths! {
    /// One way to run the cipher. The paths share a prepared key.
    portable: /// Plain Rust, one block after another.
    Avx2 "AVX2" needs AVX2;
    Avx512 "AVX-512" needs AVX2 AVX512F AVX512VL;
}

impl Path {
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
        match self.kind() {
            Kind::Portable => portable::run::<D>(schedule, blocks, masks),
            // SAFETY: the processor has the path; the lengths were compared.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { avx2::run::<D>(schedule, blocks, masks) },
            // SAFETY: the processor has the path; the lengths were compared.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { avx512::run::<D>(schedule, blocks, masks) },
        }
    }

    /// Runs the cipher over runs of blocks, each XORed before and after with the run's first mask times a power of x.
    ///
    /// # Panics
    /// If `run` is 0 or there is not one first mask for each run.
    #[inline]
    pub(crate) fn run_xex<D: Direction>(
        self,
        schedule: &Schedule,
        blocks: &mut [Block],
        run: usize,
        first: &[Block],
    ) {
        assert!(run > 0 && first.len() == blocks.len().div_ceil(run), "each run has one first mask");
        match self.kind() {
            Kind::Portable => portable::run_xex::<D>(schedule, blocks, run, first),
            // SAFETY: the processor has the path.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { avx2::run_xex::<D>(schedule, blocks, run, first) },
            // SAFETY: the processor has the path.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { avx512::run_xex::<D>(schedule, blocks, run, first) },
        }
    }

    /// XORs encrypted counters into runs of blocks.
    ///
    /// # Panics
    /// If `run` is 0 or there is not one first counter for each run.
    #[inline]
    pub(crate) fn run_keystream(
        self,
        schedule: &Schedule,
        blocks: &mut [Block],
        run: usize,
        first: &[Block],
    ) {
        assert!(run > 0 && first.len() == blocks.len().div_ceil(run), "each run has one first counter");
        // As wide as the vectors' words count. Short runs share groups, and so do not come here.
        let counts = |first: &Block| {
            let low = u128::from_be_bytes(*first) as u32;
            u32::try_from(run.min(blocks.len())).is_ok_and(|blocks| low.checked_add(blocks).is_some())
        };
        if (blocks.len() <= run || run.is_multiple_of(32)) && first.iter().all(counts) {
            match self.kind() {
                Kind::Portable => {}
                // SAFETY: the processor has the path.
                #[cfg(target_arch = "x86_64")]
                Kind::Avx2 => return unsafe { avx2::run_keystream(schedule, blocks, run, first) },
                // SAFETY: the processor has the path.
                #[cfg(target_arch = "x86_64")]
                Kind::Avx512 => return unsafe { avx512::run_keystream(schedule, blocks, run, first) },
            }
        }
        xor_keystream(blocks, run, first, |counters| self.run::<Encryption>(schedule, counters, None));
    }
}
