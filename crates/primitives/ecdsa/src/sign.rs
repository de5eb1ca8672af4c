//! Deterministic signatures (FIPS 186-5, section 6.4.1, and RFC 6979) and keys, in constant time.

use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::curve::Curve;
use crate::error::{InvalidKey, SignatureLength};
use crate::field::PrimeField;
use crate::nonce::{Hash, Nonces};
use crate::point::Affine;
use crate::table::Odd;
use crate::verify::digest_scalar;

/// A private key. Wiped when dropped.
#[derive(Clone)]
pub struct SigningKey<C: Curve> {
    scalar: C::Scalar,
}

impl<C: Curve> SigningKey<C> {
    /// A private key: a scalar, big-endian, as wide as the curve's order.
    ///
    /// # Errors
    /// [`InvalidKey`] if the length is another one, or the scalar is zero or not below the order.
    pub fn new(scalar: &[u8]) -> Result<Self, InvalidKey> {
        let curve = C::NAME;
        if scalar.len() != C::BYTES {
            let (given, expected) = (scalar.len(), C::BYTES);
            return Err(InvalidKey::Length { curve, what: "private key", given, expected });
        }
        let scalar = secret_scalar::<C>(scalar).ok_or(InvalidKey::Scalar { curve })?;
        C::narrow_table();
        Ok(Self { scalar })
    }

    /// A new private key of random bytes, with which `fill_random` fills what it is given: by rejection, as in FIPS 186-5,
    /// A.2.2, but zero is rejected where that adds 1. The bytes must come from a generator that suits secrets.
    ///
    /// It does not return before the generator has given a scalar in range, which nearly every draw is.
    pub fn generate_from(fill_random: &mut dyn FnMut(&mut [u8])) -> Self {
        let mut candidate = Zeroizing::new(C::zero_pair());
        let candidate = &mut candidate.as_mut()[..C::BYTES];
        loop {
            fill_random(candidate);
            if let Ok(key) = Self::new(candidate) {
                return key;
            }
        }
    }

    /// The public key: X ‖ Y, big-endian.
    pub fn public(&self) -> impl AsRef<[u8]> + use<C> {
        let mut public = C::zero_pair();
        let point = times_generator::<C>(self.scalar);
        let (x, y) = public.as_mut().split_at_mut(C::BYTES);
        point.x.write_bytes(x);
        point.y.write_bytes(y);
        public
    }

    /// Writes the signature r ‖ s (IEEE P1363), big-endian, of a message by the message's digest. Of a digest that is
    /// longer than the order the leftmost bits count. The same digest has always the same signature (RFC 6979); `hash`
    /// is the function that made it.
    ///
    /// # Errors
    /// [`SignatureLength`] if `signature` is not twice as long as the order.
    pub fn sign_digest(
        &self,
        hash: Hash,
        digest: &[u8],
        signature: &mut [u8],
    ) -> Result<(), SignatureLength> {
        if signature.len() != 2 * C::BYTES {
            let (given, expected) = (signature.len(), 2 * C::BYTES);
            return Err(SignatureLength { curve: C::NAME, given, expected });
        }
        let digest = digest_scalar::<C>(digest);
        let mut bytes = Zeroizing::new(C::zero_pair());
        let (private_key, reduced_digest) = bytes.as_mut().split_at_mut(C::BYTES);
        self.scalar.write_bytes(private_key);
        digest.write_bytes(reduced_digest);
        let mut nonces = Nonces::new(hash, private_key, reduced_digest);
        let candidate = private_key;
        loop {
            nonces.fill(candidate);
            if let Some(nonce) = secret_scalar::<C>(candidate).map(Zeroizing::new) {
                let x = times_generator::<C>(*nonce).x.to_integer();
                let r = C::Scalar::from_integer_reduced(&x);
                let s = nonce.invert() * (digest + r * self.scalar);
                if r != C::Scalar::ZERO && s != C::Scalar::ZERO {
                    let (r_bytes, s_bytes) = signature.split_at_mut(C::BYTES);
                    r.write_bytes(r_bytes);
                    s.write_bytes(s_bytes);
                    return Ok(());
                }
            }
            nonces.reject();
        }
    }
}

/// A secret scalar of big-endian bytes, or nothing if it is zero or not below the order; that is all that the time tells.
fn secret_scalar<C: Curve>(bytes: &[u8]) -> Option<C::Scalar> {
    let integer = Zeroizing::new(C::Scalar::integer_from_bytes(bytes));
    C::Scalar::from_integer(&integer).filter(|scalar| scalar.is_zero_mask() == 0)
}

/// The secret scalar, which must not be zero, times the generator.
fn times_generator<C: Curve>(scalar: C::Scalar) -> Affine<C::Coordinate> {
    let integer = Zeroizing::new(scalar.to_integer());
    C::narrow_table().product(&Odd::new(*integer, C::Scalar::modulus()), C::B)
}

impl<C: Curve> Drop for SigningKey<C> {
    fn drop(&mut self) {
        self.scalar.zeroize();
    }
}

impl<C: Curve> ZeroizeOnDrop for SigningKey<C> {}

impl<C: Curve> fmt::Debug for SigningKey<C> {
    /// Shows nothing of the key but its curve.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SigningKey").field("curve", &C::NAME).finish_non_exhaustive()
    }
}
