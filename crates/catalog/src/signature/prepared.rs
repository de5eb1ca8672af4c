//! Prepared keys as closures, beyond those of [`fieldtest_kinds::prepared`]: what draws as it signs, and what signs and
//! verifies digests.

use std::marker::PhantomData;

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{DigestAlgorithm, Randomness, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256, Sha384, Sha512};

use crate::adapt::fill_random;
use crate::der::check_digest;
use crate::drbg::with_system;

/// A secret key that draws as it signs. `sign` takes randomness, a message, and a buffer for the signature.
pub(super) fn randomised(
    public: Vec<u8>,
    sign: impl Fn(&mut Randomness, &[u8], &mut Vec<u8>) -> Result<(), Error> + Send + Sync + 'static,
) -> Box<dyn SigningKey> {
    Box::new(Drawing { public, sign, draws: Draws::Throughout })
}

/// A secret key that draws once before it signs, and takes zeros in its deterministic variant. `sign` is as that of
/// [`randomised`].
pub(super) fn hedged(
    public: Vec<u8>,
    sign: impl Fn(&mut Randomness, &[u8], &mut Vec<u8>) -> Result<(), Error> + Send + Sync + 'static,
) -> Box<dyn SigningKey> {
    Box::new(Drawing { public, sign, draws: Draws::Once })
}

#[derive(Clone, Copy)]
enum Draws {
    /// Any number of bytes, from a generator that the system seeds.
    Throughout,
    /// Bytes of the system.
    Once,
}

struct Drawing<F> {
    public: Vec<u8>,
    sign: F,
    draws: Draws,
}

impl<F> SigningKey for Drawing<F>
where
    F: Fn(&mut Randomness, &[u8], &mut Vec<u8>) -> Result<(), Error> + Send + Sync,
{
    fn public_key(&self) -> Vec<u8> {
        self.public.clone()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        match self.draws {
            Draws::Throughout => with_system(|random| (self.sign)(random, message, signature)),
            Draws::Once => {
                let mut drawn = Ok(());
                let signed = (self.sign)(&mut |out| drawn = fill_random(out), message, signature);
                drawn.and(signed)
            }
        }
    }

    fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        match self.draws {
            Draws::Throughout => Err(Error::Unsupported("deterministic signing")),
            Draws::Once => (self.sign)(&mut |out| out.fill(0), message, signature),
        }
    }

    fn sign_from(
        &self,
        random: &mut Randomness,
        message: &[u8],
        signature: &mut Vec<u8>,
    ) -> Result<(), Error> {
        (self.sign)(random, message, signature)
    }
}

/// A hash function of messages whose digests are signed.
pub(super) trait MessageHash: Digest + 'static {
    const ALGORITHM: DigestAlgorithm;
}

impl MessageHash for Sha256 {
    const ALGORITHM: DigestAlgorithm = DigestAlgorithm::Sha256;
}

impl MessageHash for Sha384 {
    const ALGORITHM: DigestAlgorithm = DigestAlgorithm::Sha384;
}

impl MessageHash for Sha512 {
    const ALGORITHM: DigestAlgorithm = DigestAlgorithm::Sha512;
}

/// A secret key that signs digests deterministically, and messages by their digest of `H`. `sign` takes a hash
/// function, a digest of its length, and a buffer for the signature.
pub(super) fn signing_digests<H: MessageHash>(
    public: Vec<u8>,
    sign: impl Fn(DigestAlgorithm, &[u8], &mut Vec<u8>) -> Result<(), Error> + Send + Sync + 'static,
) -> Box<dyn SigningKey> {
    Box::new(OfDigests { public, work: sign, hash: PhantomData::<fn() -> H> })
}

/// The public key of such. `verifies` says of a hash function, a digest of its length and a signature whether they
/// belong together.
pub(super) fn verifying_digests<H: MessageHash>(
    verifies: impl Fn(DigestAlgorithm, &[u8], &[u8]) -> Result<bool, Error> + Send + Sync + 'static,
) -> Box<dyn VerifyingKey> {
    Box::new(OfDigests { public: Vec::new(), work: verifies, hash: PhantomData::<fn() -> H> })
}

struct OfDigests<F, H> {
    /// Of a secret key.
    public: Vec<u8>,
    work: F,
    hash: PhantomData<fn() -> H>,
}

impl<F, H: MessageHash> SigningKey for OfDigests<F, H>
where
    F: Fn(DigestAlgorithm, &[u8], &mut Vec<u8>) -> Result<(), Error> + Send + Sync,
{
    fn public_key(&self) -> Vec<u8> {
        self.public.clone()
    }

    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        (self.work)(H::ALGORITHM, &H::digest(message), signature)
    }

    fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
        self.sign(message, signature)
    }

    fn sign_digest(
        &self,
        algorithm: DigestAlgorithm,
        digest: &[u8],
        signature: &mut Vec<u8>,
    ) -> Result<(), Error> {
        check_digest(algorithm, digest)?;
        (self.work)(algorithm, digest, signature)
    }
}

impl<F, H: MessageHash> VerifyingKey for OfDigests<F, H>
where
    F: Fn(DigestAlgorithm, &[u8], &[u8]) -> Result<bool, Error> + Send + Sync,
{
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        self.verify_digest(H::ALGORITHM, &H::digest(message), signature)
    }

    fn verify_digest(
        &self,
        algorithm: DigestAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<(), Error> {
        check_digest(algorithm, digest)?;
        if (self.work)(algorithm, digest, signature)? { Ok(()) } else { Err(Error::InvalidSignature) }
    }
}
