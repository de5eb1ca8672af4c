//! The masks of XTS (IEEE 1619-2018, section 5.2) where the cipher's words are: one vector for each word of a group's
//! masks. There most of a multiplication by a power of x is that words change their places.

#![allow(unsafe_code)] // the constructors of vectors need the processor's instructions

use crate::Block;
use crate::vector::Vector;

/// The masks of two groups of blocks that follow each other.
pub(crate) type Pair<V> = [[V; 4]; 2];

/// `mask` times 1, x, x², …, for the blocks of two groups.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
pub(crate) unsafe fn first<V: Vector>(mask: &Block) -> Pair<V> {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(mask.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    // SAFETY: as for this function.
    let ([a, b, c, d], left, all) = unsafe {
        (
            [V::repeat(words[0]), V::repeat(words[1]), V::repeat(words[2]), V::repeat(words[3])],
            V::words(const { &V::PLACES }),
            V::repeat(32),
        )
    };
    let right = all.sub(left);
    let carry = |x: V| x.shift_right_each(right);
    let group = [
        a.shift_left_each(left).xor(reduced(carry(d))),
        b.shift_left_each(left).xor(carry(a)),
        c.shift_left_each(left).xor(carry(b)),
        d.shift_left_each(left).xor(carry(c)),
    ];
    let after = if V::ROW == 4 { times_x_to::<V, 16, 16>(group) } else { times_x_to::<V, 8, 24>(group) };
    [group, after]
}

/// The masks of the two groups after these.
#[inline(always)]
pub(crate) fn next<V: Vector>([low, high]: Pair<V>) -> Pair<V> {
    if V::ROW == 4 {
        [times_x_to_32(low), times_x_to_32(high)]
    } else {
        [times_x_to::<V, 16, 16>(low), times_x_to::<V, 16, 16>(high)]
    }
}

/// Times x to the power `LEFT`, at most 25; `RIGHT` is `32 - LEFT`.
#[inline(always)]
fn times_x_to<V: Vector, const LEFT: u32, const RIGHT: u32>([a, b, c, d]: [V; 4]) -> [V; 4] {
    [
        a.shift_left::<LEFT>().xor(reduced(d.shift_right::<RIGHT>())),
        b.shift_left::<LEFT>().xor(a.shift_right::<RIGHT>()),
        c.shift_left::<LEFT>().xor(b.shift_right::<RIGHT>()),
        d.shift_left::<LEFT>().xor(c.shift_right::<RIGHT>()),
    ]
}

/// Times x^32: the words move up by one.
#[inline(always)]
fn times_x_to_32<V: Vector>([a, b, c, d]: [V; 4]) -> [V; 4] {
    let beyond = d.shift_right::<31>().xor(d.shift_right::<30>()).xor(d.shift_right::<25>());
    [reduced(d), a.xor(beyond), b, c]
}

/// The lower word of what was carried out times x^7 + x^2 + x + 1.
#[inline(always)]
fn reduced<V: Vector>(carry: V) -> V {
    carry.xor(carry.shift_left::<1>()).xor(carry.shift_left::<2>()).xor(carry.shift_left::<7>())
}
