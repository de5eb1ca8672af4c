//! What the rounds are made of: one word of one block or of several blocks at once.

use crate::schedule::KeyWord;

/// The 32-bit words that stand at the same place of one block or of several, one per lane.
///
/// Only the constructors of vectors are unsafe: whoever holds a value has proven that the processor has the
/// instructions. Every method is inlined into a function with the target feature, which is why implementations say
/// `inline(always)`.
pub(crate) trait Words: Copy {
    fn xor_key(self, key: &KeyWord) -> Self;

    /// The sums modulo 2^32.
    fn add(self, other: Self) -> Self;

    /// The differences modulo 2^32.
    fn sub(self, other: Self) -> Self;

    /// Each word rotated left by `LEFT` bits; `RIGHT` is `32 - LEFT`.
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self;
}

impl Words for u32 {
    #[inline(always)]
    fn xor_key(self, key: &KeyWord) -> Self {
        self ^ key.get()
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        self.rotate_left(LEFT.cast_unsigned())
    }
}
