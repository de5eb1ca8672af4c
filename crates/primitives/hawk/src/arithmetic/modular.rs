//! Polynomials modulo xⁿ + 1 and a prime p below 2^31, and their number-theoretic transform. Numbers are from 0 to p - 1.
//!
//! Values lie in the order in which splitting xⁿ + 1 finds the roots, but for one thing: within each 64 of them the value
//! at `8 r + c` lies at `8 c + r`. The squares of 8 rows of 8 are transposed before the last three layers, so that no layer
//! moves anything within a vector. In either order the value at the inverse of a root lies at the mirrored place.
//!
//! Products are Montgomery's, with R = 2^32; roots are kept multiplied by R.

use alloc::vec;
use alloc::vec::Vec;

use super::vector::Eight;

/// A prime and the roots for one degree.
pub(crate) struct Tables {
    pub(crate) p: u32,
    /// 1/p modulo R.
    inverse: u32,
    /// R² modulo p.
    pub(crate) r2: u32,
    /// R/n modulo p.
    scale: u32,
    forward: Powers,
    backward: Powers,
}

/// Powers of a root of order 2n: the ones for layers between vectors, and those for the last three layers.
struct Powers {
    top: [u32; 128],
    /// For each square: the vector for blocks of 8, the two for blocks of 4, and the four for blocks of 2.
    tail: [[[u32; 8]; 7]; 16],
}

impl Tables {
    pub(crate) const fn new(p: u32, log: usize) -> Self {
        let mut inverse = 1_u32;
        let mut step = 0;
        while step < 5 {
            inverse = inverse.wrapping_mul(2_u32.wrapping_sub(p.wrapping_mul(inverse)));
            step += 1;
        }
        let r = ((1_u64 << 32) % p as u64) as u32;
        let r2 = times(r, r, p);
        // Half of p - 1, as often as 1 is halved, is the degree's inverse.
        let mut scale = r;
        step = 0;
        while step < log {
            scale = ((scale as u64 + if scale & 1 == 1 { p as u64 } else { 0 }) / 2) as u32;
            step += 1;
        }
        // A root of order 2n: its n-th power is -1.
        let mut base = 2;
        let root = loop {
            let root = power(base, (p - 1) >> (log + 1), p);
            if power(root, 1 << log, p) == p - 1 {
                break root;
            }
            base += 1;
        };
        let back = power(root, p - 2, p);
        Tables {
            p,
            inverse,
            r2,
            scale,
            forward: Powers::new(root, r, p, log),
            backward: Powers::new(back, r, p, log),
        }
    }

    /// a·b/R, for what is not done with vectors.
    #[inline(always)]
    pub(crate) fn mul(&self, a: u32, b: u32) -> u32 {
        let product = u64::from(a) * u64::from(b);
        let multiple = u64::from((product as u32).wrapping_mul(self.inverse)) * u64::from(self.p);
        let difference = ((product >> 32) as u32).wrapping_sub((multiple >> 32) as u32);
        difference.wrapping_add(self.p & (difference.cast_signed() >> 31).cast_unsigned())
    }

    /// The residue of a number between -p and p.
    #[inline(always)]
    pub(crate) fn residue(&self, number: i32) -> u32 {
        (number + (self.p.cast_signed() & (number >> 31))).cast_unsigned()
    }

    /// The number next to zero with this residue.
    #[inline(always)]
    pub(crate) fn centred(&self, residue: u32) -> i32 {
        let above = ((self.p / 2).cast_signed() - residue.cast_signed()) >> 31;
        residue.cast_signed() - (self.p.cast_signed() & above)
    }

    /// R/a of a·R.
    fn invert_one(&self, a: u32) -> u32 {
        let mut result = self.mul(self.r2, 1);
        for bit in (0..32).rev() {
            result = self.mul(result, result);
            if (self.p - 2) >> bit & 1 == 1 {
                result = self.mul(result, a);
            }
        }
        result
    }

