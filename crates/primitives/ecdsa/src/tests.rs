//! The arithmetic against that of `num-bigint`, and the additions that meet exceptions.

extern crate std;

use std::vec::Vec;

use num_bigint::BigUint;
use proptest::prelude::*;

use crate::curve::sealed::Parameters;
use crate::field::{PrimeField, invert_all_vartime};
use crate::point::{Affine, Doubling, Sum};
use crate::table::{Odd, Table};
use crate::{P256, P384};

fn number(limbs: impl AsRef<[u64]>) -> BigUint {
    limbs.as_ref().iter().rev().fold(BigUint::ZERO, |number, limb| (number << 64) + *limb)
}

fn integer<F: PrimeField>(number: &BigUint) -> F::Integer {
    F::integer_from_bytes(&number.to_bytes_be())
}

fn check_pair<F: PrimeField>(a: &BigUint, b: &BigUint) {
    let prime = number(F::modulus());
    let value = |number: &BigUint| F::from_integer_reduced(&integer::<F>(number));
    let read = |value: F| number(value.to_integer());
    let (x, y) = (value(a), value(b));
    assert_eq!(F::from_integer(&integer::<F>(a)).is_some(), *a < prime);
    assert_eq!(read(x), a % &prime);
    assert_eq!(read(x + y), (a + b) % &prime);
    assert_eq!(read(x - y), (a % &prime + &prime - b % &prime) % &prime);
    assert_eq!(read(-x), (&prime - a % &prime) % &prime);
    assert_eq!(read(x * y), a * b % &prime);
    assert_eq!(read(x.square()), a * a % &prime);
    assert_eq!(read(x.triple()), a * 3_u32 % &prime);
    assert_eq!(x.is_zero_mask() != 0, (a % &prime) == BigUint::ZERO);
    let inverse = a.modinv(&prime).unwrap_or(BigUint::ZERO);
    assert_eq!(read(x.invert()), inverse);
    assert_eq!(read(x.invert_vartime()), inverse);
}

/// Numbers around powers of two and the prime, in all pairs.
fn check_edges<F: PrimeField>() {
    let prime = number(F::modulus());
    let one = BigUint::from(1_u32);
    let mut edges: Vec<BigUint> = (0_u32..3).map(BigUint::from).collect();
    edges.extend((1_u32..4).map(|less| &prime - less));
    edges.extend([&prime + 0_u32, &prime + 1_u32, &prime >> 1, (&prime >> 1) + 1_u32]);
    for bit in (31..8 * F::BYTES).step_by(32) {
        edges.extend([
            &one << bit,
            (&one << (bit + 1)) - 1_u32,
            (&one << (bit + 1)) % (&one << (8 * F::BYTES)),
        ]);
    }
    for a in &edges {
        edges.iter().for_each(|b| check_pair::<F>(a, b));
    }
}

#[test]
fn residues_at_the_edges() {
    check_edges::<<P256 as Parameters>::Coordinate>();
    check_edges::<<P256 as Parameters>::Scalar>();
    check_edges::<<P384 as Parameters>::Coordinate>();
    check_edges::<<P384 as Parameters>::Scalar>();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn random_residues(a: [u8; 48], b: [u8; 48]) {
        let (long_a, long_b) = (BigUint::from_bytes_be(&a), BigUint::from_bytes_be(&b));
        let (short_a, short_b) = (BigUint::from_bytes_be(&a[..32]), BigUint::from_bytes_be(&b[..32]));
        check_pair::<<P256 as Parameters>::Coordinate>(&short_a, &short_b);
        check_pair::<<P256 as Parameters>::Scalar>(&short_a, &short_b);
        check_pair::<<P384 as Parameters>::Coordinate>(&long_a, &long_b);
        check_pair::<<P384 as Parameters>::Scalar>(&long_a, &long_b);
    }
}

#[test]
fn all_inverses_at_once() {
    type F = <P256 as Parameters>::Coordinate;
    let values: Vec<F> = (1..20).map(|n| F::from_integer_reduced(&[n, 0, n, 0])).collect();
    let mut inverses = values.clone();
    invert_all_vartime(&mut inverses, &mut Vec::new());
    assert!(values.iter().zip(&inverses).all(|(value, inverse)| *value * *inverse == F::ONE));
}

