//! ECDSA (FIPS 186-5): P-256 with SHA-256 and P-384 with SHA-384. Public keys are `X ‖ Y`, signatures `r ‖ s`.

#[cfg(feature = "aws-lc")]
mod aws_lc;
#[cfg(feature = "graviola")]
mod graviola;
mod own;
mod rustcrypto;
mod vectors;

use fieldtest_text::own::OWN;
use fieldtest_ecdsa::{P256, P384};
use fieldtest_kinds::Error;
use own::Ecdsa;

use crate::der::Curve;
use crate::host::{self, Scheme};

use super::{Family, Implementation, List, wrong_length};

pub(super) fn family() -> Family {
    // The first is what signs and verifies unless another is asked for.
    let (mut p256, mut p384) = (begun(Curve::P256), begun(Curve::P384));
    #[cfg(feature = "aws-lc")]
    p256.add("aws-lc", "aws-lc-rs", aws_lc::P256);
    #[cfg(feature = "aws-lc")]
    p384.add("aws-lc", "aws-lc-rs", aws_lc::P384);
    #[cfg(feature = "graviola")]
    if ::graviola::util::is_cpu_supported() {
        p256.add("graviola", "graviola", graviola::P256::new());
        p384.add("graviola", "graviola", graviola::P384::new());
    }
    p256.add("rustcrypto", "p256", rustcrypto::P256);
    p384.add("rustcrypto", "p384", rustcrypto::P384);
    vec![
        ("ecdsa-p256", p256.with_hosts(|host| host::signature(host, Scheme::EcdsaP256))),
        ("ecdsa-p384", p384.with_hosts(|host| host::signature(host, Scheme::EcdsaP384))),
    ]
}

/// The implementation that keys are made with for many signatures, which is also deterministic.
pub(super) fn quickest(curve: Curve) -> Implementation {
    begun(curve).all.swap_remove(0)
}

fn begun(curve: Curve) -> List {
    let mut list;
    match curve {
        Curve::P256 => {
            list = List::proven_by(vectors::prove_p256);
            list.add(OWN, "fieldtest-ecdsa", Ecdsa::<P256>::new());
        }
        Curve::P384 => {
            list = List::proven_by(vectors::prove_p384);
            list.add(OWN, "fieldtest-ecdsa", Ecdsa::<P384>::new());
        }
    }
    list
}

/// `X ‖ Y` as the uncompressed point of SEC 1, section 2.3.3.
pub(crate) fn uncompressed(curve: Curve, public: &[u8]) -> Result<Vec<u8>, Error> {
    if public.len() != 2 * curve.width() {
        return Err(wrong_length("an ECDSA public key of this curve", 2 * curve.width(), public.len()));
    }
    Ok([&[4], public].concat())
}

/// `X ‖ Y` of an uncompressed point that a library has made.
pub(crate) fn coordinates(curve: Curve, point: &[u8]) -> Result<Vec<u8>, Error> {
    match point {
        [4, rest @ ..] if rest.len() == 2 * curve.width() => Ok(rest.to_vec()),
        _ => Err(Error::Library("the library did not give an uncompressed point".to_string())),
    }
}

pub(crate) fn scalar(curve: Curve, secret: &[u8]) -> Result<&[u8], Error> {
    if secret.len() != curve.width() {
        return Err(wrong_length("an ECDSA secret key of this curve", curve.width(), secret.len()));
    }
    Ok(secret)
}
