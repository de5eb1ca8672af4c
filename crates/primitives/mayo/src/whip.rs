//! Sums of m-vectors times powers of z, modulo f(z) (the specification's matrices E).
//!
//! An m-vector is a polynomial in z. Times zˡ it moves up by l nibbles; sums are reduced once, when all terms are there.

use crate::field::{masks, scale};
use crate::parameters::Parameters;
use crate::scratch::Scratch;

/// Some polynomials side by side: word w of polynomial i is `words[w * width + i]`.
pub(crate) struct Columns {
    width: usize,
    words: Scratch<u64>,
}

impl Columns {
    #[inline(always)]
    pub(crate) fn new(parameters: &Parameters, width: usize) -> Self {
        let limbs = parameters.limbs() + parameters.schedule.len().div_ceil(16) + 1;
        Self { width, words: Scratch::new(limbs * width) }
    }

    /// Adds `count` m-vectors times zˡ, l being `label`, to as many polynomials from number `first` on. Word w of m-vector
    /// i is `vectors[w * stride + i]`.
    #[inline(always)]
    pub(crate) fn add(&mut self, first: usize, count: usize, vectors: &[u64], stride: usize, label: usize) {
        let (skip, bits) = (label / 16, 4 * (label % 16));
        for (limb, vectors) in vectors.chunks(stride).enumerate() {
            let start = (skip + limb) * self.width + first;
            for (sum, word) in self.words[start..][..count].iter_mut().zip(vectors) {
                *sum ^= word << bits;
            }
            if bits != 0 {
                for (sum, word) in self.words[start + self.width..][..count].iter_mut().zip(vectors) {
                    *sum ^= word >> (64 - bits);
                }
            }
        }
    }

    /// Adds to polynomial `column` the products of all pairs of vectors, each times its power of z: word w of the product
    /// of i and j is `products[(i * limbs + w) * stride + j]`.
    #[inline(always)]
    pub(crate) fn add_products(
        &mut self,
        parameters: &Parameters,
        column: usize,
        products: &[u64],
        stride: usize,
    ) {
        let limbs = parameters.limbs();
        let mut sum = [0; MOST_LIMBS];
        for (label, (i, j)) in parameters.schedule.iter().enumerate() {
            let (i, j) = (usize::from(*i), usize::from(*j));
            for (w, sum) in sum[..limbs].iter_mut().enumerate() {
                *sum = products[(i * limbs + w) * stride + j];
                if i != j {
                    *sum ^= products[(j * limbs + w) * stride + i];
                }
            }
            self.add(column, 1, &sum[..limbs], 1, label);
        }
    }

    /// Reduces all modulo f(z), and returns the words of what is left.
    #[inline(always)]
    pub(crate) fn reduced(mut self, parameters: &Parameters) -> Scratch<u64> {
        let width = self.width;
        let (whole, bits) = (parameters.m / 16, 4 * (parameters.m % 16));
        let limbs = parameters.schedule.len().div_ceil(16);
        let mut top = Scratch::<u64>::new(limbs * width);
        for (limb, top) in top.chunks_exact_mut(width).enumerate() {
            let (low, high) = self.words[(whole + limb) * width..].split_at(width);
            for ((top, low), high) in top.iter_mut().zip(low).zip(high) {
                *top = if bits == 0 { *low } else { low >> bits | high << (64 - bits) };
            }
        }
        let mut words = Scratch::new(parameters.limbs() * width);
        words.copy_from_slice(&self.words[..parameters.limbs() * width]);
        for word in &mut words[(parameters.limbs() - 1) * width..] {
            *word &= parameters.last_limb();
        }
        for (power, coefficient) in parameters.tail.iter().enumerate() {
            if *coefficient == 0 {
                continue;
            }
            let (masks, bits) = (masks(*coefficient), 4 * power);
            for (limb, top) in top.chunks_exact(width).enumerate() {
                for (word, top) in words[limb * width..].iter_mut().zip(top) {
                    *word ^= scale(*top, masks) << bits;
                }
                // The sums' degree is below 2m: there is a word above.
                if bits != 0 {
                    for (word, top) in words[(limb + 1) * width..].iter_mut().zip(top) {
                        *word ^= scale(*top, masks) >> (64 - bits);
                    }
                }
            }
        }
        self.words.fill(0);
        words
    }
}

/// Words of the longest m-vector.
const MOST_LIMBS: usize = 9;
