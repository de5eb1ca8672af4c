//! Vectors of bytes: one vector has the bytes of one place of many blocks, so sixteen vectors are the state.

#![allow(unsafe_code)] // vectors are made with instructions that not every processor has

mod aes;
mod gfni;
mod single;
mod ymm;
mod zmm;

use core::hint::black_box;
use core::mem::MaybeUninit;

use fieldtest_block::masks::{Ymm, Zmm};

pub(crate) use single::{one_by_one, one_by_one_gfni};

use crate::Block;
use crate::batch::{Group, Runs, each_xex};
use crate::diffusion::Sum;
use crate::prepared::Prepared;

/// A vector of bytes. Only the constructors are unsafe: whoever holds a value has proven that the processor has the
/// instructions. Every method is inlined into a function with the target features, which is why implementations say
/// `inline(always)`.
pub(crate) trait Vector: Sum {
    /// As many blocks as the vector has room for.
    ///
    /// # Safety
    /// The processor has the vector's instructions, and `blocks` points to that many readable blocks.
    unsafe fn load(blocks: *const Block) -> Self;

    /// Writes the blocks.
    ///
    /// # Safety
    /// `blocks` points to as many writable blocks as the vector has room for.
    unsafe fn store(self, blocks: *mut Block);

    /// A vector with one block again and again; `self` is only the proof.
    fn repeat_block(self, block: &Block) -> Self;

    /// A vector with one word again and again; `self` is only the proof.
    fn repeat_word(self, word: u32) -> Self;

    /// In each block, the first or the last eight bytes of two vectors in turns.
    fn interleave(self, other: Self) -> [Self; 2];
}

/// The rounds between the first and the last round key.
pub(crate) trait Rounds: Vector {
    /// Whether the rounds add the last round key too.
    const ADD_LAST_KEY: bool;

    /// All rounds.
    ///
    /// # Safety
    /// The processor has the instructions that the rounds need beside those of the vectors.
    unsafe fn rounds(state: [Self; 16], keys: &Prepared) -> [Self; 16];
}

/// Encrypts or decrypts 32 blocks with AVX2 and AES-NI.
#[target_feature(enable = "avx2,aes")]
pub(crate) fn aes_ni(keys: &Prepared, blocks: &mut [Block; 32], masks: Option<&[Block; 32]>) {
    // SAFETY: this function has the target features.
    unsafe { crypt::<aes::Bytes<false>, 32>(keys, blocks, masks) };
}

/// Encrypts or decrypts 32 blocks with AVX2 and VAES.
#[target_feature(enable = "avx2,aes,vaes")]
pub(crate) fn vaes(keys: &Prepared, blocks: &mut [Block; 32], masks: Option<&[Block; 32]>) {
    // SAFETY: this function has the target features.
    unsafe { crypt::<aes::Bytes<true>, 32>(keys, blocks, masks) };
}

/// Encrypts or decrypts 32 blocks with AVX2 and GFNI.
#[target_feature(enable = "avx2,gfni")]
pub(crate) fn gfni(keys: &Prepared, blocks: &mut [Block; 32], masks: Option<&[Block; 32]>) {
    // SAFETY: this function has the target features.
    unsafe { crypt::<ymm::Bytes<false>, 32>(keys, blocks, masks) };
}

/// Encrypts or decrypts 32 blocks with AVX-512VL and GFNI.
#[target_feature(enable = "avx2,gfni,avx512f,avx512vl")]
pub(crate) fn avx512_half(keys: &Prepared, blocks: &mut [Block; 32], masks: Option<&[Block; 32]>) {
    // SAFETY: this function has the target features.
    unsafe { crypt::<ymm::Bytes<true>, 32>(keys, blocks, masks) };
}

/// Encrypts or decrypts 64 blocks with AVX-512 and GFNI.
#[target_feature(enable = "avx2,gfni,avx512f,avx512bw,avx512vl")]
pub(crate) fn avx512(keys: &Prepared, blocks: &mut [Block; 64], masks: Option<&[Block; 64]>) {
    // SAFETY: this function has the target features.
    unsafe { crypt::<zmm::Bytes, 64>(keys, blocks, masks) };
}

