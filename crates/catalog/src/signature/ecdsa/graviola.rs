//! ECDSA by Graviola. Its nonces are those of RFC 6979 with fresh randomness mixed in.

use std::marker::PhantomData;

use fieldtest_kinds::{Error, prepared};
use fieldtest_kinds::signature::{
    KeyPair, PublicKeyForm, Signature, SigningKey, VerifyingKey,
};
use graviola::hashing::{Hash, Sha256, Sha384};
use graviola::signing::ecdsa;
use zeroize::Zeroizing;

use crate::der::{self, Curve};

use super::super::put;
use super::{coordinates, scalar, uncompressed};

/// More than the DER of any key here.
const DER: usize = 512;

pub(super) struct Ecdsa<C, H> {
    curve: Curve,
    types: PhantomData<fn() -> (C, H)>,
}

pub(super) type P256 = Ecdsa<ecdsa::P256, Sha256>;
pub(super) type P384 = Ecdsa<ecdsa::P384, Sha384>;

impl P256 {
    pub(super) const fn new() -> Self {
        Ecdsa { curve: Curve::P256, types: PhantomData }
    }
}

impl P384 {
    pub(super) const fn new() -> Self {
        Ecdsa { curve: Curve::P384, types: PhantomData }
    }
}

impl<C, H> Ecdsa<C, H>
where
    C: ecdsa::Curve,
{
    fn public_key(&self, key: &ecdsa::SigningKey<C>) -> Result<Vec<u8>, Error> {
        let mut buffer = [0; DER];
        let spki = key.to_spki_der(&mut buffer).map_err(|e| Error::Library(e.to_string()))?;
        coordinates(self.curve, &der::spki_content(spki)?)
    }
}

impl<C, H> Signature for Ecdsa<C, H>
where
    C: ecdsa::Curve<PrivateKey: Send + Sync, PublicKey: Send + Sync> + 'static,
    H: Hash + 'static,
{
    fn public_key_form(&self) -> PublicKeyForm {
        PublicKeyForm::EcPoint
    }

    fn generate(&self) -> Result<KeyPair, Error> {
        let key = ecdsa::SigningKey::<C>::generate().map_err(|e| Error::Library(e.to_string()))?;
        let mut buffer = Zeroizing::new([0; DER]);
        let sec1 = key.to_sec1_der(&mut *buffer).map_err(|e| Error::Library(e.to_string()))?;
        Ok(KeyPair { secret: der::ec_scalar(sec1)?.to_vec(), public: self.public_key(&key)? })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let der = der::ec_private_key(self.curve, scalar(self.curve, secret)?)?;
        let key =
            ecdsa::SigningKey::<C>::from_sec1_der(&der).map_err(|e| Error::MalformedKey(e.to_string()))?;
        let public = self.public_key(&key)?;
        Ok(prepared::signing(public, move |message, signature| {
            let mut buffer = [0; 2 * Curve::P384.width()];
            let signed =
                key.sign::<H>(&[message], &mut buffer).map_err(|e| Error::Library(e.to_string()))?;
            put(signature, signed);
            Ok(())
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let point = uncompressed(self.curve, public)?;
        let key = ecdsa::VerifyingKey::<C>::from_x962_uncompressed(&point)
            .map_err(|e| Error::MalformedKey(e.to_string()))?;
        Ok(prepared::verifying(move |message, signature| key.verify::<H>(&[message], signature).is_ok()))
    }
}
