//! SLH-DSA (FIPS 205) by `fips205`: pure, with an empty context, SHA-256 with 128-bit security.
//! `slh-dsa` (0.2.0-rc.5) was slower in our runs (November 2026).
//!
//! The secret key is the 64 bytes of FIPS 205, result 15. The library recomputes the root when it reads one, so
//! preparing a secret key costs a key generation, and a secret key with a wrong root is refused.

use fieldtest_kinds::Error;
use fieldtest_kinds::prepared::verifying;
use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
use fips205::traits::{KeyGen as _, SerDes as _, Signer as _, Verifier as _};

use super::{Family, Implementation, List, Prove, exactly, hex, put};
use crate::drbg::{replay, with_system};
use crate::host::{self, Scheme};
use crate::kat::nist::sha256;
use crate::kat::{KnownAnswers, accepted, equal, refused, table};
use crate::{KatResult, KatError};

pub(super) fn family() -> Family {
    vec![
        ("slh-dsa-sha2-128s", implementations(Sha2_128s, Scheme::SlhDsaSha2_128s, prove_128s)),
        ("slh-dsa-sha2-128f", implementations(Sha2_128f, Scheme::SlhDsaSha2_128f, prove_128f)),
    ]
}

fn implementations(fips205: impl Signature + 'static, scheme: Scheme, prove: Prove) -> Vec<Implementation> {
    let mut list = List::proven_by(prove);
    list.add("fips205", "fips205", fips205);
    list.with_hosts(|host| host::signature(host, scheme))
}

macro_rules! parameter_set {
    ($set:ident, $module:ident, $name:literal) => {
        struct $set;

        mod $module {
            use fips205::$module as library;

            use super::*;

            struct Signing(library::PrivateKey);

            impl Signature for $set {
                fn generate(&self) -> Result<KeyPair, Error> {
                    with_system(|random| self.generate_from(random))
                }

                /// SK.seed, SK.prf and PK.seed in one draw, as the SPHINCS+ reference code has it.
                fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
                    let mut seeds = [[0; library::N]; 3];
                    random(seeds.as_flattened_mut());
                    let [sk_seed, sk_prf, pk_seed] = seeds;
                    let (public, secret) = library::KG::keygen_from_seed(&sk_seed, &sk_prf, &pk_seed);
                    Ok(KeyPair { secret: secret.into_bytes().to_vec(), public: public.into_bytes().to_vec() })
                }

                fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
                    let secret = exactly(concat!("an ", $name, " secret key"), secret)?;
                    let key = library::PrivateKey::try_from_bytes(*secret).map_err(malformed)?;
                    Ok(Box::new(Signing(key)))
                }

                fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
                    let public = exactly(concat!("an ", $name, " public key"), public)?;
                    let key = library::PublicKey::try_from_bytes(*public).map_err(malformed)?;
                    Ok(verifying(move |message, signature| {
                        signature.try_into().is_ok_and(|signature| key.verify(message, signature, b""))
                    }))
                }
            }

            impl Signing {
                fn sign_with(
                    &self,
                    hedged: bool,
                    message: &[u8],
                    signature: &mut Vec<u8>,
                ) -> Result<(), Error> {
                    let signed = self
                        .0
                        .try_sign(message, b"", hedged)
                        .map_err(|what| Error::Library(format!("signing: {what}")))?;
                    put(signature, &signed);
                    Ok(())
                }
            }

            impl SigningKey for Signing {
                fn public_key(&self) -> Vec<u8> {
                    self.0.get_public_key().into_bytes().to_vec()
                }

                fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
                    self.sign_with(true, message, signature)
                }

                fn sign_deterministic(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), Error> {
                    self.sign_with(false, message, signature)
                }
            }
        }
    };
}

parameter_set!(Sha2_128s, slh_dsa_sha2_128s, "SLH-DSA-SHA2-128s");
parameter_set!(Sha2_128f, slh_dsa_sha2_128f, "SLH-DSA-SHA2-128f");

