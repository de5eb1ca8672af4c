//! Signatures of a library, by the calls that PQClean has.

use std::ffi::c_int;

use libloading::Library;
use zeroize::Zeroizing;

use super::{Answer, Functions, Names, checked, done, function, guarded, unguarded};
use crate::protocol::{Operation, Outcome};
use crate::signature::Sizes;

type Keypair = unsafe extern "C" fn(*mut u8, *mut u8) -> c_int;
type Signature = unsafe extern "C" fn(*mut u8, *mut usize, *const u8, usize, *const u8) -> c_int;
type Verify = unsafe extern "C" fn(*const u8, usize, *const u8, usize, *const u8) -> c_int;

/// Octets of a secret key as it is stored, for a library's own: with the public key behind it.
pub fn stored(sizes: Sizes) -> Sizes {
    Sizes { secret_key: sizes.secret_key + sizes.public_key, ..sizes }
}

pub(super) struct Sign {
    keypair: Keypair,
    sign: Signature,
    verify: Verify,
    sizes: Sizes,
    /// They are of no use without it.
    _library: Library,
}

impl Sign {
    pub(super) fn of(library: Library, names: &Names, sizes: Sizes) -> Result<Sign, String> {
        // SAFETY: the types are those of the interface that docs/engines.md asks for; no more can be known of a library.
        let (keypair, sign, verify) = unsafe {
            (
                function(&library, names, "crypto_sign", "_keypair")?,
                function(&library, names, "crypto_sign", "_signature")?,
                function(&library, names, "crypto_sign", "_verify")?,
            )
        };
        Ok(Sign { keypair, sign, verify, sizes, _library: library })
    }

    fn generate(&self) -> Result<Answer, String> {
        let Sizes { public_key, secret_key, .. } = self.sizes;
        let (mut public, mut secret) = (guarded(public_key), guarded(secret_key));
        // SAFETY: both are as long as the description says, and have room behind.
        let code = unsafe { (self.keypair)(public.as_mut_ptr(), secret.as_mut_ptr()) };
        checked("crypto_sign_keypair", code)?;
        unguarded("crypto_sign_keypair", &mut public, public_key)?;
        unguarded("crypto_sign_keypair", &mut secret, secret_key)?;
        secret.extend_from_slice(&public);
        done([secret, public])
    }

    fn sign(&self, secret: &[u8], message: &[u8]) -> Result<Answer, String> {
        let (most, mut length) = (self.sizes.signature, 0);
        let mut found = guarded(most);
        // SAFETY: the buffer is as long as the description says, and has room behind; the others are read.
        let code = unsafe {
            let (to, of) = (found.as_mut_ptr(), message.as_ptr());
            (self.sign)(to, &raw mut length, of, message.len(), secret.as_ptr())
        };
        checked("crypto_sign_signature", code)?;
        unguarded("crypto_sign_signature", &mut found, most)?;
        if length > most {
            return Err(format!(
                "crypto_sign_signature returned {length} bytes, but at most {most} are declared"
            ));
        }
        found.truncate(length);
        done([found])
    }

    fn verify(&self, public: &[u8], message: &[u8], signature: &[u8]) -> Answer {
        // SAFETY: all are read only, and as long as is said.
        let code = unsafe {
            let (of, key) = (message.as_ptr(), public.as_ptr());
            (self.verify)(signature.as_ptr(), signature.len(), of, message.len(), key)
        };
        (if code == 0 { Outcome::Done } else { Outcome::Invalid }, vec![])
    }
}

impl Functions for Sign {
    fn answer(&self, operation: Operation, fields: &[&[u8]]) -> Option<Result<Answer, String>> {
        let Sizes { public_key, secret_key, .. } = self.sizes;
        let is_secret = |key: &[u8]| key.len() == secret_key + public_key;
        Some(match (operation, fields) {
            (Operation::Generate, [_]) => self.generate(),
            (Operation::Public, [secret]) if is_secret(secret) => {
                done([Zeroizing::new(secret[secret_key..].to_vec())])
            }
            (Operation::Sign, [secret, message]) if is_secret(secret) => self.sign(secret, message),
            (Operation::Verify, [public, message, signature]) if public.len() == public_key => {
                Ok(self.verify(public, message, signature))
            }
            _ => return None,
        })
    }
}
