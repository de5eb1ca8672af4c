//! A key and what is signed with it.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use fieldtest_frame::text::near;
use fieldtest_ima::keys::PublicKey;
use fieldtest_ima::signer::SignError;
use fieldtest_ima::store::Store;
use fieldtest_ima::tree::Job;
use fieldtest_ima::{HashAlgorithm, Signer, Version, hash_algorithm};
use fieldtest_kinds::signature::PublicKeyForm;

use super::super::keys::{self, SigningKey};
use super::super::shown;
use crate::args::ImaSigning;
use crate::outcome::usage;
use crate::output;

/// A private key from a file, and how it signs.
pub(in crate::commands) struct Maker<'m> {
    pub(in crate::commands) key: SigningKey,
    pub(in crate::commands) version: Version,
    how: &'m ImaSigning,
    hash: HashAlgorithm,
    path: PathBuf,
    certificate: Option<(PathBuf, PublicKey)>,
}

impl<'m> Maker<'m> {
    /// Reads the key, and finds its own among the certificates of the other file.
    ///
    /// # Errors
    /// They cannot be read or do not belong together; a usage error for what no signature is like.
    pub(in crate::commands) fn new(
        path: &Path,
        certificate: Option<&Path>,
        how: &'m ImaSigning,
    ) -> Result<Maker<'m>> {
        let hash = hash(&how.hash)?;
        let key = keys::private(path, how.implementation.as_deref(), hash)?;
        let version = version(how, &key);
        let mut maker = Maker { key, version, how, hash, path: path.to_path_buf(), certificate: None };
        if let Some(path) = certificate {
            let signer = maker.signer()?;
            let own = keys::public(path, "certificate")?
                .into_iter()
                .find(|found| found.bytes == signer.public_key());
            let Some(own) = own else {
                return Err(anyhow!(SignError::OtherPublicKey).context(shown::path(path)));
            };
            maker.certificate = Some((path.to_path_buf(), own));
        }
        Ok(maker)
    }

    /// What makes the signatures.
    ///
    /// # Errors
    /// The key does not sign so.
    pub(in crate::commands) fn signer(&self) -> Result<Signer> {
        let signer = Signer::from_file(self.key.implementation.code.as_ref(), &self.key.file, self.version);
        let mut signer = signer.map_err(|error| self.refused(error))?;
        if let Some((_, certificate)) = &self.certificate {
            signer = signer.identified_by(certificate).map_err(|error| self.refused(error))?;
        }
        Ok(if self.how.hedged { signer.hedged() } else { signer })
    }

    /// Signatures over what these options say, kept there.
    ///
    /// # Errors
    /// The key does not sign so.
    pub(in crate::commands) fn job(&self, store: Store) -> Result<Job> {
        let job = self.over_content(store)?;
        match self.how.verity {
            true => job.over_verity().map_err(|error| self.refused(error)),
            false => Ok(job),
        }
    }

    /// Signatures over contents, or over metadata for EVM.
    ///
    /// # Errors
    /// The key does not sign so.
    pub(in crate::commands) fn over_content(&self, store: Store) -> Result<Job> {
        let job = Job::new(self.key.implementation.code.as_ref(), self.signer()?, self.hash, store);
        job.map_err(|error| self.refused(error))
    }

    /// What people call the key's algorithm.
    pub(in crate::commands) fn title(&self) -> String {
        keys::title(&self.key)
    }

    /// Says so where signatures are for trying out alone.
    pub(in crate::commands) fn warn(&self) {
        if self.key.algorithm.facts.kind.ima.is_none() {
            let name = self.title();
            output::message(&format!(
                "Linux does not verify {name} in IMA; these signatures are for experiments"
            ));
        }
    }

    /// The errors that are the fault of what was typed, as such.
    fn refused(&self, error: SignError) -> anyhow::Error {
        match error {
            SignError::Version2
            | SignError::VerityVersion2
            | SignError::VerityHash(_)
            | SignError::WeakDigest(_) => usage(error),
            SignError::NotDeterministic => usage(
                "this implementation cannot make deterministic signatures; choose another with --implementation, or allow \
                 signatures that differ from run to run with --hedged",
            ),
            SignError::Implementation(fieldtest_kinds::Error::Unsupported(what)) => usage(format!(
                "{} does not offer {what}; choose another with --implementation, or another hash with --hash",
                self.key.implementation.name
            )),
            SignError::Unidentified => {
                let path = self.certificate.as_ref().map(|(path, _)| shown::path(path)).unwrap_or_default();
                anyhow!("{path}: {error}, or let `fieldtest ima keygen` make one")
            }
            error => anyhow!(error).context(shown::path(&self.path)),
        }
    }
}

fn hash(name: &str) -> Result<HashAlgorithm> {
    const KNOWN: [&str; 6] = ["sha256", "sha384", "sha512", "sha3-256", "sha3-384", "sha3-512"];
    hash_algorithm::from_name(name).ok_or_else(|| {
        let (known, meant) = (KNOWN.join(", "), near::meant(name, KNOWN));
        usage(format!("invalid --hash '{name}': expected one of {known}{meant}"))
    })
}

/// Version 2 is what every kernel verifies; fs-verity digests and algorithms that sign messages alone have version 3
/// only.
fn version(how: &ImaSigning, key: &SigningKey) -> Version {
    match how.signature_version {
        Some(2) => Version::V2,
        Some(_) => Version::V3,
        None if how.verity => Version::V3,
        None if key.implementation.code.public_key_form() == PublicKeyForm::Plain => Version::V3,
        None => Version::V2,
    }
}
