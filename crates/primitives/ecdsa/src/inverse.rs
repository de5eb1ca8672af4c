//! Inverses modulo a prime by division steps (Bernstein and Yang, "Fast constant-time gcd computation and modular
//! inversion", TCHES 2019(3)); in constant time in the variant that starts from delta = 1/2 and needs fewer steps.
//!
//! A step works on the lowest bits of two numbers alone. So 62 of them are done in one register each, and what they do
//! is collected in a matrix, which is then applied to the whole numbers.

use crate::limbs::mask;
use crate::montgomery::inverse_of_limb;

/// Bits of a limb here: the sums of two products of limbs and matrix entries stay below 2^127.
const BITS: usize = 62;
const MASK: u64 = (1 << BITS) - 1;

/// A signed number: the lower limbs are from 0 to 2^62 - 1, the top one has the sign.
type Signed<const N: usize> = [i64; N];

/// 2^62 times the linear map that 62 steps are: f becomes `u f + v g`, g becomes `q f + r g`.
struct Matrix {
    u: i64,
    v: i64,
    q: i64,
    r: i64,
}

/// A prime of `64 L` bits, prepared.
pub(crate) struct Divisor<const L: usize, const N: usize> {
    modulus: Signed<N>,
    /// The modulus' inverse modulo 2^62.
    inverse: u64,
}

impl<const L: usize, const N: usize> Divisor<L, N> {
    /// After so many times 62 steps g is zero for every g below a modulus of this size: `(45907 d + 30179) / 19929`
    /// steps are enough for `d` bits (P. Wuille, "Bounds on divsteps iterations in safegcd", 2021).
    const BATCHES: usize = ((45907 * 64 * L + 30179) / 19929).div_ceil(BITS);

    pub(crate) const fn new(modulus: &[u64; L]) -> Self {
        // Numbers between -2 and 2 times the modulus must fit.
        assert!(N * BITS >= 64 * L + 2);
        Self { modulus: to_signed(modulus), inverse: inverse_of_limb(modulus[0]) & MASK }
    }

    /// The inverse of a value below the modulus, 0 for 0.
    pub(crate) fn invert(&self, value: &[u64; L]) -> [u64; L] {
        let (mut f, mut g) = (self.modulus, to_signed::<L, N>(value));
        let (mut d, mut e) = ([0; N], [0; N]);
        e[0] = 1;
        // Minus (delta + 1/2).
        let mut zeta = -1;
        for _ in 0..Self::BATCHES {
            let matrix = steps(&mut zeta, f[0] as u64, g[0] as u64);
            self.apply_modulo(&matrix, &mut d, &mut e);
            apply(&matrix, &mut f, &mut g);
        }
        self.normalised(d, sign(f[N - 1]))
    }

    /// The same, as soon as g is zero.
    pub(crate) fn invert_vartime(&self, value: &[u64; L]) -> [u64; L] {
        let (mut f, mut g) = (self.modulus, to_signed::<L, N>(value));
        let (mut d, mut e) = ([0; N], [0; N]);
        e[0] = 1;
        let mut eta = -1;
        while g != [0; N] {
            let matrix = steps_vartime(&mut eta, f[0] as u64, g[0] as u64);
            self.apply_modulo(&matrix, &mut d, &mut e);
            apply(&matrix, &mut f, &mut g);
        }
        self.normalised(d, sign(f[N - 1]))
    }

    /// Applies the matrix to d and e modulo the modulus, which both stay between -2 times and once the modulus: such a
    /// multiple of the modulus is added that the sums can be divided by 2^62.
    #[inline(always)]
    fn apply_modulo(&self, matrix: &Matrix, d: &mut Signed<N>, e: &mut Signed<N>) {
        let &Matrix { u, v, q, r } = matrix;
        let (d_sign, e_sign) = (sign(d[N - 1]), sign(e[N - 1]));
        let start_d = (u & d_sign) + (v & e_sign);
        let start_e = (q & d_sign) + (r & e_sign);
        let mut sum_d = wide(u, d[0]) + wide(v, e[0]);
        let mut sum_e = wide(q, d[0]) + wide(r, e[0]);
        let multiple = |start: i64, sum: i128| {
            let wrong = self.inverse.wrapping_mul(sum as u64).wrapping_add(start as u64) & MASK;
            start - wrong as i64
        };
        let (multiple_d, multiple_e) = (multiple(start_d, sum_d), multiple(start_e, sum_e));
        sum_d += wide(self.modulus[0], multiple_d);
        sum_e += wide(self.modulus[0], multiple_e);
        sum_d >>= BITS;
        sum_e >>= BITS;
        for i in 1..N {
            sum_d += wide(u, d[i]) + wide(v, e[i]) + wide(self.modulus[i], multiple_d);
            sum_e += wide(q, d[i]) + wide(r, e[i]) + wide(self.modulus[i], multiple_e);
            d[i - 1] = (sum_d as u64 & MASK) as i64;
            e[i - 1] = (sum_e as u64 & MASK) as i64;
            sum_d >>= BITS;
            sum_e >>= BITS;
        }
        d[N - 1] = sum_d as i64;
        e[N - 1] = sum_e as i64;
    }

    /// d, negated if `negative` is -1, as the limbs of a number from 0 to below the modulus.
    fn normalised(&self, d: Signed<N>, negative: i64) -> [u64; L] {
        let add_if_negative = |d: Signed<N>| {
            let mask = sign(d[N - 1]);
            core::array::from_fn(|i| d[i] + (self.modulus[i] & mask))
        };
        let d = add_if_negative(d).map(|limb| (limb ^ negative) - negative);
        let d = carried(add_if_negative(carried(d)));
        to_unsigned(&d)
    }
}

