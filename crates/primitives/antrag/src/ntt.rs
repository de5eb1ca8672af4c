//! Polynomials modulo x^512 + 1 and q = 12289, and their values at the roots of it in GF(q).
//!
//! Coefficients are signed 16-bit integers, reduced no further than each function says. Products are Montgomery's with
//! R = 2^16. The 512 coefficients are 32 rows of 16 for the first five layers and, transposed, 16 rows of 32 for the last
//! four, so that nothing moves within a vector.

use crate::params::{N, Q};
use crate::roots::exponents;

/// Coefficients or values.
#[derive(Clone)]
#[repr(align(64))]
pub(crate) struct Ring(pub(crate) [i16; N]);

const Q16: i16 = Q as i16;
/// 1 / q modulo 2^16.
const Q_INVERSE: i16 = {
    // Newton's iteration doubles the right bits each time.
    let (mut inverse, mut bits) = (1_i16, 1);
    while bits < 16 {
        inverse = inverse.wrapping_mul(2_i16.wrapping_sub(Q16.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse
};
/// A root of unity of order 1024: 11 generates GF(q)*.
const ROOT: i32 = power(11, 12);

const fn power(base: i32, exponent: usize) -> i32 {
    let mut product = 1;
    let mut k = 0;
    while k < exponent {
        product = product * base % Q;
        k += 1;
    }
    product
}

/// What multiplies: `x R` modulo q between -q / 2 and q / 2, and that divided by q modulo 2^16.
#[derive(Clone, Copy)]
pub(crate) struct Factor(i16, i16);

impl Factor {
    const fn new(x: i32) -> Self {
        let mut scaled = (x.rem_euclid(Q) << 16) % Q;
        if scaled > Q / 2 {
            scaled -= Q;
        }
        Self(scaled as i16, (scaled as i16).wrapping_mul(Q_INVERSE))
    }
}

/// Factors of the first five layers: `ROWS[(1 << layer) - 1 + block]`.
static ROWS: [[Factor; 2]; 31] = {
    let exponents: [usize; 511] = exponents(512);
    let mut rows = [[Factor(0, 0); 2]; 31];
    let mut at = 0;
    while at < 31 {
        rows[at] = both(exponents[at]);
        at += 1;
    }
    rows
};

/// A root of unity and its inverse.
const fn both(exponent: usize) -> [Factor; 2] {
    [Factor::new(power(ROOT, exponent)), Factor::new(power(ROOT, 1024 - exponent))]
}

/// Factors of a row of 32: the two parts of [`Factor`], of the roots and of their inverses.
#[derive(Clone, Copy)]
struct Column([[i16; 32]; 2], [[i16; 32]; 2]);

/// Factors of the last four layers: those of block b of a former row r are at `[(1 << layer) - 1 + b]`, in column r.
static COLUMNS: [Column; 15] = {
    let exponents: [usize; 511] = exponents(512);
    let mut columns = [Column([[0; 32]; 2], [[0; 32]; 2]); 15];
    let mut layer = 0;
    while layer < 4 {
        let mut block = 0;
        while block < 1 << layer {
            let mut row = 0;
            while row < 32 {
                let [root, inverse] = both(exponents[(1 << (5 + layer)) - 1 + (row << layer) + block]);
                let column = &mut columns[(1 << layer) - 1 + block];
                column.0[0][row] = root.0;
                column.0[1][row] = root.1;
                column.1[0][row] = inverse.0;
                column.1[1][row] = inverse.1;
                row += 1;
            }
            block += 1;
        }
        layer += 1;
    }
    columns
};

/// a x / R modulo q, where x and `twisted`, x / q modulo 2^16, are a factor's: at most |a| |x| / R + q / 2.
#[inline(always)]
fn montgomery(a: i16, x: i16, twisted: i16) -> i16 {
    let upper = |a: i16, b: i16| ((i32::from(a) * i32::from(b)) >> 16) as i16;
    upper(a, x).wrapping_sub(upper(a.wrapping_mul(twisted), Q16))
}

/// a modulo q between -q / 2 - 1 and q / 2 + 1 (Barrett).
#[inline(always)]
fn reduce(a: i16) -> i16 {
    /// 2^26 / q
    const RECIPROCAL: i32 = ((1 << 26) + Q / 2) / Q;
    let quotient = (((i32::from(a) * RECIPROCAL) >> 16) as i16 + (1 << 9)) >> 10;
    a.wrapping_sub(quotient.wrapping_mul(Q16))
}

/// (a, b) becomes (a + w b, a - w b). From |a| ≤ q / 2 three layers make at most 2.4 q, for factors of at most q / 2.
#[inline(always)]
fn split<const W: usize>(a: &mut [i16; W], b: &mut [i16; W], factors: (&[i16; W], &[i16; W]), reduced: bool) {
    for c in 0..W {
        let t = montgomery(b[c], factors.0[c], factors.1[c]);
        let (sum, difference) = (a[c].wrapping_add(t), a[c].wrapping_sub(t));
        (a[c], b[c]) = if reduced { (reduce(sum), reduce(difference)) } else { (sum, difference) };
    }
}

/// (a, b) becomes (a + b, (a - b) / w): from at most 0.7 q again at most 0.7 q.
#[inline(always)]
fn join<const W: usize>(a: &mut [i16; W], b: &mut [i16; W], factors: (&[i16; W], &[i16; W])) {
    for c in 0..W {
        let (sum, difference) = (a[c].wrapping_add(b[c]), a[c].wrapping_sub(b[c]));
        a[c] = reduce(sum);
        b[c] = montgomery(difference, factors.0[c], factors.1[c]);
    }
}

#[inline(always)]
fn pair<const W: usize>(rows: &mut [[i16; W]], a: usize, b: usize) -> (&mut [i16; W], &mut [i16; W]) {
    let (low, high) = rows.split_at_mut(b);
    (&mut low[a], &mut high[0])
}

/// From coefficients, between -q / 2 - 1 and q / 2 + 1, to values between the same, in an order of their own.
#[inline(always)]
pub(crate) fn forward(poly: &mut Ring) {
    let mut columns = [[0; 32]; 16];
    let (rows, _) = poly.0.as_chunks_mut::<16>();
    for layer in 0..5 {
        let distance = 16 >> layer;
        for block in 0..1 << layer {
            let [Factor(x, twisted), _] = ROWS[(1 << layer) - 1 + block];
            for row in 2 * distance * block..2 * distance * block + distance {
                let (a, b) = pair(rows, row, row + distance);
                split(a, b, (&[x; 16], &[twisted; 16]), layer == 2);
            }
        }
    }
    for row in 0..32 {
        for column in 0..16 {
            columns[column][row] = rows[row][column];
        }
    }
    for layer in 0..4 {
        let distance = 8 >> layer;
        for block in 0..1 << layer {
            let Column([x, twisted], _) = &COLUMNS[(1 << layer) - 1 + block];
            for row in 2 * distance * block..2 * distance * block + distance {
                let (a, b) = pair(&mut columns, row, row + distance);
                split(a, b, (x, twisted), layer == 0 || layer == 3);
            }
        }
    }
    poly.0.copy_from_slice(columns.as_flattened());
}

/// From values, between -0.7 q and 0.7 q, to 512 times the coefficients, between the same.
#[inline(always)]
pub(crate) fn inverse(poly: &mut Ring) {
    let mut rows = [[0; 16]; 32];
    let (columns, _) = poly.0.as_chunks_mut::<32>();
    for layer in (0..4).rev() {
        let distance = 8 >> layer;
        for block in 0..1 << layer {
            let Column(_, [x, twisted]) = &COLUMNS[(1 << layer) - 1 + block];
            for row in 2 * distance * block..2 * distance * block + distance {
                let (a, b) = pair(columns, row, row + distance);
                join(a, b, (x, twisted));
            }
        }
    }
    for row in 0..32 {
        for column in 0..16 {
            rows[row][column] = columns[column][row];
        }
    }
    for layer in (0..5).rev() {
        let distance = 16 >> layer;
        for block in 0..1 << layer {
            let [_, Factor(x, twisted)] = ROWS[(1 << layer) - 1 + block];
            for row in 2 * distance * block..2 * distance * block + distance {
                let (a, b) = pair(&mut rows, row, row + distance);
                join(a, b, (&[x; 16], &[twisted; 16]));
            }
        }
    }
    poly.0.copy_from_slice(rows.as_flattened());
}

/// Values that multiply, prepared: R / 512 times them and that divided by q modulo 2^16.
#[derive(Clone)]
pub(crate) struct Multiplier(Ring, Ring);

impl Multiplier {
    /// Of values between -q / 2 - 1 and q / 2 + 1.
    #[inline(always)]
    pub(crate) fn new(values: &Ring) -> Self {
        /// R / 512, as a factor.
        const SCALE: Factor = Factor::new(power(2, 7));
        let mut scaled = values.clone();
        let mut twisted = Ring([0; N]);
        for i in 0..N {
            scaled.0[i] = reduce(montgomery(values.0[i], SCALE.0, SCALE.1));
            twisted.0[i] = scaled.0[i].wrapping_mul(Q_INVERSE);
        }
        Self(scaled, twisted)
    }

    /// The product of a polynomial and this; coefficients as for [`forward`] and of [`inverse`].
    #[inline(always)]
    pub(crate) fn product(&self, poly: &mut Ring) {
        forward(poly);
        for i in 0..N {
            poly.0[i] = montgomery(poly.0[i], self.0.0[i], self.1.0[i]);
        }
        inverse(poly);
    }
}

/// The values of `numerator` divided by those of `denominator`, unless one of the latter is 0. All between -q / 2 - 1 and
/// q / 2 + 1.
#[inline(always)]
pub(crate) fn quotient(numerator: &Ring, denominator: &Ring) -> Option<Ring> {
    /// What multiplies by R.
    const LIFT: Factor = Factor::new(power(2, 16));
    let product = |a: i16, b: i16| montgomery(a, b, b.wrapping_mul(Q_INVERSE));
    let mut zeros = 0;
    let mut result = numerator.clone();
    for i in 0..N {
        zeros += i32::from(reduce(denominator.0[i]) == 0);
        // x R to the power of q - 2, whose bits are all set but one.
        let x = montgomery(denominator.0[i], LIFT.0, LIFT.1);
        let mut power = x;
        let mut bit = 13;
        while bit > 0 {
            bit -= 1;
            power = product(power, power);
            if (Q - 2) >> bit & 1 == 1 {
                power = product(power, x);
            }
        }
        result.0[i] = reduce(product(result.0[i], power));
    }
    (zeros == 0).then_some(result)
}

/// `a` modulo q, the one nearest to 0.
#[inline(always)]
pub(crate) fn centred(a: i16) -> i16 {
    let a = reduce(a);
    let a = if a > Q16 / 2 { a - Q16 } else { a };
    if a < -(Q16 / 2) { a + Q16 } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(seed: u64) -> Ring {
        Ring(core::array::from_fn(|i| (((i as u64 + 1).wrapping_mul(seed) >> 33) % 12289) as i16 - 6144))
    }

    fn exact(a: &Ring, b: &Ring) -> [i16; N] {
        let mut sums = [0_i64; N];
        for i in 0..N {
            for j in 0..N {
                let product = i64::from(a.0[i]) * i64::from(b.0[j]);
                if i + j < N { sums[i + j] += product } else { sums[i + j - N] -= product }
            }
        }
        sums.map(|sum| {
            let positive = sum.rem_euclid(i64::from(Q)) as i16;
            if positive > 6144 { positive - Q16 } else { positive }
        })
    }

    #[test]
    fn products_are_those_modulo_x_512_plus_1_and_q() {
        let least = Ring([-6144; N]);
        let most = Ring([6144; N]);
        let (a, b) = (some(0x9e37_79b9_7f4a_7c15), some(0xc2b2_ae3d_27d4_eb4f));
        for (a, b) in [(&a, &b), (&least, &least), (&least, &most), (&most, &a), (&b, &least)] {
            let mut values = b.clone();
            forward(&mut values);
            let mut product = a.clone();
            Multiplier::new(&values).product(&mut product);
            assert_eq!(product.0.map(centred), exact(a, b));
        }
    }

    #[test]
    fn quotients_are_undone_by_products() {
        let (mut a, mut b) = (some(0x9e37_79b9_7f4a_7c15), some(0xc2b2_ae3d_27d4_eb4f));
        let expected = a.clone();
        forward(&mut a);
        forward(&mut b);
        let quotient = quotient(&a, &b).unwrap();
        let mut back = quotient.clone();
        for i in 0..N {
            back.0[i] = centred((i32::from(quotient.0[i]) * i32::from(b.0[i]) % Q) as i16);
            assert_eq!((i32::from(back.0[i]) - i32::from(a.0[i])) % Q, 0);
        }
        inverse(&mut back);
        let inverse_of_512 = power(2, 12288 - 9);
        for (back, expected) in back.0.iter().zip(&expected.0) {
            assert_eq!((i32::from(*back) * inverse_of_512 - i32::from(*expected)) % Q, 0);
        }
        b.0[77] = 0;
        assert!(super::quotient(&a, &b).is_none());
    }

    #[test]
    fn reductions() {
        for a in i16::MIN..=i16::MAX {
            let reduced = i32::from(reduce(a));
            assert_eq!((i32::from(a) - reduced) % Q, 0);
            assert!(reduced.abs() <= Q / 2 + 1, "{a} {reduced}");
            let positive = i32::from(a).rem_euclid(Q);
            assert_eq!(i32::from(centred(a)), if positive > Q / 2 { positive - Q } else { positive });
        }
    }
}
