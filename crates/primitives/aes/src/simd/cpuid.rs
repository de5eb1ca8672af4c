//! Asks an x86-64 processor what it has, without the standard library.
//!
//! The crate `cpufeatures` is not used because it holds VAES for a part of AVX-512 and denies it on processors that
//! have it on 256-bit registers alone, such as AMD's Zen 3.
#![allow(unsafe_code)] // CPUID and XGETBV are intrinsics.
#![allow(unused_unsafe)] // Newer compilers count CPUID as safe.

use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};

use crate::path::Kind;

/// The best path (Intel SDM, volume 2, CPUID; volume 1, section 13.3 for the registers that the system saves).
pub(crate) fn best() -> Kind {
    let all = |register: u32, bits: &[u32]| bits.iter().all(|bit| register >> bit & 1 == 1);
    // SAFETY: every x86-64 processor has CPUID with leaves 0 and 1; leaf 7 is asked for only if leaf 0 names it.
    let (basic, extended) = unsafe {
        let leaves = __cpuid(0).eax;
        (__cpuid(1).ecx, if leaves >= 7 { Some(__cpuid_count(7, 0)) } else { None })
    };
    if !all(basic, &[25, 27, 28]) {
        return Kind::Portable; // without AES, OSXSAVE or AVX
    }
    // SAFETY: OSXSAVE says that XGETBV is there and enabled.
    let saved = unsafe { saved_registers() };
    let (ymm, zmm) = (saved & 0x06 == 0x06, saved & 0xe6 == 0xe6);
    match extended {
        _ if !ymm => Kind::Portable,
        // AVX2 and VAES, then VPCLMULQDQ and AVX-512 F, BW and VL
        Some(leaf) if all(leaf.ebx, &[5]) && all(leaf.ecx, &[9]) => {
            if zmm && all(leaf.ecx, &[10]) && all(leaf.ebx, &[16, 30, 31]) {
                Kind::Vaes512
            } else {
                Kind::Vaes256
            }
        }
        _ => Kind::AesNi,
    }
}

#[target_feature(enable = "xsave")]
fn saved_registers() -> u64 {
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
        let aes = has!("aes") && has!("avx");
        let vaes = aes && has!("avx2") && has!("vaes");
        let wide = has!("avx512f") && has!("avx512bw") && has!("avx512vl") && has!("vpclmulqdq");
        let expected = match (aes, vaes, wide) {
            (false, ..) => Kind::Portable,
            (_, false, _) => Kind::AesNi,
            (.., false) => Kind::Vaes256,
            _ => Kind::Vaes512,
        };
        assert_eq!(best(), expected);
    }
}
