//! All tests of the crate: one program, so that the libraries are linked once.

mod agreement;
mod edges;
mod rfc6979;
mod wycheproof;

use fieldtest_ecdsa::{Curve, InvalidKey, InvalidSignature, VerifyingKey};

/// A key prepared for many verifications and for one: all tests of verification are of both.
#[derive(Debug)]
struct Both<C: Curve>([VerifyingKey<C>; 2]);

impl<C: Curve> Both<C> {
    fn new(xy: &[u8]) -> Result<Self, InvalidKey> {
        Ok(Self([VerifyingKey::new(xy)?, VerifyingKey::new_for_one(xy)?]))
    }

    fn verify_digest(&self, digest: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        let [many, once] = self.0.each_ref().map(|key| key.verify_digest(digest, signature));
        assert_eq!(many, once);
        many
    }
}
