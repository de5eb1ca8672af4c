//! Verification.

use alloc::boxed::Box;
use core::fmt;

use crate::coding;
use crate::engine::Engine;
use crate::error::{InvalidKey, InvalidSignature};
use crate::ntt::Multiplier;
use crate::params::{PUBLIC_KEY, SALT, SIGNATURE};
use crate::path::Path;
use crate::point;

/// A public key, prepared: the values of h. It takes 2 KiB.
#[derive(Clone)]
pub struct VerifyingKey {
    path: Path,
    multiplier: Box<Multiplier>,
}

impl VerifyingKey {
    /// Prepares a public key, as [`SigningKey::public_key`](crate::SigningKey::public_key) gives it.
    ///
    /// # Errors
    /// [`InvalidKey::Length`], and [`InvalidKey::Coefficient`] if a coefficient is q or more.
    pub fn new(public: &[u8]) -> Result<Self, InvalidKey> {
        Self::new_on(Path::best(), public)
    }

    /// [`new`](Self::new) for the given path.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn new_on(path: Path, public: &[u8]) -> Result<Self, InvalidKey> {
        let bytes = public
            .try_into()
            .map_err(|_| InvalidKey::Length { given: public.len(), expected: PUBLIC_KEY })?;
        let h = coding::decode_public(bytes).ok_or(InvalidKey::Coefficient)?;
        Ok(Self { path, multiplier: Box::new((Engine::of(path).multiplier)(&h)) })
    }

    /// Accepts or refuses the signature of a message.
    ///
    /// # Errors
    /// [`InvalidSignature`], also for signatures of the wrong length and for those that are not encoded as signatures are.
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        let signature: &[u8; SIGNATURE] = signature.try_into().map_err(|_| InvalidSignature)?;
        let (Some(salt), Some(compressed)) = (signature.first_chunk::<SALT>(), signature.last_chunk()) else {
            return Err(InvalidSignature);
        };
        let s1 = coding::decompress(compressed).ok_or(InvalidSignature)?;
        let point = point::hash(self.path.keccak(), message, salt);
        match (Engine::of(self.path).is_short)(&self.multiplier, &point, &s1) {
            true => Ok(()),
            false => Err(InvalidSignature),
        }
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifyingKey").field("path", &self.path).finish_non_exhaustive()
    }
}
