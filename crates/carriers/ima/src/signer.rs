//! Making the xattr of a signature.

use fieldtest_kinds::signature::{SecretKeyForm, Signature, SigningKey};

use crate::file_id::{FileDigest, Input, Scheme};
use crate::hash_algorithm::{self, HashAlgorithm};
use crate::keys::{self, KeyError, PrivateKey, PublicKey};
use crate::verity;
use crate::xattr::{KeyId, Malformed, SignatureType, SignatureXattr, Version};

/// A prepared key that signs files. It can be shared by threads.
pub struct Signer {
    key: Box<dyn SigningKey>,
    scheme: Scheme,
    public: Vec<u8>,
    id: KeyId,
    version: Version,
    hedged: bool,
}

/// Why no signature was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum SignError {
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error("the key cannot sign: {0}")]
    Implementation(#[from] fieldtest_kinds::Error),
    /// The key's algorithm signs messages alone, and version 2 is over a digest.
    #[error(
        "signature version 2 signs a digest, but the key's algorithm signs only messages; use version 3 (Linux 7.2 \
         and later)"
    )]
    Version2,
    #[error("fs-verity digests need signature version 3; use version 3")]
    VerityVersion2,
    /// Nor other hashes than their own.
    #[error(transparent)]
    VerityHash(#[from] verity::ParameterError),
    /// SHA-1 is for reading.
    #[error("a {} digest is not signed, since it no longer identifies its file; use sha256 or better",
        hash_algorithm::name(*.0))]
    WeakDigest(HashAlgorithm),
    #[error("the key has the format {found:?}, but this implementation needs {expected:?}; choose another")]
    KeyForm {
        /// What the implementation takes.
        expected: SecretKeyForm,
        /// What the file has.
        found: SecretKeyForm,
    },
    #[error("the certificate or public key belongs to another private key; give the one of the signing key")]
    OtherPublicKey,
    /// A certificate that says no id.
    #[error(
        "the certificate has no Subject Key Identifier, which kernels need to find the key of a signature; make it with \
         openssl req -x509 -addext subjectKeyIdentifier=hash"
    )]
    Unidentified,
    /// The implementation does not offer deterministic signatures.
    #[error(
        "this implementation cannot make deterministic signatures; choose another, or allow signatures that differ from \
         run to run"
    )]
    NotDeterministic,
    /// The signature does not fit an xattr.
    #[error("cannot store the signature: {0}")]
    Format(#[from] Malformed),
}

impl Signer {
    /// Prepares a secret key in the form that the implementation states. The key's id is that of [`keys::key_id`].
    ///
    /// # Errors
    /// [`SignError::Version2`] and what the implementation says of the key.
    pub fn new(algorithm: &dyn Signature, secret: &[u8], version: Version) -> Result<Self, SignError> {
        let key = algorithm.signing_key(secret)?;
        let public = key.public_key();
        let form = algorithm.public_key_form();
        let scheme = Scheme::of(form, &public)?;
        if scheme == Scheme::Message && version == Version::V2 {
            return Err(SignError::Version2);
        }
        Ok(Signer { key, scheme, id: keys::key_id(form, &public), public, version, hedged: false })
    }

    /// Prepares a key from a file, and checks it against what the file says of its public key.
    ///
    /// # Errors
    /// As [`Signer::new`]; [`SignError::Key`] and [`SignError::KeyForm`].
    pub fn from_file(
        algorithm: &dyn Signature,
        key: &PrivateKey,
        version: Version,
    ) -> Result<Self, SignError> {
        let (expected, found) = (algorithm.secret_key_form(), key.algorithm.secret_key_form());
        if expected != found {
            return Err(SignError::KeyForm { expected, found });
        }
        let signer = Self::new(algorithm, key.secret_bytes()?, version)?;
        key.check(algorithm.public_key_form(), &signer.public)?;
        Ok(signer)
    }

    /// Signs under the id of a certificate, which must be of this key.
    ///
    /// # Errors
    /// [`SignError::OtherPublicKey`] and [`SignError::Unidentified`].
    pub fn identified_by(self, certificate: &PublicKey) -> Result<Self, SignError> {
        if certificate.bytes != self.public {
            Err(SignError::OtherPublicKey)
        } else if certificate.unidentified {
            Err(SignError::Unidentified)
        } else {
            Ok(self.with_id(certificate.id))
        }
    }

    /// Signs under this id.
    pub fn with_id(self, id: KeyId) -> Self {
        Signer { id, ..self }
    }

    /// Lets an algorithm that signs messages use randomness, where its specification offers that. Without it, the
    /// same file has the same signature in every run.
    pub fn hedged(self) -> Self {
        Signer { hedged: true, ..self }
    }

    /// Under which id it signs.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// In which version it signs.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The public key, in the form that the implementation states.
    pub fn public_key(&self) -> &[u8] {
        &self.public
    }

    /// Signs a digest; the complete value of `security.ima`, or of `security.evm` for
    /// [`SignatureType::EvmPortable`].
    ///
    /// # Errors
    /// [`SignError`].
    pub fn sign(&self, file: &FileDigest) -> Result<Vec<u8>, SignError> {
        let hash = file.digest.algorithm();
        if hash == HashAlgorithm::Sha1 {
            return Err(SignError::WeakDigest(hash));
        }
        if file.covers == SignatureType::Verity && self.version == Version::V2 {
            return Err(SignError::VerityVersion2);
        }
        let input = self.scheme.input(self.version, file).ok_or(SignError::Version2)?;
        let mut signature = Vec::new();
        match input {
            Input::Digest(digest) => {
                self.key.sign_digest(digest.algorithm().into(), digest.bytes(), &mut signature)?;
            }
            Input::Message(message) if self.hedged => self.key.sign(&message, &mut signature)?,
            Input::Message(message) => match self.key.sign_deterministic(&message, &mut signature) {
                Err(fieldtest_kinds::Error::Unsupported(_)) => return Err(SignError::NotDeterministic),
                done => done?,
            },
        }
        if let Scheme::EcdsaDigest { .. } = self.scheme {
            signature = fieldtest_ecdsa_der::to_der(&signature).ok_or(Malformed::NotEcdsaDer)?;
        }
        let xattr = SignatureXattr {
            covers: file.covers,
            version: self.version,
            hash: hash_algorithm::number(hash),
            key: self.id,
            signature: &signature,
        };
        Ok(xattr.encode()?)
    }
}
