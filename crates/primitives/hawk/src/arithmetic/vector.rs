//! What the transforms need of eight numbers of 32 bits side by side.

/// Eight numbers of 32 bits, with a sign or without.
///
/// # Safety
/// Values are made by `load` and `splat` alone, whose callers vouch for the processor's instructions; so a value is the
/// proof of them.
pub(super) trait Eight: Copy {
    /// Eight products, of 64 bits.
    type Wide: Copy;

    /// # Safety
    /// The processor has the vector's instructions.
    unsafe fn load(from: &[u32; 8]) -> Self;

    /// # Safety
    /// As for `load`.
    unsafe fn splat(value: u32) -> Self;

    fn store(self, to: &mut [u32; 8]);

    /// Modulo 2^32.
    fn add(self, b: Self) -> Self;

    /// Modulo 2^32.
    fn subtract(self, b: Self) -> Self;

    /// The smaller, without a sign.
    fn least(self, b: Self) -> Self;

    /// Half, with a sign, rounded down.
    fn half(self) -> Self;

    /// `self · factor / 2^32` modulo p, between -p and p; without signs, and `inverse` is 1/p modulo 2^32.
    fn montgomery(self, factor: Self, p: Self, inverse: Self) -> Self;

    /// With signs.
    fn product(self, b: Self) -> Self::Wide;

    /// Modulo 2^64.
    fn sum(a: Self::Wide, b: Self::Wide) -> Self::Wide;

    /// Modulo 2^64.
    fn difference(a: Self::Wide, b: Self::Wide) -> Self::Wide;

    /// The upper halves.
    fn upper(wide: Self::Wide) -> Self;

    /// The other way around.
    fn reverse(self) -> Self;

    fn transpose(square: [Self; 8]) -> [Self; 8];
}
