//! HAWK-512 by `hawk512`, which prepares no keys: each signature recomputes f and g from the seed, each verification decodes
//! the key. It takes about 40 times as long as `fieldtest-hawk` (0.1.0, November 2026), and has this one
//! set.

use fieldtest_kinds::Error;
use fieldtest_kinds::prepared::verifying;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
use hawk512::params::{KGSEED_LEN, PRIV_LEN, PUB_LEN, SIG_LEN};
use hawk512::{PublicKey, SecretKey, codec};

use super::super::prepared::randomised;
use super::super::{exactly, put};
use crate::drbg::{Given, with_system};

/// The one parameter set that the library has.
pub(super) struct Hawk512;

impl Signature for Hawk512 {
    fn generate(&self) -> Result<KeyPair, Error> {
        with_system(|random| self.generate_from(random))
    }

    fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
        let (public, secret) = hawk512::keygen(&mut Given(random)).map_err(library)?;
        Ok(KeyPair { secret: secret.as_bytes().to_vec(), public: public.as_bytes().to_vec() })
    }

    fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
        let secret: &[u8; PRIV_LEN] = exactly("a HAWK-512 secret key", secret)?;
        let public = public_key_of(secret)
            .ok_or_else(|| Error::MalformedKey("these bytes encode no HAWK-512 secret key".to_string()))?;
        let secret = Wiped(SecretKey(*secret));
        Ok(randomised(public, move |random, message, signature| {
            let signed = hawk512::sign(message, &secret.0, &mut Given(random)).map_err(library)?;
            put(signature, signed.as_bytes());
            Ok(())
        }))
    }

    fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
        let public: &[u8; PUB_LEN] = exactly("a HAWK-512 public key", public)?;
        if codec::decode_public(public).is_none() {
            return Err(Error::MalformedKey("these bytes encode no HAWK-512 public key".to_string()));
        }
        let key = PublicKey(*public);
        Ok(verifying(move |message, signature| {
            <[u8; SIG_LEN]>::try_from(signature).is_ok_and(|signature| {
                hawk512::verify(message, &hawk512::Signature(signature), &key).is_ok()
            })
        }))
    }
}

/// Generates the pair again from the seed at the head of the secret key, which must lead to the rest of it: signing with
/// any other secret key might never end. By code of ours, since the library's solver gives up on some keys that others
/// generate.
fn public_key_of(secret: &[u8; PRIV_LEN]) -> Option<Vec<u8>> {
    let pair = fieldtest_hawk::KeyPair::<fieldtest_hawk::Hawk512>::from_seed(&secret[..KGSEED_LEN]).ok()?;
    (pair.signing.as_bytes() == secret).then_some(pair.public)
}

/// Wiped when it is dropped, which the library does not do.
struct Wiped(SecretKey);

impl Drop for Wiped {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.0.0);
    }
}

fn library(error: hawk512::HawkError) -> Error {
    Error::Library(format!("{error:?}"))
}
