//! The four S-boxes as inversions in a field between affine maps (RFC 5794, section 2.4.2).
//!
//! The inversion is that of AES: in GF(2)\[x\] modulo x^8 + x^4 + x^3 + x + 1, with zero going to zero.

use core::ops::{BitAnd, BitXor, Not};

use crate::affine::Affine;

/// SB1 after the inversion; SB1 is the S-box of AES.
pub(crate) const AFTER_1: Affine =
    Affine { columns: [0x1f, 0x3e, 0x7c, 0xf8, 0xf1, 0xe3, 0xc7, 0x8f], constant: 0x63 };

/// SB2 after the inversion. The designers define SB2 by the power 247 = -8 and a matrix; taking the eighth power is
/// linear and included here.
pub(crate) const AFTER_2: Affine =
    Affine { columns: [0xac, 0xfd, 0xc6, 0x83, 0x26, 0xa7, 0xfb, 0x5f], constant: 0xe2 };

/// SB3, the inverse of SB1, before the inversion.
pub(crate) const BEFORE_3: Affine = AFTER_1.inverse();

/// SB4, the inverse of SB2, before the inversion.
pub(crate) const BEFORE_4: Affine = AFTER_2.inverse();

/// SB2 is SB1 and then this map.
pub(crate) const FROM_1_TO_2: Affine = BEFORE_3.then(&AFTER_2);

/// SB4 is this map and then SB3.
pub(crate) const FROM_2_TO_1: Affine = FROM_1_TO_2.inverse();

pub(crate) const IDENTITY: Affine = Affine { columns: [1, 2, 4, 8, 16, 32, 64, 128], constant: 0 };

/// An S-box in the tower of fields in which inverting is cheap.
struct SBox {
    before: Affine,
    after: Affine,
}

/// SB1 to SB4.
const S_BOXES: [SBox; 4] = [
    SBox { before: TO_TOWER, after: TO_TOWER.inverse().then(&AFTER_1) },
    SBox { before: TO_TOWER, after: TO_TOWER.inverse().then(&AFTER_2) },
    SBox { before: BEFORE_3.then(&TO_TOWER), after: TO_TOWER.inverse() },
    SBox { before: BEFORE_4.then(&TO_TOWER), after: TO_TOWER.inverse() },
];

/// Bits of several bytes, all of the same significance.
pub(crate) trait Plane:
    Copy + BitXor<Output = Self> + BitAnd<Output = Self> + Not<Output = Self> + Default
{
}

impl<T: Copy + BitXor<Output = T> + BitAnd<Output = T> + Not<Output = T> + Default> Plane for T {}

/// Substitutes every byte of the planes by SB1 to SB4, which have the numbers 0 to 3; plane 0 has the least
/// significant bits. In odd rounds the byte at the place `i` takes the S-box `i` modulo 4, in even rounds `i + 2`.
pub(crate) fn substitute<P: Plane>(number: usize, planes: [P; 8]) -> [P; 8] {
    match number % 4 {
        0 => numbered::<0, P>(planes),
        1 => numbered::<1, P>(planes),
        2 => numbered::<2, P>(planes),
        _ => numbered::<3, P>(planes),
    }
}

/// A function of its own for each S-box, because the compiler has to see its maps.
#[inline(never)]
fn numbered<const NUMBER: usize, P: Plane>(planes: [P; 8]) -> [P; 8] {
    let SBox { before, after } = const { &S_BOXES[NUMBER] };
    map(after, invert(map(before, planes)))
}

/// An affine map of every byte. The branches depend on the map alone, which is a constant.
#[inline(always)]
fn map<P: Plane>(map: &Affine, planes: [P; 8]) -> [P; 8] {
    let mut sums = [P::default(); 8];
    for (bit, sum) in sums.iter_mut().enumerate() {
        for (column, plane) in map.columns.iter().zip(planes) {
            if column >> bit & 1 == 1 {
                *sum = *sum ^ plane;
            }
        }
        if map.constant >> bit & 1 == 1 {
            *sum = !*sum;
        }
    }
    sums
}

// The tower: GF(16) is GF(2)[z] modulo z^4 + z + 1, and GF(256) is GF(16)[y] modulo y^2 + y + NU. A byte has the
// factor of y in its high half.

/// z^3, for which y^2 + y + z^3 has no root.
const NU: u8 = 8;

/// From the field of AES into the tower: x goes to a root of the polynomial that x is a root of.
const TO_TOWER: Affine = {
    let mut root = 2;
    while {
        let square = multiply_bytes(root, root);
        let fourth = multiply_bytes(square, square);
        multiply_bytes(fourth, fourth) ^ fourth ^ multiply_bytes(square, root) ^ root ^ 1 != 0
    } {
        root += 1;
    }
    let (mut columns, mut power) = ([1; 8], 1);
    while power < 8 {
        columns[power] = multiply_bytes(columns[power - 1], root);
        power += 1;
    }
    Affine { columns, constant: 0 }
};

