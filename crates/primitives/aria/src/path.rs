//! The code paths, and which of them this processor can take.

#![allow(unsafe_code)] // calls of functions for processors that have certain instructions

use fieldtest_block::masks::Plain;

use crate::Block;
use crate::batch::{Runs, each, each_xex};
use crate::portable;
use crate::prepared::{Form, Prepared};
#[cfg(target_arch = "x86_64")]
use crate::vector;

fieldtest_cpu::paths! {
    /// One way to compute the cipher. A key is prepared for a path, because the paths add round keys in different forms.
    portable: /// Plain Rust, 64 blocks at once: the reference for the others.
    AesNi "AES-NI" needs AVX2 AES;
    Vaes "VAES" needs AVX2 AES VAES;
    Gfni "GFNI" needs AVX2 AES GFNI;
    Avx512 "AVX-512" needs AVX2 AES GFNI VPCLMULQDQ AVX512F AVX512BW AVX512VL;
}

impl Path {
    pub(crate) fn form(self) -> Form {
        match self.kind() {
            Kind::Portable => Form::Plain,
            #[cfg(target_arch = "x86_64")]
            Kind::AesNi | Kind::Vaes => Form::AfterAesSBox,
            #[cfg(target_arch = "x86_64")]
            Kind::Gfni | Kind::Avx512 => Form::Spread,
        }
    }

    /// As many blocks as a group of the path's has, and up to how many should take less time one after another. That is
    /// reckoned from about 255 to 310 cycles a block against what a group takes, and was not measured path by path.
    fn group(self) -> (usize, usize) {
        match self.kind() {
            Kind::Portable => (64, 0),
            #[cfg(target_arch = "x86_64")]
            Kind::AesNi => (32, 3),
            #[cfg(target_arch = "x86_64")]
            Kind::Vaes => (32, 2),
            #[cfg(target_arch = "x86_64")]
            Kind::Gfni => (32, 2),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => (32, 2),
        }
    }

    /// Encrypts or decrypts, which the keys determine; they are in the form of this path.
    ///
    /// # Panics
    /// If there are masks, but not as many as blocks.
    #[inline]
    pub(crate) fn crypt(self, keys: &Prepared, blocks: &mut [Block], masks: Option<&[Block]>) {
        if let Some(masks) = masks {
            assert_eq!(masks.len(), blocks.len(), "every block needs a mask");
        }
        let (group, few) = self.group();
        let rest = blocks.len() % group;
        let whole = if rest <= few { blocks.len() - rest } else { blocks.len() };
        let (blocks, rest) = blocks.split_at_mut(whole);
        let (masks, rest_of_masks) = masks.map(|masks| masks.split_at(whole)).unzip();
        #[cfg(target_arch = "x86_64")]
        if !rest.is_empty() {
            // SAFETY: every path that takes blocks one by one has AES-NI and AVX, and a value of this type is the
            // proof of the path's instructions.
            unsafe {
                match self.kind() {
                    Kind::Gfni | Kind::Avx512 => vector::one_by_one_gfni(keys, rest, rest_of_masks),
                    _ => vector::one_by_one(keys, rest, rest_of_masks),
                }
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (rest, rest_of_masks);
        // SAFETY: a value of this type is the proof of the path's instructions.
        unsafe {
            match self.kind() {
                Kind::Portable => each(portable::crypt, keys, blocks, masks),
                #[cfg(target_arch = "x86_64")]
                Kind::AesNi => each(vector::aes_ni, keys, blocks, masks),
                #[cfg(target_arch = "x86_64")]
                Kind::Vaes => each(vector::vaes, keys, blocks, masks),
                #[cfg(target_arch = "x86_64")]
                Kind::Gfni => each(vector::gfni, keys, blocks, masks),
                #[cfg(target_arch = "x86_64")]
                Kind::Avx512 => {
                    let whole = vector::whole_groups(blocks.len());
                    let (blocks, rest) = blocks.split_at_mut(whole);
                    let (masks, rest_of_masks) = masks.map(|masks| masks.split_at(whole)).unzip();
                    each(vector::avx512, keys, blocks, masks);
                    each(vector::avx512_half, keys, rest, rest_of_masks);
                }
            }
        }
    }

    /// [`Self::crypt`] on runs of blocks, whose masks begin with the run's and go on times x in GF(2^128).
    ///
    /// # Panics
    /// If `run` is 0 or there is not one first mask for each run.
    pub(crate) fn crypt_xex(self, keys: &Prepared, blocks: &mut [Block], run: usize, first: &[Block]) {
        assert!(run > 0 && first.len() == blocks.len().div_ceil(run), "every run needs one first mask");
        // All registers of masks have a part of 32.
        if first.len() > 1 && !run.is_multiple_of(32) {
            for (blocks, first) in blocks.chunks_mut(run).zip(first) {
                self.crypt_xex(keys, blocks, run, core::slice::from_ref(first));
            }
            return;
        }
        // SAFETY: a value of this type is the proof of the path's instructions.
        unsafe {
            match self.kind() {
                Kind::Portable => {
                    each_xex(portable::crypt, keys, blocks, &mut Runs::<Plain>::new(run, first));
                }
                #[cfg(target_arch = "x86_64")]
                Kind::AesNi => vector::ymm_xex(vector::aes_ni, keys, blocks, Runs::new(run, first)),
                #[cfg(target_arch = "x86_64")]
                Kind::Vaes => vector::ymm_xex(vector::vaes, keys, blocks, Runs::new(run, first)),
                #[cfg(target_arch = "x86_64")]
                Kind::Gfni => vector::ymm_xex(vector::gfni, keys, blocks, Runs::new(run, first)),
                #[cfg(target_arch = "x86_64")]
                Kind::Avx512 => vector::avx512_xex(keys, blocks, Runs::new(run, first)),
            }
        }
    }
}
