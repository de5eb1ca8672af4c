//! What the engine asks of a register.

use core::arch::x86_64::__m128i;

use crate::Block;

/// A register of blocks.
///
/// The methods are inlined into functions that have the target features. Only the constructors ask for the
/// instructions: whoever holds a value has proven that the processor has them.
pub(super) trait Vector: Copy {
    /// Blocks in a register.
    const LANES: usize;

    /// Zeros.
    ///
    /// # Safety
    /// The processor has the vector's instructions.
    unsafe fn zero() -> Self;

    /// `LANES` blocks from memory.
    ///
    /// # Safety
    /// The processor has the vector's instructions, and that many blocks can be read.
    unsafe fn load(from: *const Block) -> Self;

    /// One block in the first lane, and zeros.
    ///
    /// # Safety
    /// The processor has the vector's instructions.
    unsafe fn first_lane(block: __m128i) -> Self;

    /// The bytes of each lane in the opposite order.
    fn reversed(self) -> Self;

    fn xor(self, other: Self) -> Self;

    /// In each lane the product without carries of two halves: bit 0 of `HALVES` says which of `self`, bit 4 which of `other`.
    fn multiply<const HALVES: i32>(self, other: Self) -> Self;

    /// The sum of all lanes.
    fn folded(self) -> __m128i;
}

/// Sums of products of two times 128 bits, before they are reduced: `low + middle · 2^64 + high · 2^128`, without carries.
pub(super) struct Products<V> {
    pub(super) low: V,
    pub(super) middle: V,
    pub(super) high: V,
}

impl<V: Vector> Products<V> {
    /// # Safety
    /// The processor has the vector's instructions.
    #[inline(always)]
    pub(super) unsafe fn zero() -> Self {
        // SAFETY: as for this function.
        let zero = unsafe { V::zero() };
        Self { low: zero, middle: zero, high: zero }
    }

    /// Adds the product of each lane. Four multiplications, since Karatsuba's three need a shuffle, which Intel's cores do by
    /// the same port.
    #[inline(always)]
    pub(super) fn add(&mut self, blocks: V, powers: V) {
        self.low = self.low.xor(blocks.multiply::<0x00>(powers));
        let crossed = blocks.multiply::<0x01>(powers).xor(blocks.multiply::<0x10>(powers));
        self.middle = self.middle.xor(crossed);
        self.high = self.high.xor(blocks.multiply::<0x11>(powers));
    }
}
