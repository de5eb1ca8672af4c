//! What a round does with lanes.

/// A lane of one state, or the same lane of several states side by side.
pub(crate) trait Word: Copy {
    /// Whether any function of three lanes is one instruction.
    const TERNARY: bool;

    fn xor(self, b: Self) -> Self;

    fn parity(self, b: Self, c: Self) -> Self;

    fn chi(self, b: Self, c: Self) -> Self;

    /// Rotated left by `bits`, fewer than 64.
    fn rotate(self, bits: u32) -> Self;

    /// `self ^ constant` in every state.
    fn iota(self, constant: u64) -> Self;
}

impl Word for u64 {
    const TERNARY: bool = false;

    #[inline(always)]
    fn xor(self, b: Self) -> Self {
        self ^ b
    }

    #[inline(always)]
    fn parity(self, b: Self, c: Self) -> Self {
        self ^ b ^ c
    }

    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        self ^ (!b & c)
    }

    #[inline(always)]
    fn rotate(self, bits: u32) -> Self {
        self.rotate_left(bits)
    }

    #[inline(always)]
    fn iota(self, constant: u64) -> Self {
        self ^ constant
    }
}
