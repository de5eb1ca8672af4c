//! ML-DSA by `libcrux-ml-dsa`, with AVX2 where the processor has it.
//!
//! The library keeps the matrix A in neither key: it is expanded for every signature and every verification, so
//! preparing a key costs key generation (signing) or nothing (verification).

use fieldtest_kinds::Error;
use fieldtest_kinds::prepared::verifying;
use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey, VerifyingKey};
use libcrux_ml_dsa::{MLDSASignature, MLDSAVerificationKey};
use zeroize::Zeroize;

use super::super::prepared::hedged;
use super::super::{exactly, put, random};
use super::SEED;

macro_rules! parameter_set {
    ($set:ident, $module:ident, $name:literal, $public_key:literal, $signing_key:literal, $signature:literal) => {
        #[doc = concat!($name, ".")]
        pub(super) struct $set;

        mod $module {
            use libcrux_ml_dsa::{MLDSASigningKey, $module as library};

            use super::*;

            /// The expanded secret key of FIPS 204, wiped when it is dropped.
            struct Wiped(MLDSASigningKey<$signing_key>);

            impl Drop for Wiped {
                fn drop(&mut self) {
                    self.0.as_mut_slice().zeroize();
                }
            }

            impl Signature for $set {
                fn generate(&self) -> Result<KeyPair, Error> {
                    let seed = random::<SEED>()?;
                    let public = self.signing_key(&*seed)?.public_key();
                    Ok(KeyPair { secret: seed.to_vec(), public })
                }

                fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
                    let seed = exactly(concat!("an ", $name, " seed"), secret)?;
                    let pair = library::generate_key_pair(*seed);
                    let key = Wiped(pair.signing_key);
                    Ok(hedged(pair.verification_key.as_ref().to_vec(), move |random, message, signature| {
                        let mut rnd = [0; 32];
                        random(&mut rnd);
                        let signed = library::sign(&key.0, message, b"", rnd)
                            .map_err(|e| Error::Library(format!("signing: {e:?}")))?;
                        put(signature, signed.as_slice());
                        Ok(())
                    }))
                }

                fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
                    let public = exactly(concat!("an ", $name, " public key"), public)?;
                    let key = MLDSAVerificationKey::<$public_key>::new(*public);
                    Ok(verifying(move |message, signature| {
                        <[u8; $signature]>::try_from(signature).is_ok_and(|signature| {
                            library::verify(&key, message, b"", &MLDSASignature::new(signature)).is_ok()
                        })
                    }))
                }
            }

        }
    };
}

parameter_set!(MlDsa44, ml_dsa_44, "ML-DSA-44", 1312, 2560, 2420);
parameter_set!(MlDsa65, ml_dsa_65, "ML-DSA-65", 1952, 4032, 3309);
parameter_set!(MlDsa87, ml_dsa_87, "ML-DSA-87", 2592, 4896, 4627);