fn malformed(what: &'static str) -> Error {
    Error::MalformedKey(what.to_string())
}

/// Key generation, and a certificate. No official signature that could be made again was at hand; signing is proven by
/// the fast parameter set, whose code is the same.
fn prove_128s(code: &dyn Signature) -> Result<KatResult, KatError> {
    let mut sets = vec![key_generation("slh-dsa-sha2-128s", code)?];
    let mut certificate = KnownAnswers::from("draft-ietf-lamps-x509-slhdsa, example certificate");
    for row in table::rows(include_str!("../../vectors/slh-dsa-sha2-128s-certificate.txt")) {
        let mut message = row.bytes(1);
        certificate.case("SLH-DSA-SHA2-128s", || {
            let key = code.verifying_key(&row.bytes(0))?;
            accepted(key.verify(&message, &row.bytes(2)))?;
            message[0] ^= 1;
            refused(key.verify(&message, &row.bytes(2)))
        })?;
    }
    sets.push(certificate);
    Ok(KatResult::of(sets))
}

/// Key generation, and a deterministic signature.
fn prove_128f(code: &dyn Signature) -> Result<KatResult, KatError> {
    let mut sets = vec![key_generation("slh-dsa-sha2-128f", code)?];
    let mut signing = KnownAnswers::from("NIST ACVP SLH-DSA sigGen FIPS205, as in OpenSSL's tests");
    let key = code.signing_key(&hex(SIGN_SECRET_KEY)).map_err(|e| signing.failure("secret key", e))?;
    let mut signature = Vec::new();
    match key.sign_deterministic(&[0x3f], &mut signature) {
        Err(Error::Unsupported(_)) => signing.skip(1, "no deterministic signing"),
        signed => signing.case("SLH_DSA_SHA2_128f_1", || {
            signed?;
            equal("SHA-256 of the signature", &hex(SIGN_SIGNATURE), &sha256(&signature))?;
            accepted(code.verifying_key(&key.public_key())?.verify(&[0x3f], &signature))
        })?,
    }
    sets.push(signing);
    Ok(KatResult::of(sets))
}

/// `SLH_DSA_SHA2_128f_1` of OpenSSL's test/recipes/30-test_evp_data/evppkey_slh_dsa_siggen.txt (commit 707aeb38), which
/// is taken from NIST's ACVP vector set 53: deterministic, pure, empty context, the message 3f.
const SIGN_SECRET_KEY: &str = "d5213ba4bb6470f1b9eda88cbc94e6277a58a951ef7f2b81461dbac41b5a6b83\
                               fa495fb834defea7cc96a81309479135a67029e90668c5a58b96e60111491f3d";
/// SHA-256 of its 17,088-byte signature.
const SIGN_SIGNATURE: &str = "d3537e05ae63876bf78015ff86cc9e284f91cabfac191298fbaa375596351d55";

fn key_generation(name: &str, code: &dyn Signature) -> Result<KnownAnswers, KatError> {
    let mut acvp = KnownAnswers::from("NIST ACVP SLH-DSA keyGen FIPS205");
    let file = include_str!("../../vectors/slh-dsa-keygen.txt");
    for row in table::rows(file).filter(|row| row.text(0) == name) {
        acvp.case(format!("tcId {}", row.text(1)), || {
            let seeds = [row.bytes(2), row.bytes(3), row.bytes(4)[..16].to_vec()].concat();
            match code.generate_from(&mut replay(&seeds)) {
                Ok(pair) => equal("public key", &row.bytes(4), &pair.public),
                // Whoever cannot be given seeds can be given the key that they lead to.
                Err(Error::Unsupported(_)) => {
                    let secret = [&seeds[..], &row.bytes(4)[16..]].concat();
                    equal("public key", &row.bytes(4), &code.signing_key(&secret)?.public_key())
                }
                Err(error) => Err(error.into()),
            }
        })?;
    }
    Ok(acvp)
}
