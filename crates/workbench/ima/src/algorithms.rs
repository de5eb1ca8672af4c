//! Which implementation serves a key file: its object identifiers joined with the catalog's facts.

use fieldtest_catalog::signature::{self, Algorithm, Implementation};
use fieldtest_catalog::{Unserved, Wanted};
use fieldtest_ima::keys::KeyAlgorithm;
use fieldtest_ima::{Digest, HashAlgorithm};
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{DigestAlgorithm, PublicKeyForm};

/// The algorithm of keys with these identifiers, if the catalog has it. An RSA key of a length that it has no entry for is of the first
/// RSA, as all of them take every length.
pub(crate) fn algorithm(key: &KeyAlgorithm) -> Option<&'static Algorithm> {
    const RSA_ENCRYPTION: &str = "1.2.840.113549.1.1.1";
    let wanted = match key {
        KeyAlgorithm::Rsa { .. } => RSA_ENCRYPTION.to_owned(),
        KeyAlgorithm::Ec { curve } => curve.to_string(),
        KeyAlgorithm::Named(oid) => oid.to_string(),
        _ => return None,
    };
    let is_of_length = |algorithm: &Algorithm| match key {
        KeyAlgorithm::Rsa { bits } => bits.div_ceil(8) == algorithm.facts.kind.signature,
        _ => true,
    };
    let mut fitting = signature::all().iter().filter(|it| it.facts.kind.oid.as_ref() == Some(&wanted));
    let first = fitting.clone().next();
    fitting.find(|it| is_of_length(it)).or(first)
}

/// The implementation that signs files with this algorithm: the one named `wanted` where the algorithm has it; else
/// the first that makes the same signature of the same file in every run, as images that are built twice need it. It is
/// tried out with `secret`, or with a fresh key where there is none yet, on files that are hashed by `hash`: libraries
/// lack hashes.
pub(crate) fn signer(
    algorithm: &'static Algorithm,
    wanted: Option<&str>,
    secret: Option<&[u8]>,
    hash: HashAlgorithm,
) -> Result<&'static Implementation, Unserved> {
    let wanted = Wanted::preferred(wanted);
    let alike = |it: &Implementation| match is_deterministic(it, secret, hash) {
        true => Ok(()),
        false => Err("signs one file in several ways".to_owned()),
    };
    // Trying needs a key, which some take their time to make. Where nobody signs alike, one that does not serves too.
    match algorithm.implementations.len() {
        0 | 1 => algorithm.served(wanted),
        _ => algorithm.serving(wanted, alike).or_else(|_| algorithm.served(wanted)),
    }
}

/// The implementation that verifies files with this public key, in the form of its algorithm: the one named `wanted`
/// where the algorithm has it; else the first that takes what IMA verifies, a digest or a message.
pub(crate) fn verifier(
    algorithm: &'static Algorithm,
    wanted: Option<&str>,
    public: &[u8],
) -> Result<&'static Implementation, Unserved> {
    algorithm.serving(Wanted::preferred(wanted), |it| judges(it, public))
}

/// Signs something twice, by this hash where the scheme signs digests.
pub(crate) fn is_deterministic(
    implementation: &Implementation,
    secret: Option<&[u8]>,
    hash: HashAlgorithm,
) -> bool {
    let code = &implementation.code;
    let key = match secret {
        Some(secret) => code.signing_key(secret),
        None => code.generate().and_then(|pair| code.signing_key(&pair.secret)),
    };
    let Ok(key) = key else { return false };
    let sign = || {
        let mut signature = Vec::new();
        let signed = match code.public_key_form() {
            PublicKeyForm::Plain => key.sign_deterministic(b"twice", &mut signature),
            _ => key.sign_digest(hash.into(), Digest::of(hash, b"twice").bytes(), &mut signature),
        };
        signed.ok().map(|()| signature)
    };
    sign().is_some_and(|first| sign() == Some(first))
}

/// Whether it takes the key, and verifies a digest where the scheme signs digests.
fn judges(implementation: &Implementation, public: &[u8]) -> Result<(), String> {
    let code = &implementation.code;
    if code.public_key_form() == PublicKeyForm::Plain {
        return Ok(());
    }
    let key = code.verifying_key(public).map_err(|error| format!("does not accept this key ({error})"))?;
    match key.verify_digest(DigestAlgorithm::Sha256, &[7; 32], &[0; 64]) {
        Err(Error::Unsupported(_)) => Err("verifies no digests".to_owned()),
        _ => Ok(()),
    }
}