    /// R²/a in place of each a; `None` if one is zero.
    fn invert(&self, all: &mut [u32; 8]) -> Option<()> {
        let mut product = self.mul(self.r2, 1);
        let mut before = [0; 8];
        for (before, a) in before.iter_mut().zip(&*all) {
            *before = product;
            product = self.mul(product, self.mul(*a, self.r2));
        }
        if product == 0 {
            return None;
        }
        let mut inverse = self.invert_one(product);
        for (before, a) in before.iter().zip(all).rev() {
            let factor = self.mul(*a, self.r2);
            *a = self.mul(self.mul(inverse, *before), self.r2);
            inverse = self.mul(inverse, factor);
        }
        Some(())
    }
}

const fn times(a: u32, b: u32, p: u32) -> u32 {
    (a as u64 * b as u64 % p as u64) as u32
}

const fn power(base: u32, exponent: u32, p: u32) -> u32 {
    let mut result = 1;
    let mut bit = 32;
    while bit > 0 {
        bit -= 1;
        result = times(result, result, p);
        if exponent >> bit & 1 == 1 {
            result = times(result, base, p);
        }
    }
    result
}

impl Powers {
    const fn new(root: u32, r: u32, p: u32, log: usize) -> Self {
        let degree = 1 << log;
        // Entry k is the root to the power k, the bits of k reversed.
        let mut all = [r; 1024];
        let mut half = 1;
        while half < degree {
            let factor = power(root, (degree / (2 * half)) as u32, p);
            let mut at = 0;
            while at < half {
                all[half + at] = times(all[at], factor, p);
                at += 1;
            }
            half *= 2;
        }
        let mut powers = Powers { top: [0; 128], tail: [[[0; 8]; 7]; 16] };
        let mut at = 0;
        while at < degree / 8 {
            powers.top[at] = all[at];
            at += 1;
        }
        let mut chunk = 0;
        while chunk < degree / 8 {
            let (square, lane) = (chunk / 8, chunk % 8);
            powers.tail[square][0][lane] = all[degree / 8 + chunk];
            let mut block = 0;
            while block < 4 {
                if block < 2 {
                    powers.tail[square][1 + block][lane] = all[degree / 4 + 2 * chunk + block];
                }
                powers.tail[square][3 + block][lane] = all[degree / 2 + 4 * chunk + block];
                block += 1;
            }
            chunk += 1;
        }
        powers
    }
}

/// p and its inverse, in vectors.
#[derive(Clone, Copy)]
struct Modulus<V> {
    p: V,
    inverse: V,
}

impl<V: Eight> Modulus<V> {
    /// # Safety
    /// The processor has the vector's instructions.
    #[inline(always)]
    unsafe fn new(tables: &Tables) -> Self {
        // SAFETY: the caller's.
        unsafe { Modulus { p: V::splat(tables.p), inverse: V::splat(tables.inverse) } }
    }

    /// A number between -p and p, as one from 0 on.
    #[inline(always)]
    fn up(self, a: V) -> V {
        a.least(a.add(self.p))
    }

    #[inline(always)]
    fn add(self, a: V, b: V) -> V {
        let sum = a.add(b);
        sum.least(sum.subtract(self.p))
    }

    #[inline(always)]
    fn subtract(self, a: V, b: V) -> V {
        self.up(a.subtract(b))
    }

    #[inline(always)]
    fn mul(self, a: V, b: V) -> V {
        self.up(a.montgomery(b, self.p, self.inverse))
    }
}