/// -1 for numbers below zero, else 0.
#[inline(always)]
fn sign(number: i64) -> i64 {
    mask(number as u64 >> 63) as i64
}

#[inline(always)]
fn wide(a: i64, b: i64) -> i128 {
    i128::from(a) * i128::from(b)
}

/// 62 steps in constant time. Each is: if delta > 0 and g is odd, (delta, f, g) becomes (1 - delta, g, (g - f) / 2),
/// else (1 + delta, f, (g + (g mod 2) f) / 2).
#[inline(always)]
fn steps(zeta: &mut i64, mut f: u64, mut g: u64) -> Matrix {
    let (mut u, mut v, mut q, mut r) = (1_u64, 0_u64, 0_u64, 1_u64);
    for _ in 0..BITS {
        let positive = sign(*zeta) as u64;
        let odd = mask(g & 1);
        let negated = |x: u64| (x ^ positive).wrapping_sub(positive);
        g = g.wrapping_add(negated(f) & odd);
        q = q.wrapping_add(negated(u) & odd);
        r = r.wrapping_add(negated(v) & odd);
        let swap = positive & odd;
        *zeta = (*zeta ^ swap as i64) - 1;
        f = f.wrapping_add(g & swap);
        u = u.wrapping_add(q & swap) << 1;
        v = v.wrapping_add(r & swap) << 1;
        g >>= 1;
    }
    Matrix { u: u as i64, v: v as i64, q: q as i64, r: r as i64 }
}

/// 62 steps: zeros at g's end at once, and up to six of its bits cancelled with a multiple of f. `eta` is minus delta.
#[inline(always)]
fn steps_vartime(eta: &mut i64, mut f: u64, mut g: u64) -> Matrix {
    let (mut u, mut v, mut q, mut r) = (1_u64, 0_u64, 0_u64, 1_u64);
    let mut left = BITS as u32;
    loop {
        let zeros = (g | u64::MAX << left).trailing_zeros();
        g >>= zeros;
        u <<= zeros;
        v <<= zeros;
        *eta -= i64::from(zeros);
        left -= zeros;
        if left == 0 {
            return Matrix { u: u as i64, v: v as i64, q: q as i64, r: r as i64 };
        }
        if *eta < 0 {
            *eta = -*eta;
            (f, g) = (g, f.wrapping_neg());
            (u, q) = (q, u.wrapping_neg());
            (v, r) = (r, v.wrapping_neg());
        }
        // As long as delta does not turn positive, f stays, and only multiples of it are added to g. The multiple that
        // makes g's lowest bits zero is -g/f, and 1/f is f (2 - f f) modulo 64.
        let bits = (*eta + 1).min(i64::from(left)).min(6) as u32;
        let inverse = f.wrapping_mul(2_u64.wrapping_sub(f.wrapping_mul(f)));
        let multiple = g.wrapping_mul(inverse).wrapping_neg() & (u64::MAX >> (64 - bits));
        g = g.wrapping_add(f.wrapping_mul(multiple));
        q = q.wrapping_add(u.wrapping_mul(multiple));
        r = r.wrapping_add(v.wrapping_mul(multiple));
    }
}

/// Applies the matrix to f and g; the division by 2^62 leaves no rest.
#[inline(always)]
fn apply<const N: usize>(matrix: &Matrix, f: &mut Signed<N>, g: &mut Signed<N>) {
    let &Matrix { u, v, q, r } = matrix;
    let mut sum_f = (wide(u, f[0]) + wide(v, g[0])) >> BITS;
    let mut sum_g = (wide(q, f[0]) + wide(r, g[0])) >> BITS;
    for i in 1..N {
        sum_f += wide(u, f[i]) + wide(v, g[i]);
        sum_g += wide(q, f[i]) + wide(r, g[i]);
        f[i - 1] = (sum_f as u64 & MASK) as i64;
        g[i - 1] = (sum_g as u64 & MASK) as i64;
        sum_f >>= BITS;
        sum_g >>= BITS;
    }
    f[N - 1] = sum_f as i64;
    g[N - 1] = sum_g as i64;
}

/// The same number with its lower limbs from 0 to 2^62 - 1.
fn carried<const N: usize>(mut number: Signed<N>) -> Signed<N> {
    for i in 1..N {
        number[i] += number[i - 1] >> BITS;
        number[i - 1] &= MASK as i64;
    }
    number
}

/// The bits from `62 i` of an unsigned number, for each limb `i`.
const fn to_signed<const L: usize, const N: usize>(limbs: &[u64; L]) -> Signed<N> {
    let (mut signed, mut i) = ([0; N], 0);
    while i < N {
        let (limb, shift) = (i * BITS / 64, i * BITS % 64);
        let mut bits = if limb < L { limbs[limb] >> shift } else { 0 };
        if shift > 2 && limb + 1 < L {
            bits |= limbs[limb + 1] << (64 - shift);
        }
        signed[i] = (bits & MASK) as i64;
        i += 1;
    }
    signed
}

/// The inverse of [`to_signed`] for numbers that are not negative.
fn to_unsigned<const L: usize, const N: usize>(signed: &Signed<N>) -> [u64; L] {
    core::array::from_fn(|i| {
        let (limb, shift) = (64 * i / BITS, 64 * i % BITS);
        // A limb of 64 bits lies in two of 62, or in three if it begins after their sixtieth.
        let part = |n: usize| signed.get(limb + n).map_or(0, |limb| *limb as u64);
        let mut bits = part(0) >> shift | part(1) << (BITS - shift);
        if 2 * BITS - shift < 64 {
            bits |= part(2) << (2 * BITS - shift);
        }
        bits
    })
}
