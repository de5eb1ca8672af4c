use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{KeyPair, Signature, SigningKey, VerifyingKey};
use ml_dsa::{EncodedVerifyingKey, ExpandedSigningKey, MlDsaParams};

use super::{invalid, library, malformed};

macro_rules! parameter_set {
    ($name:ident) => {
        pub struct $name;

        impl Signature for $name {
            fn generate(&self) -> Result<KeyPair, Error> {
                Err(Error::Unsupported("key generation"))
            }

            fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
                let seed: &[u8; 32] = secret.try_into().map_err(malformed)?;
                Ok(Box::new(Signing(ExpandedSigningKey::<ml_dsa::$name>::from_seed(seed.into()))))
            }

            fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
                let encoded = EncodedVerifyingKey::<ml_dsa::$name>::try_from(public).map_err(malformed)?;
                Ok(Box::new(Verifying(ml_dsa::VerifyingKey::<ml_dsa::$name>::decode(&encoded))))
            }
        }
    };
}

parameter_set!(MlDsa44);
parameter_set!(MlDsa65);
parameter_set!(MlDsa87);

struct Signing<P: MlDsaParams>(ExpandedSigningKey<P>);

impl<P: MlDsaParams + Send + Sync> SigningKey for Signing<P> {
    fn public_key(&self) -> Vec<u8> {
        self.0.verifying_key().encode().to_vec()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        // FIPS 204, algorithm 2, with a value in place of randomness by which a test sees that it was called.
        *signature = self.0.sign_internal(&[&[0, 0], message], (&[7; 32]).into()).encode().to_vec();
        Ok(())
    }

    fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        *signature = self.0.sign_deterministic(message, b"").map_err(library)?.encode().to_vec();
        Ok(())
    }
}

struct Verifying<P: MlDsaParams>(ml_dsa::VerifyingKey<P>);

impl<P: MlDsaParams + Send + Sync> VerifyingKey for Verifying<P> {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        let signature = ml_dsa::Signature::<P>::try_from(signature).map_err(invalid)?;
        if self.0.verify_with_context(message, b"", &signature) {
            Ok(())
        } else {
            Err(Error::InvalidSignature)
        }
    }
}
