//! Down the tower of fields by norms, Euclid at the bottom, and up again (T. Pornin, T. Prest, "More Efficient Algorithms
//! for the NTRU Key Generation using the Field Norm", ePrint 2019/015).

use alloc::vec;
use alloc::vec::Vec;

use zeroize::Zeroizing;

use crate::big::Big;
use crate::euclid::{bezout, multiplied};
use crate::ntt::Ntt;
use crate::prime::PRIMES;
use crate::reduce::reduce;
use crate::residues::{combine, primes_for, residues};

/// The greatest degree that can be solved at.
pub const MOST_DEGREE: usize = 1024;

/// (F, G), wiped when dropped.
pub type Solution = (Zeroizing<Vec<i32>>, Zeroizing<Vec<i32>>);

/// Finds (F, G) with f·G - g·F = q modulo xⁿ + 1, reduced by (f, g) as Babai's rounding does it: all coefficients of
/// (F·f* + G·g*)/(f·f* + g·g*) are between -1/2 and 1/2, so that there is one such solution.
///
/// `None` where there is none (the resultants of f and g with xⁿ + 1 are not coprime), where coefficients are so large that
/// 192 primes of 62 bits do not do (at degree 1024, where they have a standard deviation of more than about eight), or where
/// F or G does not fit into 32 bits.
///
/// # Panics
/// Unless f and g have the same length, a power of two from 2 to [`MOST_DEGREE`].
#[must_use]
pub fn solve(f: &[i32], g: &[i32], q: u32) -> Option<Solution> {
    let degree = f.len();
    assert!(degree.is_power_of_two() && (2..=MOST_DEGREE).contains(&degree) && degree == g.len());
    let depth = degree.trailing_zeros() as usize;
    let mut levels = Vec::with_capacity(depth);
    let (mut small_f, mut small_g) = (Big::of_small(f), Big::of_small(g));
    for _ in 0..depth {
        let (norm_f, norm_g) = (norm(&small_f)?, norm(&small_g)?);
        levels.push((small_f, small_g));
        (small_f, small_g) = (norm_f, norm_g);
    }
    let (mut big_f, mut big_g) = bottom(&small_f, &small_g, q)?;
    while let Some((small_f, small_g)) = levels.pop() {
        (big_f, big_g) = lift(&small_f, &small_g, &big_f, &big_g)?;
        reduce(&small_f, &small_g, &mut big_f, &mut big_g, levels.is_empty())?;
    }
    let [big_f, big_g] = [small(&big_f)?, small(&big_g)?];
    is_solution(f, g, &big_f, &big_g, q).then_some((big_f, big_g))
}

/// N(f), of half the degree: f(x)·f(-x) is N(f)(x²).
fn norm(f: &Big) -> Option<Big> {
    let degree = f.degree();
    let bits = 2 * f.bits() + degree.trailing_zeros() as usize;
    let primes = PRIMES.get(..primes_for(bits))?;
    let mut all = Zeroizing::new(vec![0; degree / 2 * primes.len()]);
    let mut values = Zeroizing::new(vec![0; degree]);
    for (norms, prime) in all.chunks_exact_mut(degree / 2).zip(primes) {
        let ntt = Ntt::new(prime, degree);
        residues(f, prime, &mut values);
        ntt.forward(&mut values);
        for (norm, [at, opposite]) in norms.iter_mut().zip(values.as_chunks().0) {
            *norm = prime.mul(prime.mul(*at, *opposite), prime.r2);
        }
        ntt.half().inverse(norms);
    }
    Some(combine(&all, degree / 2).trimmed())
}

/// The solution in the integers.
fn bottom(f: &Big, g: &Big, q: u32) -> Option<(Big, Big)> {
    // One word more than the numbers need keeps their highest bits free.
    let words = f.bits().max(g.bits()) / 64 + 2;
    let (big_f, big_g) = bezout(&f.in_words(words).all, &g.in_words(words).all)?;
    let [big_f, big_g] = [big_f, big_g].map(|number| {
        let all = multiplied(&number, q.into(), words);
        Big { words, all }.trimmed()
    });
    Some((big_f, big_g))
}

/// (F'(x²)·g(-x), G'(x²)·f(-x)): a solution for f and g, of one for their norms.
fn lift(f: &Big, g: &Big, big_f: &Big, big_g: &Big) -> Option<(Big, Big)> {
    let degree = f.degree();
    let bits = (big_f.bits() + g.bits()).max(big_g.bits() + f.bits()) + degree.trailing_zeros() as usize;
    let primes = PRIMES.get(..primes_for(bits))?;
    let mut all = [0; 2].map(|_| Zeroizing::new(vec![0; degree * primes.len()]));
    let mut values = Zeroizing::new(vec![0; degree]);
    for (at, prime) in primes.iter().enumerate() {
        let ntt = Ntt::new(prime, degree);
        for ((product, lower), upper) in all.iter_mut().zip([big_f, big_g]).zip([g, f]) {
            let product = &mut product[at * degree..(at + 1) * degree];
            residues(upper, prime, product);
            ntt.forward(product);
            let values = &mut values[..degree / 2];
            residues(lower, prime, values);
            ntt.forward(values);
            for (pair, value) in product.as_chunks_mut().0.iter_mut().zip(values) {
                let value = prime.mul(*value, prime.r2);
                let [here, opposite] = *pair;
                *pair = [prime.mul(opposite, value), prime.mul(here, value)];
            }
            ntt.inverse(product);
        }
    }
    let [big_f, big_g] = all.map(|all| combine(&all, degree));
    let words = big_f.bits().max(big_g.bits()) / 64 + 1;
    Some((big_f.in_words(words), big_g.in_words(words)))
}

/// Coefficients that fit into 32 bits.
fn small(poly: &Big) -> Option<Zeroizing<Vec<i32>>> {
    let mut small = Zeroizing::new(vec![0; poly.degree()]);
    let fits = poly.bits() <= 31;
    for (small, coefficient) in small.iter_mut().zip(poly.coefficients()) {
        *small = coefficient[0] as i32;
    }
    fits.then_some(small)
}

/// Whether f·G - g·F is q, which no computation before takes for granted.
fn is_solution(f: &[i32], g: &[i32], big_f: &[i32], big_g: &[i32], q: u32) -> bool {
    // Modulo two primes: both sides are below their product.
    PRIMES[..2].iter().all(|prime| {
        let ntt = Ntt::new(prime, f.len());
        let [f, g, big_f, big_g] = [f, g, big_f, big_g].map(|poly| {
            let values = poly.iter().map(|small| prime.signed((*small).into()));
            let mut values: Zeroizing<Vec<u64>> = Zeroizing::new(values.collect());
            ntt.forward(&mut values);
            values
        });
        let wanted = prime.sub(0, prime.mul(q.into(), 1));
        let products = f.iter().zip(big_g.iter()).zip(g.iter().zip(big_f.iter()));
        products.fold(0, |wrong, ((f, big_g), (g, big_f))| {
            let difference = prime.sub(prime.mul(*g, *big_f), prime.mul(*f, *big_g));
            wrong | (difference ^ wanted)
        }) == 0
    })
}
