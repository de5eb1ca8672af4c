//! The four primes: of the coordinates and of the scalars of both curves (NIST SP 800-186, section 3.2.1).

use crate::inverse::Divisor;
use crate::limbs::{add_carry, from_hex, multiply_add, sub_borrow, subtract_once, unrolled};
use crate::montgomery::{Modulus, Wide};

macro_rules! modulus {
    ($(#[$doc:meta])* $name:ident, $limbs:literal in $signed:literal, $digits:literal $(, $($reduce:item)*)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        impl $name {
            const DIVISOR: Divisor<$limbs, $signed> = Divisor::new(&Self::MODULUS);
        }

        impl Modulus<$limbs> for $name {
            const MODULUS: [u64; $limbs] = from_hex($digits);

            $($($reduce)*)?

            fn invert(value: &[u64; $limbs]) -> [u64; $limbs] {
                Self::DIVISOR.invert(value)
            }

            fn invert_vartime(value: &[u64; $limbs]) -> [u64; $limbs] {
                Self::DIVISOR.invert_vartime(value)
            }
        }
    };
}

modulus!(
    /// `2^256 - 2^224 + 2^192 + 2^96 - 1`, the prime of P-256's coordinates.
    P256Coordinate,
    4 in 5,
    "ffffffff 00000001 00000000 00000000 00000000 ffffffff ffffffff ffffffff",
    /// The prime is -1 modulo 2^64, so that the factor of a step is the lowest limb itself, and two of the products
    /// with the prime's limbs are shifts.
    #[inline(always)]
    fn reduce(product: Wide<4>) -> [u64; 4] {
        let mut wide = product;
        let limbs = wide.as_flattened_mut();
        let mut top = 0;
        unrolled!(i in 0, 4 => {
            let factor = limbs[i];
            let (low, high) = multiply_add(0, factor, Self::MODULUS[3], 0);
            let mut carry;
            (limbs[i + 1], carry) = add_carry(limbs[i + 1], factor << 32, 0);
            (limbs[i + 2], carry) = add_carry(limbs[i + 2], factor >> 32, carry);
            (limbs[i + 3], carry) = add_carry(limbs[i + 3], low, carry);
            // The product with the whole prime fits, so that this does not carry.
            let high = high + carry;
            (limbs[i + 4], top) = add_carry(limbs[i + 4], high, top);
        });
        subtract_once(&wide[1], top, &Self::MODULUS)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn multiply(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        crate::p256_x86_64::multiply(a, b)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn square(a: &[u64; 4]) -> [u64; 4] {
        crate::p256_x86_64::square(a)
    }
);

modulus!(
    /// The order of P-256.
    P256Order,
    4 in 5,
    "ffffffff 00000000 ffffffff ffffffff bce6faad a7179e84 f3b9cac2 fc632551"
);

modulus!(
    /// `2^384 - 2^128 - 2^96 + 2^32 - 1`, the prime of P-384's coordinates.
    P384Coordinate,
    6 in 7,
    "ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff fffffffe ffffffff 00000000 00000000 ffffffff",
    /// `-1 / prime` is `2^32 + 1` modulo 2^64. A step adds `factor * 2^384` and subtracts
    /// `factor * (2^128 + 2^96 - 2^32 + 1)`, which are shifts.
    #[inline(always)]
    fn reduce(product: Wide<6>) -> [u64; 6] {
        let mut wide = product;
        let limbs = wide.as_flattened_mut();
        let mut top = 0;
        unrolled!(i in 0, 6 => {
            let factor = limbs[i].wrapping_add(limbs[i] << 32);
            let (low, high) = (factor << 32, factor >> 32);
            // What is subtracted, less its lowest limb, which equals this limb of the product.
            let (_, borrow) = sub_borrow(factor, low, 0);
            let (first, borrow) = sub_borrow(low, high, borrow);
            let (second, carry) = add_carry(factor, high, 0);
            let (second, borrow) = sub_borrow(second, borrow, 0);
            let third = carry - borrow;

            let mut borrow;
            (limbs[i + 1], borrow) = sub_borrow(limbs[i + 1], first, 0);
            (limbs[i + 2], borrow) = sub_borrow(limbs[i + 2], second, borrow);
            (limbs[i + 3], borrow) = sub_borrow(limbs[i + 3], third, borrow);
            (limbs[i + 4], borrow) = sub_borrow(limbs[i + 4], 0, borrow);
            (limbs[i + 5], borrow) = sub_borrow(limbs[i + 5], 0, borrow);
            // A factor of 0 borrows nothing.
            (limbs[i + 6], top) = add_carry(limbs[i + 6], factor - borrow, top);
        });
        subtract_once(&wide[1], top, &Self::MODULUS)
    }
);

modulus!(
    /// The order of P-384.
    P384Order,
    6 in 7,
    "ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff c7634d81 f4372ddf 581a0db2 48b0a77a ecec196a ccc52973"
);
