//! Judging the xattr of a signature by a ring of public keys.

use std::collections::HashMap;
use std::fmt;

use fieldtest_kinds::signature::{PublicKeyForm, Signature, VerifyingKey};

use crate::file_id::{FileDigest, Input, Scheme};
use crate::hash_algorithm::{self, HashAlgorithm};
use crate::keys::{self, PublicKey};
use crate::xattr::{KeyId, Malformed, SignatureType, Version, Xattr};

/// Public keys by their ids. Several may have the same id: four bytes collide.
#[derive(Default)]
pub struct Keyring {
    keys: HashMap<KeyId, Vec<Key>>,
}

struct Key {
    public: Vec<u8>,
    /// By one implementation, and by those that are asked for what it does not have.
    prepared: Vec<Box<dyn VerifyingKey>>,
    scheme: Scheme,
}

/// What an xattr says of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// A key of the ring signed this digest.
    Good(KeyId),
    /// The ring has the key, and it did not sign this digest: the file was changed, or the signature was.
    Wrong(KeyId),
    /// The ring has no such key.
    UnknownKey(KeyId),
    /// The xattr is no value of its kind.
    Malformed(Malformed),
    /// A digest or an HMAC, and no signature; the xattr's type.
    NoSignature(u8),
    /// A signature in a version that is not verified here (1), or that a signature over this does not have.
    UnsupportedVersion {
        /// The version.
        version: u8,
        /// What is signed.
        covers: SignatureType,
    },
    /// A signature in version 2 under the id of a key whose algorithm signs messages alone: kernels refuse that.
    VersionNotForKey(KeyId),
    /// The digest is by an algorithm that is not computed here; the kernel's number.
    UnknownDigestAlgorithm(u8),
    /// The implementation has no such verification, or failed for a reason of its own.
    NotJudged(fieldtest_kinds::Error),
    /// The digest that was supplied is of another thing, or by another algorithm, than the one that was asked for.
    OtherDigest {
        /// What was asked for.
        asked: (SignatureType, HashAlgorithm),
        /// What was supplied.
        supplied: (SignatureType, HashAlgorithm),
    },
}

impl Verdict {
    /// Whether the file is as it was signed.
    pub fn is_good(&self) -> bool {
        matches!(self, Verdict::Good(_))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Good(key) => write!(f, "good, by key {key}"),
            Verdict::Wrong(key) => {
                write!(f, "wrong: the file or its signature was changed after key {key} signed")
            }
            Verdict::UnknownKey(key) => {
                write!(f, "signed by key {key}, which is not among the keys; give its certificate")
            }
            Verdict::Malformed(error) => write!(f, "malformed: {error}"),
            Verdict::NoSignature(number) => {
                write!(f, "not signed: the xattr is of type {number}, a digest or an HMAC; sign the file")
            }
            Verdict::UnsupportedVersion { version, covers } => {
                write!(
                    f,
                    "a signature of version {version} over {covers} is not supported; sign it in version 3"
                )
            }
            Verdict::VersionNotForKey(key) => {
                write!(f, "version 2 is not for the algorithm of key {key}; sign the file in version 3")
            }
            Verdict::UnknownDigestAlgorithm(number) => match hash_algorithm::name_of_number(*number) {
                Some(name) => {
                    write!(f, "the digest is by {name}, which is not supported; sign with sha256")
                }
                None => {
                    write!(f, "the digest is by algorithm {number}, which kernels do not have; sign again")
                }
            },
            Verdict::NotJudged(error) => write!(f, "not checked: {error}; choose another implementation"),
            Verdict::OtherDigest { asked, supplied } => {
                let name = |(_, algorithm): &(_, HashAlgorithm)| hash_algorithm::name(*algorithm);
                write!(
                    f,
                    "not checked: the signature is over {} by {}, but the given digest is of {} by {}; compute that \
                     digest",
                    asked.0,
                    name(asked),
                    supplied.0,
                    name(supplied)
                )
            }
        }
    }
}

impl Keyring {
    /// Without keys.
    pub fn new() -> Self {
        Self::default()
    }

    /// Prepares a key from a file and adds it under its id.
    ///
    /// # Errors
    /// What the implementation says of the key.
    pub fn add(&mut self, algorithm: &dyn Signature, key: &PublicKey) -> Result<(), fieldtest_kinds::Error> {
        let (expected, found) = (algorithm.public_key_form(), key.algorithm.public_key_form());
        if expected != found {
            let what = format!("it has the format {found:?}, but this implementation needs {expected:?}");
            return Err(fieldtest_kinds::Error::MalformedKey(what));
        }
        self.add_as(key.id, algorithm, &key.bytes)
    }

    /// Prepares a public key in the form that the implementation states, and adds it under the id of
    /// [`keys::key_id`], which it returns.
    ///
    /// # Errors
    /// What the implementation says of the key.
    pub fn add_bytes(
        &mut self,
        algorithm: &dyn Signature,
        public: &[u8],
    ) -> Result<KeyId, fieldtest_kinds::Error> {
        let id = keys::key_id(algorithm.public_key_form(), public);
        self.add_as(id, algorithm, public)?;
        Ok(id)
    }

