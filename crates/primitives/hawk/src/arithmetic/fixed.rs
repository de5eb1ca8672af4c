//! The Fourier transform in fixed point (algorithms 16 and 17), bit for bit as the specification has it: which of two
//! neighbouring numbers a verifier finds must not depend on who verifies.
//!
//! The first half of a polynomial has the real parts, the second the imaginary ones. As in `modular`, squares of 8 rows of 8
//! are transposed before the last three layers. Each layer halves; sums and products are cut as they are in 32 and 64 bits.

use fieldtest_ntru::ROOTS;

use super::modular::transposed;
use super::vector::Eight;

/// The roots for one degree, times 2^31: real parts, and imaginary ones.
pub(crate) struct Roots {
    top: [[u32; 64]; 2],
    /// As in `modular::Powers`.
    tail: [[[[u32; 8]; 7]; 8]; 2],
}

impl Roots {
    pub(crate) const fn new(log: usize) -> Self {
        let values = 1 << (log - 1);
        let mut roots = Roots { top: [[0; 64]; 2], tail: [[[[0; 8]; 7]; 8]; 2] };
        let mut part = 0;
        while part < 2 {
            let mut at = 0;
            while at < values / 8 {
                roots.top[part][at] = scaled(at, part);
                let (square, lane) = (at / 8, at % 8);
                roots.tail[part][square][0][lane] = scaled(values / 8 + at, part);
                let mut block = 0;
                while block < 4 {
                    if block < 2 {
                        roots.tail[part][square][1 + block][lane] = scaled(values / 4 + 2 * at + block, part);
                    }
                    roots.tail[part][square][3 + block][lane] = scaled(values / 2 + 4 * at + block, part);
                    block += 1;
                }
                at += 1;
            }
            part += 1;
        }
        roots
    }
}

/// δ of section 3.6: a root times 2^31, rounded to the nearest integer.
const fn scaled(at: usize, part: usize) -> u32 {
    let (cosine, sine) = ROOTS[at];
    let value = (1_u64 << 31) as f64 * if part == 0 { cosine } else { sine };
    let rounded = if value < 0.0 { (value - 0.5) as i64 } else { (value + 0.5) as i64 };
    rounded as u32
}

/// Two complex values, and a root: the values of the two halves of a block, halved.
#[inline(always)]
fn split<V: Eight>(a: [V; 2], b: [V; 2], root: [V; 2], minus: V) -> [[V; 2]; 2] {
    let re = V::difference(b[0].product(root[0]), b[1].product(root[1]));
    let im = V::sum(b[0].product(root[1]), b[1].product(root[0]));
    // -2^31 times the values: what a shift would be, were there one that keeps the sign.
    let (a_re, a_im) = (a[0].product(minus), a[1].product(minus));
    let zero = V::difference(re, re);
    [
        [V::upper(V::difference(re, a_re)), V::upper(V::difference(im, a_im))],
        [V::upper(V::difference(zero, V::sum(re, a_re))), V::upper(V::difference(zero, V::sum(im, a_im)))],
    ]
}

/// The other way around.
#[inline(always)]
fn join<V: Eight>(a: [V; 2], b: [V; 2], root: [V; 2]) -> [[V; 2]; 2] {
    let (re, im) = (a[0].subtract(b[0]), a[1].subtract(b[1]));
    [
        [a[0].add(b[0]).half(), a[1].add(b[1]).half()],
        [
            V::upper(V::sum(re.product(root[0]), im.product(root[1]))),
            V::upper(V::difference(im.product(root[0]), re.product(root[1]))),
        ],
    ]
}

