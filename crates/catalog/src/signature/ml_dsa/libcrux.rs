//! ML-DSA by `libcrux-ml-dsa`, with AVX2 where the processor has it.
//!
//! The library keeps the matrix A in neither key: it is expanded for every signature and every verification, so
//! preparing a key costs key generation (signing) or nothing (verification).

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey, VerifyingKey};
use libcrux_ml_dsa::{MLDSASignature, MLDSAVerificationKey};
use zeroize::Zeroize;

use super::super::{exactly, put, random};
use super::SEED;

macro_rules! parameter_set {
    ($set:ident, $module:ident, $name:literal, $public_key:literal, $signing_key:literal, $signature:literal) => {
        #[doc = concat!($name, ".")]
        pub(super) struct $set;

        mod $module {
            use libcrux_ml_dsa::{MLDSASigningKey, $module as library};

            use super::*;

            /// The expanded secret key of FIPS 204, and the public key.
            struct Signing {
                key: MLDSASigningKey<$signing_key>,
                public: [u8; $public_key],
            }

            struct Verifying(MLDSAVerificationKey<$public_key>);

            impl Signature for $set {
                fn generate(&self) -> Result<KeyPair, Error> {
                    let seed = random::<SEED>()?;
                    let public = Signing::from_seed(&seed).public.to_vec();
                    Ok(KeyPair { secret: seed.to_vec(), public })
                }

                fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
                    let seed = exactly(concat!("an ", $name, " seed"), secret)?;
                    Ok(Box::new(Signing::from_seed(seed)))
                }

                fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
                    let public = exactly(concat!("an ", $name, " public key"), public)?;
                    Ok(Box::new(Verifying(MLDSAVerificationKey::new(*public))))
                }
            }

            impl Signing {
                fn from_seed(seed: &[u8; SEED]) -> Self {
                    let pair = library::generate_key_pair(*seed);
                    Signing { key: pair.signing_key, public: *pair.verification_key.as_ref() }
                }

                fn sign_with(
                    &self,
                    rnd: [u8; 32],
                    message: &[u8],
                    signature: &mut Vec<u8>,
                ) -> Result<(), Error> {
                    let signed = library::sign(&self.key, message, b"", rnd)
                        .map_err(|e| Error::Library(format!("signing: {e:?}")))?;
                    put(signature, signed.as_slice());
                    Ok(())
                }
            }

            impl Drop for Signing {
                fn drop(&mut self) {
                    self.key.as_mut_slice().zeroize();
                }
            }

            impl SigningKey for Signing {
                fn public_key(&self) -> Vec<u8> {
                    self.public.to_vec()
                }

                fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
                    self.sign_with(*random()?, message, signature)
                }

                fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
                    self.sign_with([0; 32], message, signature)
                }
            }

            impl VerifyingKey for Verifying {
                fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
                    let signature: [u8; $signature] =
                        signature.try_into().map_err(|_| Error::InvalidSignature)?;
                    library::verify(&self.0, message, b"", &MLDSASignature::new(signature))
                        .map_err(|_| Error::InvalidSignature)
                }
            }
        }
    };
}

parameter_set!(MlDsa44, ml_dsa_44, "ML-DSA-44", 1312, 2560, 2420);
parameter_set!(MlDsa65, ml_dsa_65, "ML-DSA-65", 1952, 4032, 3309);
parameter_set!(MlDsa87, ml_dsa_87, "ML-DSA-87", 2592, 4896, 4627);
