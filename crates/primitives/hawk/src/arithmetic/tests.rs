//! Transforms and products against their definitions, on every path.

use alloc::vec;
use alloc::vec::Vec;

use fieldtest_ntru::ROOTS;

use super::*;
use crate::params::{Constants, Hawk256, Hawk512, Hawk1024, P1};

fn numbers(count: usize, most: u64) -> Vec<u32> {
    let mut state = count as u64 + most;
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 20) % most) as u32
        })
        .collect()
}

fn products<C: Constants>() {
    for tables in [C::TABLES1, C::TABLES2] {
        let p = i128::from(tables.p);
        let (a, b) = (numbers(C::N, p as u64), numbers(C::N, 1000));
        let mut expected = vec![0_i128; C::N];
        for (i, a) in a.iter().enumerate() {
            for (j, b) in b.iter().enumerate() {
                let product = i128::from(*a) * i128::from(*b);
                expected[(i + j) % C::N] += if i + j < C::N { product } else { -product };
            }
        }
        for path in Path::available() {
            let arithmetic = Arithmetic::of(path);
            let (mut x, mut y) = (a.clone(), b.clone());
            (arithmetic.ntt)(&mut x, tables);
            (arithmetic.ntt)(&mut y, tables);
            for (x, y) in x.iter_mut().zip(&y) {
                *x = tables.mul(tables.mul(*x, *y), tables.r2);
            }
            (arithmetic.inverse_ntt)(&mut x, tables);
            assert!(
                x.iter().zip(&expected).all(|(x, e)| i128::from(*x) == e.rem_euclid(p)),
                "{}",
                path.name()
            );
        }
    }
}

#[test]
fn products_modulo_primes() {
    products::<Hawk256>();
    products::<Hawk512>();
    products::<Hawk1024>();
}

#[test]
fn inverses() {
    let tables = Hawk256::TABLES1;
    let all = numbers(128, P1.into());
    for path in Path::available() {
        let invert = Arithmetic::of(path).invert;
        for (a, inverse) in all.iter().zip(invert(&all, tables).unwrap()) {
            assert_eq!(tables.mul(tables.mul(*a, inverse), tables.mul(1, 1)), tables.mul(1, 1));
        }
        for at in [0, 7, 50, 127] {
            let mut all = all.clone();
            all[at] = 0;
            assert!(invert(&all, tables).is_none());
        }
    }
}

/// Algorithms 16 and 17 as they stand, with δ of std's sine and cosine.
fn as_specified(poly: &mut [i32], inverse: bool) {
    let n = poly.len();
    let root = |k: usize| {
        let angle = (k as u32).reverse_bits() >> 22;
        let angle = core::f64::consts::TAU * f64::from(angle) / 2048.0;
        extern crate std;
        [angle.cos(), angle.sin()].map(|part| (part * f64::from(1 << 30) * 2.0).round() as i64)
    };
    let mut layers: Vec<usize> = (1..n.trailing_zeros()).map(|layer| 1 << layer).collect();
    if inverse {
        layers.reverse();
    }
    for m in layers {
        let t = n / m;
        for u in 0..m / 2 {
            let [re, im] = root(u + m);
            for v in u * t..u * t + t / 2 {
                let [a, b, c, d] = [v, v + n / 2, v + t / 2, v + t / 2 + n / 2].map(|at| i64::from(poly[at]));
                if inverse {
                    let (x, y) = (i64::from((a - c) as i32), i64::from((b - d) as i32));
                    poly[v] = (a + c) as i32 >> 1;
                    poly[v + n / 2] = (b + d) as i32 >> 1;
                    poly[v + t / 2] = ((x * re + y * im) >> 32) as i32;
                    poly[v + t / 2 + n / 2] = ((y * re - x * im) >> 32) as i32;
                } else {
                    let (x, y) = (c * re - d * im, c * im + d * re);
                    poly[v] = (((a << 31) + x) >> 32) as i32;
                    poly[v + n / 2] = (((b << 31) + y) >> 32) as i32;
                    poly[v + t / 2] = (((a << 31) - x) >> 32) as i32;
                    poly[v + t / 2 + n / 2] = (((b << 31) - y) >> 32) as i32;
                }
            }
        }
    }
}

/// From the order of the specification to ours, and back.
fn transpose_squares(poly: &mut [i32]) {
    for square in poly.chunks_exact_mut(64) {
        for row in 0..8 {
            for column in 0..row {
                square.swap(8 * row + column, 8 * column + row);
            }
        }
    }
}

fn transforms<C: Constants>() {
    let start: Vec<i32> = numbers(C::N, 1 << 29).iter().map(|a| a.cast_signed() - (1 << 28)).collect();
    let mut forward = start.clone();
    as_specified(&mut forward, false);
    let mut back = forward.clone();
    as_specified(&mut back, true);
    transpose_squares(&mut forward);
    for path in Path::available() {
        let arithmetic = Arithmetic::of(path);
        let mut poly: Vec<u32> = start.iter().map(|a| a.cast_unsigned()).collect();
        (arithmetic.fft)(&mut poly, C::ROOTS);
        assert!(poly.iter().zip(&forward).all(|(a, b)| a.cast_signed() == *b), "{}", path.name());
        (arithmetic.inverse_fft)(&mut poly, C::ROOTS);
        assert!(poly.iter().zip(&back).all(|(a, b)| a.cast_signed() == *b), "{}", path.name());
    }
}

#[test]
fn transforms_in_fixed_point_are_those_of_the_specification() {
    transforms::<Hawk256>();
    transforms::<Hawk512>();
    transforms::<Hawk1024>();
    assert_eq!(ROOTS.len(), 512);
}
