//! Key files, and the implementations that serve them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use fieldtest_catalog::signature::{Algorithm, Implementation};
use fieldtest_ima::Keyring;
use fieldtest_ima::keys::{KeyAlgorithm, KeyError, PrivateKey, PublicKey};
use fieldtest_study::key_files;
use zeroize::Zeroizing;

/// A private key with what signs by it.
pub(super) struct SigningKey {
    pub(super) file: PrivateKey,
    pub(super) algorithm: &'static Algorithm,
    pub(super) implementation: &'static Implementation,
}

/// Reads a private key.
pub(super) fn private(path: &Path, implementation: Option<&str>) -> Result<SigningKey> {
    let bytes = Zeroizing::new(read(path)?);
    let file = PrivateKey::read(&bytes).map_err(|error| match PublicKey::read_all(&bytes) {
        Ok(_) => anyhow!(
            "{} holds a public key or a certificate, and signing needs the private key; name its file",
            path.display()
        ),
        Err(_) => unread(path, &bytes, error),
    })?;
    let algorithm = algorithm(path, &file.algorithm)?;
    let implementation = key_files::signer(algorithm, implementation, file.secret_bytes().ok())
        .ok_or_else(|| without(path, algorithm, "signs"))?;
    Ok(SigningKey { file, algorithm, implementation })
}

/// Reads all public keys and certificates of a file.
pub(super) fn public(path: &Path) -> Result<Vec<PublicKey>> {
    let bytes = Zeroizing::new(read(path)?);
    PublicKey::read_all(&bytes).map_err(|error| match PrivateKey::read(&bytes) {
        Ok(_) => anyhow!(
            "{0} holds a private key alone; name the certificate, or the public key: openssl pkey -in {0} -pubout",
            path.display()
        ),
        Err(_) => unread(path, &bytes, error),
    })
}

/// A ring of all keys of these files.
pub(super) fn ring(
    paths: impl IntoIterator<Item = impl AsRef<Path>>,
    implementation: Option<&str>,
) -> Result<Keyring> {
    let mut ring = Keyring::new();
    for path in paths {
        let path = path.as_ref();
        for key in public(path)? {
            let algorithm = algorithm(path, &key.algorithm)?;
            let verifier = key_files::verifier(algorithm, implementation, &key.bytes)
                .ok_or_else(|| without(path, algorithm, "verifies"))?;
            ring.add(verifier.code.as_ref(), &key).with_context(|| path.display().to_string())?;
        }
    }
    Ok(ring)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read the key {}", path.display()))
}

/// Why a file is not the key that it should be.
fn unread(path: &Path, bytes: &[u8], error: KeyError) -> anyhow::Error {
    /// The first byte of a SEQUENCE, which every key in DER is.
    const SEQUENCE: u8 = 0x30;
    match error {
        KeyError::Structure { .. }
            if bytes.first() != Some(&SEQUENCE) && !bytes.starts_with(b"-----BEGIN ") =>
        {
            anyhow!("{} is no key: it is neither PEM nor DER", path.display())
        }
        error => anyhow!(error).context(path.display().to_string()),
    }
}

fn algorithm(path: &Path, key: &KeyAlgorithm) -> Result<&'static Algorithm> {
    key_files::algorithm(key).ok_or_else(|| {
        anyhow!(
            "{}: the key is of {key}, of which there is no implementation here; make a key of another algorithm with \
             `fieldtest ima keygen`",
            path.display()
        )
    })
}

fn without(path: &Path, algorithm: &Algorithm, what: &str) -> anyhow::Error {
    let name = &algorithm.facts.name;
    anyhow!(
        "{}: nothing here {what} with {name}, of which only sizes are known; `fieldtest list` shows those that have \
         an implementation",
        path.display()
    )
}
