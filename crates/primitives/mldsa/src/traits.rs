//! RustCrypto's `signature` traits, with the empty context. Other contexts are [`SigningKey::sign`]'s and
//! [`VerifyingKey::verify`]'s.

use alloc::boxed::Box;
use core::marker::PhantomData;

use signature::rand_core::TryCryptoRng;
use signature::{Error, RandomizedSigner, SignatureEncoding, Signer, Verifier};

use crate::{ParameterSet, SigningKey, VerifyingKey};

/// The bytes of a signature, of the right length for its parameter set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature<P> {
    bytes: Box<[u8]>,
    set: PhantomData<P>,
}

impl<P: ParameterSet> Signature<P> {
    fn of(key: &SigningKey<P>, message: &[u8], random: &[u8; 32]) -> Result<Self, Error> {
        let mut bytes = alloc::vec![0; P::SIGNATURE].into_boxed_slice();
        key.sign(message, b"", random, &mut bytes).map_err(|_| Error::new())?;
        Ok(Signature { bytes, set: PhantomData })
    }
}

impl<P: ParameterSet> TryFrom<&[u8]> for Signature<P> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() != P::SIGNATURE {
            return Err(Error::new());
        }
        Ok(Signature { bytes: bytes.into(), set: PhantomData })
    }
}

impl<P> From<Signature<P>> for Box<[u8]> {
    fn from(signature: Signature<P>) -> Self {
        signature.bytes
    }
}

impl<P: ParameterSet> SignatureEncoding for Signature<P> {
    type Repr = Box<[u8]>;
}

/// Deterministic signatures, as the trait asks for no random bytes.
impl<P: ParameterSet> Signer<Signature<P>> for SigningKey<P> {
    fn try_sign(&self, message: &[u8]) -> Result<Signature<P>, Error> {
        Signature::of(self, message, &[0; 32])
    }
}

/// Hedged signatures, which FIPS 204 recommends.
impl<P: ParameterSet> RandomizedSigner<Signature<P>> for SigningKey<P> {
    fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        message: &[u8],
    ) -> Result<Signature<P>, Error> {
        let mut random = [0; 32];
        rng.try_fill_bytes(&mut random).map_err(|_| Error::new())?;
        Signature::of(self, message, &random)
    }
}

impl<P: ParameterSet> Verifier<Signature<P>> for VerifyingKey<P> {
    fn verify(&self, message: &[u8], signature: &Signature<P>) -> Result<(), Error> {
        self.verify(message, b"", &signature.bytes).map_err(|_| Error::new())
    }
}
