//! Between large coefficients and their residues modulo the first primes (Chinese remainder theorem, Garner's way).

use alloc::vec;
use alloc::vec::Vec;

use zeroize::Zeroizing;

use crate::big::Big;
use crate::prime::{PRIMES, Prime};

/// How many primes tell numbers of this many bits and a sign apart.
pub(crate) fn primes_for(bits: usize) -> usize {
    // Each prime is larger than 2^61.99 and one bit is for the sign: 192 of them lose less than a bit.
    (bits + 2) / 62 + 1
}

/// Residues of all coefficients modulo one prime.
pub(crate) fn residues(poly: &Big, prime: &Prime, to: &mut [u64]) {
    for (to, coefficient) in to.iter_mut().zip(poly.coefficients()) {
        *to = residue(coefficient, prime);
    }
    // A negative number is 2^(64 words) less than its words say.
    let mut over = 1;
    for _ in 0..poly.words {
        over = prime.mul(over, prime.r2);
    }
    for (to, coefficient) in to.iter_mut().zip(poly.coefficients()) {
        let negative = (coefficient[poly.words - 1].cast_signed() >> 63).cast_unsigned();
        *to = prime.sub(*to, over & negative);
    }
}

#[inline(always)]
fn residue(number: &[u64], prime: &Prime) -> u64 {
    number.iter().rev().fold(0, |value, word| prime.add(prime.mul(value, prime.r2), prime.word(*word)))
}

/// The polynomial of which these are residues, all coefficients of one prime after those of another.
pub(crate) fn combine(residues: &[u64], degree: usize) -> Big {
    let words = residues.len() / degree;
    let mut poly = Big::zero(degree, words);
    // The product of the primes so far.
    let mut product: Vec<u64> = vec![0; words];
    product[0] = 1;
    for (at, (residues, prime)) in residues.chunks_exact(degree).zip(&PRIMES).enumerate() {
        for (coefficient, wanted) in poly.all.chunks_exact_mut(words).zip(residues) {
            let have = residue(&coefficient[..at], prime);
            let factor = prime.mul(prime.sub(*wanted, have), prime.before);
            add_multiple(&mut coefficient[..=at], &product[..=at], factor);
        }
        let mut carry = 0;
        for word in &mut product {
            let total = u128::from(*word) * u128::from(prime.p) + carry;
            *word = total as u64;
            carry = total >> 64;
        }
    }
    // Numbers above half the product are negative.
    let mut half = product.clone();
    let mut high = 0;
    for word in half.iter_mut().rev() {
        (*word, high) = (*word >> 1 | high << 63, *word & 1);
    }
    let mut difference = Zeroizing::new(vec![0; words]);
    for coefficient in poly.all.chunks_exact_mut(words) {
        let above = subtract_masked(&mut difference, &half, coefficient, u64::MAX);
        let copy = &mut *difference;
        copy.copy_from_slice(coefficient);
        subtract_masked(coefficient, copy, &product, above.wrapping_neg());
    }
    poly
}

/// `number += factor · product`, which fits.
#[inline(always)]
fn add_multiple(number: &mut [u64], product: &[u64], factor: u64) {
    let mut carry = 0;
    for (word, product) in number.iter_mut().zip(product) {
        let total = u128::from(factor) * u128::from(*product) + u128::from(*word) + carry;
        *word = total as u64;
        carry = total >> 64;
    }
}

/// `to = a - (b & mask)`, and whether it borrows.
fn subtract_masked(to: &mut [u64], a: &[u64], b: &[u64], mask: u64) -> u64 {
    let mut borrow = 0;
    for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
        let (difference, first) = a.overflowing_sub(b & mask);
        let (difference, second) = difference.overflowing_sub(borrow);
        *to = difference;
        borrow = u64::from(first | second);
    }
    borrow
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers: [i128; 8] =
            [0, 1, -1, 1 << 100, -(1 << 100) + 77, (1 << 122) - 1, -(1 << 122) + 1, 12345];
        let mut poly = Big::zero(8, 2);
        for (words, number) in poly.all.chunks_exact_mut(2).zip(numbers) {
            words.copy_from_slice(&[number as u64, (number >> 64) as u64]);
        }
        for count in [primes_for(poly.bits()), 5] {
            let mut all = vec![0; 8 * count];
            for (to, prime) in all.chunks_exact_mut(8).zip(&PRIMES) {
                residues(&poly, prime, to);
                for (to, number) in to.iter().zip(numbers) {
                    assert_eq!(i128::from(*to), number.rem_euclid(i128::from(prime.p)));
                }
            }
            let combined = combine(&all, 8);
            assert_eq!(*combined.in_words(2).all, *poly.all);
            assert_eq!(combined.bits(), 122);
        }
    }
}
