//! Key files, and the implementations that serve them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use fieldtest_catalog::signature::{Algorithm, Implementation};
use fieldtest_ima::Keyring;
use fieldtest_ima::keys::{KeyAlgorithm, PrivateKey, PublicKey};
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
    let file = PrivateKey::read(&bytes).with_context(|| path.display().to_string())?;
    let algorithm = algorithm(path, &file.algorithm)?;
    let implementation =
        key_files::signer(algorithm, implementation).ok_or_else(|| without(path, algorithm, "signs"))?;
    Ok(SigningKey { file, algorithm, implementation })
}

/// Reads all public keys and certificates of a file.
pub(super) fn public(path: &Path) -> Result<Vec<PublicKey>> {
    PublicKey::read_all(&read(path)?).with_context(|| path.display().to_string())
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
            let verifier = key_files::verifier(algorithm, implementation)
                .ok_or_else(|| without(path, algorithm, "verifies"))?;
            ring.add(verifier.code.as_ref(), &key).with_context(|| path.display().to_string())?;
        }
    }
    Ok(ring)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read the key {}", path.display()))
}

fn algorithm(path: &Path, key: &KeyAlgorithm) -> Result<&'static Algorithm> {
    key_files::algorithm(key).ok_or_else(|| {
        anyhow!(
            "{}: the key is of {key}, of which there is no implementation here; make one with `fieldtest ima keygen`",
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
