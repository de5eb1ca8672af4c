//! The hybrid sampler of Ducas and Prest (section 2.4 of the paper) with the secret basis (f, g), (F, G).
//!
//! A lattice point near (0, c) is found by two roundings over the ring instead of 2 n over the integers. Each adds to a
//! real multiple of one basis vector a continuous Gaussian, so that rounding every coefficient by a Gaussian of the small
//! width r leads to a Gaussian whose width does not depend on the basis.

use zeroize::{Zeroize, Zeroizing};

use crate::fft::{Complex, Transforms};
use crate::gauss;
use crate::math::{nearest, sqrt};
use crate::params::{HALF, N, Q_F64, R_SQUARED, SIGMA_SQUARED};
use crate::random::Random;

/// What the sampler needs, as values. 20 KiB, wiped on drop.
pub(crate) struct Basis {
    f: Complex,
    big_f: Complex,
    /// What gives the multiple of the first vector that is nearest to (0, c), of c: g* / (f f* + g g*).
    dual: Complex,
    /// (F f* + G g*) / (f f* + g g*).
    overlap: Complex,
    /// The widths of the continuous Gaussians for the first vector and for what the second has beyond it.
    widths: [[f64; HALF]; 2],
}

impl Zeroize for Basis {
    fn zeroize(&mut self) {
        self.f.zeroize();
        self.big_f.zeroize();
        self.dual.zeroize();
        self.overlap.zeroize();
        self.widths.as_flattened_mut().zeroize();
    }
}

impl Drop for Basis {
    fn drop(&mut self) {
        self.zeroize();
    }
}

impl Basis {
    /// Room for a basis.
    pub(crate) const EMPTY: Self = Self {
        f: Complex::ZERO,
        big_f: Complex::ZERO,
        dual: Complex::ZERO,
        overlap: Complex::ZERO,
        widths: [[0.0; HALF]; 2],
    };

    /// Prepares f, g, F and G, of which f and g are in the annulus.
    #[inline(always)]
    pub(crate) fn prepare<T: Transforms>(&mut self, [f, g, big_f, big_g]: [&[i8; N]; 4]) {
        let mut g = Zeroizing::new(Complex::of(g));
        let mut big_g = Zeroizing::new(Complex::of(big_g));
        self.f = Complex::of(f);
        self.big_f = Complex::of(big_f);
        T::forward(&mut self.f);
        T::forward(&mut g);
        T::forward(&mut self.big_f);
        T::forward(&mut big_g);
        let (f, big_f) = (&self.f, &self.big_f);
        for i in 0..HALF {
            let norm = f.re[i] * f.re[i] + f.im[i] * f.im[i] + g.re[i] * g.re[i] + g.im[i] * g.im[i];
            self.dual.re[i] = g.re[i] / norm;
            self.dual.im[i] = -g.im[i] / norm;
            let re =
                big_f.re[i] * f.re[i] + big_f.im[i] * f.im[i] + big_g.re[i] * g.re[i] + big_g.im[i] * g.im[i];
            let im =
                big_f.im[i] * f.re[i] - big_f.re[i] * f.im[i] + big_g.im[i] * g.re[i] - big_g.re[i] * g.im[i];
            self.overlap.re[i] = re / norm;
            self.overlap.im[i] = im / norm;
            // The second vector's part has the length q / √norm, since the determinant is q. In the annulus neither
            // difference is negative, but at its rim it may be rounded to be so.
            let first = SIGMA_SQUARED / norm - R_SQUARED;
            let second = SIGMA_SQUARED * norm / (Q_F64 * Q_F64) - R_SQUARED;
            self.widths[0][i] = sqrt(if first > 0.0 { first } else { 0.0 });
            self.widths[1][i] = sqrt(if second > 0.0 { second } else { 0.0 });
        }
    }

    /// Samples a lattice point near (0, c): the first half of what is between them, so that (s₁, c + h s₁) is short
    /// modulo q.
    #[inline(always)]
    pub(crate) fn sample<T: Transforms>(&self, point: &[i16; N], random: &mut Random) -> [i16; N] {
        let mut c = Complex::of(point);
        T::forward(&mut c);

        // The multiple of the second vector. Its part beyond the first is (-g*, f*) q / (f f* + g g*), and the
        // projection of (0, c) on that is c f / q times it.
        let mut x2 = Zeroizing::new(gauss::continuous(random));
        let width = &self.widths[1];
        for i in 0..HALF {
            let re = c.re[i] * self.f.re[i] - c.im[i] * self.f.im[i];
            let im = c.re[i] * self.f.im[i] + c.im[i] * self.f.re[i];
            x2.re[i] = re * (1.0 / Q_F64) - x2.re[i] * width[i];
            x2.im[i] = im * (1.0 / Q_F64) - x2.im[i] * width[i];
        }
        T::inverse(&mut x2);
        gauss::round(&mut x2, random);
        T::forward(&mut x2);

        // The multiple of the first, near to what is left.
        let mut x1 = Zeroizing::new(gauss::continuous(random));
        let width = &self.widths[0];
        for i in 0..HALF {
            let (a, b) = (&self.dual, &self.overlap);
            let re = c.re[i] * a.re[i] - c.im[i] * a.im[i] - (x2.re[i] * b.re[i] - x2.im[i] * b.im[i]);
            let im = c.re[i] * a.im[i] + c.im[i] * a.re[i] - (x2.re[i] * b.im[i] + x2.im[i] * b.re[i]);
            x1.re[i] = re - x1.re[i] * width[i];
            x1.im[i] = im - x1.im[i] * width[i];
        }
        T::inverse(&mut x1);
        gauss::round(&mut x1, random);
        T::forward(&mut x1);

        for i in 0..HALF {
            let (f, big_f) = (&self.f, &self.big_f);
            let re =
                x1.re[i] * f.re[i] - x1.im[i] * f.im[i] + x2.re[i] * big_f.re[i] - x2.im[i] * big_f.im[i];
            let im =
                x1.re[i] * f.im[i] + x1.im[i] * f.re[i] + x2.re[i] * big_f.im[i] + x2.im[i] * big_f.re[i];
            x1.re[i] = -re;
            x1.im[i] = -im;
        }
        T::inverse(&mut x1);
        let mut s1 = [0; N];
        for i in 0..HALF {
            s1[i] = nearest(x1.re[i]) as i16;
            s1[HALF + i] = nearest(x1.im[i]) as i16;
        }
        s1
    }
}
