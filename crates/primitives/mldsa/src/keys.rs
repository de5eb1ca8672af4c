//! Private keys in PKCS #8 and public keys in `SubjectPublicKeyInfo` (RFC 9881), by RustCrypto's `pkcs8`.

use alloc::vec::Vec;

use pkcs8::der::asn1::{BitStringRef, OctetStringRef};
use pkcs8::der::{AnyRef, Decode as _, Encode as _, Tag, TagNumber, Tagged as _};
use pkcs8::spki::{self, AlgorithmIdentifierRef, EncodePublicKey, SubjectPublicKeyInfoRef};
use pkcs8::{
    Document, EncodePrivateKey, Error, KeyError, ObjectIdentifier, PrivateKeyInfoRef, SecretDocument,
};
use zeroize::Zeroizing;

use crate::{InvalidKey, ParameterSet, SigningKey, VerifyingKey};

/// The tag of a seed: `[0] IMPLICIT OCTET STRING`.
const SEED: Tag = Tag::ContextSpecific { constructed: false, number: TagNumber(0) };

fn algorithm<P: ParameterSet>() -> AlgorithmIdentifierRef<'static> {
    AlgorithmIdentifierRef { oid: ObjectIdentifier::new_unwrap(P::OID), parameters: None }
}

fn check<P: ParameterSet>(found: &AlgorithmIdentifierRef<'_>) -> Result<(), spki::Error> {
    match *found == algorithm::<P>() {
        true => Ok(()),
        false if found.oid == algorithm::<P>().oid => Err(spki::Error::KeyMalformed),
        false => Err(spki::Error::OidUnknown { oid: found.oid }),
    }
}

impl From<InvalidKey> for KeyError {
    fn from(error: InvalidKey) -> Self {
        match error {
            InvalidKey::Length { given, expected } if given < expected => KeyError::TooShort,
            InvalidKey::Length { .. } => KeyError::TooLong,
            InvalidKey::Coefficient | InvalidKey::Inconsistent => KeyError::Invalid,
        }
    }
}

/// Reads all three forms of RFC 9881, section 6: seed, expanded key, and both, which must be of one key.
impl<P: ParameterSet> TryFrom<PrivateKeyInfoRef<'_>> for SigningKey<P> {
    type Error = Error;

    fn try_from(info: PrivateKeyInfoRef<'_>) -> Result<Self, Error> {
        check::<P>(&info.algorithm)?;
        let of_seed = |seed: &[u8]| -> Result<Self, Error> {
            let length = InvalidKey::Length { given: seed.len(), expected: 32 };
            Ok(Self::from_seed(seed.try_into().map_err(|_| KeyError::from(length))?))
        };
        let of_expanded = |bytes: &[u8]| Ok(Self::from_expanded(bytes).map_err(KeyError::from)?);
        let key = AnyRef::from_der(info.private_key.as_bytes())?;
        let made = match key.tag() {
            SEED => of_seed(key.value()),
            Tag::OctetString => of_expanded(key.value()),
            _ => key.sequence(|reader| {
                let made = of_seed(<&OctetStringRef>::decode(reader)?.as_bytes())?;
                let expanded = of_expanded(<&OctetStringRef>::decode(reader)?.as_bytes())?;
                match Zeroizing::new(made.to_expanded()) == Zeroizing::new(expanded.to_expanded()) {
                    true => Ok(made),
                    false => Err(KeyError::Invalid.into()),
                }
            }),
        }?;
        let is_own = |public: BitStringRef<'_>| public.as_bytes() == Some(made.public_key());
        match info.public_key.is_none_or(is_own) {
            true => Ok(made),
            false => Err(KeyError::Invalid.into()),
        }
    }
}

/// Writes the seed, as RFC 9881 recommends, or the expanded form of a key that was read in it.
impl<P: ParameterSet> EncodePrivateKey for SigningKey<P> {
    fn to_pkcs8_der(&self) -> Result<SecretDocument, Error> {
        let key: Zeroizing<Vec<u8>> = Zeroizing::new(match self.seed() {
            Some(seed) => [&[0x80, 32], &seed[..]].concat(),
            None => OctetStringRef::new(&Zeroizing::new(self.to_expanded()))?.to_der()?,
        });
        let info = PrivateKeyInfoRef::new(algorithm::<P>(), OctetStringRef::new(&key)?);
        Ok(SecretDocument::encode_msg(&info)?)
    }
}

/// Writes the public key that belongs to a private one.
impl<P: ParameterSet> EncodePublicKey for SigningKey<P> {
    fn to_public_key_der(&self) -> spki::Result<Document> {
        let subject_public_key = BitStringRef::from_bytes(self.public_key())?;
        Ok(Document::encode_msg(&SubjectPublicKeyInfoRef {
            algorithm: algorithm::<P>(),
            subject_public_key,
        })?)
    }
}

impl<P: ParameterSet> TryFrom<SubjectPublicKeyInfoRef<'_>> for VerifyingKey<P> {
    type Error = spki::Error;

    fn try_from(info: SubjectPublicKeyInfoRef<'_>) -> spki::Result<Self> {
        check::<P>(&info.algorithm)?;
        let bytes = info.subject_public_key.as_bytes().ok_or(spki::Error::KeyMalformed)?;
        VerifyingKey::new(bytes).map_err(|_| spki::Error::KeyMalformed)
    }
}
