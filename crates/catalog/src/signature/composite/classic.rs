//! The classic half of a composite: how the draft's section 4 writes its keys and signatures, and how `kinds` has them.

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature};
use zeroize::Zeroizing;

use super::super::ecdsa::uncompressed;
use crate::der::{self, Curve};

/// Which algorithm the classic half is of.
#[derive(Clone, Copy)]
pub(super) enum Classic {
    /// With the hash function that belongs to the curve.
    Ecdsa(Curve),
    Ed25519,
}

impl Classic {
    pub(super) const fn public_length(self) -> usize {
        match self {
            // An uncompressed point (SEC 1, section 2.3.3).
            Classic::Ecdsa(curve) => 1 + 2 * curve.width(),
            Classic::Ed25519 => 32,
        }
    }

    pub(super) const fn secret_length(self) -> usize {
        match self {
            // `ECPrivateKey` (RFC 5915) with a version, the scalar and the curve's identifier of 8 or 5 bytes.
            Classic::Ecdsa(Curve::P256) => 51,
            Classic::Ecdsa(Curve::P384) => 64,
            Classic::Ed25519 => 32,
        }
    }

    /// A key pair of this half, as `kinds` has it.
    pub(super) fn generate(self, code: &dyn Signature, random: &mut Randomness) -> Result<KeyPair, Error> {
        match self {
            Classic::Ecdsa(_) => code.generate_from(random),
            // Every string of that length is a seed; not every library takes one from outside to make a key.
            Classic::Ed25519 => {
                let mut seed = Zeroizing::new([0; 32]);
                random(&mut *seed);
                let public = code.signing_key(&*seed)?.public_key();
                Ok(KeyPair { secret: seed.to_vec(), public })
            }
        }
    }

    pub(super) fn write_public(self, public: &[u8]) -> Result<Vec<u8>, Error> {
        match self {
            Classic::Ecdsa(curve) => uncompressed(curve, public),
            Classic::Ed25519 => Ok(public.to_vec()),
        }
    }

    pub(super) fn read_public(self, part: &[u8]) -> Result<&[u8], Error> {
        match (self, part) {
            (Classic::Ecdsa(_), [4, coordinates @ ..]) => Ok(coordinates),
            (Classic::Ecdsa(_), _) => Err(Error::MalformedKey(
                "the ECDSA part is not an uncompressed point, which begins with 04".to_owned(),
            )),
            (Classic::Ed25519, _) => Ok(part),
        }
    }

    pub(super) fn write_secret(self, secret: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        match self {
            Classic::Ecdsa(curve) => der::ec_private_key(curve, secret),
            Classic::Ed25519 => Ok(Zeroizing::new(secret.to_vec())),
        }
    }

    pub(super) fn read_secret(self, part: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        let Classic::Ecdsa(curve) = self else { return Ok(Zeroizing::new(part.to_vec())) };
        let scalar = der::ec_scalar(part)?;
        // Another curve, a public key or a version that RFC 5915 does not have is not what is written here.
        if *der::ec_private_key(curve, &scalar)? != part {
            return Err(Error::MalformedKey(
                "the ECDSA part is not an ECPrivateKey of this curve without the public key".to_owned(),
            ));
        }
        Ok(scalar)
    }

    /// A signature, to be part of a composite one.
    pub(super) fn write_signature(self, signature: Vec<u8>) -> Result<Vec<u8>, Error> {
        match self {
            Classic::Ecdsa(curve) => der::ecdsa_to_der(curve, &signature),
            Classic::Ed25519 => Ok(signature),
        }
    }

    pub(super) fn read_signature(self, part: &[u8]) -> Result<Vec<u8>, Error> {
        match self {
            Classic::Ecdsa(curve) => der::ecdsa_to_fixed(curve, part),
            Classic::Ed25519 => Ok(part.to_vec()),
        }
    }
}
