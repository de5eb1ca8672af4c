//! Prepared keys of signatures as closures, for adapters whose library has one function for each.
//!
//! ```
//! use fieldtest_kinds::prepared;
//!
//! // A toy whose signature is its key and the message: keep it out of any zone.
//! let signed = |key: &[u8], message: &[u8]| [key, message].concat();
//! let secret = prepared::deterministic(b"key".to_vec(), move |message, signature| {
//!     *signature = signed(b"key", message);
//!     Ok(())
//! });
//! let public = prepared::verifying(move |message, signature| signature == signed(b"key", message));
//!
//! let mut signature = Vec::new();
//! secret.sign(b"a message", &mut signature)?;
//! public.verify(b"a message", &signature)?;
//! assert!(public.verify(b"another", &signature).is_err());
//! # Ok::<(), fieldtest_kinds::Error>(())
//! ```

use crate::Error;
use crate::signature::{SigningKey, VerifyingKey};

/// A secret key whose library draws its randomness by itself; `sign` overwrites a buffer with exactly the signature's
/// bytes.
pub fn signing(
    public: Vec<u8>,
    sign: impl Fn(&[u8], &mut Vec<u8>) -> Result<(), Error> + Send + Sync + 'static,
) -> Box<dyn SigningKey> {
    Box::new(Signing { public, sign, deterministic: false })
}

/// A secret key with one signature for each message; otherwise as [`signing`].
pub fn deterministic(
    public: Vec<u8>,
    sign: impl Fn(&[u8], &mut Vec<u8>) -> Result<(), Error> + Send + Sync + 'static,
) -> Box<dyn SigningKey> {
    Box::new(Signing { public, sign, deterministic: true })
}

struct Signing<F> {
    public: Vec<u8>,
    sign: F,
    deterministic: bool,
}

impl<F: Fn(&[u8], &mut Vec<u8>) -> Result<(), Error> + Send + Sync> SigningKey for Signing<F> {
    fn public_key(&self) -> Vec<u8> {
        self.public.clone()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        (self.sign)(message, signature)
    }

    fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        if self.deterministic {
            return (self.sign)(message, signature);
        }
        Err(Error::Unsupported("deterministic signing"))
    }
}

/// A public key; `verifies` says of a message and a signature whether they belong together.
pub fn verifying(verifies: impl Fn(&[u8], &[u8]) -> bool + Send + Sync + 'static) -> Box<dyn VerifyingKey> {
    Box::new(Verifying(verifies))
}

struct Verifying<F>(F);

impl<F: Fn(&[u8], &[u8]) -> bool + Send + Sync> VerifyingKey for Verifying<F> {
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        if (self.0)(message, signature) { Ok(()) } else { Err(Error::InvalidSignature) }
    }
}
