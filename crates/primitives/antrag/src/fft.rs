//! Real polynomials modulo x^512 + 1 and their values at the complex roots of it, one of each conjugate pair.
//!
//! Since x^512 + 1 = (x^256 - i)(x^256 + i), a real polynomial modulo the first factor is its lower half plus i times its
//! upper half, without any computing; what is left is a transform of 256 complex numbers. They are a square of 16 rows of
//! 16: the first four layers combine rows, the square is transposed, and the last four layers combine rows again. So
//! nothing moves within a vector. The order of the values is whatever that gives.

use zeroize::Zeroize;

use crate::params::{HALF, N};
use crate::roots::{exponents, root_of_unity};

type Row = [f64; 16];
type Square = [Row; 16];

/// 512 real coefficients, the lower half in `re` and the upper in `im`; or 256 complex values.
#[derive(Clone)]
#[repr(align(64))]
pub(crate) struct Complex {
    pub(crate) re: [f64; HALF],
    pub(crate) im: [f64; HALF],
}

impl Complex {
    pub(crate) const ZERO: Self = Self { re: [0.0; HALF], im: [0.0; HALF] };

    #[inline(always)]
    pub(crate) fn of<T: Copy + Into<f64>>(coefficients: &[T; N]) -> Self {
        let mut all = Self::ZERO;
        for i in 0..HALF {
            all.re[i] = coefficients[i].into();
            all.im[i] = coefficients[HALF + i].into();
        }
        all
    }
}

impl Zeroize for Complex {
    fn zeroize(&mut self) {
        self.re.zeroize();
        self.im.zeroize();
    }
}

/// Factors of the first four layers: `ROWS[(1 << layer) - 1 + block]`.
static ROWS: [(f64, f64); 15] = {
    let exponents: [usize; 255] = exponents(256);
    let mut rows = [(0.0, 0.0); 15];
    let mut at = 0;
    while at < 15 {
        rows[at] = root_of_unity(exponents[at]);
        at += 1;
    }
    rows
};

/// Factors of the last four layers: those of block b of a former row r are at `[(1 << layer) - 1 + b]`, in column r.
static COLUMNS: [(Row, Row); 15] = {
    let exponents: [usize; 255] = exponents(256);
    let mut columns = [([0.0; 16], [0.0; 16]); 15];
    let mut layer = 0;
    while layer < 4 {
        let mut block = 0;
        while block < 1 << layer {
            let mut row = 0;
            while row < 16 {
                let at = (1 << (4 + layer)) - 1 + (row << layer) + block;
                let (re, im) = root_of_unity(exponents[at]);
                columns[(1 << layer) - 1 + block].0[row] = re;
                columns[(1 << layer) - 1 + block].1[row] = im;
                row += 1;
            }
            block += 1;
        }
        layer += 1;
    }
    columns
};

#[inline(always)]
fn square(values: &mut [f64; HALF]) -> &mut Square {
    match values.as_chunks_mut().0.first_chunk_mut() {
        Some(square) => square,
        None => unreachable!("16 times 16"),
    }
}

#[inline(always)]
fn transpose(values: &mut Square) {
    let from = *values;
    for row in 0..16 {
        for column in 0..16 {
            values[row][column] = from[column][row];
        }
    }
}

/// (a, b) becomes (a + w b, a - w b) in each column.
#[inline(always)]
fn split(re: &mut Square, im: &mut Square, (a, b): (usize, usize), w_re: &Row, w_im: &Row) {
    for c in 0..16 {
        let t_re = w_re[c] * re[b][c] - w_im[c] * im[b][c];
        let t_im = w_re[c] * im[b][c] + w_im[c] * re[b][c];
        let (a_re, a_im) = (re[a][c], im[a][c]);
        re[a][c] = a_re + t_re;
        im[a][c] = a_im + t_im;
        re[b][c] = a_re - t_re;
        im[b][c] = a_im - t_im;
    }
}

/// (a, b) becomes (a + b, (a - b) / w) in each column.
#[inline(always)]
fn join(re: &mut Square, im: &mut Square, (a, b): (usize, usize), w_re: &Row, w_im: &Row) {
    for c in 0..16 {
        let (d_re, d_im) = (re[a][c] - re[b][c], im[a][c] - im[b][c]);
        re[a][c] += re[b][c];
        im[a][c] += im[b][c];
        re[b][c] = w_re[c] * d_re + w_im[c] * d_im;
        im[b][c] = w_re[c] * d_im - w_im[c] * d_re;
    }
}