/// Encrypts or decrypts runs of blocks by groups of 32, with masks made in the registers of AVX2.
///
/// # Safety
/// The processor has what `crypt` needs.
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn ymm_xex(
    crypt: Group<32>,
    keys: &Prepared,
    blocks: &mut [Block],
    mut runs: Runs<'_, Ymm>,
) {
    // SAFETY: as for this function, which has the target features of the masks.
    unsafe { each_xex(crypt, keys, blocks, &mut runs) };
}

/// Encrypts or decrypts runs of blocks with AVX-512 and GFNI; see [`whole_groups`] for the rest.
#[target_feature(enable = "avx2,gfni,vpclmulqdq,avx512f,avx512bw,avx512vl")]
pub(crate) fn avx512_xex(keys: &Prepared, blocks: &mut [Block], mut runs: Runs<'_, Zmm>) {
    let (blocks, rest) = blocks.split_at_mut(whole_groups(blocks.len()));
    // SAFETY: this function has the target features of the cipher and the masks.
    unsafe {
        each_xex(avx512, keys, blocks, &mut runs);
        each_xex(avx512_half, keys, rest, &mut runs);
    }
}

/// Of so many blocks, how many go into groups of 64: the last 32 or less take less time in half the registers.
pub(crate) fn whole_groups(blocks: usize) -> usize {
    match blocks % 64 {
        rest @ 1..=32 => blocks - rest,
        _ => blocks,
    }
}

/// Encrypts or decrypts `N` blocks, which are sixteen vectors. The vector `i` has those from `i * N / 16` on.
///
/// # Safety
/// The processor has the instructions of the vectors and of the rounds.
#[inline(always)]
unsafe fn crypt<V: Rounds, const N: usize>(
    keys: &Prepared,
    blocks: &mut [Block; N],
    masks: Option<&[Block; N]>,
) {
    const { assert!(size_of::<[V; 16]>() == size_of::<[Block; N]>()) };
    // Where the state does not fit into the registers, parts of it go to the stack and back in every round. A variable
    // that has to be aligned aligns the whole stack frame, so that none of them lies across two cache lines.
    #[repr(align(64))]
    struct Aligned<T>(T);
    black_box(&mut Aligned(MaybeUninit::<[u8; 64]>::uninit()).0);
    // SAFETY: the caller vouches for the instructions. `N` blocks are sixteen vectors.
    let load = |from: &[Block; N], i: usize| unsafe { V::load(from.as_ptr().add(i * N / 16)) };
    let mut state = [load(blocks, 0); 16];
    for (i, block) in state.iter_mut().enumerate() {
        let key = block.repeat_block(&keys.plain[0]);
        *block = match masks {
            Some(masks) => load(blocks, i).xor3(key, load(masks, i)),
            None => load(blocks, i).xor(key),
        };
    }
    // SAFETY: the caller vouches for the instructions.
    state = transpose(unsafe { V::rounds(transpose(state), keys) });
    for (i, block) in state.into_iter().enumerate() {
        let block = match (V::ADD_LAST_KEY, masks) {
            (true, Some(masks)) => block.xor(load(masks, i)),
            (true, None) => block,
            (false, Some(masks)) => block.xor3(block.repeat_block(&keys.plain[keys.rounds]), load(masks, i)),
            (false, None) => block.xor(block.repeat_block(&keys.plain[keys.rounds])),
        };
        // SAFETY: `N` blocks are sixteen vectors.
        unsafe { block.store(blocks.as_mut_ptr().add(i * N / 16)) };
    }
}

/// Turns blocks into bytes of the same place, and back. The address of a byte is the vector's number and then the
/// place in the block; each step rotates it by one bit, so that after four the two have changed sides.
#[inline(always)]
fn transpose<V: Vector>(vectors: [V; 16]) -> [V; 16] {
    rotate_addresses(rotate_addresses(rotate_addresses(rotate_addresses(vectors))))
}

#[inline(always)]
fn rotate_addresses<V: Vector>(vectors: [V; 16]) -> [V; 16] {
    let turns = |i: usize| vectors[i].interleave(vectors[i + 8]);
    let ([a, b], [c, d], [e, f], [g, h]) = (turns(0), turns(1), turns(2), turns(3));
    let ([i, j], [k, l], [m, n], [o, p]) = (turns(4), turns(5), turns(6), turns(7));
    [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
}
