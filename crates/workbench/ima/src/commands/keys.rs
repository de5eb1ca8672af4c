//! Key files, and the implementations that serve them.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use fieldtest_catalog::signature::{Algorithm, Implementation};
use fieldtest_ima::keys::{KeyAlgorithm, KeyError, PrivateKey, PublicKey};
use fieldtest_ima::{HashAlgorithm, Keyring};
use rustix::event::{PollFd, PollFlags};
use rustix::fs::{Mode, OFlags};
use zeroize::Zeroizing;

use super::shown;
use crate::algorithms;
use crate::outcome::{coded, usage};
use crate::output;

pub(super) struct SigningKey {
    pub(super) file: PrivateKey,
    pub(super) algorithm: &'static Algorithm,
    pub(super) implementation: &'static Implementation,
}

/// Reads a private key, which is to sign digests by this hash.
pub(super) fn private(path: &Path, implementation: Option<&str>, hash: HashAlgorithm) -> Result<SigningKey> {
    let bytes = Zeroizing::new(read(path, "key")?);
    let file = PrivateKey::read(&bytes).map_err(|error| match PublicKey::read_all(&bytes) {
        Ok(_) => anyhow!(
            "{} contains a public key or a certificate, but signing needs the private key; give its file",
            shown::path(path)
        ),
        Err(_) => unread(path, "key", &bytes, error),
    })?;
    let algorithm = algorithm(path, &file.algorithm)?;
    warn(path, &file.algorithm);
    let implementation = algorithms::signer(algorithm, implementation, file.secret_bytes().ok(), hash)
        .map_err(|error| usage(error).context(shown::path(path)))?;
    Ok(SigningKey { file, algorithm, implementation })
}

/// Reads all public keys and certificates of a file, which errors call so.
pub(super) fn public(path: &Path, what: &str) -> Result<Vec<PublicKey>> {
    let bytes = Zeroizing::new(read(path, what)?);
    PublicKey::read_all(&bytes).map_err(|error| match PrivateKey::read(&bytes) {
        Ok(_) => anyhow!(
            "{0} contains only a private key; give the certificate, or the public key: openssl pkey -in {0} -pubout",
            shown::path(path)
        ),
        Err(_) => unread(path, what, &bytes, error),
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
        for key in public(path, "key")? {
            let algorithm = algorithm(path, &key.algorithm)?;
            warn(path, &key.algorithm);
            if key.unidentified {
                output::message(&format!(
                    "warning: skipped {}, a certificate without a Subject Key Identifier, which kernels need to find its key by \
                     the id of a signature; make it with openssl req -x509 -addext \
                     subjectKeyIdentifier=hash, or give the public key: openssl x509 -pubkey -noout",
                    shown::path(path)
                ));
                continue;
            }
            let verifier = algorithms::verifier(algorithm, implementation, &key.bytes)
                .map_err(|error| usage(error).context(shown::path(path)))?;
            ring.add(verifier.code.as_ref(), &key).with_context(|| shown::path(path))?;
            if implementation.is_some() {
                continue;
            }
            let others = algorithm.implementations.iter().filter(|other| other.name != verifier.name);
            for other in others {
                // One that does not take this key does not judge it either.
                let _ = ring.add_further(other.code.as_ref(), &key);
            }
        }
    }
    Ok(ring)
}

/// The longest key file: certificates of the longest keys have some 100 KiB, and several may be in one.
const LONGEST: u64 = 16 << 20;

/// Reads a key file. Nothing is waited for where nobody writes: not every name in a directory of keys is a file's.
fn read(path: &Path, what: &str) -> Result<Vec<u8>> {
    let unread = || format!("cannot read the {what} {}", shown::path(path));
    if path.as_os_str().as_encoded_bytes().starts_with(b"pkcs11:") && !path.exists() {
        bail!(coded(
            "token",
            usage(format!(
                "cannot read the key {}: keys in tokens (PKCS #11) are not supported; give a key file, PEM or DER",
                shown::path(path)
            ))
        ));
    }
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(io::Error::from).with_context(unread)?;
    let mut file = File::from(file);
    let kind = file.metadata().with_context(unread)?.file_type();
    // From a pipe, as `<(command)` is one, a key is taken when its writer has written it.
    if kind.is_dir() || kind.is_block_device() {
        let what = if kind.is_dir() { "a directory" } else { "a block device" };
        bail!(coded(
            "not-a-key",
            anyhow!("{} is {what}, not a key; give the file that contains the key", shown::path(path))
        ));
    }
    let mut bytes = Vec::new();
    loop {
        match (&mut file).take(LONGEST + 1 - bytes.len() as u64).read_to_end(&mut bytes) {
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let mut ready = [PollFd::new(&file, PollFlags::IN)];
                rustix::event::poll(&mut ready, None).map_err(io::Error::from).with_context(unread)?;
            }
            Err(error) => return Err(error).with_context(unread),
        }
    }
    if bytes.len() as u64 > LONGEST {
        bail!(coded(
            "too-long",
            anyhow!("{} is longer than any key; give the file that contains the key", shown::path(path))
        ));
    }
    if bytes.is_empty() && kind.is_fifo() {
        bail!(coded(
            "not-a-key",
            anyhow!(
                "{} is a fifo without a writer, not a key; give the file that contains the key",
                shown::path(path)
            )
        ));
    }
    Ok(bytes)
}

/// Says of a key that anybody may have who wants it.
fn warn(path: &Path, key: &KeyAlgorithm) {
    if let KeyAlgorithm::Rsa { bits: bits @ ..2048 } = key {
        output::message(&format!(
            "warning: {} is an RSA key of {bits} bits, which is too weak: NIST has disallowed signatures by \
             less than 2048 bits since 2014 (SP 800-131A); generate a longer one",
            shown::path(path)
        ));
    }
}

/// What people call the algorithm of a key: RSA by its length.
pub(super) fn title(key: &SigningKey) -> String {
    match key.file.algorithm {
        KeyAlgorithm::Rsa { bits } => format!("RSA-{bits}"),
        _ => key.algorithm.facts.title.clone(),
    }
}

/// Why a file is not the key, or what else it should be.
fn unread(path: &Path, what: &str, bytes: &[u8], error: KeyError) -> anyhow::Error {
    /// The first byte of a SEQUENCE, which every key in DER is.
    const SEQUENCE: u8 = 0x30;
    match error {
        KeyError::Structure { .. }
            if bytes.first() != Some(&SEQUENCE) && !bytes.starts_with(b"-----BEGIN ") =>
        {
            anyhow!(
                "cannot read the {what} {}: it is neither PEM nor DER; give a {what} file, such as one of fieldtest ima keygen",
                shown::path(path)
            )
        }
        error => anyhow!(error).context(shown::path(path)),
    }
}

fn algorithm(path: &Path, key: &KeyAlgorithm) -> Result<&'static Algorithm> {
    algorithms::algorithm(key).ok_or_else(|| {
        anyhow!(
            "{}: the key is of {key}, which is not implemented; generate a key of another algorithm with \
             `fieldtest ima keygen`",
            shown::path(path)
        )
    })
}
