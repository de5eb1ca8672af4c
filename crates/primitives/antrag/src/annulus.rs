//! The first half of a secret key: f and g whose values lie in an annulus in every embedding (section 3 of the paper).

use zeroize::{Zeroize, Zeroizing};

use crate::fft::{Complex, Transforms};
use crate::math::{nearest, sqrt, turn};
use crate::params::{ALPHA, HALF, N, Q_F64, XI};
use crate::random::Random;

/// The largest absolute value of a coefficient of f and g: more than eight standard deviations.
pub(crate) const MOST: i8 = 31;

/// 2^-53
const FRACTION: f64 = 1.0 / 9_007_199_254_740_992.0;

/// One attempt at f and g.
///
/// In each embedding (|f|, |g|) is uniform in a quarter of an annulus, and both have uniform phases. The annulus is
/// narrower by ξ than that of quality α, since both polynomials are then rounded to integers with an odd sum; `None` if
/// that led out of the wider annulus.
#[inline(always)]
pub(crate) fn sample<T: Transforms>(random: &mut Random) -> Option<[[i8; N]; 2]> {
    const MIDDLE: f64 = (ALPHA + 1.0 / ALPHA) / 2.0;
    const WIDTH: f64 = (ALPHA - 1.0 / ALPHA) / 2.0;
    const INNER: f64 = Q_F64 * (MIDDLE - XI * WIDTH) * (MIDDLE - XI * WIDTH);
    const OUTER: f64 = Q_F64 * (MIDDLE + XI * WIDTH) * (MIDDLE + XI * WIDTH);
    let mut words = Zeroizing::new([0; 4 * HALF]);
    random.fill(&mut *words);
    let (mut f, mut g) = (Zeroizing::new(Complex::ZERO), Zeroizing::new(Complex::ZERO));
    let uniform = |word: u64| (word >> 11) as f64 * FRACTION;
    for i in 0..HALF {
        // The area within a radius grows with its square.
        let radius = sqrt(INNER + (OUTER - INNER) * uniform(words[i]));
        let (f_size, g_size) = turn(uniform(words[HALF + i]) * 0.25);
        let (f_re, f_im) = turn(uniform(words[2 * HALF + i]));
        let (g_re, g_im) = turn(uniform(words[3 * HALF + i]));
        f.re[i] = radius * f_size * f_re;
        f.im[i] = radius * f_size * f_im;
        g.re[i] = radius * g_size * g_re;
        g.im[i] = radius * g_size * g_im;
    }
    T::inverse(&mut f);
    T::inverse(&mut g);
    let mut polys = [nearest_odd(&f)?, nearest_odd(&g)?];
    let [f, g] = &polys;
    if extremes::<T>(f, g).is_some_and(|(least, most)| quality(least, most) <= ALPHA) {
        Some(polys)
    } else {
        polys.zeroize();
        None
    }
}

/// The nearest polynomial of integers whose sum is odd: f(1) has to be odd for the norms of f and g to be, without which
/// the NTRU equation has seldom a solution. All coefficients are rounded and, if the sum is even, the one that is furthest
/// from an integer is rounded the other way (Conway and Sloane, Sphere Packings, Lattices and Groups, chapter 20, section
/// 2). `None` if a coefficient is too large.
#[inline(always)]
fn nearest_odd(poly: &Complex) -> Option<[i8; N]> {
    let mut integers = [0; N];
    let (mut odd, mut furthest, mut distance) = (false, 0, -1.0);
    let mut fits = true;
    for (i, x) in poly.re.iter().chain(&poly.im).enumerate() {
        let integer = nearest(*x);
        fits &= integer >= -f64::from(MOST) && integer <= f64::from(MOST);
        integers[i] = integer as i8;
        odd ^= integers[i] & 1 == 1;
        let off = x - integer;
        if off * off > distance {
            (furthest, distance) = (i, off * off);
        }
    }
    if !odd {
        let x = if furthest < HALF { poly.re[furthest] } else { poly.im[furthest - HALF] };
        integers[furthest] += if x > nearest(x) { 1 } else { -1 };
        fits &= integers[furthest].abs() <= MOST;
    }
    fits.then_some(integers)
}

/// The smallest and the largest |f|² + |g|² of all embeddings.
pub(crate) type Extremes = (f64, f64);

