//! What the adapter of a MAC consists of: a keyed function of some library, and a key derivation over one.

use std::ops::RangeInclusive;

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::{Job, Mac, MacKey};

use super::derivation::Derivation;

/// A keyed function as one library offers it.
pub(crate) trait Function: Clone + Send + Sync + 'static {
    /// A key as the library keeps it for many messages.
    type Key: MacKey;

    /// Bytes of the whole output.
    fn longest_tag(&self) -> usize;

    /// Prepares a key.
    ///
    /// # Errors
    /// [`Error::MalformedKey`] if the function has no keys of that length.
    fn key(&self, key: &[u8]) -> Result<Self::Key, Error>;

    /// As [`Mac::tag_many`], for libraries that do several messages at once.
    fn tag_many(&self, jobs: &mut [Job<'_>]) -> Result<(), Error> {
        one_by_one(jobs)
    }
}

pub(crate) fn one_by_one(jobs: &mut [Job<'_>]) -> Result<(), Error> {
    jobs.iter_mut().try_for_each(|job| job.key.tag(job.message, job.tag))
}

/// An implementation of [`Mac`]: traffic keys derived with `prf`, messages tagged with `function`.
pub(crate) struct Adapter<F, P> {
    function: F,
    prf: P,
    derivation: Derivation,
}

impl<F: Function> Adapter<F, F> {
    /// The MAC's own function derives its keys.
    pub(crate) fn new(function: F, derivation: Derivation) -> Self {
        Adapter { prf: function.clone(), function, derivation }
    }
}

impl<F: Function, P: Function> Adapter<F, P> {
    /// Another function, or the same one customized, derives the keys.
    pub(crate) fn with_prf(function: F, prf: P, derivation: Derivation) -> Self {
        Adapter { function, prf, derivation }
    }
}

impl<F: Function, P: Function> Mac for Adapter<F, P> {
    fn derive(&self, master_key: &[u8], context: &[u8], traffic_key: &mut Vec<u8>) -> Result<(), Error> {
        self.derivation.derive(&self.prf, master_key, context, traffic_key)
    }

    fn prepare(&self, traffic_key: &[u8]) -> Result<Box<dyn MacKey>, Error> {
        Ok(Box::new(self.function.key(traffic_key)?))
    }

    fn longest_tag(&self) -> usize {
        self.function.longest_tag()
    }

    fn tag_many(&self, jobs: &mut [Job<'_>]) -> Result<(), Error> {
        self.function.tag_many(jobs)
    }
}

/// Overwrites `tag` with the beginning of `whole`.
///
/// # Errors
/// [`Error::Library`] if `tag` is longer.
#[inline]
pub(crate) fn write(whole: &[u8], tag: &mut [u8]) -> Result<(), Error> {
    let beginning = whole.get(..tag.len()).ok_or_else(|| too_long(tag.len(), whole.len()))?;
    tag.copy_from_slice(beginning);
    Ok(())
}

#[cold]
pub(crate) fn too_long(asked: usize, longest: usize) -> Error {
    Error::Library(format!("a tag of {asked} bytes was asked for; ask for at most {longest}"))
}

/// Refuses a key whose length is outside `lengths`, in bytes.
pub(crate) fn check_length(lengths: &RangeInclusive<usize>, key: &[u8]) -> Result<(), Error> {
    if lengths.contains(&key.len()) { Ok(()) } else { Err(wrong_length(lengths, key.len())) }
}

pub(crate) fn wrong_length(lengths: &RangeInclusive<usize>, found: usize) -> Error {
    let (shortest, longest) = (lengths.start(), lengths.end());
    let wanted = match (shortest, longest) {
        (one, other) if one == other => format!("{one} bytes"),
        (_, &usize::MAX) => format!("at least {shortest} bytes"),
        _ => format!("{shortest} to {longest} bytes"),
    };
    Error::MalformedKey(format!("the key has {found} bytes, and {wanted} are needed"))
}

/// A key as an array.
///
/// # Errors
/// [`Error::MalformedKey`] if it has another length.
pub(crate) fn exactly<const N: usize>(key: &[u8]) -> Result<&[u8; N], Error> {
    key.try_into().map_err(|_| wrong_length(&(N..=N), key.len()))
}