const fn multiply_bytes(a: u8, b: u8) -> u8 {
    let (a1, a0, b1, b0) = (a >> 4, a & 15, b >> 4, b & 15);
    let high = multiply_nibbles(a1, b1);
    let low = multiply_nibbles(a0, b0);
    let mixed = multiply_nibbles(a1, b0) ^ multiply_nibbles(a0, b1);
    (mixed ^ high) << 4 | (low ^ multiply_nibbles(high, NU))
}

const fn multiply_nibbles(a: u8, b: u8) -> u8 {
    let (mut product, mut bit) = (0, 4);
    while bit > 0 {
        bit -= 1;
        product <<= 1;
        product ^= (product >> 4) * 0b1_0011;
        product ^= (b >> bit & 1) * a;
    }
    product
}

/// Planes of half bytes.
type Nibbles<P> = [P; 4];

/// Inverts every byte in the tower: with the conjugate a(y + 1) + b of ay + b, the product of both is in GF(16).
#[inline(always)]
fn invert<P: Plane>(planes: [P; 8]) -> [P; 8] {
    let [b0, b1, b2, b3, a0, a1, a2, a3] = planes;
    let (a, b) = ([a0, a1, a2, a3], [b0, b1, b2, b3]);
    let conjugate = add(a, b);
    let norm = add(multiply(b, conjugate), times_nu(square(a)));
    // The inverse in GF(16) is the power 14 = 2 + 4 + 8.
    let second = square(norm);
    let fourth = square(second);
    let inverse = multiply(multiply(second, fourth), square(fourth));
    let ([b0, b1, b2, b3], [a0, a1, a2, a3]) = (multiply(conjugate, inverse), multiply(a, inverse));
    [b0, b1, b2, b3, a0, a1, a2, a3]
}

#[inline(always)]
fn add<P: Plane>(a: Nibbles<P>, b: Nibbles<P>) -> Nibbles<P> {
    core::array::from_fn(|bit| a[bit] ^ b[bit])
}

#[inline(always)]
fn multiply<P: Plane>(a: Nibbles<P>, b: Nibbles<P>) -> Nibbles<P> {
    let mut product = [P::default(); 7];
    for (i, &a) in a.iter().enumerate() {
        for (j, &b) in b.iter().enumerate() {
            product[i + j] = product[i + j] ^ (a & b);
        }
    }
    let [c0, c1, c2, c3, c4, c5, c6] = product;
    [c0 ^ c4, c1 ^ c4 ^ c5, c2 ^ c5 ^ c6, c3 ^ c6]
}

#[inline(always)]
fn square<P: Plane>([a0, a1, a2, a3]: Nibbles<P>) -> Nibbles<P> {
    [a0 ^ a2, a2, a1 ^ a3, a3]
}

#[inline(always)]
fn times_nu<P: Plane>([a0, a1, a2, a3]: Nibbles<P>) -> Nibbles<P> {
    [a1, a1 ^ a2, a2 ^ a3, a0 ^ a3]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One byte at a time, in planes of one bit.
    fn table(number: usize) -> [u8; 256] {
        core::array::from_fn(|byte| {
            let planes: [u8; 8] = core::array::from_fn(|bit| (byte >> bit & 1) as u8);
            (0..8).fold(0, |sum, bit| sum | (substitute(number, planes)[bit] & 1) << bit)
        })
    }

    /// The first rows of the tables in RFC 5794, section 2.4.2, and that SB3 and SB4 undo SB1 and SB2.
    #[test]
    fn tables() {
        let [one, two, three, four] = [0, 1, 2, 3].map(table);
        assert_eq!(one[..8], [0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5]);
        assert_eq!(two[..8], [0xe2, 0x4e, 0x54, 0xfc, 0x94, 0xc2, 0x4a, 0xcc]);
        assert_eq!(three[..8], [0x52, 0x09, 0x6a, 0xd5, 0x30, 0x36, 0xa5, 0x38]);
        assert_eq!(four[..8], [0x30, 0x68, 0x99, 0x1b, 0x87, 0xb9, 0x21, 0x78]);
        for byte in 0..=255u8 {
            let at = |table: &[u8; 256], byte: u8| table[usize::from(byte)];
            assert_eq!(at(&three, at(&one, byte)), byte);
            assert_eq!(at(&four, at(&two, byte)), byte);
            assert_eq!(FROM_1_TO_2.apply(at(&one, byte)), at(&two, byte));
        }
    }
}