/// Coefficients to values, in place.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
pub(super) unsafe fn forward<V: Eight>(poly: &mut [u32], tables: &Tables) {
    // SAFETY: the caller's.
    unsafe {
        let modulus = Modulus::<V>::new(tables);
        let poly = poly.as_chunks_mut::<8>().0;
        let powers = &tables.forward;
        let mut blocks = 1;
        while 2 * blocks <= poly.len() {
            let half = poly.len() / (2 * blocks);
            for (block, root) in poly.chunks_exact_mut(2 * half).zip(&powers.top[blocks..]) {
                let root = V::splat(*root);
                let (low, high) = block.split_at_mut(half);
                for (low, high) in low.iter_mut().zip(high) {
                    let (a, b) = (V::load(low), modulus.mul(V::load(high), root));
                    modulus.add(a, b).store(low);
                    modulus.subtract(a, b).store(high);
                }
            }
            blocks *= 2;
        }
        for (square, roots) in poly.as_chunks_mut::<8>().0.iter_mut().zip(&powers.tail) {
            let mut rows = transposed::<V>(square);
            for layer in 0..3 {
                let half = 4 >> layer;
                for block in 0..1 << layer {
                    let root = V::load(&roots[(1 << layer) - 1 + block]);
                    for at in 2 * half * block..2 * half * block + half {
                        let (a, b) = (rows[at], modulus.mul(rows[at + half], root));
                        rows[at] = modulus.add(a, b);
                        rows[at + half] = modulus.subtract(a, b);
                    }
                }
            }
            for at in 0..8 {
                rows[at].store(&mut square[at]);
            }
        }
    }
}

/// Values to coefficients, in place.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
pub(super) unsafe fn inverse<V: Eight>(poly: &mut [u32], tables: &Tables) {
    // SAFETY: the caller's.
    unsafe {
        let modulus = Modulus::<V>::new(tables);
        let poly = poly.as_chunks_mut::<8>().0;
        let powers = &tables.backward;
        for (square, roots) in poly.as_chunks_mut::<8>().0.iter_mut().zip(&powers.tail) {
            let mut rows = [V::load(&square[0]); 8];
            for at in 1..8 {
                rows[at] = V::load(&square[at]);
            }
            for layer in (0..3).rev() {
                let half = 4 >> layer;
                for block in 0..1 << layer {
                    let root = V::load(&roots[(1 << layer) - 1 + block]);
                    for at in 2 * half * block..2 * half * block + half {
                        let (a, b) = (rows[at], rows[at + half]);
                        rows[at] = modulus.add(a, b);
                        rows[at + half] = modulus.mul(modulus.subtract(a, b), root);
                    }
                }
            }
            let rows = V::transpose(rows);
            for at in 0..8 {
                rows[at].store(&mut square[at]);
            }
        }
        let mut blocks = poly.len() / 2;
        while blocks > 0 {
            let half = poly.len() / (2 * blocks);
            for (block, root) in poly.chunks_exact_mut(2 * half).zip(&powers.top[blocks..]) {
                let root = V::splat(*root);
                let (low, high) = block.split_at_mut(half);
                for (low, high) in low.iter_mut().zip(high) {
                    let (a, b) = (V::load(low), V::load(high));
                    modulus.add(a, b).store(low);
                    modulus.mul(modulus.subtract(a, b), root).store(high);
                }
            }
            blocks /= 2;
        }
        let scale = V::splat(tables.scale);
        for numbers in poly {
            modulus.mul(V::load(numbers), scale).store(numbers);
        }
    }
}

/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
pub(super) unsafe fn transposed<V: Eight>(square: &[[u32; 8]; 8]) -> [V; 8] {
    // SAFETY: the caller's.
    unsafe {
        let mut rows = [V::load(&square[0]); 8];
        for at in 1..8 {
            rows[at] = V::load(&square[at]);
        }
        V::transpose(rows)
    }
}

/// `a = a·b/R`, value by value.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
pub(super) unsafe fn multiply<V: Eight>(a: &mut [u32], b: &[u32], tables: &Tables) {
    // SAFETY: the caller's.
    unsafe {
        let modulus = Modulus::<V>::new(tables);
        for (a, b) in a.as_chunks_mut().0.iter_mut().zip(b.as_chunks().0) {
            modulus.mul(V::load(a), V::load(b)).store(a);
        }
    }
}

