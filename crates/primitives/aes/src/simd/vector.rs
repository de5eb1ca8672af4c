//! What the engine needs of a vector register of one, two or four blocks.

use crate::Block;

/// A register of `LANES` blocks.
///
/// Every method is inlined into a function that has the target feature, which is why implementations say
/// `inline(always)`. Only the constructors are unsafe: whoever holds a value has proven that the processor has the
/// instructions.
pub(crate) trait Vector: Copy {
    /// Blocks in a register.
    const LANES: usize;

    /// The same block in each lane.
    ///
    /// # Safety
    /// The processor has the vector's instructions.
    unsafe fn broadcast(block: &Block) -> Self;

    /// `LANES` blocks from memory.
    ///
    /// # Safety
    /// The processor has the vector's instructions, and that many blocks can be read.
    unsafe fn load(from: *const Block) -> Self;

    /// `LANES` blocks to memory.
    ///
    /// # Safety
    /// That many blocks can be written.
    unsafe fn store(self, to: *mut Block);

    /// The mask `first` times 1, x, x², …, in GF(2^128) as XTS has it (IEEE 1619-2018, section 5.2): eight registers
    /// of them.
    ///
    /// # Safety
    /// The processor has the vector's instructions.
    unsafe fn masks(first: &Block) -> [Self; 8];

    /// Each lane times x^(8·`LANES`) in that field: from eight registers of masks to the eight after them.
    fn times_x_8_registers(masks: [Self; 8]) -> [Self; 8];

    /// The numbers from `first` on, as 128-bit little-endian numbers in eight registers. The lower half must not
    /// overflow within them.
    ///
    /// # Safety
    /// The processor has the vector's instructions.
    unsafe fn numbers(first: u128) -> [Self; 8];

    /// Adds eight registers' blocks to the lower half of each lane.
    fn plus_8_registers(self) -> Self;

    /// The counter blocks of numbers, which go on to the eight registers after them.
    #[inline(always)]
    fn next_counters(numbers: &mut [Self; 8]) -> [Self; 8] {
        let mut counters = *numbers;
        for (counter, number) in counters.iter_mut().zip(numbers) {
            *counter = number.reversed();
            *number = number.plus_8_registers();
        }
        counters
    }

    /// The bytes of each lane in the opposite order.
    fn reversed(self) -> Self;

    /// Each lane's block replaced by the one before it: the last lane of `before`, then the lanes of this register but the last.
    fn preceded_by(self, before: Self) -> Self;

    fn xor(self, other: Self) -> Self;

    /// A round of the cipher: ShiftRows, SubBytes, MixColumns, AddRoundKey (FIPS 197, section 5.1).
    fn round(self, key: Self) -> Self;

    /// The last round, which has no MixColumns.
    fn last_round(self, key: Self) -> Self;

    /// A round of the equivalent inverse cipher (FIPS 197, section 5.3.5).
    fn inverse_round(self, key: Self) -> Self;

    /// The last round of the equivalent inverse cipher.
    fn last_inverse_round(self, key: Self) -> Self;

    /// The same value, at this place in the order of instructions.
    ///
    /// Compilers like to have the rounds of one register after another, since they then need fewer
    /// registers. The processor would have to look a thousand instructions ahead to find something to do
    /// during a round's latency: a page of XEX took 1,314 cycles in that order, and takes 1,174 in this one
    /// (VAES-256, Intel with AMX).
    fn pinned(self) -> Self;
}

/// Whether the lower half of a counter, in which alone registers count, overflows within so many blocks.
pub(super) fn overflows(first: u128, blocks: usize) -> bool {
    (first as u64).checked_add(blocks as u64).is_none()
}
