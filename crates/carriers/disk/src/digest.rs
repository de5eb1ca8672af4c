//! Digests: by which a volume key is recognised (LUKS2 On-Disk Format Specification 1.1.0, section 3.4).

use std::time::Duration;

use fieldtest_cpu::constant_time_eq;

use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::header::Metadata;
use crate::header::json::Digest;
use crate::kdf::{self, SALT};
use crate::secret::{Secret, VolumeKey, random};

/// What cryptsetup spends on a digest. A volume key cannot be guessed, so little is enough.
const TIME: Duration = Duration::from_millis(125);

/// Makes the digest of a key for its segments; with no iterations given, as many as cryptsetup would take.
pub(crate) fn make(
    key: &VolumeKey,
    hash: Hash,
    iterations: Option<u32>,
    segments: Vec<u32>,
) -> Result<Digest> {
    let salt = random(SALT)?;
    let iterations = iterations.map_or_else(|| kdf::iterations_for(hash, TIME), Ok)?;
    let mut digest = vec![0; hash.length()];
    hash.pbkdf2(key.bytes(), &salt, iterations, &mut digest)?;
    Ok(Digest {
        kind: "pbkdf2".into(),
        keyslots: Vec::new(),
        segments,
        hash: hash.name().into(),
        iterations,
        salt,
        digest,
    })
}

/// The number of the digest that recognises a key: one of the data if there is, since a key slot that belongs to no data
/// may hold the same key.
///
/// # Errors
/// [`Error::WrongVolumeKey`]; [`Error::Unsupported`] if the only digests are of unknown hash functions.
pub(crate) fn recognise(metadata: &Metadata, key: &VolumeKey) -> Result<u32> {
    let mut unknown = None;
    let (of_data, of_none): (Vec<_>, Vec<_>) =
        metadata.digests().iter().partition(|(_, digest)| !digest.segments.is_empty());
    for (number, digest) in of_data.into_iter().chain(of_none) {
        match matches(digest, key) {
            Ok(true) => return Ok(*number),
            Ok(false) => {}
            Err(error) => unknown = Some(error),
        }
    }
    Err(unknown.unwrap_or(Error::WrongVolumeKey))
}

/// Whether a digest is that of a key.
pub(crate) fn matches(digest: &Digest, key: &VolumeKey) -> Result<bool> {
    if digest.kind != "pbkdf2" {
        return Err(Error::Unsupported {
            what: format!("a digest of the type “{}”", digest.kind),
            remedy: "open the container with cryptsetup",
        });
    }
    if digest.digest.is_empty() {
        return Err(Error::Metadata("a digest is empty, so that any key would match it".into()));
    }
    if digest.iterations == 0 {
        return Err(Error::Metadata("a digest has no iterations".into()));
    }
    let hash = Hash::from_name(&digest.hash)?;
    // The one length is that of LUKS1, which conversion keeps.
    if digest.salt.len() != SALT || ![20, hash.length()].contains(&digest.digest.len()) {
        return Err(Error::Metadata(format!(
            "a digest has {} bytes and a salt of {}, and {} and {SALT} were expected",
            digest.digest.len(),
            digest.salt.len(),
            hash.length()
        )));
    }
    let mut computed = Secret::zeroed(digest.digest.len())?;
    hash.pbkdf2(key.bytes(), &digest.salt, digest.iterations, &mut computed)?;
    Ok(constant_time_eq(&computed, &digest.digest))
}
