//! Asks an x86-64 processor what it has, without the standard library.
//!
//! The crate `cpufeatures` reports VAES and GFNI only where there is AVX-512 as well, which AMD's Zen 3 and Intel's
//! Alder Lake do not have.
#![allow(unsafe_code)] // CPUID and XGETBV are intrinsics.
#![allow(unused_unsafe)] // Newer compilers count CPUID as safe.

use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};

/// Of the extensions that the paths need, those that are there and whose registers the system saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extensions {
    pub(crate) avx2: bool,
    pub(crate) aes: bool,
    pub(crate) vaes: bool,
    pub(crate) gfni: bool,
    /// AVX-512F, BW and VL.
    pub(crate) avx512: bool,
}

impl Extensions {
    /// Asks (Intel SDM, volume 2, CPUID; volume 1, section 13.3 for the registers that the system saves). This takes
    /// long in a virtual machine.
    pub(crate) fn of_this_processor() -> Self {
        let bit = |register: u32, bit: u32| register >> bit & 1 == 1;
        // SAFETY: every x86-64 processor has CPUID with leaf 0 and 1; leaf 7 is asked for only if leaf 0 names it.
        let (basic, ebx, ecx) = unsafe {
            let (leaves, basic) = (__cpuid(0).eax, __cpuid(1).ecx);
            let extended = (leaves >= 7).then(|| __cpuid_count(7, 0));
            (basic, extended.map_or(0, |leaf| leaf.ebx), extended.map_or(0, |leaf| leaf.ecx))
        };
        let (aes, osxsave, avx) = (bit(basic, 25), bit(basic, 27), bit(basic, 28));
        let saved = if osxsave {
            // SAFETY: OSXSAVE says that XGETBV is there and enabled.
            unsafe { enabled_state() }
        } else {
            0
        };
        let avx2 = avx && bit(ebx, 5) && saved & 0x06 == 0x06;
        Self {
            avx2,
            aes: avx2 && aes,
            vaes: avx2 && aes && bit(ecx, 9),
            gfni: avx2 && bit(ecx, 8),
            avx512: avx2 && bit(ebx, 16) && bit(ebx, 30) && bit(ebx, 31) && saved & 0xe6 == 0xe6,
        }
    }
}

#[target_feature(enable = "xsave")]
fn enabled_state() -> u64 {
    // SAFETY: XCR0 exists wherever the instruction does.
    unsafe { _xgetbv(0) }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;

    #[test]
    fn agrees_with_the_standard_library() {
        use std::is_x86_feature_detected as has;
        let expected = Extensions {
            avx2: has!("avx2"),
            aes: has!("avx2") && has!("aes"),
            vaes: has!("avx2") && has!("vaes"),
            gfni: has!("avx2") && has!("gfni"),
            avx512: has!("avx512f") && has!("avx512bw") && has!("avx512vl"),
        };
        assert_eq!(Extensions::of_this_processor(), expected);
    }
}
