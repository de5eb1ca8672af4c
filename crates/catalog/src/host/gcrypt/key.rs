//! Keys as libgcrypt takes and gives them: the catalog's bytes as S-expressions, and back.

use std::ffi::CStr;

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::KeyPair;
use pkcs1::{EncodeRsaPrivateKey as _, RsaPrivateKeyRef, RsaPublicKeyRef};
use rsa::{BoxedUint, PrivateKey};
use zeroize::Zeroizing;

use crate::adapt::exactly;
use crate::der::{self, Curve};
use crate::host::openssl::Scheme;
use crate::signature::ecdsa::{coordinates, scalar, uncompressed};
use crate::signature::ed25519::{PUBLIC_KEY, SEED};
use crate::signature::rsa::{Modulus, check_public, check_secret};

use super::ffi::{self, Libgcrypt, Sexp};

/// A type of key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyType {
    Rsa(Modulus),
    Ec(Curve),
    Ed25519,
}

impl KeyType {
    pub(super) fn of(scheme: Scheme) -> Option<Self> {
        match scheme {
            Scheme::Rsa(modulus) => Some(KeyType::Rsa(modulus)),
            Scheme::EcdsaP256 => Some(KeyType::Ec(Curve::P256)),
            Scheme::EcdsaP384 => Some(KeyType::Ec(Curve::P384)),
            Scheme::Ed25519 => Some(KeyType::Ed25519),
            _ => None,
        }
    }

    /// libgcrypt's name of the curve.
    pub(super) fn curve(self) -> Option<&'static CStr> {
        match self {
            KeyType::Rsa(_) => None,
            KeyType::Ec(Curve::P256) => Some(c"NIST P-256"),
            KeyType::Ec(Curve::P384) => Some(c"NIST P-384"),
            KeyType::Ed25519 => Some(c"Ed25519"),
        }
    }

    /// Bytes of a signature under a key whose public bytes these are.
    pub(super) fn signature_len(self, public: &[u8]) -> Result<usize, Error> {
        match self {
            KeyType::Rsa(_) => Ok(der::rsa_modulus_bits(public)?.div_ceil(8)),
            KeyType::Ec(curve) => Ok(2 * curve.width()),
            KeyType::Ed25519 => Ok(64),
        }
    }

    /// The curve's name as a part of an S-expression.
    fn name(self) -> &'static [u8] {
        self.curve().map_or(&[], CStr::to_bytes)
    }
}

/// Makes a key pair.
pub(super) fn generate(libgcrypt: &'static Libgcrypt, key_type: KeyType) -> Result<KeyPair, Error> {
    let make = |parameters: Result<Sexp, Error>| libgcrypt.generate(&parameters?);
    match key_type {
        KeyType::Rsa(modulus) => {
            let bits = modulus.bits().to_string();
            let format = c"(genkey(rsa(nbits %b)(rsa-use-e 5:65537)))";
            let made = make(Sexp::build(libgcrypt, format, [bits.as_bytes()]))?;
            let secret = rsa_private_key(&made)?;
            Ok(KeyPair { public: check_secret(&secret)?, secret: secret.to_vec() })
        }
        KeyType::Ec(curve) => {
            let made = make(Sexp::build(libgcrypt, c"(genkey(ecc(curve %b)))", [key_type.name()]))?;
            let secret = padded(&made.value(c"d")?, curve.width())?.collect();
            Ok(KeyPair { secret, public: coordinates(curve, &made.value(c"q")?)? })
        }
        KeyType::Ed25519 => {
            let format = c"(genkey(ecc(curve Ed25519)(flags eddsa)))";
            let made = make(Sexp::build(libgcrypt, format, []))?;
            Ok(KeyPair { secret: made.value(c"d")?.to_vec(), public: made.value(c"q")?.to_vec() })
        }
    }
}

/// A secret key with the public one that belongs to it.
pub(super) fn secret(
    libgcrypt: &'static Libgcrypt,
    key_type: KeyType,
    secret: &[u8],
) -> Result<(Vec<u8>, Sexp), Error> {
    match key_type {
        KeyType::Rsa(_) => {
            let public = check_secret(secret)?;
            Ok((public, rsa_secret(libgcrypt, secret)?))
        }
        KeyType::Ec(curve) => {
            let name = key_type.name();
            let secret = in_range(libgcrypt, key_type, scalar(curve, secret)?)?;
            let half = Sexp::build(libgcrypt, c"(private-key(ecc(curve %b)(d %b)))", [name, secret])?;
            let point = ffi::Curve::of(libgcrypt, &half)?.public()?;
            let format = c"(private-key(ecc(curve %b)(q %b)(d %b)))";
            let key = Sexp::build(libgcrypt, format, [name, &point, secret])?;
            Ok((coordinates(curve, &point)?, key))
        }
        KeyType::Ed25519 => {
            let seed: &[u8; 32] = exactly(SEED, secret)?;
            let format = c"(private-key(ecc(curve Ed25519)(flags eddsa)(d %b)))";
            let half = Sexp::build(libgcrypt, format, [seed])?;
            let public = ffi::Curve::of(libgcrypt, &half)?.public()?;
            let format = c"(private-key(ecc(curve Ed25519)(flags eddsa)(q %b)(d %b)))";
            Ok((public.to_vec(), Sexp::build(libgcrypt, format, [&public, seed])?))
        }
    }
}

