//! VAES: sixteen messages side by side, two in a 256-bit register or four in a 512-bit register.
#![allow(unsafe_code)] // Vector loads through pointers.

use core::arch::x86_64::{
    __m256i, __m512i, _mm_loadu_si128, _mm256_aesenc_epi128, _mm256_aesenclast_epi128, _mm256_load_si256,
    _mm256_set_m128i, _mm256_store_si256, _mm256_xor_si256, _mm512_aesenc_epi128, _mm512_aesenclast_epi128,
    _mm512_castsi128_si512, _mm512_inserti32x4, _mm512_load_si512, _mm512_store_si512, _mm512_xor_si512,
};
use core::array;

use crate::bank::{Bank, drive};
use crate::batch::Batch;
use crate::block::Block;

/// Steps of sixteen messages on eight 256-bit registers.
///
/// # Safety
/// As [`crate::bank::Steps`].
#[inline]
#[target_feature(enable = "vaes,avx2")]
unsafe fn steps256<const ROUNDS: usize>(bank: &mut Bank<ROUNDS, 16>, from: usize, to: usize) {
    // SAFETY: sixteen blocks are eight registers, aligned to 64 bytes because the bank is.
    let load = |lanes: &[Block; 16], register: usize| unsafe {
        _mm256_load_si256((&raw const *lanes).cast::<__m256i>().add(register))
    };
    let blocks = |bank: &Bank<ROUNDS, 16>, at: usize, register: usize| {
        // SAFETY: the caller vouches for the blocks.
        let block = |lane: usize| unsafe { _mm_loadu_si128(bank.blocks[lane].wrapping_add(at).cast()) };
        _mm256_set_m128i(block(2 * register + 1), block(2 * register))
    };
    let mut states: [__m256i; 8] = array::from_fn(|register| match from {
        0 => _mm256_xor_si256(blocks(bank, 0, register), load(&bank.whitening, register)),
        _ => load(&bank.state, register),
    });
    for at in from.max(1)..to {
        for keys in &bank.keys[..ROUNDS - 1] {
            for (register, state) in states.iter_mut().enumerate() {
                *state = _mm256_aesenc_epi128(*state, load(keys, register));
            }
        }
        for (register, state) in states.iter_mut().enumerate() {
            let sum = _mm256_xor_si256(blocks(bank, at, register), load(&bank.keys[ROUNDS - 1], register));
            *state = _mm256_aesenclast_epi128(*state, sum);
        }
    }
    for (register, state) in states.into_iter().enumerate() {
        // SAFETY: as for the loads.
        unsafe { _mm256_store_si256((&raw mut bank.state).cast::<__m256i>().add(register), state) };
    }
}

/// Steps of as many messages as `REGISTERS` 512-bit registers hold.
///
/// # Safety
/// As [`crate::bank::Steps`].
#[inline]
#[target_feature(enable = "vaes,avx512f,avx512vl")]
unsafe fn steps512<const ROUNDS: usize, const REGISTERS: usize, const LANES: usize>(
    bank: &mut Bank<ROUNDS, LANES>,
    from: usize,
    to: usize,
) {
    const { assert!(LANES == 4 * REGISTERS) };
    // SAFETY: four blocks are a register, aligned to 64 bytes because the bank is and each row fills whole registers.
    let load = |lanes: &[Block; LANES], register: usize| unsafe {
        _mm512_load_si512((&raw const *lanes).cast::<__m512i>().add(register))
    };
    let blocks = |bank: &Bank<ROUNDS, LANES>, at: usize, register: usize| {
        // SAFETY: the caller vouches for the blocks.
        let block = |lane: usize| unsafe {
            _mm_loadu_si128(bank.blocks[4 * register + lane].wrapping_add(at).cast())
        };
        let blocks = _mm512_castsi128_si512(block(0));
        let blocks = _mm512_inserti32x4::<1>(blocks, block(1));
        let blocks = _mm512_inserti32x4::<2>(blocks, block(2));
        _mm512_inserti32x4::<3>(blocks, block(3))
    };
    let mut states: [__m512i; REGISTERS] = array::from_fn(|register| match from {
        0 => _mm512_xor_si512(blocks(bank, 0, register), load(&bank.whitening, register)),
        _ => load(&bank.state, register),
    });
    for at in from.max(1)..to {
        for keys in &bank.keys[..ROUNDS - 1] {
            for (register, state) in states.iter_mut().enumerate() {
                *state = _mm512_aesenc_epi128(*state, load(keys, register));
            }
        }
        for (register, state) in states.iter_mut().enumerate() {
            let sum = _mm512_xor_si512(blocks(bank, at, register), load(&bank.keys[ROUNDS - 1], register));
            *state = _mm512_aesenclast_epi128(*state, sum);
        }
    }
    for (register, state) in states.into_iter().enumerate() {
        // SAFETY: as for the loads.
        unsafe { _mm512_store_si512((&raw mut bank.state).cast::<__m512i>().add(register), state) };
    }
}

/// Tags messages on sixteen lanes of 256-bit registers.
#[target_feature(enable = "vaes,avx2")]
pub(crate) fn tag_many256<const ROUNDS: usize>(batch: &mut Batch<'_, '_, ROUNDS>) {
    // SAFETY: this function's features are those of the steps.
    unsafe { drive(steps256::<ROUNDS>, batch) };
}

/// Tags messages on sixteen lanes of 512-bit registers, or on eight if there are no more messages.
#[target_feature(enable = "vaes,avx512f,avx512vl")]
pub(crate) fn tag_many512<const ROUNDS: usize>(batch: &mut Batch<'_, '_, ROUNDS>) {
    // SAFETY: this function's features are those of the steps.
    unsafe {
        if batch.len() <= 8 {
            drive(steps512::<ROUNDS, 2, 8>, batch);
        } else {
            drive(steps512::<ROUNDS, 4, 16>, batch);
        }
    }
}
