//! The two curves (NIST SP 800-186, sections 3.2.1.3 and 3.2.1.4).

use core::fmt::Debug;

use alloc::boxed::Box;
use once_cell::race::OnceBox;

use crate::field::PrimeField;
use crate::limbs::from_hex;
use crate::moduli::{P256Coordinate, P256Order, P384Coordinate, P384Order};
use crate::montgomery::Residue;
use crate::point::Affine;
use crate::table::Table;

/// A curve with `a = -3` and a prime order, of the size of the prime: [`P256`] or [`P384`].
pub trait Curve: sealed::Parameters {}

/// NIST's P-256, also called secp256r1 and prime256v1.
#[derive(Clone, Copy, Debug)]
pub struct P256;

/// NIST's P-384, also called secp384r1.
#[derive(Clone, Copy, Debug)]
pub struct P384;

impl Curve for P256 {}
impl Curve for P384 {}

pub(crate) mod sealed {
    use super::{Affine, Debug, PrimeField, Table};

    /// What makes a curve. An integer has the same number of limbs for coordinates and scalars.
    pub trait Parameters: Copy + Debug + Send + Sync + 'static {
        /// The name in errors.
        const NAME: &'static str;
        /// Bytes of a coordinate and of a scalar.
        const BYTES: usize;
        /// Residues modulo the prime.
        type Coordinate: PrimeField<Integer = Self::Integer>;
        /// Residues modulo the order.
        type Scalar: PrimeField<Integer = Self::Integer>;
        /// Integers below either.
        type Integer: Copy + Default + AsRef<[u64]> + AsMut<[u64]> + PartialEq + zeroize::Zeroize;
        /// Room for two of them: a public key or a signature.
        type Pair: AsRef<[u8]> + AsMut<[u8]> + Copy + Debug + Send + Sync + zeroize::Zeroize;
        /// `b` of the equation.
        const B: Self::Coordinate;
        /// The generator.
        const GENERATOR: Affine<Self::Coordinate>;
        /// Bits of the digits of a public key's table, of which two share a row.
        const KEY_WINDOW: usize;

        /// Zeros.
        fn zero_pair() -> Self::Pair;

        /// The generator's table for verification; made when it is first asked for.
        fn wide_table() -> &'static Table<Self::Coordinate>;

        /// The generator's table for secret scalars, whose rows are read whole and so are shorter.
        fn narrow_table() -> &'static Table<Self::Coordinate>;
    }
}

macro_rules! curve {
    ($name:ident = $printed:literal, $limbs:literal, $coordinate:ident, $order:ident, b $b:literal, x $x:literal, y $y:literal,
     windows $key:literal, $wide:literal, $narrow:literal) => {
        impl sealed::Parameters for $name {
            const NAME: &'static str = $printed;
            const BYTES: usize = 8 * $limbs;
            type Coordinate = Residue<$coordinate, $limbs>;
            type Scalar = Residue<$order, $limbs>;
            type Integer = [u64; $limbs];
            type Pair = [u8; 16 * $limbs];
            const B: Self::Coordinate = Residue::constant(&from_hex($b));
            const GENERATOR: Affine<Self::Coordinate> =
                Affine { x: Residue::constant(&from_hex($x)), y: Residue::constant(&from_hex($y)) };
            const KEY_WINDOW: usize = $key;

            fn zero_pair() -> Self::Pair {
                [0; 16 * $limbs]
            }

            fn wide_table() -> &'static Table<Self::Coordinate> {
                static TABLE: OnceBox<Table<Residue<$coordinate, $limbs>>> = OnceBox::new();
                TABLE.get_or_init(|| Box::new(Table::new_vartime(Self::GENERATOR, $wide, 1)))
            }

            fn narrow_table() -> &'static Table<Self::Coordinate> {
                static TABLE: OnceBox<Table<Residue<$coordinate, $limbs>>> = OnceBox::new();
                TABLE.get_or_init(|| Box::new(Table::new_vartime(Self::GENERATOR, $narrow, 1)))
            }
        }
    };
}

curve!(
    P256 = "P-256", 4, P256Coordinate, P256Order,
    b "5ac635d8 aa3a93e7 b3ebbd55 769886bc 651d06b0 cc53b0f6 3bce3c3e 27d2604b",
    x "6b17d1f2 e12c4247 f8bce6e5 63a440f2 77037d81 2deb33a0 f4a13945 d898c296",
    y "4fe342e2 fe1a7f9b 8ee7eb4a 7c0f9e16 2bce3357 6b315ece cbb64068 37bf51f5",
    // Tables of 76, 256 and 52 KiB. A key's is small because it is made for each key. Signing reads whole
    // rows, so that a shorter row costs less than one more addition.
    windows 7, 8, 5
);

curve!(
    P384 = "P-384", 6, P384Coordinate, P384Order,
    b "b3312fa7 e23ee7e4 988e056b e3f82d19 181d9c6e fe814112 0314088f 5013875a c656398d 8a2ed19d 2a85c8ed d3ec2aef",
    x "aa87ca22 be8b0537 8eb1c71e f320ad74 6e1d3b62 8ba79b98 59f741e0 82542a38 5502f25d bf55296c 3a545e38 72760ab7",
    y "3617de4a 96262c6f 5d9e98bf 9292dc29 f8f41dbd 289a147c e9da3113 b5f0b8c0 0a60b1ce 1d7e819d 7a431d7c 90ea0e5f",
    windows 6, 7, 5
);
