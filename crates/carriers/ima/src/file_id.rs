//! What a signature is over: `ima_file_id`, its digest, or the digest of the file alone.

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::PublicKeyForm;

use crate::digest::Digest;
use crate::hash_algorithm;
use crate::xattr::{SignatureType, Version};

/// What a signature covers and its digest: of a file's content, of its fs-verity descriptor ([`crate::verity`]), or of
/// its metadata ([`crate::evm`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileDigest {
    /// What the digest is of.
    pub covers: SignatureType,
    /// The digest.
    pub digest: Digest,
}

impl FileDigest {
    /// The digest of a file's content.
    pub fn of_content(digest: Digest) -> Self {
        FileDigest { covers: SignatureType::File, digest }
    }

    /// `struct ima_file_id` of the kernel, the part in use: type, hash algorithm, digest; 22 to 66 bytes.
    pub fn file_id(&self) -> Vec<u8> {
        let mut id = Vec::with_capacity(2 + self.digest.bytes().len());
        id.extend([self.covers.number(), hash_algorithm::number(self.digest.algorithm())]);
        id.extend(self.digest.bytes());
        id
    }
}

/// How the keys of a form sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// A digest (RSA).
    Digest,
    /// A digest, with a signature that is DER on the disk (ECDSA); the bytes of one coordinate.
    EcdsaDigest { width: usize },
    /// A message, by an algorithm that hashes by itself. Of ML-DSA, Linux (7.2) verifies only the pure form
    /// with an empty context, in version 3; `ima_file_id` already separates uses, and CNSA 2.0 forbids
    /// HashML-DSA.
    Message,
}

impl Scheme {
    /// Of a public key in its form.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a form whose signatures no kernel could read.
    pub(crate) fn of(form: PublicKeyForm, public: &[u8]) -> Result<Self, Error> {
        match form {
            PublicKeyForm::RsaPkcs1 => Ok(Scheme::Digest),
            PublicKeyForm::EcPoint => Ok(Scheme::EcdsaDigest { width: public.len() / 2 }),
            PublicKeyForm::Plain => Ok(Scheme::Message),
            _ => Err(Error::Unsupported("IMA signatures with keys of this form")),
        }
    }

    /// What a key of this scheme signs in a version; nothing where the version has no such signature.
    pub(crate) fn input(self, version: Version, file: &FileDigest) -> Option<Input> {
        match (self, version) {
            (Scheme::Message, Version::V2) => None,
            (Scheme::Message, Version::V3) => Some(Input::Message(file.file_id())),
            (_, Version::V2) => Some(Input::Digest(file.digest)),
            (_, Version::V3) => Some(Input::Digest(Digest::of(file.digest.algorithm(), &file.file_id()))),
        }
    }
}

/// What the signature algorithm is given.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Input {
    Digest(Digest),
    Message(Vec<u8>),
}

#[cfg(test)]
mod tests {
    use crate::hash_algorithm::HashAlgorithm;

    use super::*;

    fn file(covers: SignatureType, algorithm: HashAlgorithm) -> FileDigest {
        let digest = Digest::new(algorithm, &vec![0xaa; algorithm.length()]).unwrap();
        FileDigest { covers, digest }
    }

    #[test]
    fn a_file_id_is_the_type_the_hash_and_the_digest() {
        let cases = [
            (SignatureType::File, HashAlgorithm::Sha256, [3, 4], 34),
            (SignatureType::EvmPortable, HashAlgorithm::Sha512, [5, 6], 66),
            (SignatureType::Verity, HashAlgorithm::Sha3_384, [6, 21], 50),
        ];
        for (covers, algorithm, start, length) in cases {
            let id = file(covers, algorithm).file_id();
            assert_eq!((&id[..2], id.len()), (&start[..], length));
            assert!(id[2..].iter().all(|byte| *byte == 0xaa));
        }
    }

    #[test]
    fn what_is_signed_depends_on_version_and_scheme() {
        let file = file(SignatureType::File, HashAlgorithm::Sha384);
        let of_id = Digest::of(HashAlgorithm::Sha384, &file.file_id());
        for scheme in [Scheme::Digest, Scheme::EcdsaDigest { width: 32 }] {
            assert_eq!(scheme.input(Version::V2, &file), Some(Input::Digest(file.digest)));
            assert_eq!(scheme.input(Version::V3, &file), Some(Input::Digest(of_id)));
        }
        assert_eq!(Scheme::Message.input(Version::V2, &file), None);
        assert_eq!(Scheme::Message.input(Version::V3, &file), Some(Input::Message(file.file_id())));
    }
}
