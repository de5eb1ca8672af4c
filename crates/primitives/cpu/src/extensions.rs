//! A set of instruction sets.

use core::ops::BitOr;

/// Instruction sets of x86-64, those beyond SSE2 that the primitives choose by. They are united with `|`.
///
/// One whose registers the operating system does not save counts as missing, and so does one that works on
/// such registers: [`AES`](Self::AES), [`VAES`](Self::VAES) and the like do not stand for registers of any width, of
/// which [`AVX`](Self::AVX), [`AVX2`](Self::AVX2) and [`AVX512F`](Self::AVX512F) have to be asked for as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extensions(pub(crate) u32);

impl Extensions {
    pub(crate) const NONE: Self = Self(0);
    /// PSHUFB and others on 128 bits.
    pub const SSSE3: Self = Self(1 << 0);
    /// Blends and others on 128 bits.
    pub const SSE41: Self = Self(1 << 1);
    /// The encodings with three operands, and floating point on 256 bits.
    pub const AVX: Self = Self(1 << 2);
    /// Integers on 256 bits.
    pub const AVX2: Self = Self(1 << 3);
    /// ANDN and others.
    pub const BMI1: Self = Self(1 << 4);
    /// RORX and others.
    pub const BMI2: Self = Self(1 << 5);
    /// Rounds of AES on 128 bits.
    pub const AES: Self = Self(1 << 6);
    /// Rounds of AES on 256 bits, and on 512 where there is AVX-512.
    pub const VAES: Self = Self(1 << 7);
    /// Carry-less products on 256 bits, and on 512 where there is AVX-512.
    pub const VPCLMULQDQ: Self = Self(1 << 8);
    /// Affine maps and inversions in GF(2^8).
    pub const GFNI: Self = Self(1 << 9);
    /// Rounds of SHA-1 and SHA-256.
    pub const SHA: Self = Self(1 << 10);
    /// The foundation on 512 bits.
    pub const AVX512F: Self = Self(1 << 11);
    /// Bytes and words.
    pub const AVX512BW: Self = Self(1 << 12);
    /// AVX-512's instructions on 128 and 256 bits.
    pub const AVX512VL: Self = Self(1 << 13);
    /// Carry-less products on 128 bits.
    pub const PCLMULQDQ: Self = Self(1 << 14);

    /// Whether all of `others` are among them.
    #[inline]
    #[must_use]
    pub fn has(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }
}

impl BitOr for Extensions {
    type Output = Self;

    #[inline]
    fn bitor(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }
}
