//! One block in one register, with the last rounds of AES: for chained modes and for what would leave a group nearly
//! empty.
//!
//! All sixteen bytes go through all four S-boxes. Of each result the diffusion layer takes the bytes that the S-box was
//! meant for, wherever ShiftRows or its inverse has put them: the sum that a byte of the layer is has at most two
//! terms of each S-box, so two byte shuffles of each result and their sum are the layer.

#![allow(unsafe_code)] // SIMD intrinsics

use core::arch::x86_64::{
    __m128i, _mm_aesdeclast_si128, _mm_aesenclast_si128, _mm_and_si128, _mm_gf2p8affine_epi64_epi8,
    _mm_loadu_si128, _mm_set1_epi8, _mm_set1_epi64x, _mm_setzero_si128, _mm_shuffle_epi8, _mm_srli_epi64,
    _mm_storeu_si128, _mm_xor_si128,
};

use crate::Block;
use crate::diffusion::EQUATIONS;
use crate::prepared::Prepared;
use crate::sbox::{FROM_1_TO_2, FROM_2_TO_1};

/// Encrypts or decrypts one block after another, and adds their masks before and after if there are any. There are as
/// many as blocks.
#[target_feature(enable = "avx,aes")]
pub(crate) fn one_by_one(keys: &Prepared, blocks: &mut [Block], masks: Option<&[Block]>) {
    // SAFETY: the halves of bytes are mapped by AVX's instructions.
    unsafe { each::<false>(keys, blocks, masks) }
}

/// [`one_by_one`] with affine maps in one instruction.
#[target_feature(enable = "avx,aes,gfni")]
pub(crate) fn one_by_one_gfni(keys: &Prepared, blocks: &mut [Block], masks: Option<&[Block]>) {
    // SAFETY: this function has GFNI.
    unsafe { each::<true>(keys, blocks, masks) }
}

/// # Safety
/// The processor has AVX and AES-NI, and GFNI if that is `true`.
#[inline(always)]
unsafe fn each<const GFNI: bool>(keys: &Prepared, blocks: &mut [Block], masks: Option<&[Block]>) {
    for (index, block) in blocks.iter_mut().enumerate() {
        let mask = match masks.and_then(|masks| masks.get(index)) {
            Some(mask) => load(mask),
            None => load(&[0; 16]),
        };
        // SAFETY: as for this function; the reference covers a block, and no alignment is needed.
        unsafe {
            let state = rounds::<GFNI>(keys, _mm_xor_si128(load(block), mask));
            _mm_storeu_si128(block.as_mut_ptr().cast(), _mm_xor_si128(state, mask));
        }
    }
}

/// # Safety
/// As [`each`].
#[inline(always)]
unsafe fn rounds<const GFNI: bool>(keys: &Prepared, state: __m128i) -> __m128i {
    let [first, pairs @ .., before_last, last] = &keys.plain[..=keys.rounds] else { return state };
    // SAFETY: as for this function.
    unsafe {
        let mut state = _mm_xor_si128(state, load(first));
        for pair in pairs.as_chunks::<2>().0 {
            state = round::<GFNI>(state, const { &diffusion(0) }, &pair[0]);
            state = round::<GFNI>(state, const { &diffusion(2) }, &pair[1]);
        }
        state = round::<GFNI>(state, const { &diffusion(0) }, before_last);
        round::<GFNI>(state, const { &no_diffusion(2) }, last)
    }
}

/// Where a byte of the result finds its terms among what SB1 to SB4 have made of the whole block; two shuffles for each.
type Terms = [[Block; 2]; 4];

/// For a shuffle: nothing.
const NOTHING: u8 = 0x80;

/// # Safety
/// As [`each`].
#[inline(always)]
unsafe fn round<const GFNI: bool>(x: __m128i, terms: &Terms, key: &Block) -> __m128i {
    // SAFETY: as for this function.
    unsafe {
        let none = _mm_setzero_si128();
        let one = _mm_aesenclast_si128(x, none);
        let three = _mm_aesdeclast_si128(x, none);
        let (two, before_four) = if GFNI {
            (
                _mm_gf2p8affine_epi64_epi8::<{ FROM_1_TO_2.constant as i32 }>(
                    one,
                    repeated(const { FROM_1_TO_2.rows() }),
                ),
                _mm_gf2p8affine_epi64_epi8::<{ FROM_2_TO_1.constant as i32 }>(
                    x,
                    repeated(const { FROM_2_TO_1.rows() }),
                ),
            )
        } else {
            let tables = const { (&FROM_1_TO_2.nibble_tables(), &FROM_2_TO_1.nibble_tables()) };
            (map(one, tables.0), map(x, tables.1))
        };
        let four = _mm_aesdeclast_si128(before_four, none);
        // What is there first is added first.
        let early = _mm_xor_si128(sum(one, &terms[0]), sum(three, &terms[2]));
        let late = _mm_xor_si128(sum(two, &terms[1]), sum(four, &terms[3]));
        _mm_xor_si128(_mm_xor_si128(early, load(key)), late)
    }
}

/// The sum of two shuffles.
///
/// # Safety
/// As [`each`].
#[inline(always)]
unsafe fn sum(from: __m128i, [a, b]: &[Block; 2]) -> __m128i {
    // SAFETY: as for this function.
    unsafe { _mm_xor_si128(_mm_shuffle_epi8(from, load(a)), _mm_shuffle_epi8(from, load(b))) }
}

/// The rows of a map, for both halves.
#[inline(always)]
fn repeated(rows: u64) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_set1_epi64x(rows.cast_signed()) }
}

/// The terms of a round whose substitution layer begins with the S-box `first`.
const fn diffusion(first: usize) -> Terms {
    let mut terms = [[[NOTHING; 16]; 2]; 4];
    let mut place = 0;
    while place < 16 {
        let mut term = 0;
        while term < 7 {
            let from = EQUATIONS[place][term];
            let s_box = (from + first) % 4;
            let second = terms[s_box][0][place] != NOTHING;
            terms[s_box][second as usize][place] = position(from, s_box);
            term += 1;
        }
        place += 1;
    }
    terms
}

/// The terms of the last round, which has no diffusion layer.
const fn no_diffusion(first: usize) -> Terms {
    let mut terms = [[[NOTHING; 16]; 2]; 4];
    let mut place = 0;
    while place < 16 {
        let s_box = (place + first) % 4;
        terms[s_box][0][place] = position(place, s_box);
        place += 1;
    }
    terms
}

/// Where a byte is after ShiftRows, which comes with SB1 and SB2, or after its inverse (FIPS 197, section 5.1.2).
const fn position(place: usize, s_box: usize) -> u8 {
    let (row, column) = (place % 4, place / 4);
    let moved = if s_box < 2 { column + 4 - row } else { column + row };
    (row + 4 * (moved % 4)) as u8
}

/// An affine map of each byte, given by what it makes of the low and of the high halves.
///
/// # Safety
/// As [`each`].
#[inline(always)]
unsafe fn map(x: __m128i, tables: &[Block; 2]) -> __m128i {
    // SAFETY: as for this function.
    unsafe {
        let nibble = _mm_set1_epi8(15);
        let (low, high) = (_mm_and_si128(x, nibble), _mm_and_si128(_mm_srli_epi64::<4>(x), nibble));
        _mm_xor_si128(_mm_shuffle_epi8(load(&tables[0]), low), _mm_shuffle_epi8(load(&tables[1]), high))
    }
}

#[inline(always)]
fn load(block: &Block) -> __m128i {
    // SAFETY: SSE2 is part of x86-64; the reference covers a block, and no alignment is needed.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}
