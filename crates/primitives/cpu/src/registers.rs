//! What a computation leaves in registers.
#![allow(unsafe_code)] // Registers are reached by assembly alone.

use core::arch::asm;

#[cfg(target_arch = "x86_64")]
use crate::Extensions;

/// Overwrites all registers that a function need not preserve, those of vectors in their whole width.
///
/// What works with secrets leaves parts of them there, and not for its own time only: a signal, and the dynamic linker
/// where it binds a function when it is first called (`_dl_runtime_resolve_xsavec` of glibc), save all registers of
/// vectors on the stack, long after the computation. Other processors than x86-64 and AArch64 lack it.
#[inline(never)]
pub fn clear_registers() {
    #[cfg(target_arch = "x86_64")]
    {
        let there = Extensions::of_this_processor();
        if there.has(Extensions::AVX512F | Extensions::AVX) {
            // SAFETY: the processor has both.
            unsafe { clear_zmm() };
        } else if there.has(Extensions::AVX) {
            // SAFETY: the processor has it.
            unsafe { clear_ymm() };
        } else {
            clear_xmm();
        }
    }
    #[cfg(target_arch = "aarch64")]
    clear_v();
}

/// Zeros in registers, one instruction each.
macro_rules! clear {
    ($($instruction:literal)+; $($abi:tt)+) => {
        // SAFETY: nothing is written but registers, of which the compiler is told: those that the calling convention
        // lets a function change, and those that are named beside it.
        unsafe { asm!($($instruction,)+ $($abi)+, options(nomem, nostack)) }
    };
}

#[cfg(target_arch = "x86_64")]
fn clear_general() {
    clear!("xor eax, eax" "xor ecx, ecx" "xor edx, edx" "xor esi, esi" "xor edi, edi" "xor r8d, r8d" "xor r9d, r9d"
        "xor r10d, r10d" "xor r11d, r11d"; clobber_abi("sysv64"));
}

#[cfg(target_arch = "x86_64")]
fn clear_xmm() {
    clear!("pxor xmm0, xmm0" "pxor xmm1, xmm1" "pxor xmm2, xmm2" "pxor xmm3, xmm3" "pxor xmm4, xmm4"
        "pxor xmm5, xmm5" "pxor xmm6, xmm6" "pxor xmm7, xmm7" "pxor xmm8, xmm8" "pxor xmm9, xmm9"
        "pxor xmm10, xmm10" "pxor xmm11, xmm11" "pxor xmm12, xmm12" "pxor xmm13, xmm13" "pxor xmm14, xmm14"
        "pxor xmm15, xmm15"; clobber_abi("sysv64"));
    clear_general();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
fn clear_ymm() {
    // The first sixteen, in the whole width that they have.
    clear!("vzeroall"; clobber_abi("sysv64"));
    clear_general();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx,avx512f")]
fn clear_zmm() {
    clear!("vpxord zmm16, zmm16, zmm16" "vpxord zmm17, zmm17, zmm17" "vpxord zmm18, zmm18, zmm18"
        "vpxord zmm19, zmm19, zmm19" "vpxord zmm20, zmm20, zmm20" "vpxord zmm21, zmm21, zmm21"
        "vpxord zmm22, zmm22, zmm22" "vpxord zmm23, zmm23, zmm23" "vpxord zmm24, zmm24, zmm24"
        "vpxord zmm25, zmm25, zmm25" "vpxord zmm26, zmm26, zmm26" "vpxord zmm27, zmm27, zmm27"
        "vpxord zmm28, zmm28, zmm28" "vpxord zmm29, zmm29, zmm29" "vpxord zmm30, zmm30, zmm30"
        "vpxord zmm31, zmm31, zmm31"; clobber_abi("sysv64"));
    clear_ymm();
}

#[cfg(target_arch = "aarch64")]
fn clear_v() {
    // Of 8 to 15 the lower halves belong to the caller, and are restored.
    clear!("movi v0.2d, #0" "movi v1.2d, #0" "movi v2.2d, #0" "movi v3.2d, #0" "movi v4.2d, #0" "movi v5.2d, #0"
        "movi v6.2d, #0" "movi v7.2d, #0" "movi v8.2d, #0" "movi v9.2d, #0" "movi v10.2d, #0" "movi v11.2d, #0"
        "movi v12.2d, #0" "movi v13.2d, #0" "movi v14.2d, #0" "movi v15.2d, #0" "movi v16.2d, #0" "movi v17.2d, #0"
        "movi v18.2d, #0" "movi v19.2d, #0" "movi v20.2d, #0" "movi v21.2d, #0" "movi v22.2d, #0" "movi v23.2d, #0"
        "movi v24.2d, #0" "movi v25.2d, #0" "movi v26.2d, #0" "movi v27.2d, #0" "movi v28.2d, #0" "movi v29.2d, #0"
        "movi v30.2d, #0" "movi v31.2d, #0"; out("v8") _, out("v9") _, out("v10") _, out("v11") _, out("v12") _,
        out("v13") _, out("v14") _, out("v15") _, clobber_abi("C"));
}