/// A public key.
pub(super) fn public(libgcrypt: &'static Libgcrypt, key_type: KeyType, public: &[u8]) -> Result<Sexp, Error> {
    match key_type {
        KeyType::Rsa(_) => {
            check_public(public)?;
            let key = RsaPublicKeyRef::try_from(public).map_err(malformed)?;
            let parts = [key.modulus, key.public_exponent].map(|number| unsigned(number.as_bytes()));
            Sexp::build(libgcrypt, c"(public-key(rsa(n %b)(e %b)))", [&parts[0], &parts[1]])
        }
        KeyType::Ec(curve) => {
            let point = uncompressed(curve, public)?;
            let format = c"(public-key(ecc(curve %b)(q %b)))";
            let key = Sexp::build(libgcrypt, format, [key_type.name(), &point])?;
            // libgcrypt would find it with every signature again, and call that wrong.
            if ffi::Curve::of(libgcrypt, &key)?.holds_its_point() {
                return Ok(key);
            }
            Err(Error::MalformedKey("not a point of the curve".to_owned()))
        }
        KeyType::Ed25519 => {
            let public: &[u8; 32] = exactly(PUBLIC_KEY, public)?;
            Sexp::build(libgcrypt, c"(public-key(ecc(curve Ed25519)(flags eddsa)(q %b)))", [public])
        }
    }
}

/// The modulus of a public key of RSA, as long as its signatures.
pub(super) fn rsa_modulus(public: &[u8]) -> Result<Vec<u8>, Error> {
    let key = RsaPublicKeyRef::try_from(public).map_err(malformed)?;
    Ok(key.modulus.as_bytes().to_vec())
}

/// Refuses a scalar that is 0 or not below the order, of which libgcrypt says nothing.
fn in_range<'a>(
    libgcrypt: &'static Libgcrypt,
    key_type: KeyType,
    scalar: &'a [u8],
) -> Result<&'a [u8], Error> {
    let order = libgcrypt.curve(key_type.curve().unwrap_or_default())?.value(c"n")?;
    let order: Vec<u8> = padded(&order, scalar.len())?.collect();
    if scalar.iter().any(|byte| *byte != 0) && scalar < &order[..] {
        return Ok(scalar);
    }
    Err(Error::MalformedKey("not a scalar between 1 and the order".to_owned()))
}

/// A secret key of RSA. libgcrypt's `u` is the inverse of its `p` modulo its `q`, and PKCS #1 has that of `q` modulo `p`: the
/// primes change places. Its `p` has to be the smaller one: 1.10 says nothing of others, and some of their signatures are wrong, as it
/// adds `q` to a difference modulo both but once.
fn rsa_secret(libgcrypt: &'static Libgcrypt, secret: &[u8]) -> Result<Sexp, Error> {
    let mut key = RsaPrivateKeyRef::try_from(secret).map_err(malformed)?;
    let [first, second] = [key.prime1, key.prime2].map(|prime| prime.as_bytes());
    let ordered;
    if (first.len(), first) < (second.len(), second) {
        ordered = private_key(second, first, key.public_exponent.as_bytes())?;
        key = RsaPrivateKeyRef::try_from(&ordered[..]).map_err(malformed)?;
    }
    // libgcrypt checks that the product is the modulus, and divides by what is one less than a prime.
    if [key.prime1, key.prime2].iter().any(|prime| prime.as_bytes().len() < 2) {
        return Err(Error::MalformedKey("a factor of the RSA modulus has one byte".to_owned()));
    }
    let [n, e, d, p, q, u] =
        [key.modulus, key.public_exponent, key.private_exponent, key.prime2, key.prime1, key.coefficient]
            .map(|number| unsigned(number.as_bytes()));
    let format = c"(private-key(rsa(n %b)(e %b)(d %b)(p %b)(q %b)(u %b)))";
    let key = Sexp::build(libgcrypt, format, [&n, &e, &d, &p, &q, &u])?;
    libgcrypt.check_secret(&key)?;
    Ok(key)
}

/// `RSAPrivateKey` of a key that libgcrypt made. What PKCS #1 has beside the primes is computed by RustCrypto.
fn rsa_private_key(made: &Sexp) -> Result<Zeroizing<Vec<u8>>, Error> {
    // The larger prime first, as others have it.
    private_key(&made.value(c"q")?, &made.value(c"p")?, &made.value(c"e")?)
}

/// `RSAPrivateKey` of two primes, in this order, and a public exponent.
fn private_key(p: &[u8], q: &[u8], e: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    let number = |bytes| BoxedUint::from_be_slice_vartime(trimmed(bytes));
    let library = |error: &dyn std::fmt::Display| Error::Library(error.to_string());
    let key = PrivateKey::from_p_q(number(p), number(q), number(e));
    let der = key.map_err(|error| library(&error))?.to_pkcs1_der().map_err(|error| library(&error))?;
    Ok(Zeroizing::new(der.as_bytes().to_vec()))
}

/// A number as libgcrypt reads it: what begins with a set bit could be negative.
fn unsigned(number: &[u8]) -> Zeroizing<Vec<u8>> {
    Zeroizing::new([&[0], number].concat())
}

/// A number of libgcrypt's with as many bytes as are asked for.
pub(super) fn padded(number: &[u8], width: usize) -> Result<impl Iterator<Item = u8>, Error> {
    let number = trimmed(number);
    let zeros = width
        .checked_sub(number.len())
        .ok_or_else(|| Error::Library(format!("libgcrypt gave a number of more than {width} bytes")))?;
    Ok(std::iter::repeat_n(0, zeros).chain(number.iter().copied()))
}

fn trimmed(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    &number[zeros..]
}

fn malformed(error: impl std::fmt::Display) -> Error {
    Error::MalformedKey(error.to_string())
}
