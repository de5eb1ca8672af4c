//! Products of polynomials with coefficients of 0 and 1, modulo xⁿ + 1 and 2. Coefficients are the bits of words, lowest
//! first. Nothing depends on their values.

use crate::params::MOST;
use crate::path::{Kind, Path};

/// As many words as the largest degree has.
pub(crate) type Binary = [u64; MOST / 64];

/// `sum += a·b`, of polynomials of this degree.
pub(crate) fn add_product(path: Path, sum: &mut Binary, a: &Binary, b: &Binary, degree: usize) {
    let words = degree / 64;
    let mut long = [0; MOST / 32];
    match path.kind() {
        Kind::Portable => multiply(&mut long, &a[..words], &b[..words]),
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => carry_less::multiply(&mut long, &a[..words], &b[..words]),
    }
    // xⁿ is 1, modulo 2.
    for at in 0..words {
        sum[at] ^= long[at] ^ long[at + words];
    }
}

/// Bit by bit of `a`: `b`, shifted by as much.
fn multiply(product: &mut [u64], a: &[u64], b: &[u64]) {
    let mut shifted = [0; MOST / 64 + 1];
    let shifted = &mut shifted[..=b.len()];
    shifted[..b.len()].copy_from_slice(b);
    for bit in 0..64 {
        for (at, word) in a.iter().enumerate() {
            let mask = (word >> bit & 1).wrapping_neg();
            for (to, from) in product[at..].iter_mut().zip(&*shifted) {
                *to ^= from & mask;
            }
        }
        let mut carry = 0;
        for word in shifted.iter_mut() {
            (*word, carry) = (*word << 1 | carry, *word >> 63);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod carry_less {
    #![allow(unsafe_code)] // carry-less products

    use core::arch::x86_64::{
        _mm_clmulepi64_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_unpackhi_epi64, _mm_xor_si128,
    };

    /// Word by word. Only a path that has PCLMULQDQ comes here.
    pub(super) fn multiply(product: &mut [u64], a: &[u64], b: &[u64]) {
        #[target_feature(enable = "pclmulqdq")]
        fn compiled(product: &mut [u64], a: &[u64], b: &[u64]) {
            // Column by column: all products of words whose places have the same sum.
            let zero = _mm_cvtsi64_si128(0);
            let mut carry = 0;
            for column in 0..a.len() + b.len() - 1 {
                let mut sum = zero;
                for at in column.saturating_sub(b.len() - 1)..=column.min(a.len() - 1) {
                    let (a, b) = (a[at].cast_signed(), b[column - at].cast_signed());
                    let part = _mm_clmulepi64_si128::<0>(_mm_cvtsi64_si128(a), _mm_cvtsi64_si128(b));
                    sum = _mm_xor_si128(sum, part);
                }
                product[column] = carry ^ _mm_cvtsi128_si64(sum).cast_unsigned();
                carry = _mm_cvtsi128_si64(_mm_unpackhi_epi64(sum, sum)).cast_unsigned();
            }
            product[a.len() + b.len() - 1] = carry;
        }
        // SAFETY: the path that alone comes here exists only where the processor has the instruction.
        unsafe { compiled(product, a, b) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_by_definition() {
        for degree in [256, 512, 1024] {
            let word = |at: usize| (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let a: Binary = core::array::from_fn(|at| if at < degree / 64 { word(at) } else { 0 });
            let b: Binary = core::array::from_fn(|at| if at < degree / 64 { !word(at + 77) } else { 0 });
            let bit = |poly: &Binary, at: usize| poly[at / 64] >> (at % 64) & 1;
            let mut expected: Binary = [0; 16];
            for i in 0..degree {
                for j in 0..degree {
                    let at = (i + j) % degree;
                    expected[at / 64] ^= (bit(&a, i) & bit(&b, j)) << (at % 64);
                }
            }
            for path in Path::available() {
                let mut sum = [0; 16];
                add_product(path, &mut sum, &a, &b, degree);
                assert_eq!(sum, expected, "{} {degree}", path.name());
                add_product(path, &mut sum, &a, &b, degree);
                assert_eq!(sum, [0; 16]);
            }
        }
    }
}
