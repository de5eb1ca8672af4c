//! CPUID and the state that the operating system saves (Intel SDM, volume 2, CPUID; volume 1, section 13.3).
#![allow(unsafe_code)] // CPUID and XGETBV are intrinsics.
#![allow(unused_unsafe)] // Newer compilers count CPUID as safe.

use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};

use crate::Extensions;

/// What a set needs the operating system to save: bits of XCR0. A processor that has the instructions under
/// a system that does not save their registers ends the program by SIGILL.
#[derive(Clone, Copy)]
enum State {
    /// Nothing beyond what every process has.
    Xmm = 0,
    /// SSE and the upper halves of YMM.
    Ymm = 0x06,
    /// Beside these the mask registers, the upper halves of ZMM, and ZMM16 to ZMM31.
    Zmm = 0xe6,
}

/// Bits of a register and what they stand for.
type Bits = &'static [(u32, Extensions, State)];

/// Leaf 1, ECX.
const BASIC: Bits = &[
    (1, Extensions::PCLMULQDQ, State::Xmm),
    (9, Extensions::SSSE3, State::Xmm),
    (19, Extensions::SSE41, State::Xmm),
    (25, Extensions::AES, State::Xmm),
    (28, Extensions::AVX, State::Ymm),
];

/// Leaf 7, EBX.
const EXTENDED_B: Bits = &[
    (3, Extensions::BMI1, State::Xmm),
    (5, Extensions::AVX2, State::Ymm),
    (8, Extensions::BMI2, State::Xmm),
    (16, Extensions::AVX512F, State::Zmm),
    (29, Extensions::SHA, State::Xmm),
    (30, Extensions::AVX512BW, State::Zmm),
    (31, Extensions::AVX512VL, State::Zmm),
];

/// Leaf 7, ECX.
const EXTENDED_C: Bits = &[
    (8, Extensions::GFNI, State::Xmm),
    (9, Extensions::VAES, State::Ymm),
    (10, Extensions::VPCLMULQDQ, State::Ymm),
];

/// Leaf 1, ECX: the system uses XSAVE, and XGETBV says what it saves.
const OSXSAVE: u32 = 27;

pub(crate) fn ask() -> Extensions {
    // SAFETY: every x86-64 processor has CPUID with leaves 0 and 1; leaf 7 is asked for only if leaf 0 names it.
    let (basic, b, c) = unsafe {
        let (leaves, basic) = (__cpuid(0).eax, __cpuid(1).ecx);
        let extended = (leaves >= 7).then(|| __cpuid_count(7, 0));
        (basic, extended.map_or(0, |leaf| leaf.ebx), extended.map_or(0, |leaf| leaf.ecx))
    };
    let saved = if basic >> OSXSAVE & 1 == 1 {
        // SAFETY: OSXSAVE says that XGETBV is there and enabled.
        unsafe { enabled_state() }
    } else {
        0
    };
    let mut found = Extensions::NONE;
    for (register, bits) in [(basic, BASIC), (b, EXTENDED_B), (c, EXTENDED_C)] {
        for (bit, extension, state) in bits {
            let state = *state as u64;
            if register >> bit & 1 == 1 && saved & state == state {
                found = found | *extension;
            }
        }
    }
    found
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
        macro_rules! compare {
            ($($extension:ident $name:tt)*) => { $(
                assert_eq!(
                    Extensions::of_this_processor().has(Extensions::$extension),
                    std::is_x86_feature_detected!($name),
                    $name
                );
            )* };
        }
        compare! {
            SSSE3 "ssse3" SSE41 "sse4.1" AVX "avx" AVX2 "avx2" BMI1 "bmi1" BMI2 "bmi2" AES "aes" VAES "vaes"
            VPCLMULQDQ "vpclmulqdq" GFNI "gfni" SHA "sha" AVX512F "avx512f" AVX512BW "avx512bw" AVX512VL "avx512vl"
        }
    }
}
