//! The Fourier transform of real polynomials modulo xⁿ + 1, in doubles.
//!
//! A polynomial is n/2 complex values, the real parts first: xⁿ + 1 is (x^(n/2) - i)(x^(n/2) + i), and the second half is
//! the first one's conjugate. All operations are single IEEE 754 ones, so that results are the same everywhere.

/// Of the greatest degree.
const MOST: usize = 512;

/// The roots by which blocks are split, as real and imaginary parts: entry k is the square root of what the power of x is
/// in block k, where block 1 is all of x^(n/2) = i, and block k is split into the blocks 2k and 2k + 1. So entry 1 is e^(iπ/4),
/// entry 2k has half the angle of entry k, and entry 2k + 1 the same and a quarter turn. Entry 0 is none.
pub const ROOTS: [(f64, f64); MOST] = roots();

static TABLE: [(f64, f64); MOST] = ROOTS;

/// The square root by Newton's iteration; std has it, core does not.
const fn square_root(square: f64) -> f64 {
    let mut root = f64::from_bits((square.to_bits() >> 1) + (1023 << 51));
    let mut step = 0;
    while step < 6 {
        root = 0.5 * (root + square / root);
        step += 1;
    }
    root
}

/// The root with half the angle, from 0 to π/2.
const fn half_angle((cosine, sine): (f64, f64)) -> (f64, f64) {
    if cosine > 0.0 {
        let half = square_root((1.0 + cosine) / 2.0);
        (half, sine / (2.0 * half))
    } else {
        let half = square_root((1.0 - cosine) / 2.0);
        (sine / (2.0 * half), half)
    }
}

const fn roots() -> [(f64, f64); MOST] {
    let mut roots = [(0.0, 1.0); MOST];
    roots[1] = half_angle((0.0, 1.0));
    let mut at = 1;
    while 2 * at < MOST {
        let (cosine, sine) = half_angle(roots[at]);
        roots[2 * at] = (cosine, sine);
        // The other half is split by -1 times the root, whose square root is i times as large.
        roots[2 * at + 1] = (-sine, cosine);
        at += 1;
    }
    roots
}

/// The Fourier transform of a polynomial with real coefficients modulo xⁿ + 1, n a power of two from 2 to 1024, in place:
/// the real parts of its values at half of the roots, then the imaginary parts. At the other roots it has the conjugates.
pub fn forward(poly: &mut [f64]) {
    let (re, im) = poly.split_at_mut(poly.len() / 2);
    let mut blocks = 1;
    let mut half = re.len() / 2;
    while half > 0 {
        let pairs = re.chunks_exact_mut(2 * half).zip(im.chunks_exact_mut(2 * half));
        for ((re, im), (cosine, sine)) in pairs.zip(&TABLE[blocks..]) {
            let (re, other_re) = re.split_at_mut(half);
            let (im, other_im) = im.split_at_mut(half);
            for ((a, b), (c, d)) in re.iter_mut().zip(im).zip(other_re.iter_mut().zip(other_im)) {
                let (x, y) = (*c * cosine - *d * sine, *c * sine + *d * cosine);
                (*c, *d) = (*a - x, *b - y);
                (*a, *b) = (*a + x, *b + y);
            }
        }
        blocks *= 2;
        half /= 2;
    }
}

/// Values to coefficients, in place.
pub(crate) fn inverse(poly: &mut [f64]) {
    let scale = 2.0 / poly.len() as f64;
    let (re, im) = poly.split_at_mut(poly.len() / 2);
    let mut blocks = re.len() / 2;
    let mut half = 1;
    while blocks > 0 {
        let pairs = re.chunks_exact_mut(2 * half).zip(im.chunks_exact_mut(2 * half));
        for ((re, im), (cosine, sine)) in pairs.zip(&TABLE[blocks..]) {
            let (re, other_re) = re.split_at_mut(half);
            let (im, other_im) = im.split_at_mut(half);
            for ((a, b), (c, d)) in re.iter_mut().zip(im).zip(other_re.iter_mut().zip(other_im)) {
                let (x, y) = (*a - *c, *b - *d);
                (*a, *b) = (*a + *c, *b + *d);
                (*c, *d) = (x * cosine + y * sine, y * cosine - x * sine);
            }
        }
        blocks /= 2;
        half *= 2;
    }
    for value in poly.iter_mut() {
        *value *= scale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn values_multiply_as_polynomials_modulo_x_to_the_n_plus_1() {
        for degree in [2, 4, 16, 64, 1024_usize] {
            let a: Vec<f64> = (0..degree).map(|i| (i * 7 % 11) as f64 - 5.0).collect();
            let b: Vec<f64> = (0..degree).map(|i| (i * 5 % 13) as f64 - 6.0).collect();
            let mut expected = alloc::vec![0.0; degree];
            for (i, a) in a.iter().enumerate() {
                for (j, b) in b.iter().enumerate() {
                    expected[(i + j) % degree] += if i + j < degree { a * b } else { -a * b };
                }
            }
            let (mut x, mut y) = (a, b);
            forward(&mut x);
            forward(&mut y);
            for at in 0..degree / 2 {
                let (re, im) = (x[at], x[at + degree / 2]);
                x[at] = re * y[at] - im * y[at + degree / 2];
                x[at + degree / 2] = re * y[at + degree / 2] + im * y[at];
            }
            inverse(&mut x);
            assert!(x.iter().zip(&expected).all(|(x, expected)| (x - expected).abs() < 1e-8), "{degree}");
        }
    }
}