/// Algorithm 16, in place.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
pub(super) unsafe fn forward<V: Eight>(poly: &mut [u32], roots: &Roots) {
    // SAFETY: the caller's.
    unsafe {
        let minus = V::splat(1 << 31);
        let (re, im) = poly.split_at_mut(poly.len() / 2);
        let (re, im) = (re.as_chunks_mut::<8>().0, im.as_chunks_mut::<8>().0);
        let mut blocks = 1;
        while 2 * blocks <= re.len() {
            let half = re.len() / (2 * blocks);
            for (block, (re, im)) in
                re.chunks_exact_mut(2 * half).zip(im.chunks_exact_mut(2 * half)).enumerate()
            {
                let root = [V::splat(roots.top[0][blocks + block]), V::splat(roots.top[1][blocks + block])];
                for at in 0..half {
                    let a = [V::load(&re[at]), V::load(&im[at])];
                    let b = [V::load(&re[at + half]), V::load(&im[at + half])];
                    let [a, b] = split(a, b, root, minus);
                    a[0].store(&mut re[at]);
                    a[1].store(&mut im[at]);
                    b[0].store(&mut re[at + half]);
                    b[1].store(&mut im[at + half]);
                }
            }
            blocks *= 2;
        }
        let squares = re.as_chunks_mut::<8>().0.iter_mut().zip(im.as_chunks_mut::<8>().0);
        for (number, (re, im)) in squares.enumerate() {
            let (mut rows_re, mut rows_im) = (transposed::<V>(re), transposed::<V>(im));
            let (tail_re, tail_im) = (&roots.tail[0][number], &roots.tail[1][number]);
            for layer in 0..3 {
                let half = 4 >> layer;
                for block in 0..1 << layer {
                    let at = (1 << layer) - 1 + block;
                    let root = [V::load(&tail_re[at]), V::load(&tail_im[at])];
                    for at in 2 * half * block..2 * half * block + half {
                        let other = at + half;
                        let a = [rows_re[at], rows_im[at]];
                        let [a, b] = split(a, [rows_re[other], rows_im[other]], root, minus);
                        (rows_re[at], rows_im[at]) = (a[0], a[1]);
                        (rows_re[other], rows_im[other]) = (b[0], b[1]);
                    }
                }
            }
            for at in 0..8 {
                rows_re[at].store(&mut re[at]);
                rows_im[at].store(&mut im[at]);
            }
        }
    }
}

/// Algorithm 17, in place.
///
/// # Safety
/// The processor has the vector's instructions.
#[inline(always)]
pub(super) unsafe fn inverse<V: Eight>(poly: &mut [u32], roots: &Roots) {
    // SAFETY: the caller's.
    unsafe {
        let (re, im) = poly.split_at_mut(poly.len() / 2);
        let (re, im) = (re.as_chunks_mut::<8>().0, im.as_chunks_mut::<8>().0);
        let squares = re.as_chunks_mut::<8>().0.iter_mut().zip(im.as_chunks_mut::<8>().0);
        for (number, (re, im)) in squares.enumerate() {
            let (mut rows_re, mut rows_im) = ([V::load(&re[0]); 8], [V::load(&im[0]); 8]);
            for at in 1..8 {
                (rows_re[at], rows_im[at]) = (V::load(&re[at]), V::load(&im[at]));
            }
            let (tail_re, tail_im) = (&roots.tail[0][number], &roots.tail[1][number]);
            for layer in (0..3).rev() {
                let half = 4 >> layer;
                for block in 0..1 << layer {
                    let at = (1 << layer) - 1 + block;
                    let root = [V::load(&tail_re[at]), V::load(&tail_im[at])];
                    for at in 2 * half * block..2 * half * block + half {
                        let other = at + half;
                        let [a, b] = join([rows_re[at], rows_im[at]], [rows_re[other], rows_im[other]], root);
                        (rows_re[at], rows_im[at]) = (a[0], a[1]);
                        (rows_re[other], rows_im[other]) = (b[0], b[1]);
                    }
                }
            }
            let (rows_re, rows_im) = (V::transpose(rows_re), V::transpose(rows_im));
            for at in 0..8 {
                rows_re[at].store(&mut re[at]);
                rows_im[at].store(&mut im[at]);
            }
        }
        let mut blocks = re.len() / 2;
        while blocks > 0 {
            let half = re.len() / (2 * blocks);
            for (block, (re, im)) in
                re.chunks_exact_mut(2 * half).zip(im.chunks_exact_mut(2 * half)).enumerate()
            {
                let root = [V::splat(roots.top[0][blocks + block]), V::splat(roots.top[1][blocks + block])];
                for at in 0..half {
                    let a = [V::load(&re[at]), V::load(&im[at])];
                    let b = [V::load(&re[at + half]), V::load(&im[at + half])];
                    let [a, b] = join(a, b, root);
                    a[0].store(&mut re[at]);
                    a[1].store(&mut im[at]);
                    b[0].store(&mut re[at + half]);
                    b[1].store(&mut im[at + half]);
                }
            }
            blocks /= 2;
        }
    }
}