/// The transforms as a path has them. Each is one function that is called, and not a copy at every place that needs it:
/// all layers unrolled, it is as large as the first cache of instructions. Copies made the program 0.9 MB
/// larger.
pub(crate) trait Transforms {
    /// [`forward`]
    fn forward(poly: &mut Complex);
    /// [`inverse`]
    fn inverse(poly: &mut Complex);
}

#[cfg(test)]
pub(crate) struct Plain;

#[cfg(test)]
impl Transforms for Plain {
    fn forward(poly: &mut Complex) {
        forward(poly);
    }
    fn inverse(poly: &mut Complex) {
        inverse(poly);
    }
}

/// From coefficients to values.
#[inline(always)]
pub(crate) fn forward(poly: &mut Complex) {
    let (re, im) = (square(&mut poly.re), square(&mut poly.im));
    for layer in 0..4 {
        let distance = 8 >> layer;
        for block in 0..1 << layer {
            let (w_re, w_im) = ROWS[(1 << layer) - 1 + block];
            for row in 2 * distance * block..2 * distance * block + distance {
                split(re, im, (row, row + distance), &[w_re; 16], &[w_im; 16]);
            }
        }
    }
    transpose(re);
    transpose(im);
    for layer in 0..4 {
        let distance = 8 >> layer;
        for block in 0..1 << layer {
            let (w_re, w_im) = &COLUMNS[(1 << layer) - 1 + block];
            for row in 2 * distance * block..2 * distance * block + distance {
                split(re, im, (row, row + distance), w_re, w_im);
            }
        }
    }
}

/// From values to coefficients.
#[inline(always)]
pub(crate) fn inverse(poly: &mut Complex) {
    let (re, im) = (square(&mut poly.re), square(&mut poly.im));
    for layer in (0..4).rev() {
        let distance = 8 >> layer;
        for block in 0..1 << layer {
            let (w_re, w_im) = &COLUMNS[(1 << layer) - 1 + block];
            for row in 2 * distance * block..2 * distance * block + distance {
                join(re, im, (row, row + distance), w_re, w_im);
            }
        }
    }
    transpose(re);
    transpose(im);
    for layer in (0..4).rev() {
        let distance = 8 >> layer;
        for block in 0..1 << layer {
            let (w_re, w_im) = ROWS[(1 << layer) - 1 + block];
            for row in 2 * distance * block..2 * distance * block + distance {
                join(re, im, (row, row + distance), &[w_re; 16], &[w_im; 16]);
            }
        }
    }
    for i in 0..HALF {
        poly.re[i] *= 1.0 / HALF as f64;
        poly.im[i] *= 1.0 / HALF as f64;
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;

    fn some(seed: u64) -> [f64; N] {
        core::array::from_fn(|i| ((i as u64 + 1).wrapping_mul(seed) >> 40) as f64 / 4096.0 - 2048.0)
    }

    #[test]
    fn products_are_those_modulo_x_512_plus_1() {
        let (a, b) = (some(0x9e37_79b9_7f4a_7c15), some(0xc2b2_ae3d_27d4_eb4f));
        let mut exact = [0.0; N];
        for i in 0..N {
            for j in 0..N {
                let product = a[i] * b[j];
                if i + j < N { exact[i + j] += product } else { exact[i + j - N] -= product }
            }
        }
        let (mut x, mut y) = (Complex::of(&a), Complex::of(&b));
        forward(&mut x);
        forward(&mut y);
        for i in 0..HALF {
            let (re, im) = (x.re[i] * y.re[i] - x.im[i] * y.im[i], x.re[i] * y.im[i] + x.im[i] * y.re[i]);
            (x.re[i], x.im[i]) = (re, im);
        }
        inverse(&mut x);
        for (ours, exact) in x.re.iter().chain(&x.im).zip(&exact) {
            assert!((ours - exact).abs() < 1e-4, "{ours} {exact}"); // of numbers of 2^32
        }
    }

    #[test]
    fn values_have_the_length_of_coefficients() {
        let a = some(0xc2b2_ae3d_27d4_eb4f);
        let mut x = Complex::of(&a);
        forward(&mut x);
        let norm: f64 = a.iter().map(|a| a * a).sum();
        let values: f64 = x.re.iter().chain(&x.im).map(|a| a * a).sum();
        assert!((values / HALF as f64 / norm - 1.0).abs() < 1e-13);
        inverse(&mut x);
        assert!(x.re.iter().chain(&x.im).zip(&a).all(|(x, a)| (x - a).abs() < 1e-9));
    }
}
