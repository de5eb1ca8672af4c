//! One signature that each file of a tree is given, or has already.

use std::path::Path;

use fieldtest_kinds::signature::Signature;
use rustix::io::Errno;

use super::sign_report::Done;
use crate::digest::Digest;
use crate::file_hasher::Wanted;
use crate::file_id::FileDigest;
use crate::files::content::{Content, Unread};
use crate::files::report::Refusal;
use crate::files::root::Root;
use crate::hash_algorithm::{self, HashAlgorithm};
use crate::signer::{SignError, Signer};
use crate::store::sidecar::NotSet;
use crate::store::{Store, attribute, sidecar};
use crate::verifier::Keyring;
use crate::verity;
use crate::xattr::{SignatureType, Version, Xattr};

/// One signature that each file is given: by which key, over which digest, kept where.
pub struct Job {
    signer: Signer,
    wanted: Wanted,
    store: Store,
    /// The signer's own key, by which it sees what is signed already.
    ring: Keyring,
    /// Whether values of the xattr that are none of IMA's are replaced too.
    replaces_foreign: bool,
}

impl Job {
    /// Over contents, of a signer that was made with this algorithm. One signature is made, so that a key that cannot sign is found
    /// now and not at every file.
    ///
    /// # Errors
    /// [`SignError`].
    pub fn new(
        algorithm: &dyn Signature,
        signer: Signer,
        digest: HashAlgorithm,
        store: Store,
    ) -> Result<Self, SignError> {
        let mut ring = Keyring::new();
        ring.add_as(signer.id(), algorithm, signer.public_key())?;
        signer.sign(&FileDigest::of_content(Digest::of(digest, b"")))?;
        Ok(Job { signer, wanted: Wanted::of_content(digest), store, ring, replaces_foreign: false })
    }

    /// The same, and values of its xattr that are none of IMA's are replaced too.
    pub fn replacing_foreign(self) -> Self {
        Job { replaces_foreign: true, ..self }
    }

    /// The same over each file's fs-verity digest, with blocks of 4096 bytes and no salt: the kernel then verifies what
    /// is read and no whole file, of files on which fs-verity is enabled. Enabling it is not done here, and an EVM
    /// signature is over metadata in any case.
    ///
    /// # Errors
    /// [`SignError::VerityVersion2`], and [`SignError::VerityHash`] for other digests than SHA-256 and SHA-512.
    pub fn over_verity(self) -> Result<Self, SignError> {
        if self.signer.version() == Version::V2 {
            return Err(SignError::VerityVersion2);
        }
        verity::Parameters::new(self.wanted.algorithm)?;
        Ok(Job { wanted: Wanted { covers: SignatureType::Verity, ..self.wanted }, ..self })
    }

    /// Whether a value is what this job would store: of its type, version, digest algorithm and key, and valid.
    pub(crate) fn is_done(&self, value: &[u8], file: &FileDigest) -> bool {
        let Ok(Xattr::Signature(found)) = Xattr::parse(value) else { return false };
        found.covers == file.covers
            && found.version == self.signer.version()
            && found.hash == hash_algorithm::number(self.wanted.algorithm)
            && found.key == self.signer.id()
            && self.ring.verify(value, |_, _| Ok::<_, Unread>(*file)).is_ok_and(|verdict| verdict.is_good())
    }

    /// Whether this value of the xattr is to be kept: it is none of IMA's. What is named as IMA's own is nobody else's.
    pub(crate) fn keeps(&self, name: &str, value: &[u8]) -> bool {
        !self.replaces_foreign
            && ![attribute::IMA, attribute::EVM, attribute::USER_IMA].contains(&name)
            && Xattr::parse(value).is_err()
    }

    pub(super) fn sets_ima(&self) -> bool {
        matches!(&self.store, Store::Attribute(name) if name == attribute::IMA)
    }

    pub(crate) fn wanted(&self) -> Wanted {
        self.wanted
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// The value that a file with this digest is given.
    ///
    /// # Errors
    /// [`SignError`].
    pub fn sign(&self, file: &FileDigest) -> Result<Vec<u8>, SignError> {
        self.signer.sign(file)
    }

    /// Signs a file unless that was done already.
    pub(super) fn perform(&self, at: &Place<'_>, file: &FileDigest, buffer: &mut [u8]) -> Done {
        let existing = match &self.store {
            Store::Attribute(name) => attribute::get(&at.content.file, name, buffer),
            Store::Sidecar(suffix) => match sidecar::get(at.root, at.path, suffix, buffer) {
                Ok(Some(value)) if !sidecar::is_signature(value) => {
                    return Done::Refused(Refusal::SidecarTaken);
                }
                // No regular file.
                Err(Errno::LOOP) => return Done::Refused(Refusal::SidecarTaken),
                Err(error) => return Done::Refused(Refusal::of(error, || false)),
                existing => existing,
            },
            Store::Returned => Ok(None),
        };
        // What cannot be read is as good as absent; writing it shows why.
        if let Ok(Some(value)) = existing
            && self.is_done(value, file)
        {
            return Done::AlreadyValid;
        }
        if let (Store::Attribute(name), Ok(Some(value))) = (&self.store, existing)
            && self.keeps(name, value)
        {
            return Done::Refused(Refusal::AttributeTaken);
        }
        let replaces = matches!(existing, Ok(Some(_)));
        let value = match self.sign(file) {
            Ok(value) => value,
            Err(error) => return Done::Failed(error.to_string()),
        };
        let stored = match &self.store {
            Store::Attribute(name) => attribute::set(&at.content.file, name, &value),
            Store::Sidecar(suffix) => return self.beside(at, suffix, file, &value, replaces),
            Store::Returned => return Done::Returned(value),
        };
        stored.map_or_else(Done::Refused, |()| Done::Stored)
    }

    /// Writes a sidecar. Where another process wrote one meanwhile, the last one counts, unless it is as good as this one.
    fn beside(&self, at: &Place<'_>, suffix: &str, file: &FileDigest, value: &[u8], replaces: bool) -> Done {
        let set = |replaces| sidecar::set(at.root, at.path, suffix, value, replaces);
        match set(replaces) {
            Err(NotSet::Overtaken(found)) if self.is_done(&found, file) => Done::AlreadyValid,
            Err(NotSet::Overtaken(_)) => match set(true) {
                Err(NotSet::Refused(refusal)) => Done::Refused(refusal),
                Ok(()) | Err(NotSet::Overtaken(_)) => Done::Stored,
            },
            Err(NotSet::Refused(refusal)) => Done::Refused(refusal),
            Ok(()) => Done::Stored,
        }
    }
}

/// A file that is open.
pub(super) struct Place<'a> {
    pub(super) root: &'a Root,
    pub(super) path: &'a Path,
    pub(super) content: &'a Content<'a>,
}