/// `a = (a·b - c·d)/R`, value by value.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
pub(super) unsafe fn cross<V: Eight>(a: &mut [u32], [b, c, d]: [&[u32]; 3], tables: &Tables) {
    // SAFETY: the caller's.
    unsafe {
        let modulus = Modulus::<V>::new(tables);
        let others = b.as_chunks().0.iter().zip(c.as_chunks().0.iter().zip(d.as_chunks().0));
        for (a, (b, (c, d))) in a.as_chunks_mut().0.iter_mut().zip(others) {
            let (ab, cd) = (modulus.mul(V::load(a), V::load(b)), modulus.mul(V::load(c), V::load(d)));
            modulus.subtract(ab, cd).store(a);
        }
    }
}

/// R²/a of all a, whose number is a multiple of eight; `None` if one is zero. By Montgomery's trick, with one inversion.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
pub(super) unsafe fn invert<V: Eight>(all: &[u32], tables: &Tables) -> Option<Vec<u32>> {
    // SAFETY: the caller's.
    unsafe {
        let modulus = Modulus::<V>::new(tables);
        let r2 = V::splat(tables.r2);
        let mut product = modulus.mul(r2, V::splat(1));
        let mut inverses = vec![0; all.len()];
        let before = inverses.as_chunks_mut::<8>().0;
        let all = all.as_chunks::<8>().0;
        for (before, a) in before.iter_mut().zip(all) {
            product.store(before);
            product = modulus.mul(product, modulus.mul(V::load(a), r2));
        }
        let mut parts = [0; 8];
        product.store(&mut parts);
        tables.invert(&mut parts)?;
        let mut inverse = V::load(&parts);
        for (before, a) in before.iter_mut().zip(all).rev() {
            modulus.mul(modulus.mul(inverse, V::load(before)), r2).store(before);
            inverse = modulus.mul(inverse, modulus.mul(V::load(a), r2));
        }
        Some(inverses)
    }
}

/// Half of n times the squared norm of (w0, w1) in the form Q (algorithm 19), modulo p. All are values.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
pub(super) unsafe fn norm<V: Eight>(w0: &[u32], w1: &[u32], form: &Form, tables: &Tables) -> u32 {
    // SAFETY: the caller's.
    unsafe {
        let modulus = Modulus::<V>::new(tables);
        let (w0, w1, ratio) = (w0.as_chunks().0, w1.as_chunks().0, form.ratio.as_chunks().0);
        let halves = form.q00.as_chunks().0.iter().zip(form.inverse.as_chunks().0);
        let mut sum = V::splat(0);
        for (at, (q00, inverse)) in halves.enumerate() {
            let other = w0.len() - 1 - at;
            let (a, b) = (V::load(&w1[at]), V::load(&w1[other]));
            let e = modulus.add(V::load(&w0[at]), modulus.mul(a, V::load(&ratio[at])));
            let f = modulus.add(V::load(&w0[other]), modulus.mul(b, V::load(&ratio[other])));
            let first = modulus.mul(modulus.mul(a, b.reverse()), V::load(inverse));
            let second = modulus.mul(modulus.mul(e, f.reverse()), V::load(q00));
            sum = modulus.add(sum, modulus.add(first, second));
        }
        let mut parts = [0; 8];
        sum.store(&mut parts);
        (parts.iter().map(|part| u64::from(*part)).sum::<u64>() % u64::from(tables.p)) as u32
    }
}

/// The form Q of a public key modulo one prime, at the roots: q00 and its inverse, times R², in the first half of them, and
/// q01/q00, times R.
pub(crate) struct Form {
    pub(crate) q00: Vec<u32>,
    pub(crate) inverse: Vec<u32>,
    pub(crate) ratio: Vec<u32>,
}
