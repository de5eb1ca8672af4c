//! The number-theoretic transform modulo xⁿ + 1, n a power of two up to 1024.
//!
//! Values lie in the order in which splitting xⁿ + 1 into halves finds the roots: the values at w and -w are neighbours,
//! and where they are multiplied, the value of a norm at w² in the transform of half the degree comes out at its place.

use alloc::vec;
use alloc::vec::Vec;

use crate::prime::Prime;

/// The roots for one prime.
pub(crate) struct Ntt {
    prime: &'static Prime,
    roots: Vec<u64>,
    /// 1/n, times 2^64.
    inverse_degree: u64,
}

impl Ntt {
    pub(crate) fn new(prime: &'static Prime, degree: usize) -> Self {
        let orders = prime.roots();
        let mut roots = vec![prime.mul(1, prime.r2); degree];
        // Entry k is the root of order 2n to the power k, the bits of k reversed.
        for half in (0..degree.trailing_zeros()).map(|bit| 1 << bit) {
            let (known, rest) = roots.split_at_mut(half);
            let root = orders[half.trailing_zeros() as usize + 1];
            rest.iter_mut().zip(known).for_each(|(entry, known)| *entry = prime.mul(*known, root));
        }
        let mut inverse_degree = prime.mul(1, prime.r2);
        for _ in 0..degree.trailing_zeros() {
            inverse_degree = (inverse_degree + (prime.p & (inverse_degree & 1).wrapping_neg())) >> 1;
        }
        Ntt { prime, roots, inverse_degree }
    }

    /// Of half the degree: the roots are those of the first half of the table.
    pub(crate) fn half(mut self) -> Self {
        self.roots.truncate(self.roots.len() / 2);
        self.inverse_degree = self.prime.add(self.inverse_degree, self.inverse_degree);
        self
    }

    pub(crate) fn prime(&self) -> &'static Prime {
        self.prime
    }

    /// Coefficients to values, in place. The degree may be smaller than that of the table.
    pub(crate) fn forward(&self, poly: &mut [u64]) {
        let prime = self.prime;
        let mut blocks = 1;
        let mut half = poly.len() / 2;
        while half > 0 {
            for (block, root) in poly.chunks_exact_mut(2 * half).zip(&self.roots[blocks..]) {
                let (low, high) = block.split_at_mut(half);
                for (a, b) in low.iter_mut().zip(high) {
                    let product = prime.mul(*b, *root);
                    (*a, *b) = (prime.add(*a, product), prime.sub(*a, product));
                }
            }
            blocks *= 2;
            half /= 2;
        }
    }

    /// Values to coefficients, in place; the degree is that of the table.
    pub(crate) fn inverse(&self, poly: &mut [u64]) {
        let prime = self.prime;
        let mut blocks = poly.len() / 2;
        let mut half = 1;
        while blocks > 0 {
            // The inverse of a root is the negative of its mirror image in the table.
            let mirrored = self.roots[blocks..2 * blocks].iter().rev();
            for (block, root) in poly.chunks_exact_mut(2 * half).zip(mirrored) {
                let (low, high) = block.split_at_mut(half);
                for (a, b) in low.iter_mut().zip(high) {
                    let difference = prime.sub(*b, *a);
                    (*a, *b) = (prime.add(*a, *b), prime.mul(difference, *root));
                }
            }
            blocks /= 2;
            half *= 2;
        }
        for value in poly.iter_mut() {
            *value = prime.mul(*value, self.inverse_degree);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prime::PRIMES;

    #[test]
    fn values_multiply_as_polynomials_modulo_x_to_the_n_plus_1() {
        for degree in [1, 2, 4, 8, 32] {
            let ntt = Ntt::new(&PRIMES[3], degree);
            let a: Vec<u64> = (0..degree as u64).map(|i| 5 + 3 * i).collect();
            let b: Vec<u64> = (0..degree as u64).map(|i| 1 + i * i).collect();
            let mut expected = vec![0_i64; degree];
            for (i, a) in a.iter().enumerate() {
                for (j, b) in b.iter().enumerate() {
                    let sign = if i + j < degree { 1 } else { -1 };
                    expected[(i + j) % degree] += sign * (a * b) as i64;
                }
            }
            let prime = ntt.prime();
            let (mut x, mut y) = (a, b);
            ntt.forward(&mut x);
            ntt.forward(&mut y);
            x.iter_mut().zip(&y).for_each(|(x, y)| *x = prime.mul(prime.mul(*x, *y), prime.r2));
            ntt.inverse(&mut x);
            assert_eq!(x.iter().map(|x| prime.centred(*x)).collect::<Vec<_>>(), expected);
        }
    }
}