fn to_affine<F: PrimeField>(sum: Sum<F>) -> Option<Affine<F>> {
    let inverse = sum.zzz.invert();
    (sum.zz != F::ZERO).then(|| Affine { x: sum.x * (sum.zz * inverse).square(), y: sum.y * inverse })
}

/// The number times the generator by doubling and adding, nothing for infinity.
fn multiple<C: Parameters>(number: &BigUint) -> Option<Affine<C::Coordinate>> {
    let mut sum = Sum::INFINITY;
    for bit in (0..number.bits()).rev() {
        sum = sum.doubled();
        if number.bit(bit) {
            sum = sum.plus_vartime(&C::GENERATOR);
        }
    }
    to_affine(sum)
}

/// For each row of a table: a sum that equals what the row adds, and one that is its opposite.
fn check_exceptions<C: Parameters>(window: usize, scalar: &BigUint) {
    let order = number(C::Scalar::modulus());
    let table = Table::new_vartime(C::GENERATOR, window, 1);
    let odd = Odd::new(integer::<C::Scalar>(scalar), C::Scalar::modulus());
    assert!(scalar.bit(0), "so that it is not replaced by its opposite");
    assert_eq!(to_affine(table.add_product_vartime(Sum::INFINITY, &odd)), multiple::<C>(scalar));
    assert_eq!(Some(table.product(&odd, C::B)), multiple::<C>(scalar));
    let one_row = Table::of_one_row_vartime(C::GENERATOR);
    assert_eq!(to_affine(one_row.product_vartime(&odd)), multiple::<C>(scalar));
    for phases in [2, 3] {
        let table = Table::new_vartime(C::GENERATOR, window, phases);
        assert_eq!(to_affine(table.add_product_vartime(Sum::INFINITY, &odd)), multiple::<C>(scalar));
    }

    let rows = (8 * C::BYTES).div_ceil(window);
    let rest = |row: usize| match row {
        row if row == rows => BigUint::ZERO,
        row => ((scalar >> (row * window)) | BigUint::from(1_u32)) << (row * window),
    };
    for row in 0..rows {
        // The digits before this row make scalar - rest(row), this one rest(row) - rest(row + 1), which may be negative.
        let before = (scalar + &order * 2_u32 - rest(row)) % &order;
        let digit = (rest(row) + &order * 2_u32 - rest(row + 1)) % &order;
        for start in [&digit + &order - &before, &order * 3_u32 - &digit - &before] {
            let start = start % &order;
            let sum = multiple::<C>(&start).map_or(Sum::INFINITY, Sum::from);
            let expected = multiple::<C>(&((start + scalar) % &order));
            assert_eq!(to_affine(table.add_product_vartime(sum, &odd)), expected, "row {row}");
        }
    }
}

#[test]
fn sums_that_meet_exceptions() {
    for window in [2, 6, 7] {
        for digits in [&b"123456789"[..], b"7777777777777777777777777777777777777777777777777777777777777777"]
        {
            let scalar = BigUint::parse_bytes(digits, 16).unwrap();
            check_exceptions::<P256>(window, &scalar);
            check_exceptions::<P384>(window, &scalar);
        }
    }
}

/// A point in the coordinates of doublings, and its opposite, added to it. No digits of a scalar have it so.
#[test]
fn doublings_that_meet_exceptions() {
    fn check<C: Parameters>() {
        let sum = Doubling::default().plus_vartime(&C::GENERATOR).doubled();
        let point = to_affine(sum.into()).unwrap();
        assert_eq!(to_affine(sum.plus_vartime(&point).into()), multiple::<C>(&BigUint::from(4_u32)));
        assert_eq!(to_affine(sum.plus_vartime(&point.negated_if(u64::MAX)).into()), None);
    }
    check::<P256>();
    check::<P384>();
}

/// The complete addition of a point to itself, its opposite and another one.
#[test]
fn complete_addition() {
    fn check<C: Parameters>() {
        let (g, b) = (C::GENERATOR, C::B);
        let twice = Sum::from(g).doubled();
        assert_eq!(Some(Sum::from(g).plus_complete(&g, b)), to_affine(twice));
        assert_eq!(twice.plus_complete(&g.negated_if(u64::MAX), b), g);
        assert_eq!(Some(twice.plus_complete(&g, b)), multiple::<C>(&BigUint::from(3_u32)));
        assert_eq!(Sum::from(g).plus_complete(&g.negated_if(u64::MAX), b), Affine::default());
    }
    check::<P256>();
    check::<P384>();
}