/// The [`Extremes`] of f and g; `None` if one is 0 or not a number.
#[inline(always)]
pub(crate) fn extremes<T: Transforms>(f: &[i8; N], g: &[i8; N]) -> Option<Extremes> {
    let (mut f, mut g) = (Zeroizing::new(Complex::of(f)), Zeroizing::new(Complex::of(g)));
    T::forward(&mut f);
    T::forward(&mut g);
    let (mut least, mut most) = (f64::INFINITY, 0.0);
    for i in 0..HALF {
        let norm = f.re[i] * f.re[i] + f.im[i] * f.im[i] + g.re[i] * g.re[i] + g.im[i] * g.im[i];
        least = if norm < least { norm } else { least };
        most = if norm > most { norm } else { most };
    }
    (least > 0.0).then_some((least, most))
}

/// α of a basis whose |f|² + |g|² are between these.
pub(crate) fn quality(least: f64, most: f64) -> f64 {
    let square = if most * least > Q_F64 * Q_F64 { most / Q_F64 } else { Q_F64 / least };
    sqrt(square)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::fft::Plain;

    #[test]
    fn polynomials_are_in_the_annulus_and_have_odd_sums() {
        let mut random = Random::new(&[3; 32]);
        let (mut found, mut attempts, mut length) = (0, 0, 0.0);
        while found < 100 {
            attempts += 1;
            let Some([f, g]) = sample::<Plain>(&mut random) else { continue };
            found += 1;
            for poly in [f, g] {
                assert!(poly.iter().map(|x| i32::from(*x)).sum::<i32>() % 2 != 0);
            }
            // By the definition, with the standard library's functions.
            for root in 0..HALF {
                let mut norm = 0.0;
                for poly in [f, g] {
                    let (mut re, mut im) = (0.0, 0.0);
                    for (k, x) in poly.iter().enumerate() {
                        let angle = core::f64::consts::TAU * ((2 * root + 1) * k % 1024) as f64 / 1024.0;
                        re += f64::from(*x) * angle.cos();
                        im += f64::from(*x) * angle.sin();
                    }
                    norm += re * re + im * im;
                }
                assert!(
                    norm.sqrt() <= 1.15 * 12_289_f64.sqrt() + 1e-6
                        && norm.sqrt() >= 12_289_f64.sqrt() / 1.15 - 1e-6
                );
                length += norm / (100 * HALF) as f64;
            }
        }
        // The middle of the annulus has the radius 1.0098 √q; rounding adds a twelfth to each coefficient's square.
        assert!((length / 12_289.0 - 1.02).abs() < 0.02, "{}", length / 12_289.0);
        // The paper and the authors' program have a handful of attempts.
        assert!((100..2_000).contains(&attempts), "{attempts}");
    }

    /// Every integer point is at least as far away.
    #[test]
    fn rounding_is_to_the_nearest_with_an_odd_sum() {
        let mut poly = Complex::ZERO;
        poly.re[0] = 1.2;
        poly.im[7] = -2.4;
        assert_eq!(nearest_odd(&poly).unwrap()[0], 1);
        assert_eq!(nearest_odd(&poly).unwrap()[HALF + 7], -2);
        poly.re[0] = 2.2;
        assert_eq!(nearest_odd(&poly).unwrap()[HALF + 7], -3);
        poly.im[255] = 31.4;
        assert_eq!(nearest_odd(&poly).unwrap()[511], 31);
        poly.im[255] = 31.6;
        assert_eq!(nearest_odd(&poly), None);
        poly.im[255] = 31.45;
        poly.re[0] = 2.0;
        assert_eq!(nearest_odd(&poly).unwrap()[0], 2);
        poly.im[255] = 30.45;
        assert_eq!(nearest_odd(&poly).unwrap()[511], 31);
    }

    #[test]
    fn quality_of_a_basis() {
        assert_eq!(quality(12_289.0, 12_289.0), 1.0);
        assert!((quality(12_289.0 / 4.0, 12_289.0) - 2.0).abs() < 1e-15);
        assert!((quality(12_289.0, 12_289.0 * 9.0) - 3.0).abs() < 1e-15);
        assert_eq!(extremes::<Plain>(&[0; N], &[0; N]), None);
    }
}
