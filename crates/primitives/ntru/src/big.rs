//! Polynomials with large coefficients: each coefficient is as many 64-bit words, low word first, in two's complement.

use alloc::vec;

use zeroize::Zeroizing;

/// A polynomial, wiped when it is dropped.
#[derive(Clone)]
pub(crate) struct Big {
    /// Words of a coefficient.
    pub(crate) words: usize,
    pub(crate) all: Zeroizing<alloc::vec::Vec<u64>>,
}

impl Big {
    pub(crate) fn zero(degree: usize, words: usize) -> Self {
        Big { words, all: Zeroizing::new(vec![0; degree * words]) }
    }

    pub(crate) fn of_small(small: &[i32]) -> Self {
        let mut big = Self::zero(small.len(), 1);
        big.all.iter_mut().zip(small).for_each(|(word, small)| *word = i64::from(*small).cast_unsigned());
        big
    }

    pub(crate) fn degree(&self) -> usize {
        self.all.len() / self.words
    }

    pub(crate) fn coefficients(&self) -> impl Iterator<Item = &[u64]> {
        self.all.chunks_exact(self.words)
    }

    /// The smallest number of bits, without the sign, that every coefficient fits into.
    pub(crate) fn bits(&self) -> usize {
        self.bits_within(self.words)
    }

    /// [`Self::bits`], where the first words of each coefficient are known to suffice.
    pub(crate) fn bits_within(&self, words: usize) -> usize {
        // All coefficients are looked at in every word: the time tells no more than the result does.
        let mut highest = 0;
        for at in (0..words).rev() {
            for coefficient in self.coefficients() {
                let sign = (coefficient[words - 1].cast_signed() >> 63).cast_unsigned();
                highest |= coefficient[at] ^ sign;
            }
            if highest != 0 {
                return 64 * at + 64 - highest.leading_zeros() as usize;
            }
        }
        0
    }

    /// The same polynomial in as many words as it needs.
    pub(crate) fn trimmed(&self) -> Self {
        self.in_words(self.bits() / 64 + 1)
    }

    /// The same polynomial in another number of words: more, or fewer that suffice, even if the others are not valid.
    pub(crate) fn in_words(&self, words: usize) -> Self {
        let mut result = Self::zero(self.degree(), words);
        for (to, from) in result.all.chunks_exact_mut(words).zip(self.coefficients()) {
            let common = words.min(self.words);
            to[..common].copy_from_slice(&from[..common]);
            to[common..].fill((from[common - 1].cast_signed() >> 63).cast_unsigned());
        }
        result
    }
}

/// The 64 bits from `bit` on of a number in two's complement.
pub(crate) fn bits_from(number: &[u64], bit: usize) -> i64 {
    let sign = (number[number.len() - 1].cast_signed() >> 63).cast_unsigned();
    let word = |at: usize| number.get(at).copied().unwrap_or(sign);
    let (at, shift) = (bit / 64, bit % 64);
    let both = u128::from(word(at + 1)) << 64 | u128::from(word(at));
    ((both >> shift) as u64).cast_signed()
}

/// `number -= small << bits`; what does not fit is dropped.
pub(crate) fn subtract_shifted(number: &mut [u64], small: &[u64], bits: usize) {
    let (at, shift) = (bits / 64, bits % 64);
    let sign = (small[small.len() - 1].cast_signed() >> 63).cast_unsigned();
    let mut borrow = false;
    let mut low = 0_u64;
    for (index, to) in number.iter_mut().skip(at).enumerate() {
        let word = small.get(index).copied().unwrap_or(sign);
        let part = (u128::from(word) << shift) as u64 | (u128::from(low) << shift >> 64) as u64;
        low = word;
        let (difference, first) = to.overflowing_sub(part);
        let (difference, second) = difference.overflowing_sub(u64::from(borrow));
        *to = difference;
        borrow = first | second;
    }
}

/// `sum += factor · number`, both with signs, in as many words as `sum` has, which are at least those of `number`.
pub(crate) fn add_product(sum: &mut [u64], number: &[u64], factor: i64) {
    let factor = i128::from(factor);
    let mut carry = 0_i128;
    let (low, high) = sum.split_at_mut(number.len() - 1);
    for (sum, word) in low.iter_mut().zip(number) {
        let total = factor * i128::from(*word) + i128::from(*sum) + carry;
        *sum = total as u64;
        carry = total >> 64;
    }
    let top = i128::from(number[number.len() - 1].cast_signed());
    let mut carry = factor * top + carry;
    for sum in high {
        let total = i128::from(*sum) + (carry & i128::from(u64::MAX));
        *sum = total as u64;
        carry = (carry >> 64) + (total >> 64);
    }
}

/// Negates a number where `which` is all ones, and not where it is zero.
pub(crate) fn negate_if(number: &mut [u64], which: u64) {
    let mut carry = which & 1;
    for word in number {
        let (sum, over) = (*word ^ which).overflowing_add(carry);
        *word = sum;
        carry = u64::from(over);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(number: i128) -> [u64; 2] {
        [number as u64, (number >> 64) as u64]
    }

    #[test]
    fn bits_of_coefficients() {
        for (number, bits) in [(0, 0), (-1, 0), (1, 1), (-2, 1), (i128::from(i64::MIN), 63), (1 << 64, 65)] {
            let big = Big { words: 2, all: Zeroizing::new([of(number), of(0)].concat()) };
            assert_eq!(big.bits(), bits, "{number}");
            let trimmed = big.trimmed();
            assert_eq!(trimmed.words, bits / 64 + 1);
            assert_eq!(*trimmed.in_words(2).all, *big.all);
        }
    }

    #[test]
    fn shifts_and_products() {
        for number in [0, 1, -1, 1 << 70, -(1 << 70) + 12345, i128::MAX, i128::MIN] {
            for bit in [0, 1, 5, 63, 64, 65, 100, 127] {
                assert_eq!(bits_from(&of(number), bit), (number >> bit) as i64, "{number} {bit}");
            }
            for small in [0, 1, -1, 77, -77, i64::MAX, i64::MIN] {
                for bits in [0, 1, 33, 64, 90] {
                    let mut left = of(number);
                    subtract_shifted(&mut left, &[small.cast_unsigned()], bits);
                    assert_eq!(
                        left,
                        of(number.wrapping_sub(i128::from(small) << bits)),
                        "{number} {small} {bits}"
                    );
                }
                for factor in [0, 1, -1, i64::MAX, i64::MIN] {
                    let product = i128::from(small) * i128::from(factor);
                    let mut sum = of(number);
                    add_product(&mut sum, &[small.cast_unsigned()], factor);
                    assert_eq!(sum, of(number.wrapping_add(product)));
                    let mut sum = of(number);
                    add_product(&mut sum, &of(i128::from(small)), factor);
                    assert_eq!(sum, of(number.wrapping_add(product)));
                }
            }
            let mut negative = of(number);
            negate_if(&mut negative, u64::MAX);
            assert_eq!(negative, of(number.wrapping_neg()));
        }
    }
}
