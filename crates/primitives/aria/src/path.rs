//! The code paths, and which of them this processor can take.

#![allow(unsafe_code)] // calls of functions for processors that have certain instructions

#[cfg(target_arch = "x86_64")]
use core::sync::atomic::{AtomicU8, Ordering};

use crate::Block;
use crate::batch::each;
#[cfg(target_arch = "x86_64")]
use crate::cpuid::Extensions;
use crate::portable;
use crate::prepared::{Form, Prepared};
#[cfg(target_arch = "x86_64")]
use crate::vector;

/// One way to compute the cipher. A value is the proof that this processor has the path's instructions: it comes
/// from [`Path::available`] or [`Path::best`] only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path(Kind);

/// In the order of preference: the best is the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    AesNi,
    #[cfg(target_arch = "x86_64")]
    Vaes,
    #[cfg(target_arch = "x86_64")]
    Gfni,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Path {
    /// Plain Rust, 64 blocks at once: the reference for the others.
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
            has(AES_NI).then_some(Self(Kind::AesNi)),
            #[cfg(target_arch = "x86_64")]
            has(VAES).then_some(Self(Kind::Vaes)),
            #[cfg(target_arch = "x86_64")]
            has(GFNI).then_some(Self(Kind::Gfni)),
            #[cfg(target_arch = "x86_64")]
            has(AVX512).then_some(Self(Kind::Avx512)),
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
            Kind::AesNi => "AES-NI",
            #[cfg(target_arch = "x86_64")]
            Kind::Vaes => "VAES",
            #[cfg(target_arch = "x86_64")]
            Kind::Gfni => "GFNI",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "AVX-512",
        }
    }

    /// How the path adds round keys.
    pub(crate) fn form(self) -> Form {
        match self.0 {
            Kind::Portable => Form::Plain,
            #[cfg(target_arch = "x86_64")]
            Kind::AesNi | Kind::Vaes => Form::AfterAesSBox,
            #[cfg(target_arch = "x86_64")]
            Kind::Gfni | Kind::Avx512 => Form::Spread,
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
        // SAFETY: a value of this type is the proof of the path's instructions.
        unsafe {
            match self.0 {
                Kind::Portable => each(portable::crypt, keys, blocks, masks),
                #[cfg(target_arch = "x86_64")]
                Kind::AesNi => each(vector::aes_ni, keys, blocks, masks),
                #[cfg(target_arch = "x86_64")]
                Kind::Vaes => each(vector::vaes, keys, blocks, masks),
                #[cfg(target_arch = "x86_64")]
                Kind::Gfni => each(vector::gfni, keys, blocks, masks),
                #[cfg(target_arch = "x86_64")]
                Kind::Avx512 => {
                    // Up to 32 blocks take less time in half the registers.
                    let whole = match blocks.len() % 64 {
                        rest @ 1..=32 => blocks.len() - rest,
                        _ => blocks.len(),
                    };
                    let (blocks, rest) = blocks.split_at_mut(whole);
                    let (masks, mask_rest) = masks.map(|masks| masks.split_at(whole)).unzip();
                    each(vector::avx512, keys, blocks, masks);
                    each(vector::avx512_half, keys, rest, mask_rest);
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
const KNOWN: u8 = 1;
#[cfg(target_arch = "x86_64")]
const AES_NI: u8 = 2;
#[cfg(target_arch = "x86_64")]
const VAES: u8 = 4;
#[cfg(target_arch = "x86_64")]
const GFNI: u8 = 8;
#[cfg(target_arch = "x86_64")]
const AVX512: u8 = 16;

/// Whether this processor has a path. The processor is asked once.
#[cfg(target_arch = "x86_64")]
#[inline]
fn has(path: u8) -> bool {
    static PATHS: AtomicU8 = AtomicU8::new(0);
    #[cold]
    fn ask() -> u8 {
        let has = Extensions::of_this_processor();
        let flag = |path: u8, there: bool| if there { path } else { 0 };
        let paths = flag(AES_NI, has.aes)
            | flag(VAES, has.vaes)
            | flag(GFNI, has.gfni)
            | flag(AVX512, has.gfni && has.avx512);
        PATHS.store(KNOWN | paths, Ordering::Relaxed);
        paths
    }
    let paths = match PATHS.load(Ordering::Relaxed) {
        0 => ask(),
        known => known,
    };
    paths & path != 0
}
