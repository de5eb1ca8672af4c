//! Implementations of the traits over RustCrypto's libraries, for tests alone: the crate itself knows none.
#![allow(dead_code, missing_docs, unreachable_pub)]

pub mod ec;
pub mod keys;
pub mod ml_dsa;
pub mod rsa;

use fieldtest_ima::keys::{KeyAlgorithm, PrivateKey, PublicKey};
use fieldtest_ima::{Digest, FileDigest, HashAlgorithm, Keyring, SignatureType, Signer, Verdict, Version};
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::Signature;

/// SHA-2 and SHA-3, with which all is signed.
pub const HASHES: [HashAlgorithm; 6] = [
    HashAlgorithm::Sha256,
    HashAlgorithm::Sha384,
    HashAlgorithm::Sha512,
    HashAlgorithm::Sha3_256,
    HashAlgorithm::Sha3_384,
    HashAlgorithm::Sha3_512,
];

/// The implementation that a key from a file asks for, as a program's catalog would find it.
pub fn implementation(algorithm: &KeyAlgorithm) -> &'static dyn Signature {
    let named = |oid: &str| match oid {
        "1.2.840.10045.3.1.7" => &ec::P256 as &dyn Signature,
        "1.3.132.0.34" => &ec::P384,
        "2.16.840.1.101.3.4.3.17" => &ml_dsa::MlDsa44,
        "2.16.840.1.101.3.4.3.18" => &ml_dsa::MlDsa65,
        "2.16.840.1.101.3.4.3.19" => &ml_dsa::MlDsa87,
        other => panic!("no implementation for {other}"),
    };
    match algorithm {
        KeyAlgorithm::Rsa { .. } => &rsa::Rsa,
        KeyAlgorithm::Ec { curve: oid } | KeyAlgorithm::Named(oid) => named(&oid.to_string()),
        other => panic!("no implementation for {other}"),
    }
}

/// A signer of a key file.
pub fn signer(file: &[u8], version: Version) -> Signer {
    let key = PrivateKey::read(file).unwrap();
    Signer::from_file(implementation(&key.algorithm), &key, version).unwrap()
}

/// A ring of the keys in files.
pub fn ring(files: &[&[u8]]) -> Keyring {
    let mut ring = Keyring::new();
    for key in files.iter().flat_map(|file| PublicKey::read_all(file).unwrap()) {
        ring.add(implementation(&key.algorithm), &key).unwrap();
    }
    ring
}

/// The digest of content as its signature wants it.
pub fn digest_of(content: &[u8], covers: SignatureType, algorithm: HashAlgorithm) -> FileDigest {
    FileDigest { covers, digest: Digest::of(algorithm, content) }
}

/// The verdict over content, whatever is signed of it.
pub fn judge(ring: &Keyring, xattr: &[u8], content: &[u8]) -> Verdict {
    let Ok(verdict) = ring.verify(xattr, |covers, algorithm| {
        Ok::<_, std::convert::Infallible>(digest_of(content, covers, algorithm))
    });
    verdict
}

fn invalid<E>(_: E) -> Error {
    Error::InvalidSignature
}

fn malformed(error: impl std::fmt::Display) -> Error {
    Error::MalformedKey(error.to_string())
}

fn library(error: impl std::fmt::Display) -> Error {
    Error::Library(error.to_string())
}
