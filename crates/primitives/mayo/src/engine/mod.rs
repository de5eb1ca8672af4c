//! The arithmetic's two inner loops, and one engine of each path that does them.
//!
//! Everything large in MAYO is a sum of scalars times vectors of m nibbles. Two nibbles that meet different scalars share
//! a byte here, and so do two results: then a product and a sum are one linear map of bytes, 8 by 8 bits, which holds four
//! scalars. GFNI applies such a map with one instruction, AVX2 with two table look-ups, and anything else bit by bit.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use crate::path::{Kind, Path};

pub(crate) use portable::Portable;

/// What a path's inner loops are. A value is the proof that the processor has the instructions.
pub(crate) trait Engine: Copy {
    /// A scalar's part of a map.
    type Unit: Copy + Default;
    /// A linear map of bytes.
    type Map: Copy + Default;

    fn unit(self, scalar: u8) -> Self::Unit;

    /// The map that takes a byte with nibbles (l, h) to one with nibbles (l·ll + h·hl, l·lh + h·hh).
    fn map(self, ll: Self::Unit, hl: Self::Unit, lh: Self::Unit, hh: Self::Unit) -> Self::Map;

    /// Adds to each of the `width` rows of `output` the sum of all rows of `input`, each under its map: that of row i for
    /// output row j is `maps[i * width + j]`. Rows have `length` bytes, a multiple of 16.
    fn combine(self, maps: &[Self::Map], width: usize, input: &[u8], output: &mut [u8], length: usize);

    /// Puts the lower nibbles of `first` and `second` together into `low`, the upper ones into `high`; those of `first`
    /// become the lower ones. The length is that of `low`, a multiple of 8.
    fn zip(self, first: &[u8], second: &[u8], low: &mut [u8], high: &mut [u8]);

    /// [`zip`](Self::zip) of `pairs` pairs: first and second are `each` bytes apart throughout `vectors`, and low and high,
    /// of `half` bytes each, stand together every `stride` bytes of `output`.
    #[inline(always)]
    fn zip_all(
        self,
        vectors: &[u8],
        each: usize,
        output: &mut [u8],
        stride: usize,
        half: usize,
        pairs: usize,
    ) {
        for pair in 0..pairs {
            let both = &mut output[pair * stride..][..2 * half];
            let (low, high) = both.split_at_mut(half);
            self.zip(&vectors[2 * pair * each..], &vectors[(2 * pair + 1) * each..], low, high);
        }
    }
}

pub(crate) trait Task {
    type Output;

    /// Does it. Implementations are inlined, so that what the compiler vectorises itself uses the path's registers.
    fn run<E: Engine>(self, engine: E) -> Self::Output;
}

pub(crate) fn run<T: Task>(path: Path, task: T) -> T::Output {
    match path.kind() {
        Kind::Portable => task.run(Portable),
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => avx2::run(path, task),
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 => avx512::run(path, task),
    }
}
