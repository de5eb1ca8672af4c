//! Digests: by which a volume key is recognised (LUKS2 On-Disk Format Specification 1.1.0, section 3.4).

use std::time::Duration;

use fieldtest_cpu::constant_time_eq;

use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::header::Metadata;
use crate::header::json::Digest;
use crate::integrity::Integrity;
use crate::judge;
use crate::kdf::{self, SALT};
use crate::secret::{Secret, VolumeKey, random};
use crate::spec::CipherSpec;

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
/// [`Error::KeyLength`] if no digest is of a key of this length; [`Error::WrongVolumeKey`]; [`Error::Unsupported`] if the
/// only digests are of unknown hash functions; [`Error::Metadata`].
pub(crate) fn recognise(metadata: &Metadata, key: &VolumeKey) -> Result<u32> {
    let (mut unknown, mut lengths) = (None, Some(Vec::new()));
    let (of_data, of_none): (Vec<_>, Vec<_>) =
        metadata.digests().iter().partition(|(_, digest)| !digest.segments.is_empty());
    for (number, digest) in of_data.into_iter().chain(of_none) {
        match matches(metadata, digest, key) {
            Ok(true) => return Ok(*number),
            Ok(false) => lengths = None,
            Err(Error::KeyLength { expected, .. }) => {
                lengths.iter_mut().for_each(|all| all.extend_from_slice(&expected));
            }
            Err(error) => unknown = Some(error),
        }
    }
    Err(unknown.unwrap_or_else(|| match lengths {
        Some(expected) if !expected.is_empty() => Error::key_length(key.bytes().len(), expected),
        _ => Error::WrongVolumeKey,
    }))
}

/// Whether a digest is that of a key, of which the length is asked for first: HMAC fills a key up with zeros and hashes a long
/// one (RFC 2104, section 2), so keys of several lengths have one digest. cryptsetup does so since 2.8.7
/// (June 2026). Without this, half a key opened a container as another cipher, and the next change
/// destroyed its data.
///
/// # Errors
/// [`Error::KeyLength`], and as [`computes`].
pub(crate) fn matches(metadata: &Metadata, digest: &Digest, key: &VolumeKey) -> Result<bool> {
    has_length(metadata, digest, key)?;
    computes(digest, key)
}

/// Whether a key is as long as those of a digest are: its key slots say it, and where it has none, the ciphers of its segments.
///
/// # Errors
/// [`Error::KeyLength`] if it is not; [`Error::Metadata`] if its key slots say different lengths.
pub(crate) fn has_length(metadata: &Metadata, digest: &Digest, key: &VolumeKey) -> Result<()> {
    let held = one_length(metadata, digest)?;
    let expected = held.map_or_else(|| of_segments(metadata, digest), |held| Some(vec![held]));
    match expected {
        Some(expected) if !expected.contains(&key.bytes().len()) => {
            Err(Error::key_length(key.bytes().len(), expected))
        }
        _ => Ok(()),
    }
}

/// Bytes of the key that the key slots of a digest hold, if it has any.
///
/// # Errors
/// [`Error::Metadata`] if they say different lengths: all but one hold something else than the key.
pub(crate) fn one_length(metadata: &Metadata, digest: &Digest) -> Result<Option<usize>> {
    let slots = digest.keyslots.iter().filter_map(|number| Some((number, metadata.keyslots().get(number)?)));
    let mut lengths = slots.map(|(number, slot)| (number, slot.key_size as usize));
    let Some((first, length)) = lengths.next() else { return Ok(None) };
    match lengths.find(|(_, other)| *other != length) {
        None => Ok(Some(length)),
        Some((second, other)) => Err(Error::Metadata(format!(
            "keyslots {first} and {second} hold keys of {} and {} bits under one digest, but only one can be right; \
             remove the other one with: fieldtest disk slot kill --force",
            length * 8,
            other * 8
        ))),
    }
}

/// The lengths that the ciphers of a digest's segments have; nothing if one of them is not known.
fn of_segments(metadata: &Metadata, digest: &Digest) -> Option<Vec<usize>> {
    let segments = digest.segments.iter().filter_map(|number| metadata.segments().get(number));
    let mut lengths = Vec::new();
    for segment in segments.filter(|segment| segment.encryption.is_some()) {
        let beside = segment.authenticated_by().ok()?.map_or(0, Integrity::key_len);
        let spec: CipherSpec = segment.encryption.as_deref()?.parse().ok()?;
        lengths.extend(judge::key_bits(&spec)?.iter().map(|bits| *bits as usize / 8 + beside));
    }
    (!lengths.is_empty()).then_some(lengths)
}

/// Whether a digest is what PBKDF2 makes of these bytes, whatever their number.
///
/// # Errors
/// [`Error::Unsupported`], [`Error::Metadata`]
pub(crate) fn computes(digest: &Digest, key: &VolumeKey) -> Result<bool> {
    if digest.kind != "pbkdf2" {
        return Err(Error::Unsupported {
            what: format!("the digest type '{}'", digest.kind),
            remedy: "open the container with cryptsetup",
        });
    }
    if digest.digest.is_empty() {
        return Err(Error::Metadata("a digest is empty, so any key would match it".into()));
    }
    if digest.iterations == 0 {
        return Err(Error::Metadata("a digest has no iterations".into()));
    }
    let hash = Hash::from_name(&digest.hash)?;
    // The one length is that of LUKS1, which conversion keeps.
    if digest.salt.len() != SALT || ![20, hash.length()].contains(&digest.digest.len()) {
        return Err(Error::Metadata(format!(
            "a digest has {} bytes and a salt of {}: expected {} and {SALT}",
            digest.digest.len(),
            digest.salt.len(),
            hash.length()
        )));
    }
    let mut computed = Secret::zeroed(digest.digest.len())?;
    hash.pbkdf2(key.bytes(), &digest.salt, digest.iterations, &mut computed)?;
    Ok(constant_time_eq(&computed, &digest.digest))
}
