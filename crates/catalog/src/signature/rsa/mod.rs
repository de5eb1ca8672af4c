//! RSA with PKCS #1 v1.5 padding and SHA-256 (RFC 8017, section 8.2). Keys are the DER of PKCS #1.
//!
//! `rsa-2048`, `rsa-3072` and `rsa-4096` make keys of so many bits, and all of them take moduli of 1024 to 4096 bits, which is what
//! zones in use have.

#[cfg(feature = "aws-lc")]
mod aws_lc;
#[cfg(feature = "graviola")]
mod graviola;
mod rustcrypto;
mod sha512;
mod vectors;

use std::ops::RangeInclusive;

use fieldtest_kinds::Error;

use crate::der;
use crate::host::{self, Scheme};

pub use sha512::rsa_sha512;

use super::{Family, Implementation, List};

/// The moduli that are verified and signed with, in bits.
const MODULUS_BITS: RangeInclusive<usize> = 1024..=4096;

/// How long the modulus of a new key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Modulus {
    Bits2048,
    Bits3072,
    Bits4096,
}

impl Modulus {
    pub(crate) fn bits(self) -> u16 {
        match self {
            Modulus::Bits2048 => 2048,
            Modulus::Bits3072 => 3072,
            Modulus::Bits4096 => 4096,
        }
    }
}

pub(super) fn family() -> Family {
    let lengths = [
        ("rsa-2048", Modulus::Bits2048),
        ("rsa-3072", Modulus::Bits3072),
        ("rsa-4096", Modulus::Bits4096),
    ];
    lengths.map(|(name, modulus)| (name, implementations(modulus))).into()
}

fn implementations(modulus: Modulus) -> Vec<Implementation> {
    let mut list = List::proven_by(vectors::prove);
    #[cfg(feature = "aws-lc")]
    list.add("aws-lc", "aws-lc-rs", aws_lc::Rsa(modulus));
    #[cfg(feature = "graviola")]
    if ::graviola::util::is_cpu_supported() {
        list.add("graviola", "graviola", graviola::Rsa(modulus));
    }
    list.add("rustcrypto", "rsa", rustcrypto::Rsa(modulus));
    list.with_hosts(|host| host::signature(host, Scheme::Rsa(modulus)))
}

/// Refuses a public key that is not DER, or whose modulus is outside [`MODULUS_BITS`].
pub(crate) fn check_public(public: &[u8]) -> Result<(), Error> {
    check(der::rsa_modulus_bits(public)?)
}

/// Refuses a secret key likewise, and otherwise gives the public key that belongs to it.
pub(crate) fn check_secret(secret: &[u8]) -> Result<Vec<u8>, Error> {
    let (bits, public) = der::rsa_public_of_private(secret)?;
    check(bits)?;
    Ok(public)
}

fn check(bits: usize) -> Result<(), Error> {
    if MODULUS_BITS.contains(&bits) {
        return Ok(());
    }
    let (least, most) = (MODULUS_BITS.start(), MODULUS_BITS.end());
    Err(Error::MalformedKey(format!(
        "an RSA modulus has {least} to {most} bits, and this one {bits}; give another key"
    )))
}

#[cfg(test)]
mod tests {
    use fieldtest_kinds::signature::{DigestAlgorithm, Signature as _};
    use ::rsa::PrivateKey;
    use ::rsa::pkcs1::EncodeRsaPrivateKey as _;
    use ::rsa::rand_core::UnwrapErr;
    use getrandom::SysRng;

    use super::*;

    /// Zones and kernels still have keys of less than 2048 bits, for which libraries lack one hash or another: what is
    /// signed rightly must verify, or be said not to be judged, and never be called wrong.
    #[test]
    fn short_keys_verify_with_every_hash() {
        const HASHES: [DigestAlgorithm; 3] =
            [DigestAlgorithm::Sha256, DigestAlgorithm::Sha384, DigestAlgorithm::Sha512];
        for bits in [1024, 1536, 2048] {
            let key = PrivateKey::new(&mut UnwrapErr(SysRng), bits).unwrap();
            let secret = key.to_pkcs1_der().unwrap();
            let signer = rustcrypto::Rsa(Modulus::Bits2048).signing_key(secret.as_bytes()).unwrap();
            let public = signer.public_key();
            let (_, implementations) = family().remove(0);
            for hash in HASHES {
                let (digest, mut signature) = (vec![7; hash.length()], Vec::new());
                signer.sign_digest(hash, &digest, &mut signature).unwrap();
                let mut judged = Vec::new();
                for implementation in &implementations {
                    let Ok(verifier) = implementation.code.verifying_key(&public) else { continue };
                    let verify = |digest: &[u8]| verifier.verify_digest(hash, digest, &signature);
                    let name = &implementation.name;
                    match verify(&digest) {
                        Ok(()) => {
                            judged.push(name.to_string());
                            let other = verify(&vec![8; hash.length()]);
                            assert!(matches!(other, Err(Error::InvalidSignature)), "{name}, {bits}, {hash:?}");
                        }
                        Err(Error::Unsupported(_)) => {}
                        Err(error) => panic!("{name}, {bits} bits, {hash:?}: {error}"),
                    }
                }
                for name in ["aws-lc", "rustcrypto"] {
                    assert!(judged.iter().any(|judged| judged == name), "{name}, {bits}, {hash:?}");
                }
            }
        }
    }
}
