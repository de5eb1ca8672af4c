//! Verification (FIPS 186-5, section 6.4.2).

use core::fmt;

use crate::curve::Curve;
use crate::error::{InvalidKey, InvalidSignature};
use crate::field::PrimeField;
use crate::limbs::add_carry;
use crate::point::{Affine, Sum};
use crate::table::{Odd, Table};

/// A public key, prepared for many verifications or for one: a table of its multiples.
#[derive(Clone)]
pub struct VerifyingKey<C: Curve> {
    table: Table<C::Coordinate>,
}

impl<C: Curve> VerifyingKey<C> {
    /// Checks and prepares a public key: the coordinates X ‖ Y, big-endian, each as wide as the curve's prime.
    ///
    /// # Errors
    /// [`InvalidKey`] if the length is another one or the coordinates are not those of a point of the curve.
    pub fn new(xy: &[u8]) -> Result<Self, InvalidKey> {
        Ok(Self { table: Table::new_vartime(Self::point(xy)?, C::KEY_WINDOW, 2) })
    }

    /// As [`new`](Self::new), for a single verification: together they take a quarter (P-256) or 0.4 (P-384) of the time,
    /// but each further verification takes four times as long.
    pub fn new_for_one(xy: &[u8]) -> Result<Self, InvalidKey> {
        Ok(Self { table: Table::of_one_row_vartime(Self::point(xy)?) })
    }

    fn point(xy: &[u8]) -> Result<Affine<C::Coordinate>, InvalidKey> {
        let curve = C::NAME;
        if xy.len() != 2 * C::BYTES {
            let (given, expected) = (xy.len(), 2 * C::BYTES);
            return Err(InvalidKey::Length { curve, what: "public key", given, expected });
        }
        let (x, y) = xy.split_at(C::BYTES);
        let coordinate = |bytes| {
            C::Coordinate::from_integer(&C::Coordinate::integer_from_bytes(bytes))
                .ok_or(InvalidKey::Coordinate { curve })
        };
        let point = Affine { x: coordinate(x)?, y: coordinate(y)? };
        if !point.is_on_curve(C::B) {
            return Err(InvalidKey::NotOnCurve { curve });
        }
        C::wide_table();
        Ok(point)
    }

    /// Checks the signature r ‖ s (IEEE P1363), big-endian, of a message by the message's digest. Of a digest that is
    /// longer than the order the leftmost bits count.
    ///
    /// The time depends on the digest, the signature and the key.
    ///
    /// # Errors
    /// [`InvalidSignature`] if the length is another one, r or s is out of range, or the signature does not match.
    pub fn verify_digest(&self, digest: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        let curve = C::NAME;
        if signature.len() != 2 * C::BYTES {
            let (given, expected) = (signature.len(), 2 * C::BYTES);
            return Err(InvalidSignature::Length { curve, given, expected });
        }
        let (r, s) = signature.split_at(C::BYTES);
        let scalar = |bytes| {
            let integer = C::Scalar::integer_from_bytes(bytes);
            let scalar = C::Scalar::from_integer(&integer).filter(|scalar| *scalar != C::Scalar::ZERO);
            scalar.map(|scalar| (integer, scalar)).ok_or(InvalidSignature::Range { curve })
        };
        let ((r_integer, r), (_, s)) = (scalar(r)?, scalar(s)?);

        // Both s and n - s are accepted, as in FIPS 186-5: a rule for the lower one would refuse half of
        // what others sign.
        let inverse = s.invert_vartime();
        let odd = |scalar: C::Scalar| Odd::new(scalar.to_integer(), C::Scalar::modulus());
        let of_generator = odd(digest_scalar::<C>(digest) * inverse);
        let of_key = odd(r * inverse);
        let sum = self.table.product_vartime(&of_key);
        let sum = C::wide_table().add_product_vartime(sum, &of_generator);
        if has_x_vartime::<C>(&sum, r_integer) { Ok(()) } else { Err(InvalidSignature::Mismatch { curve }) }
    }
}

/// The digest as a scalar: its leftmost bits, as many as the order has, which are whole bytes for both curves.
pub(crate) fn digest_scalar<C: Curve>(digest: &[u8]) -> C::Scalar {
    let leftmost = digest.get(..C::BYTES).unwrap_or(digest);
    C::Scalar::from_integer_reduced(&C::Scalar::integer_from_bytes(leftmost))
}

/// Whether the point is finite and its x modulo the order is r. The x is r itself, or r and the order if that is below
/// the prime; compared as `x ZZ`, this needs no division.
fn has_x_vartime<C: Curve>(sum: &Sum<C::Coordinate>, r: C::Integer) -> bool {
    let has_x = |x: &C::Integer| C::Coordinate::from_integer(x).is_some_and(|x| x * sum.zz == sum.x);
    let r_and_order = || {
        let (mut total, mut carry) = (r, 0);
        for (limb, order) in total.as_mut().iter_mut().zip(C::Scalar::modulus().as_ref()) {
            (*limb, carry) = add_carry(*limb, *order, carry);
        }
        (carry == 0).then_some(total)
    };
    sum.zz != C::Coordinate::ZERO && (has_x(&r) || r_and_order().is_some_and(|x| has_x(&x)))
}

impl<C: Curve> fmt::Debug for VerifyingKey<C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("VerifyingKey").field("curve", &C::NAME).finish_non_exhaustive()
    }
}
