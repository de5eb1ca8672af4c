//! The path for every processor, and what all paths have in common: GHASH as a multiplication of polynomials whose bits stand
//! in the usual order.
//!
//! GCM writes a polynomial's coefficient of 1 into the uppermost bit of the first byte. With the bytes reversed a block is a
//! number whose bits stand the wrong way round, and the product of two such numbers is that of the polynomials, the wrong way
//! round and one bit too low. RFC 8452, appendix A, makes that exact: GHASH is POLYVAL of reversed blocks under the key times x,
//! where POLYVAL's product is `a · b · x^-128` modulo x^128 + x^127 + x^126 + x^121 + 1.

use zeroize::Zeroize;

use crate::Block;

/// The hash key as POLYVAL has it.
#[derive(Clone)]
pub(crate) struct Key(u128);

impl Drop for Key {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl Key {
    pub(crate) fn new(subkey: &Block) -> Self {
        Self(polyval_key(subkey))
    }

    pub(crate) fn update(&self, state: &mut Block, blocks: &[Block]) {
        let mut sum = u128::from_be_bytes(*state);
        for block in blocks {
            sum = dot(sum ^ u128::from_be_bytes(*block), self.0);
        }
        *state = sum.to_be_bytes();
    }
}

/// The reversed subkey times x (RFC 8452, appendix A, `mulX_POLYVAL`).
pub(crate) fn polyval_key(subkey: &Block) -> u128 {
    let key = u128::from_be_bytes(*subkey);
    (key << 1) ^ ((key >> 127).wrapping_neg() & (0xc2 << 120 | 1))
}

/// POLYVAL's product (RFC 8452, section 3): Karatsuba's three multiplications, then a reduction from below, as
/// Montgomery has it: what is added to the product makes its lower half zero.
fn dot(a: u128, b: u128) -> u128 {
    let halves = |number: u128| ((number >> 64) as u64, number as u64);
    let ((a1, a0), (b1, b0)) = (halves(a), halves(b));
    let (high, low) = (multiply(a1, b1), multiply(a0, b0));
    let middle = multiply(a1 ^ a0, b1 ^ b0) ^ high ^ low;
    let mut low_half = low ^ (middle << 64);
    for _ in 0..2 {
        // The lowest word times x^121 + x^126 + x^127 + x^128, all of it 64 bits lower.
        let word = low_half & u128::from(u64::MAX);
        low_half = low_half.rotate_left(64) ^ (word << 57) ^ (word << 62) ^ (word << 63);
    }
    high ^ (middle >> 64) ^ low_half
}

/// The product of two polynomials over GF(2).
///
/// Of both factors every fifth bit is kept. Then at most thirteen ones meet at a place of the integers' product, and their
/// number, of four bits, runs into no other place that counts. Its lowest bit is the sum over GF(2).
fn multiply(a: u64, b: u64) -> u128 {
    const EVERY_FIFTH: u128 = 0x2108_4210_8421_0842_1084_2108_4210_8421;
    let part = |number: u64, class: usize| u128::from(number) & (EVERY_FIFTH << class);
    let mut product = 0;
    for class in 0..5 {
        let sum = (0..5).fold(0, |sum, at| sum ^ (part(a, at) * part(b, (class + 5 - at) % 5)));
        product |= sum & (EVERY_FIFTH << class);
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    proptest! {
        #[test]
        fn multiplies_as_by_hand(a: u64, b: u64) {
            let by_hand = (0..64).fold(0, |sum, at| sum ^ (u128::from(a >> at & 1) * (u128::from(b) << at)));
            prop_assert_eq!(multiply(a, b), by_hand);
            let ones = u64::MAX;
            prop_assert_eq!(multiply(ones, b), (0..64).fold(0, |sum, at| sum ^ (u128::from(b) << at)));
        }
    }
}