    /// Prepares a public key and adds it under an id of the caller's choice.
    ///
    /// # Errors
    /// What the implementation says of the key.
    pub fn add_as(
        &mut self,
        id: KeyId,
        algorithm: &dyn Signature,
        public: &[u8],
    ) -> Result<(), fieldtest_kinds::Error> {
        let form: PublicKeyForm = algorithm.public_key_form();
        let prepared = vec![algorithm.verifying_key(public)?];
        let key = Key { public: public.to_vec(), prepared, scheme: Scheme::of(form, public)? };
        self.keys.entry(id).or_default().push(key);
        Ok(())
    }

    /// Prepares a key that was added before by another implementation as well, which is asked where the first has no
    /// such verification: libraries lack SHA-1, or SHA-3 with RSA, or hashes for short keys.
    ///
    /// # Errors
    /// What the implementation says of the key.
    pub fn add_further(
        &mut self,
        algorithm: &dyn Signature,
        key: &PublicKey,
    ) -> Result<(), fieldtest_kinds::Error> {
        let scheme = Scheme::of(algorithm.public_key_form(), &key.bytes)?;
        let known = self.keys.get_mut(&key.id).into_iter().flatten();
        let same = |known: &&mut Key| known.public == key.bytes && known.scheme == scheme;
        for known in known.filter(same) {
            known.prepared.push(algorithm.verifying_key(&key.bytes)?);
        }
        Ok(())
    }

    /// Judges the value of an xattr. `digest` is called at most once, and only if the rest of the xattr gives reason
    /// to read the file: with what is signed and the algorithm, for the digest of that by it.
    ///
    /// # Errors
    /// Those of `digest` (a file that cannot be read, say), and no others: whatever is wrong with the xattr is a
    /// verdict.
    pub fn verify<E>(
        &self,
        value: &[u8],
        digest: impl FnOnce(SignatureType, HashAlgorithm) -> Result<FileDigest, E>,
    ) -> Result<Verdict, E> {
        let signature = match Xattr::parse(value) {
            Ok(Xattr::Signature(signature)) => signature,
            Ok(Xattr::SignatureV1(signature)) => {
                return Ok(Verdict::UnsupportedVersion { version: 1, covers: signature.covers });
            }
            Ok(Xattr::Digest(_)) => return Ok(Verdict::NoSignature(1)),
            Ok(Xattr::EvmHmac(_)) => return Ok(Verdict::NoSignature(2)),
            Ok(Xattr::DigestNg { .. }) => return Ok(Verdict::NoSignature(4)),
            Err(error) => return Ok(Verdict::Malformed(error)),
        };
        let (covers, version, id) = (signature.covers, signature.version, signature.key);
        if covers == SignatureType::Verity && version == Version::V2 {
            return Ok(Verdict::UnsupportedVersion { version: 2, covers });
        }
        let Some(algorithm) = hash_algorithm::from_number(signature.hash) else {
            return Ok(Verdict::UnknownDigestAlgorithm(signature.hash));
        };
        let Some(keys) = self.keys.get(&id) else { return Ok(Verdict::UnknownKey(id)) };
        if version == Version::V2 && keys.iter().all(|key| key.scheme == Scheme::Message) {
            return Ok(Verdict::VersionNotForKey(id));
        }
        let file = digest(covers, algorithm)?;
        let supplied = (file.covers, file.digest.algorithm());
        if supplied != (covers, algorithm) {
            return Ok(Verdict::OtherDigest { asked: (covers, algorithm), supplied });
        }
        let mut verdict = Verdict::Wrong(id);
        for key in keys {
            match key.judge(version, &file, signature.signature) {
                Ok(()) => return Ok(Verdict::Good(id)),
                Err(Refusal::Wrong) => {}
                // With several keys of one id, the form of one says nothing about the signature of another.
                Err(Refusal::NotDer) if keys.len() > 1 => {}
                Err(Refusal::NotDer) => verdict = Verdict::Malformed(Malformed::NotEcdsaDer),
                Err(Refusal::Implementation(error)) => verdict = Verdict::NotJudged(error),
            }
        }
        Ok(verdict)
    }
}

/// Why a key did not accept a signature.
enum Refusal {
    Wrong,
    NotDer,
    Implementation(fieldtest_kinds::Error),
}

impl Key {
    fn judge(&self, version: Version, file: &FileDigest, signature: &[u8]) -> Result<(), Refusal> {
        let fixed;
        let signature = match self.scheme {
            Scheme::EcdsaDigest { width } => {
                fixed = fieldtest_ecdsa_der::to_fixed(signature, width).ok_or(Refusal::NotDer)?;
                &fixed
            }
            Scheme::Digest | Scheme::Message => signature,
        };
        let input = self.scheme.input(version, file).ok_or(Refusal::Wrong)?;
        let by = |prepared: &dyn VerifyingKey| match &input {
            Input::Digest(digest) => {
                prepared.verify_digest(digest.algorithm().into(), digest.bytes(), signature)
            }
            Input::Message(message) => prepared.verify(message, signature),
        };
        let mut verified = Err(fieldtest_kinds::Error::Unsupported("verifying"));
        for prepared in &self.prepared {
            verified = by(prepared.as_ref());
            if !matches!(verified, Err(fieldtest_kinds::Error::Unsupported(_))) {
                break;
            }
        }
        verified.map_err(|error| match error {
            fieldtest_kinds::Error::InvalidSignature => Refusal::Wrong,
            error => Refusal::Implementation(error),
        })
    }
}
