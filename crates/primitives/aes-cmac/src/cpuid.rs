//! Asks an x86-64 processor what it has, without the standard library.
#![allow(unsafe_code)] // CPUID and XGETBV are intrinsics.
#![allow(unused_unsafe)] // Newer compilers count CPUID as safe.

use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};

use crate::Path;

/// The best path (Intel SDM, volume 2, CPUID; volume 1, section 13.3 for the registers that the system saves).
pub(crate) fn processor() -> Path {
    let bit = |register: u32, bit: u32| register >> bit & 1 == 1;
    // SAFETY: every x86-64 processor has CPUID with leaf 0 and 1; leaf 7 is asked for only if leaf 0 names it.
    let (basic, extended) = unsafe {
        let leaves = __cpuid(0).eax;
        (__cpuid(1).ecx, if leaves >= 7 { Some(__cpuid_count(7, 0)) } else { None })
    };
    let (aes, osxsave, avx) = (bit(basic, 25), bit(basic, 27), bit(basic, 28));
    if !(aes && osxsave && avx) {
        return Path::Portable;
    }
    // SAFETY: OSXSAVE says that XGETBV is there and enabled.
    let saved = unsafe { enabled_state() };
    let (ymm, zmm) = (saved & 0x06 == 0x06, saved & 0xe6 == 0xe6);
    match extended {
        _ if !ymm => Path::Portable,
        Some(leaf) if bit(leaf.ebx, 5) && bit(leaf.ecx, 9) => {
            let (avx512f, avx512vl) = (bit(leaf.ebx, 16), bit(leaf.ebx, 31));
            if zmm && avx512f && avx512vl { Path::Vaes512 } else { Path::Vaes256 }
        }
        _ => Path::AesNi,
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
        let aes = has!("aes") && has!("avx");
        let vaes = aes && has!("avx2") && has!("vaes");
        let best = match (aes, vaes, has!("avx512f") && has!("avx512vl")) {
            (false, ..) => Path::Portable,
            (_, false, _) => Path::AesNi,
            (.., false) => Path::Vaes256,
            _ => Path::Vaes512,
        };
        assert_eq!(processor(), best);
    }
}
