//! Masks in memory.
#![allow(unsafe_code)] // functions for processors that have certain instructions, stores through pointers

use fieldtest_cpu::Extensions;

use super::{Masks, Plain};
#[cfg(target_arch = "x86_64")]
use super::{Ymm, Zmm};
use crate::Block;

/// Overwrites `masks` with `first` times 1, x, x², …, in the widest registers that this processor has.
#[inline]
pub fn fill(first: &Block, masks: &mut [Block]) {
    fill_with(Extensions::of_this_processor(), first, masks);
}

#[inline]
fn fill_with(there: Extensions, first: &Block, masks: &mut [Block]) {
    #[cfg(target_arch = "x86_64")]
    {
        if there.has(Extensions::AVX512F | Extensions::AVX512BW | Extensions::VPCLMULQDQ) {
            // SAFETY: the processor has what the function needs.
            return unsafe { zmm(first, masks) };
        }
        if there.has(Extensions::AVX2) {
            // SAFETY: the processor has what the function needs.
            return unsafe { ymm(first, masks) };
        }
    }
    let _ = there;
    // SAFETY: plain masks need nothing.
    unsafe { fill_by::<Plain>(first, masks) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn ymm(first: &Block, masks: &mut [Block]) {
    // SAFETY: this function's feature is what the type names.
    unsafe { fill_by::<Ymm>(first, masks) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,vpclmulqdq")]
fn zmm(first: &Block, masks: &mut [Block]) {
    // SAFETY: this function's features are what the type names.
    unsafe { fill_by::<Zmm>(first, masks) }
}

/// # Safety
/// The processor has the instructions that `M` names.
#[inline(always)]
unsafe fn fill_by<M: Masks>(first: &Block, masks: &mut [Block]) {
    // SAFETY: as for this function.
    let mut registers = unsafe { M::first(first) };
    let mut rest = masks;
    while rest.len() >= M::COUNT {
        let (group, after) = rest.split_at_mut(M::COUNT);
        rest = after;
        // SAFETY: the group has room for them.
        unsafe { registers.store(group.as_mut_ptr()) };
        if rest.is_empty() {
            return;
        }
        registers = registers.next();
    }
    if rest.is_empty() {
        return;
    }
    const { assert!(M::COUNT <= 32) };
    let mut last = [[0; 16]; 32];
    // SAFETY: there is room for them.
    unsafe { registers.store(last.as_mut_ptr()) };
    rest.copy_from_slice(&last[..rest.len()]);
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    extern crate std;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn registers_agree_with_multiplying_one_by_one(first: Block, count in 0_usize..200) {
            let mut expected = std::vec![[0; 16]; count];
            // SAFETY: plain masks need nothing.
            unsafe { fill_by::<Plain>(&first, &mut expected) };
            let there = Extensions::of_this_processor();
            for there in [there, if there.has(Extensions::AVX2) { Extensions::AVX2 } else { there }] {
                let mut masks = std::vec![[1; 16]; count];
                fill_with(there, &first, &mut masks);
                prop_assert_eq!(&masks, &expected);
            }
            let mut masks = std::vec![[1; 16]; count];
            // SAFETY: every x86-64 processor has SSE2.
            unsafe { fill_by::<crate::masks::Xmm>(&first, &mut masks) };
            prop_assert_eq!(&masks, &expected);
        }
    }
}
